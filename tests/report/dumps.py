# dumps.py DTGC ROOT FOLDER: what --dump prints for people and for programs.
#   width  no line of a table is longer than 100 columns, and no value goes by a number
#   json   --json is one object a dump, as docs/dumps.md says, with the figures of the text
#   why    a value without a name is found by the text that the dumps have for it
#   color  axes are coloured on a terminal, and nowhere else, and not under NO_COLOR
import json
import os
import pty
import re
import subprocess
import sys

dtgc, root, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
os.makedirs(folder, exist_ok=True)
samples = os.path.join(root, "samples")
failed = 0
STAGES = ["layouts", "comm", "memory", "cost"]


def check(ok, what):
    global failed
    if not ok:
        failed += 1
        print("FAIL", what)


def run(args, status=0, **env):
    p = subprocess.run([dtgc, *args], cwd=samples, env={**os.environ, **env}, capture_output=True, text=True)
    check(p.returncode == status, f"{args}: status {p.returncode}: {p.stderr}")
    return p.stdout if status == 0 else p.stderr


def on_terminal(args, **env):
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(samples)
        os.environ.pop("NO_COLOR", None)
        os.execve(dtgc, [dtgc, *args], {**os.environ, "TERM": "xterm", **env})
    out = b""
    while True:
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        out += data
    os.waitpid(pid, 0)
    os.close(fd)
    return out.decode().replace("\r\n", "\n")


def tensor(x, where):
    for key in ["name", "dtype", "shape", "layout", "axes", "partial", "local", "even", "from"]:
        check(key in x, f"{where}: no {key}: {x}")
    check(len(x["shape"]) == len(x["local"]) == len(x["axes"]), f"{where}: ranks differ: {x}")
    check(all(a <= b for a, b in zip(x["local"], x["shape"])), f"{where}: a block beyond its tensor: {x}")


def look(args):
    plain = {s: run([*args, f"--dump={s}"]) for s in [*STAGES, "layouts:why", "statements"]}
    for stage, text in plain.items():
        for line in text.splitlines():
            check(len(line) <= 100, f"{args} --dump={stage}: {len(line)} columns: {line}")
        check(not re.search(r"(^|[\s(,])%\d", text), f"{args} --dump={stage}: a value by its number")
    data = [json.loads(line) for line in run([*args, "--dump=" + ",".join(STAGES), "--json"]).splitlines()]
    check([d["dump"] for d in data] == STAGES, "one object a stage, in their order")
    layouts, comm, memory, cost = data
    mesh = ", ".join(f"{a['axis']}={a['size']}" for a in layouts["mesh"])
    check(f"mesh [{mesh}]  {layouts['devices']} device" in plain["layouts"], "the mesh is another")
    check(all(d["format"] == 1 and d["mesh"] == layouts["mesh"] for d in data), "format and mesh of all four")
    for v in layouts["variables"]:
        tensor(v, "variable")
        row = re.sub(r"\s+", " ", plain["layouts"][plain["layouts"].index(f"\n  {v['name']} ") :])
        local = ", ".join(map(str, v["local"]))
        most = "" if v["even"] else " at most"
        check(f" {v['layout']} [{local}]{most} {v['from']} " in row[:300], f"{v['name']}: the text has {row[:200]}")
    asked = 0
    for e in layouts["entries"]:
        for v in e["values"]:
            tensor(v, e["name"])
            if e["name"] != "init" and not v["named"] and asked < 2:
                asked += 1
                found = run([*args, "--why", f"{e['name']}.{v['name']}"])
                check(f"entry {e['name']}, {v['name']} " in found, f"--why {v['name']}: {found[:100]}")
        names = [v["name"] for v in e["values"] if not v["named"]]
        check(len(names) == len(set(names)), f"{e['name']}: one text for several values")
    for e, c in zip(comm["entries"], cost["entries"]):
        moved = sum(x["bytes"] for x in e["exchanges"])
        for x in e["exchanges"]: # as one they move no more than each by itself
            alone = sum(m["bytes"] for m in x["moves"])
            check(x["bytes"] == alone or (len(x["moves"]) > 1 and 0 < x["bytes"] < alone), f"{x['bytes']} bytes of {alone}")
        check(e["bytes"] == c["bytes"] == moved, f"{e['name']}: {e['bytes']}, {c['bytes']} and {moved} bytes")
        check(abs(c["compute_time"] + c["exchange_time"] - c["hidden_time"] - c["time"]) <= 1e-4 * c["time"], "times do not add up")
        check(all(0 <= x["hidden_time"] <= x["time"] for x in e["exchanges"]), "more is hidden than there is")
        hidden = sum(x["hidden_time"] for x in e["exchanges"])
        check(abs(hidden - c["hidden_time"]) <= 1e-4 * c["time"] and e["hidden_time"] == c["hidden_time"], "what is hidden does not add up")
        head = f"entry {e['name']}: {len(e['exchanges'])} exchange"
        check(head in plain["comm"] and f", {moved} bytes a device" in plain["comm"], f"comm has no {head}")
        for x in e["exchanges"]:
            for m in x["moves"]:
                check(m["over"] and m["why"] and m["kind"] in plain["comm"], f"a move without a reason: {m}")
    check(sum(v["bytes"] for v in memory["variables"]) <= memory["variable_bytes"], "variables beyond their bytes")
    for e in memory["entries"]:
        head = f"entry {e['name']}: arena {e['arena']} bytes a device; {e['live']} live at the peak"
        check(head in plain["memory"], f"memory has no {head}")
        for b in e["buffers"]:
            check(b["offset"] + b["bytes"] <= e["arena"] and b["values"], f"a buffer beyond the arena: {b}")
    summary = run(args)
    check(summary.count("\n") == 1 and "no errors; " in summary, f"files alone print {summary!r}")


look(["digits/digits.dtg", "digits/mixed.dtg"])
look(["digits/digits.dtg"])
look(["moe/moe.dtg", "moe/mixed.dtg", "--machine", "../tests/golden/report/buckets.machine"]) # messages, of which some are hidden

mixed = ["digits/digits.dtg", "digits/mixed.dtg", "--dump=layouts"]
plain, colored = run(mixed), on_terminal(mixed)
check("\x1b[36mbatch\x1b[0m" in colored and "\x1b[33mmodel\x1b[0m" in colored, "no colours on a terminal")
check(re.sub(r"\x1b\[\d+m", "", colored) == plain, "colours change the text")
check("\x1b[33mmodel\x1b[0m.d1" not in colored, "a name is taken for an axis")
check(on_terminal(mixed, NO_COLOR="1") == plain, "NO_COLOR is not heeded")
check(on_terminal(mixed, TERM="dumb") == plain, "a dumb terminal gets colours")
check("\x1b" not in plain, "colours without a terminal")
check("does not support --json" in run([*mixed[:2], "--dump=graph", "--json"], 2), "--dump=graph --json")
check("goes with" in run([*mixed[:2], "--json"], 2), "--json alone")
sys.exit(1 if failed else 0)
