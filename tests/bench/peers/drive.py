"""Runs the same training steps in all systems that are there, and prints a table. Called by ./run.

    drive.py FOLDER [--models mnist,imdb,gpt] [--cases 1,1@2,2,4,8] [--rounds 9] [--seconds 0.3] [--ask]

A case is a number of devices, on as many cores, or (behind an @) on others, but at most on those there are. All systems are started, all
run the first 20 steps, and those whose losses are within 1e-4 of dtg's are timed by turns, `rounds` of at least
`seconds` each. --ask waits for a line on the standard input before the timing of each case, for machines that are
shared: it prints `ready`, and `done` after.
"""
import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SYSTEMS = ["dtg", "jax", "tensorflow", "torch"]
TITLES = {"dtg": "dtg", "jax": "JAX", "tensorflow": "TF DTensor", "torch": "PyTorch DTensor"}
CHECKED, TOLERANCE = 20, 1e-4


def python_of(folder, system):
    """The interpreter that has it; dtg's needs NumPy alone."""
    for name in SYSTEMS[1:] if system == "dtg" else [system]:
        path = folder / name / "bin" / "python"
        if (folder / name / "ready").exists():
            return path
    return None


class System:
    def __init__(self, name, python, arguments, cores, log):
        self.name, self.us = name, []
        self.process = subprocess.Popen(
            [python, HERE / f"with_{name}.py", *map(str, arguments)], text=True, stderr=log,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=lambda: os.sched_setaffinity(0, cores))

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("it ended")
        return line.split()

    def ask(self, what, n):
        self.process.stdin.write(f"{what} {n}\n")
        self.process.stdin.flush()
        return [float(v) for v in self.answer()]

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def start(folder, model, devices, cores, log):
    """The systems that agree with dtg, first dtg; and what became of the others."""
    systems, words = [], {}
    for name in SYSTEMS:
        python = python_of(folder, name)
        if not python:
            continue
        log.write(f"---- {name} {model} {devices}\n")
        log.flush()
        arguments = [model, folder / f"{model}.npz", devices, len(cores)]
        systems.append(System(name, python, arguments, cores, log))
    for s in list(systems):
        try:
            s.version = " ".join(s.answer()[1:])
            s.losses = s.ask("losses", CHECKED)
        except (RuntimeError, OSError, ValueError) as e:
            words[s.name] = "failed"
            log.write(f"---- {s.name}: {e}\n")
            systems.remove(s)
            s.close()
            if s.name == "dtg":
                raise SystemExit(f"dtg failed: see {log.name}")
    for s in systems[1:]:
        s.apart = max(abs(a - b) / abs(b) for a, b in zip(s.losses, systems[0].losses))
        if not s.apart <= TOLERANCE:
            words[s.name] = f"losses differ by {s.apart:.1e}"
            s.close()
    return [s for s in systems if s.name not in words], words


def measure(systems, rounds, seconds):
    for s in systems:
        s.ask("time", 2)
        once = s.ask("time", 2)[0] / 2
        s.steps = max(2, round(seconds / once))
    for _ in range(rounds):
        for s in systems:
            s.us.append(s.ask("time", s.steps)[0] / s.steps * 1e6)


def row(title, devices, cores, systems, words):
    by_name, cells = {s.name: s for s in systems}, []
    for name in SYSTEMS:
        s = by_name.get(name)
        cells.append(f"{statistics.median(s.us):.0f} ({min(s.us):.0f})" if s else words.get(name, "not there"))
    mine, peers = systems[0].us, [s.us for s in systems[1:]]
    ratio = ["", ""]
    if peers:
        ratio = [f"{min(map(f, peers)) / f(mine):.2f}" for f in (statistics.median, min)]
    print(f"| {title} | {devices} | {len(cores)} | {' | '.join(cells)} | {' | '.join(ratio)} |", flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder", type=Path)
    p.add_argument("--models", default="mnist,imdb,gpt")
    p.add_argument("--cases", default="1,1@2,2,4,8")
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--seconds", type=float, default=0.3)
    p.add_argument("--ask", action="store_true")
    o = p.parse_args()
    from models import MODELS
    all_cores, versions, apart, first = sorted(os.sched_getaffinity(0)), {}, 0, True
    with open(o.folder / "log", "w") as log:
        for model in o.models.split(","):
            for case in o.cases.split(","):
                devices, _, wanted = case.partition("@")
                devices = int(devices)
                if wanted and min(int(wanted), len(all_cores)) == devices:
                    continue
                cores = all_cores[:min(int(wanted or devices), len(all_cores))]
                systems, words = start(o.folder, model, devices, cores, log)
                if o.ask:
                    print("ready", file=sys.stderr, flush=True)
                    sys.stdin.readline()
                measure(systems, o.rounds, o.seconds)
                if o.ask:
                    print("done", file=sys.stderr, flush=True)
                if first:
                    print("| step, us: median (min) | devices | cores | " + " | ".join(TITLES[n] for n in SYSTEMS) +
                          " | best of the others / dtg, medians | minima |")
                    print("| --- " * (5 + len(SYSTEMS)) + "|")
                    first = False
                row(MODELS[model]["title"], devices, cores, systems, words)
                versions |= {s.name: s.version for s in systems}
                apart = max([apart] + [s.apart for s in systems[1:]])
                for s in systems:
                    s.close()
    print(f"\nlosses of the first {CHECKED} steps: at most {apart:.1e} apart from dtg's, relative")
    print("; ".join(f"{versions[n]}" for n in SYSTEMS[1:] if n in versions))


if __name__ == "__main__":
    main()
