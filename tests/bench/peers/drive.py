"""Runs the same training steps in all systems that are there, and prints a table. Called by ./run.

    drive.py FOLDER [--models mnist,imdb,gpt] [--cases 1,1@2,2,4,8] [--rounds 9] [--seconds 0.3] [--precision bf16]
             [--ask]

A case is a number of devices, on as many cores, or (behind an @) on others, but at most on those there are. PyTorch
without DTensor is one process on these cores. All systems that a model was written for are started, all
run the first 20 steps, and those whose losses are within 1e-4 of dtg's (in bf16, of which JAX has no switch, 2e-2) are
timed by turns, `rounds` of at least `seconds` each. The most memory of each process, without others that it starts, is
in MB. Below the table is a line for each case: which part of its cores' FMA peak and memory bandwidth (peaks.c, measured
on them) dtg reached in some steps that were timed one by one, and where the rest goes. --ask waits for a line on the standard input before the timing of each case, for machines that are
shared: it prints `ready`, and `done` after.
"""
import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import bounds

HERE = Path(__file__).resolve().parent
SYSTEMS = ["dtg", "jax", "tensorflow", "torch", "eager", "compiled"]
HOMES = {"eager": "torch", "compiled": "torch"}
TITLES = {"dtg": "dtg", "jax": "JAX", "tensorflow": "TF DTensor", "torch": "PyTorch DTensor", "eager": "PyTorch",
          "compiled": "torch.compile"}
CHECKED, TOLERANCE = 20, {"f32": 1e-4, "bf16": 2e-2}


def python_of(folder, system):
    """The interpreter that has it; dtg's needs NumPy alone."""
    for name in SYSTEMS[1:] if system == "dtg" else [HOMES.get(system, system)]:
        path = folder / name / "bin" / "python"
        if (folder / name / "ready").exists():
            return path
    return None


class System:
    def __init__(self, name, python, arguments, cores, log):
        self.name, self.us = name, []
        mkl = Path(arguments[1]).parent / "mkl_on_amd.so"  # see run
        preloaded = {"LD_PRELOAD": str(mkl)} if HOMES.get(name, name) == "torch" and mkl.exists() else {}
        self.process = subprocess.Popen(
            [python, HERE / f"with_{name}.py", *map(str, arguments)], text=True, stderr=log,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | preloaded,
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


def start(folder, model, names, devices, cores, precision, log):
    """The systems that agree with dtg, first dtg; and what became of the others."""
    systems, words = [], {}
    for name in names:
        python = python_of(folder, name)
        if not python or (name == "jax" and precision != "f32"):
            continue
        log.write(f"---- {name} {model} {devices}\n")
        log.flush()
        arguments = [model, folder / f"{model}.npz", 1 if name in HOMES else devices, len(cores), precision]
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
        if not s.apart <= TOLERANCE[precision]:
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
    for s in systems:
        s.memory = s.ask("memory", 0)[0]


@functools.cache
def peaks(folder, cores):
    """GFLOP/s and GB/s of these cores together."""
    said = subprocess.run([folder / "peaks", str(len(cores))], check=True, text=True, stdout=subprocess.PIPE,
                          preexec_fn=lambda: os.sched_setaffinity(0, cores)).stdout
    return tuple(map(float, said.split()))


def bound(folder, title, devices, cores, dtg):
    dtg.process.stdin.write(f"profile {max(3, min(dtg.steps, 50))}\n")
    dtg.process.stdin.flush()
    return bounds.line(title, devices, len(cores), json.loads(" ".join(dtg.answer())), *peaks(folder, tuple(cores)))


def row(model, names, devices, cores, systems, words):
    by_name, cells = {s.name: s for s in systems}, []
    for name in names:
        s = by_name.get(name)
        cells.append(f"{statistics.median(s.us):.0f} ({min(s.us):.0f}), {s.memory:.0f} MB" if s
                     else words.get(name, "not there"))
    mine, peers = systems[0].us, [s.us for s in systems[1:]]
    ratio = ["", ""]
    if peers:
        ratio = [f"{min(map(f, peers)) / f(mine):.2f}" for f in (statistics.median, min)]
    rate = f"{model['gflop'] / min(mine) * 1e6:.0f}" if "gflop" in model else ""
    print(f"| {model['title']} | {devices} | {len(cores)} | {' | '.join(cells)} | {rate} | {' | '.join(ratio)} |",
          flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder", type=Path)
    p.add_argument("--models", default="mnist,imdb,gpt")
    p.add_argument("--cases", default="1,1@2,2,4,8")
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--seconds", type=float, default=0.3)
    p.add_argument("--precision", default="f32", choices=["f32", "bf16"])
    p.add_argument("--ask", action="store_true")
    o = p.parse_args()
    from models import DTENSOR, MODELS
    lines = []
    all_cores, versions, apart, shown = sorted(os.sched_getaffinity(0)), {}, 0, None
    with open(o.folder / "log", "w") as log:
        for model in o.models.split(","):
            names = MODELS[model].get("systems", DTENSOR)
            for case in o.cases.split(","):
                devices, _, wanted = case.partition("@")
                devices = int(devices)
                if wanted and min(int(wanted), len(all_cores)) == devices:
                    continue
                cores = all_cores[:min(int(wanted or devices), len(all_cores))]
                systems, words = start(o.folder, model, names, devices, cores, o.precision, log)
                if o.ask:
                    print("ready", file=sys.stderr, flush=True)
                    sys.stdin.readline()
                measure(systems, o.rounds, o.seconds)
                if o.ask:
                    print("done", file=sys.stderr, flush=True)
                if shown != names:
                    print("\n| step, us: median (min) | devices | cores | " + " | ".join(TITLES[n] for n in names) +
                          " | dtg, GFLOP/s | best of the others / dtg, medians | minima |")
                    print("| --- " * (6 + len(names)) + "|")
                    shown = names
                row(MODELS[model], names, devices, cores, systems, words)
                lines.append(bound(o.folder, MODELS[model]["title"], devices, cores, systems[0]))
                versions |= {s.name: s.version for s in systems}
                apart = max([apart] + [s.apart for s in systems[1:]])
                for s in systems:
                    s.close()
    print("\ndtg, devices on cores (above 100 % of memory bandwidth: from caches):")
    for text in lines:
        print("* " + text)
    print(f"\nlosses of the first {CHECKED} steps: at most {apart:.1e} apart from dtg's, relative")
    print("; ".join(f"{versions[n]}" for n in SYSTEMS[1:] if n in versions))


if __name__ == "__main__":
    main()
