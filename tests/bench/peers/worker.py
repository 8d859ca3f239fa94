"""What the programs of all systems share: they obey lines on their standard input.

    losses N    N steps from where it is, and each one's loss
    time N      N steps, and the seconds they took
    memory 0    the most memory the process had, MB
    profile N   dtg alone: N steps, and where their time went, as a line of JSON; it is timed from here on

A step takes the next batch as NumPy arrays and gives its loss as a float: data going in and the loss coming out are
part of it, in every system.
"""
import resource
import sys
import time

from models import BATCHES


def arguments():
    """model, file of parameters and batches, devices, cores, precision: the command line of every system's program."""
    return sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]


def serve(version, step, data, tell=lambda n: None, profile=None):
    """tell(n): said before n steps, to other processes of the system. profile(steps): calls that, and gives the line."""
    at = 0
    print("ready", version, flush=True)
    for line in sys.stdin:
        what, n = line.split()
        if what == "memory":
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3, flush=True)
            continue
        if what == "profile":
            print(profile(lambda: [step(data[i % BATCHES]) for i in range(int(n))]), flush=True)
            continue
        tell(int(n))
        losses, start = [], time.perf_counter()
        for _ in range(int(n)):
            losses.append(step(data[at % BATCHES]))
            at += 1
        seconds = time.perf_counter() - start
        print(*losses if what == "losses" else [seconds], flush=True)
