# terminal.py DTGC FOLDER: on a terminal long work shows a line, which is gone when it is over;
# elsewhere nothing is written. Files and names are looked at before anything is compiled.
import os
import pty
import re
import subprocess
import sys
import time

dtgc, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
env = dict(os.environ, TERM="xterm", NO_COLOR="1", DTGC_CACHE="off")
failed = False


def check(ok, what):
    global failed
    if not ok:
        print("FAIL", what)
        failed = True


def on_terminal(*args):
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(dtgc, [dtgc, *args], env)
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
    return out.decode()


def elsewhere(*args):
    p = subprocess.run([dtgc, *args], env=env, capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


def shown(text):
    """What is left on the screen: a carriage return goes back, and ESC [ K erases the rest of the line."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        now = ""
        for part in line.split("\r"):
            cut = part.split("\x1b[K")
            now = cut[0] + (now[len(cut[0]) :] if len(cut) == 1 else "") + "".join(cut[1:])
        lines.append(now)
    return "\n".join(lines)


# A search of some seconds.
with open("slow.dtg", "w") as f:
    f.write("""mesh [x=8, y=4, t=4, u=2]
entry f(a: f32[28, 28, 16] on [y, _, x]) {
  v = pad(a[:, 1:-1], [1, 0, 0], [1, 0, 0])
  w = pad(v[:, 2:], [1, 0, 0], [1, 2, 0])
  return w
}
layout f.v = [_, y, t]
layout f.w = [t, _, x]
""")
status, out, err = elsewhere("--dump=comm", "slow.dtg")
check(status == 0 and not err, "a pipe is written to: " + err)
text = on_terminal("--dump=edits", "slow.dtg")
said = r"searching for cheaper layouts for slow\.dtg \.\.\. \d+ of \d+ layouts tried, \d+ s"
check(re.search(said, text), "nothing says what takes long, and how far it is: " + text)
check("layouts tried" not in shown(text) and "searching" not in shown(text), "something is left on the terminal: " + repr(shown(text)))

# Clang, for some seconds: what is said within one has to be seen. Functions that differ in a divisor are no one function.
with open("long.dtg", "w") as f:
    f.write("entry f(x: f64[8, 9]) {\n  v = x\n")
    for i in range(600):
        f.write(f"  v = cumsum(v / {i + 3}.5 + roll(v, {i % 7 + 1}, axis=0), axis={i % 2})\n")
    f.write("  return v\n}\n")
text = on_terminal("run", "long.dtg", "info")
check(re.search(r"compiling long\.dtg \.\.\. \d{3} functions by clang, \d+ s", text), "nothing says what clang has to do: " + text)

# What is quick says nothing.
with open("quick.dtg", "w") as f:
    f.write("""const batch = 4
param w: f32[3] = uniform()
entry train(x: f32[batch, 3], y: f32[batch]) {
  loss = mean((x @ w - y) ** 2)
  w <- w - 0.1 * grad(loss, w)
  return loss
}
""")
# On a busy machine it may be slow, and then it should: only an attempt that took less than half a second counts.
for _ in range(50):
    start = time.monotonic()
    text = on_terminal("--dump=ast", "quick.dtg")
    if time.monotonic() - start < 0.5:
        break
check("..." not in text and "\x1b" not in text, "what is quick talks: " + repr(text))

# Before compiling: --time would have shown that clang ran.
with open("x.csv", "w") as f:
    f.write("".join(f"{i},{i + 1},{i + 2},{i}\n" for i in range(8)))
feed = ["--feed", "x=x.csv:0-2", "--feed", "y=x.csv:3"]
status, out, err = elsewhere("--time", "run", "quick.dtg", "fit", "train", *feed, "--steps", "2")
check(status == 0 and re.search(r"^clang", err, re.M), "a good command does not run: " + err)
for args, want in [
    (["fit", "trian", *feed, "--steps", "2"], "no entry 'trian' (did you mean 'train'?)"),
    (["fit", "train", "--feed", "z=x.csv", "--steps", "2"], "no input of that name"),
    (["fit", "train", "--feed", "x=nowhere.csv:0-2", "--feed", "y=x.csv:3", "--steps", "2"], "nowhere.csv: No such file"),
    (["fit", "train", "--feed", "x=x.csv:0-1", "--feed", "y=x.csv:3", "--steps", "2"], "expected f32[4, 3] for input 'x'"),
    (["fit", "train", *feed, "--steps", "2", "--log", "no/such/log.csv"], "no/such/log.csv: cannot write"),
    (["call", "train", *feed[:2]], "expected f32[4, 3] for input 'x'"),
    (["call", "train"], "requires input 'x'"),
]:
    status, out, err = elsewhere("--time", "run", "quick.dtg", *args)
    check(status in (1, 2) and want in err, f"{args}: {err}")
    check(not re.search(r"^clang", err, re.M), f"{args}: compiled first")
status, out, err = elsewhere("--time", "quick.dtg", "-o", "no/such/program")
check(status == 1 and "no/such/program: No such file" in err and "clang" not in err, "-o: " + err)

sys.exit(failed)
