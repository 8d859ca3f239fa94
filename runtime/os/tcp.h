/* tcp.h: connections that say when the other end is gone: a host that loses its power sends
 * nothing, so the kernel asks. */
#ifndef DTG_TCP_H
#define DTG_TCP_H
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/* After `idle` seconds without a word the kernel asks each `every` seconds; after `count` questions
 * without an answer the connection is closed. */
static inline void tcp_keep_alive(int fd, int idle, int every, int count) {
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

#endif
