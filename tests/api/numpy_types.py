"""The binding of samples/embed/numpy_ctypes.py: scalars and arrays of every type, what must be
errors, warnings, checkpoints.  numpy_types.py SCRIPT LIBRARY"""
import importlib.util
import os
import sys
import tempfile
import warnings

import numpy as np

spec = importlib.util.spec_from_file_location("binding", sys.argv[1])
dtg = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dtg)
lib = dtg.open_library(sys.argv[2])
bad = 0


def check(what, good):
    global bad
    if not good:
        print("FAIL", what)
        bad = 1


def refused(what, part, call):
    try:
        call()
    except dtg.Error as e:
        check(f"{what}: {e}", part in str(e))
        return
    check(f"{what} is not refused", False)


TYPES = {"bool": (np.bool_, True), "u8": (np.uint8, 200), "i8": (np.int8, -100),
         "i32": (np.int32, -2**31), "i64": (np.int64, 2**63 - 1), "f16": (np.float16, 0.5),
         "bf16": (np.uint16, np.uint16(0x4049)), "f32": (np.float32, 0.1), "f64": (np.float64, 0.1),
         "i16": (np.int16, -300), "u16": (np.uint16, 65535), "u32": (np.uint32, 2**32 - 1),
         "u64": (np.uint64, 2**64 - 1), "f8e4m3": (np.uint8, np.uint8(0x7e)),
         "f8e5m2": (np.uint8, np.uint8(0x3c)), "c64": (np.complex64, 1.5 - 2j),
         "c128": (np.complex128, 0.1 + 1e-9j)}

# Scalars and empty, strided and transposed arrays of every type, in and out, and as variables
for name, (dtype, value) in TYPES.items():
    first = "true" if name == "bool" else f"{name}(1)"
    p = dtg.Program(lib, {"m.dtg": f"""
state s: {name}[] = {first}
state m: {name}[2, 3] = {first}
entry same(a: {name}[], b: {name}[2, 3], hollow: {name}[0, 3]) {{ return x = a, y = b, z = hollow }}
"""})
    check(f"{name}: variables", p.variables()["s"] == ((), np.dtype(dtype)))
    b = np.full((2, 3), value, dtype)
    b[0, 1] = 0
    for a in value, np.asarray(value, dtype), dtype(value):
        for way in b, np.asfortranarray(b), np.tile(b, (2, 2))[::2, 1:4][:, [2, 0, 1]]:
            out = p.run("same", a=a, b=way, hollow=np.empty((0, 3), dtype))
            check(f"{name}: a scalar", out["x"].shape == () and out["x"] == dtype(value))
            check(f"{name}: a matrix", np.array_equal(out["y"], way) and out["y"].dtype == dtype)
            check(f"{name}: no rows", out["z"].shape == (0, 3))
    p.set("s", value)
    p.set("m", b.T.copy().T)
    check(f"{name}: set and get", p.get("s") == dtype(value) and p.get("s").shape == ()
          and np.array_equal(p.get("m"), b))
    refused(f"{name}: [1] for a scalar", "expected shape ()", lambda: p.set("s", np.ones(1, dtype)))
    refused(f"{name}: a scalar for a matrix", "expected shape (2, 3)", lambda: p.set("m", value))

# Several runs in one call, a variable carried from each to the next
p = dtg.Program(lib, {"m.dtg": """
state s: f32[2] = zeros()
entry add(x: f32[2], k: f32[]) { s <- s + k * x; return s = s, twice = 2 * x }
"""}, mesh="a=2", layouts=["x=[a]"])
x = np.arange(10, dtype=np.float32).reshape(5, 2)
ones = [p.run("add", x=x[i], k=0.5) for i in range(5)]
p.run("init")
out = p.run_many("add", 5, x=x, k=0.5)
check("run_many", all(np.array_equal(out[n], np.stack([o[n] for o in ones])) for n in out))
refused("4 of 5 runs", "expected shape (5, 2)", lambda: p.run_many("add", 5, x=x[:4], k=0.5))
refused("no runs", "there cannot be 0 runs", lambda: p.run_many("add", 0, x=x[0], k=0.5))

# What would lose something
p = dtg.Program(lib, {"m.dtg": """
state i: i32[] = 0
state u: u8[] = 0
state t: bool[] = false
state h: bf16[] = bf16(0)
state f: f32[] = 0
entry get() { return f }
"""})
for path, value in [("i", 2.5), ("i", 2**31), ("i", float("nan")), ("u", 256), ("u", -1), ("u", 1e9),
                    ("t", 2), ("h", 1.0), ("h", 1), ("f", 1e300), ("f", 1j), ("f", "one")]:
    refused(f"{path} = {value}", "does not go into", lambda: p.set(path, value))
for path, value in [("i", 2.0), ("i", -2**31), ("u", 255), ("t", 1), ("f", 2), ("f", np.float64(0.1)), ("f", float("inf"))]:
    p.set(path, value)
refused("another variable", "no variable g", lambda: p.get("g"))
refused("another input", "unknown input", lambda: p.run("get", x=1))

# A scalar input in training
p = dtg.Program(lib, {"m.dtg": """
const batch = 2
param w: f32[] = 0
entry train(x: f32[batch], rate: f32[]) {
  w <- w + rate * sum(x)
  return loss = w
}
"""})
p.fit("train", {"x": np.float32([1, 2, 3, 4]), "rate": 0.5}, epochs=1)
check("a scalar of each step", p.get("w") == 5)

# Warnings, with their notes; none where there are none
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    dtg.Program(lib, {"m.dtg": "entry f(x: f32[4]) { return y = x }\n"}, mesh="a=2", layouts=["nothing=[a]"])
check(f"a warning: {[str(w.message) for w in seen]}",
      len(seen) == 1 and seen[0].category is dtg.DtgWarning and "nothing" in str(seen[0].message)
      and seen[0].filename == __file__)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    dtg.Program(lib, {"m.dtg": "entry f(x: f32[4]) { return y = x }\n"}, mesh="a=2", layouts=["x=[a]"])
refused("an error", "m.dtg:1:33: error", lambda: dtg.Program(lib, {"m.dtg": "entry f(x: f32[4]) { return y = z }\n"}))
refused("a wrong order of sums", "sums is `any`", lambda: dtg.Program(lib, {"m.dtg": "entry f() { return x = 1 }\n"}, sums="any"))

# Checkpoints
model = "param w: f32[8] = zeros([8])\nstate n: i64[] = 0\nentry f() { return n }\n"
p = dtg.Program(lib, {"m.dtg": model}, mesh="a=2", layouts=["w=[a]"])
w = np.arange(8, dtype=np.float32) / 3
p.set("w", w)
p.set("n", 2**40)
with tempfile.TemporaryDirectory() as folder:
    at = os.path.join(folder, "saved")
    p.save(at, step=7, epoch=2, seed=2**63, note="grün")
    q = dtg.Program(lib, {"m.dtg": model}, mesh="b=4", layouts=["w=[b]"])
    done = q.restore(at)
    check("progress", (done["step"], done["epoch"], done["seed"], done["note"]) == (7, 2, 2**63, "grün"))
    check("values under another mesh", np.array_equal(q.get("w"), w) and q.get("n") == 2**40)
    other = dtg.Program(lib, {"m.dtg": "param v: f32[8] = zeros([8])\nparam u: f32[] = 3\nentry f() { return u }\n"})
    refused("another program's checkpoint", "", lambda: other.restore(at))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        other.restore(at, map="w -> v\n", partial=True)
    check("what is left out is told", any("n" in str(s.message) for s in seen))
    check("by a map, in part", np.array_equal(other.get("v"), w) and other.get("u") == 3)
    p.save(at, bf16=True)
    q.restore(at)
    check("bf16 on disk", abs(q.get("w") - w).max() < 0.01 and not np.array_equal(q.get("w"), w))
    refused("no checkpoint", "No such file", lambda: q.restore(os.path.join(folder, "none")))
    refused("no place", "", lambda: q.save("/dev/null/x"))

print("the binding fails" if bad else "the binding holds")
sys.exit(bad)
