/* vswitch.c: a switch in user space between network namespaces, with a rate and a delay, for
 * kernels without netem.
 *
 *   vswitch N MTU MBIT DELAY_US NAME    tap devices eth0 in the namespaces NAME0 to NAME<N-1>, with
 *                                       the addresses 10.77.7.1 and on; prints a line when all are
 *                                       up, and on SIGHUP the bytes that each has sent since
 *
 * A frame leaves its port when those before have left at the rate, arrives after the delay, and is
 * received when those before have been received at the rate. Needs root. tests/bench/hosts. */
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { PORTS = 16, FRAME = 70000, WIRE = 24 /* bytes of a frame that no host sees */, TURN = 64 };

typedef struct Frame {
  struct Frame *next;
  double at;
  int bytes;
  unsigned char data[];
} Frame;

typedef struct Port {
  int fd;
  Frame *first, *last;    /* on their way to it */
  double sends, receives; /* until when it is busy */
  long long sent;
} Port;

static Port port[PORTS];
static int ports;
static double rate, delay;
static volatile sig_atomic_t asked;

static void ask(int signal) { asked = signal; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double later(double a, double b) { return a > b ? a : b; }

static void put(Port *from, Port *to, const unsigned char *data, int bytes) {
  const double wire = (bytes + WIRE) * 8 / rate;
  Frame *f = malloc(sizeof *f + (size_t)bytes);
  if (!f) exit(1);
  from->sends = later(now(), from->sends) + wire;
  to->receives = later(from->sends + delay, to->receives + wire);
  *f = (Frame){.at = to->receives, .bytes = bytes};
  memcpy(f->data, data, (size_t)bytes);
  if (to->last)
    to->last->next = f;
  else
    to->first = f;
  to->last = f;
  from->sent += bytes;
}

/* The last byte of the address 02:00:00:00:00:xx is the port. */
static void take(Port *from) {
  static unsigned char data[FRAME];
  for (int turn = 0; turn < TURN; turn++) {
    const int bytes = (int)read(from->fd, data, sizeof data);
    if (bytes <= 0) return;
    for (int i = 0; i < ports; i++)
      if (&port[i] != from && (data[0] & 1 || data[5] == i)) put(from, &port[i], data, bytes);
  }
}

static void deliver(Port *to) {
  for (Frame *f; (f = to->first) && f->at <= now();) {
    to->first = f->next;
    if (!to->first) to->last = NULL;
    if (write(to->fd, f->data, (size_t)f->bytes) < 0) { /* its queue is full: it is lost */
    }
    free(f);
  }
}

static int enter(const char *path) {
  const int at = open(path, O_RDONLY | O_CLOEXEC);
  return at < 0 || setns(at, CLONE_NEWNET) || close(at) ? -1 : 0;
}

static int plug(int i, const char *name, const char *mtu) {
  char path[64], command[400];
  struct ifreq r = {.ifr_flags = IFF_TAP | IFF_NO_PI, .ifr_name = "eth0"};
  snprintf(path, sizeof path, "/var/run/netns/%.20s%d", name, i);
  if (enter(path)) return perror(path), -1;
  port[i].fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (port[i].fd < 0 || ioctl(port[i].fd, TUNSETIFF, &r)) return perror("/dev/net/tun"), -1;
  snprintf(command, sizeof command,
           "ip link set eth0 address 02:00:00:00:00:%02x mtu %d txqueuelen 20000 && "
           "ip addr add 10.77.7.%d/24 dev eth0 && ip link set lo up && ip link set eth0 up",
           i, atoi(mtu), i + 1);
  return system(command) ? -1 : 0;
}

static void turn(void) {
  struct pollfd all[PORTS];
  double next = now() + 1;
  for (int i = 0; i < ports; i++) {
    all[i] = (struct pollfd){.fd = port[i].fd, .events = POLLIN};
    if (port[i].first && port[i].first->at < next) next = port[i].first->at;
  }
  const double left = later(next - now(), 0);
  const struct timespec wait = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
  ppoll(all, (nfds_t)ports, &wait, NULL);
  for (int i = 0; i < ports; i++) take(&port[i]);
  for (int i = 0; i < ports; i++) deliver(&port[i]);
  if (!asked) return;
  asked = 0;
  for (int i = 0; i < ports; i++) printf("%lld%c", port[i].sent, i + 1 < ports ? ' ' : '\n');
  for (int i = 0; i < ports; i++) port[i].sent = 0;
  fflush(stdout);
}

int main(int argc, char **argv) {
  ports = argc == 6 ? atoi(argv[1]) : 0;
  if (ports < 1 || ports > PORTS) return 2;
  rate = atof(argv[3]) * 1e6, delay = atof(argv[4]) * 1e-6;
  const struct sigaction act = {.sa_handler = ask};
  sigaction(SIGHUP, &act, NULL);
  const int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  for (int i = 0; i < ports; i++)
    if (plug(i, argv[5], argv[2]) || setns(own, CLONE_NEWNET)) return 1;
  printf("up\n");
  fflush(stdout);
  for (;;) turn();
}
