"""Trains a model from Python through libdtgc.so, with NumPy arrays and no package to install.

Class Program is the whole binding, on ctypes alone: copy it, or import it from an installed dtg
(PYTHONPATH=PREFIX/share/dtg/python, import dtg). To run the example:
    python3 numpy_ctypes.py [path of libdtgc.so]
"""
import ctypes as c
import pathlib
import re
import sys
import tempfile
import warnings

import numpy as np

Texts = c.POINTER(c.c_char_p)


class Message(c.Structure):  # the structs are those of dtgc.h, field by field
    _fields_ = [("severity", c.c_int), ("file", c.c_char_p), ("line", c.c_int),
                ("column", c.c_int), ("text", c.c_char_p), ("rendered", c.c_char_p)]


ERROR, WARNING, NOTE = range(3)
MessageFn = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(Message))


class Options(c.Structure):
    _fields_ = [("define", Texts), ("ndefines", c.c_int), ("mesh", c.c_char_p),
                ("precision", c.c_char_p), ("layout", Texts), ("nlayouts", c.c_int),
                ("strict_layouts", c.c_int),
                ("import_dir", Texts), ("nimport_dirs", c.c_int), ("transport", c.c_char_p),
                ("mpi_comm", c.c_void_p), ("seed", c.c_uint64), ("cpu", c.c_char_p),
                ("no_cache", c.c_int), ("no_lines", c.c_int), ("command_line", c.c_int),
                ("will_load", c.c_int),
                ("variant_of", c.c_void_p), ("machine", c.c_void_p),
                ("devices_per_rank", c.c_int), ("timeout", c.c_double), ("cores", c.c_int),
                ("progress", c.c_int),
                ("memory", c.c_uint64),
                ("check_nan", c.c_int), ("disable", Texts), ("ndisables", c.c_int),
                ("optimize", c.c_char_p), ("loader", c.c_char_p), ("sums", c.c_char_p),
                ("repeat_saves", c.c_int), ("drop_exchange", c.c_int),
                ("message", MessageFn), ("user", c.c_void_p), ("doing", c.c_void_p),
                ("print", c.c_void_p)]


class Source(c.Structure):
    _fields_ = [("name", c.c_char_p), ("text", c.c_char_p), ("bytes", c.c_size_t)]


class Buffer(c.Structure):
    _fields_ = [("name", c.c_char_p), ("data", c.c_void_p), ("bytes", c.c_size_t)]


class Tensor(c.Structure):
    _fields_ = [("name", c.c_char_p), ("dtype", c.c_int), ("rank", c.c_int),
                ("shape", c.POINTER(c.c_int64)), ("count", c.c_int64), ("bytes", c.c_size_t),
                ("trainable", c.c_int)]


class Feed(c.Structure):
    _fields_ = [("name", c.c_char_p), ("file", c.c_char_p), ("data", c.c_void_p),
                ("rows", c.c_int64)]


class Rows(c.Structure):
    _fields_ = [("entry", c.c_char_p), ("feed", c.POINTER(Feed)), ("nfeed", c.c_int),
                ("skip", c.c_int64), ("limit", c.c_int64)]


class Metric(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", c.c_double), ("mean", c.c_double)]


class Pass(c.Structure):
    _fields_ = [("entry", c.c_char_p), ("evaluates", c.c_int), ("epoch", c.c_int64),
                ("epochs", c.c_int64), ("step", c.c_int64), ("steps", c.c_int64),
                ("rows", c.c_int64), ("seconds", c.c_double), ("nmetrics", c.c_int),
                ("metric", c.POINTER(Metric)), ("beyond", c.c_int64)]


StepFn = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.POINTER(Pass))
EpochFn = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.POINTER(Pass), c.POINTER(Pass))


class FitOptions(c.Structure):
    _fields_ = [("train", Rows), ("eval", Rows), ("epochs", c.c_int64),
                ("first_epoch", c.c_int64), ("shuffle", c.c_int), ("shuffle_seed", c.c_uint64),
                ("drop_last", c.c_int), ("verify_every", c.c_int64),
                ("verify_tolerance", c.c_double), ("on_step", StepFn), ("on_epoch", EpochFn),
                ("user", c.c_void_p), ("check_replicas", c.c_int64), ("stream", c.c_char_p),
                ("steps_per_call", c.c_int64)]


class Progress(c.Structure):
    _fields_ = [("step", c.c_int64), ("epoch", c.c_int64), ("row", c.c_int64),
                ("rows", c.c_int64), ("shuffled", c.c_int32), ("shuffle", c.c_uint64),
                ("seed", c.c_uint64), ("note", c.c_char * 1024)]


class SaveOptions(c.Structure):
    _fields_ = [("progress", c.POINTER(Progress)), ("bf16", c.c_int)]


TellFn = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p)


class RestoreOptions(c.Structure):
    _fields_ = [("map", c.c_char_p), ("partial", c.c_int), ("tell", TellFn),
                ("user", c.c_void_p)]


def bits_of(name, dtype):
    """For the floats that NumPy does not have."""
    return np.dtype(dtype, metadata={"bits of": name})


# By dtgc_dtype
DTYPES = [np.bool_, np.uint8, np.int8, np.int32, np.int64, np.float16, bits_of("bf16", np.uint16),
          np.float32, np.float64, np.int16, np.uint16, np.uint32, np.uint64,
          bits_of("f8e4m3", np.uint8), bits_of("f8e5m2", np.uint8), np.complex64, np.complex128]


class Error(Exception):
    pass


class DtgWarning(UserWarning):
    """A warning of the compiler: with file, line and caret, and its notes."""


STRUCTS = (Message, Options, Source, Buffer, Tensor, Feed, Rows, Metric, Pass, FitOptions,
           Progress, SaveOptions, RestoreOptions)


def find_library():
    """The library of the prefix that this file is installed in, else the loader's."""
    here = pathlib.Path(__file__).resolve()
    prefix = here.parents[3] if len(here.parents) > 3 else here.parent
    found = [*prefix.glob("lib*/libdtgc.so"), *prefix.glob("lib/*/libdtgc.so")]
    return str(found[0]) if found else "libdtgc.so"


def open_library(path=None):
    lib = c.CDLL(path or find_library())
    for name in "dtgc_error", "dtgc_entry", "dtgc_version":
        getattr(lib, name).restype = c.c_char_p
    lib.dtgc_size_of.restype = c.c_size_t
    lib.dtgc_free.restype = None
    for struct in STRUCTS:
        name = re.sub("(?<=[a-z])(?=[A-Z])", "_", struct.__name__).lower()
        if lib.dtgc_size_of(name.encode()) != c.sizeof(struct):
            raise Error(f"dtgc_{name} of libdtgc {lib.dtgc_version().decode()} is another one")
    return lib


def texts(items):
    items = [t.encode() for t in items]
    return (c.c_char_p * len(items))(*items), len(items)


class Program:
    """A compiled program: run(), fit(), get() and set() of variables, save() and restore().

    One thread at a time may use it. What the compiler warns of becomes a DtgWarning."""

    def __init__(self, lib, sources, mesh=None, define=(), layouts=(), transport=None, seed=0,
                 precision=None, sums=None):
        """sources: {name: text, or None for a file of that name}, the model first.
        precision: "bf16", of products. sums: "fixed" or "fast", between hosts."""
        self.lib, self.p = lib, c.c_void_p()
        s = (Source * len(sources))()
        for at, (name, text) in zip(s, sources.items()):
            text = None if text is None else text.encode()
            at.name, at.text, at.bytes = name.encode(), text, len(text or b"")
        o = Options(mesh=mesh and mesh.encode(), transport=transport and transport.encode(),
                    precision=precision and precision.encode(),
                    sums=sums and sums.encode(), seed=seed)
        o.define, o.ndefines = texts(define)
        o.layout, o.nlayouts = texts(layouts)
        said = []  # warnings, each with its notes

        def message(user, at):
            m = at[0]
            if m.severity == NOTE and said:
                said[-1][1] += m.rendered
            elif m.severity != NOTE:
                said.append([m.severity, m.rendered])

        o.message = MessageFn(message)
        status = lib.dtgc_compile(s, len(s), c.byref(o), c.byref(self.p))
        for severity, text in said:
            if severity == WARNING:
                warnings.warn(text.decode(errors="replace").rstrip(), DtgWarning, stacklevel=2)
        self._check(status)

    def __del__(self):
        if getattr(self, "p", None):
            self.lib.dtgc_free(self.p)

    def _check(self, status):
        if status:
            raise Error(self.lib.dtgc_error(self.p).decode(errors="replace"))

    def _tensors(self, count, get, *entry):
        if count < 0:
            raise Error(f"there is no entry {entry[0].decode()}")
        all = {}
        for i in range(count):
            t = Tensor()
            self._check(get(self.p, *entry, i, c.byref(t)))
            all[t.name.decode()] = (tuple(t.shape[:t.rank]), np.dtype(DTYPES[t.dtype]))
        return all

    def inputs(self, entry):
        e = entry.encode()
        return self._tensors(self.lib.dtgc_inputs(self.p, e), self.lib.dtgc_input, e)

    def outputs(self, entry):
        e = entry.encode()
        return self._tensors(self.lib.dtgc_outputs(self.p, e), self.lib.dtgc_output, e)

    def variables(self):
        """{path: (shape, dtype)}"""
        return self._tensors(self.lib.dtgc_vars(self.p), self.lib.dtgc_var)

    @staticmethod
    def _array(name, value, dtype):
        """A dense array of exactly that type; what would lose something is refused."""
        a = np.asarray(value)
        exact = dtype is None or a.dtype == dtype or np.can_cast(a.dtype, dtype)
        if not exact and a.ndim == 0 and a.dtype.kind in "biufc" and (a.dtype.kind != "c" or dtype.kind == "c"):
            # A number has no type of its own: a float is rounded, an integer must fit.
            with np.errstate(all="ignore"):
                as_it = a.astype(dtype)
            rounded = as_it.dtype.kind in "fc" and np.isfinite(as_it) == np.isfinite(a)
            exact = as_it == a or (rounded and a.dtype.kind != "b")
        bits_of = dtype is not None and dtype.metadata and dtype.metadata["bits of"]
        if not exact or (bits_of and a.dtype != dtype):
            bits = f" ({bits_of} is given as its bits, in {dtype})" if bits_of else ""
            raise Error(f"{name}: {value if a.ndim == 0 else a.dtype} does not go into "
                        f"{dtype}{bits}; convert it")
        return np.asarray(a, dtype, order="C")  # ascontiguousarray would make [1] of a scalar

    def _buffers(self, arrays):
        b = (Buffer * len(arrays))()
        for at, (name, a) in zip(b, arrays.items()):
            at.name, at.data, at.bytes = name.encode(), a.ctypes.data, a.nbytes
        return b

    def run(self, entry, **inputs):
        """{output: array} of one run."""
        return self._run(entry, None, inputs)

    def run_many(self, entry, n, **inputs):
        """The same of n runs in one call. Inputs have a first dim of n more, or are those of all
        runs; outputs have it."""
        return self._run(entry, n, inputs)

    def _run(self, entry, n, inputs):
        many = () if n is None else (n,)
        types, out = self.inputs(entry), self.outputs(entry)
        arrays = {}
        for name, value in inputs.items():
            shape, dtype = types.get(name, (None, None))
            arrays[name] = self._array(name, value, dtype)
            if shape is not None and arrays[name].shape not in (shape, many + shape):
                raise Error(f"{name}: expected shape {many + shape}, found {arrays[name].shape}")
        results = {name: np.empty(many + shape, dtype) for name, (shape, dtype) in out.items()}
        ins, outs = self._buffers(arrays), self._buffers(results)
        b = ins, len(ins), outs, len(outs)
        if n is None:
            self._check(self.lib.dtgc_run(self.p, entry.encode(), *b))
        else:
            self._check(self.lib.dtgc_run_many(self.p, entry.encode(), c.c_int64(n), *b))
        return results

    def _variable(self, path):
        all = self.variables()
        if path not in all:
            raise Error(f"there is no variable {path}")
        return all[path]

    def get(self, path):
        shape, dtype = self._variable(path)
        a = np.empty(shape, dtype)
        self._check(self.lib.dtgc_get(self.p, path.encode(), a.ctypes.data_as(c.c_void_p),
                                      c.c_size_t(a.nbytes)))
        return a

    def set(self, path, value):
        shape, dtype = self._variable(path)
        a = self._array(path, value, dtype)
        if a.shape != shape:
            raise Error(f"{path}: expected shape {shape}, found {a.shape}")
        self._check(self.lib.dtgc_set(self.p, path.encode(), a.ctypes.data_as(c.c_void_p),
                                      c.c_size_t(a.nbytes)))

    def save(self, path, bf16=False, **progress):
        """A checkpoint as the folder `path`. progress: step=, epoch=, note= and so on."""
        p = Progress(**{k: v.encode() if isinstance(v, str) else v for k, v in progress.items()})
        o = SaveOptions(progress=c.pointer(p), bf16=bf16)
        self._check(self.lib.dtgc_save(self.p, path.encode(), c.byref(o)))

    def restore(self, path, map=None, partial=False):
        """Variables from a checkpoint or safetensors files; how far the training was. What a
        partial restore leaves out is warned of."""
        p, told = Progress(), []
        o = RestoreOptions(map=map and map.encode(), partial=partial,
                           tell=TellFn(lambda user, line: told.append(line)))
        self._check(self.lib.dtgc_restore(self.p, path.encode(), c.byref(o), c.byref(p)))
        for line in told:
            warnings.warn(line.decode(errors="replace").rstrip(), DtgWarning, stacklevel=2)
        return {name: getattr(p, name).decode() if name == "note" else getattr(p, name)
                for name, _ in Progress._fields_}

    def _rows(self, entry, feeds, keep):
        types, f = self.inputs(entry), (Feed * len(feeds))()
        for at, (name, value) in zip(f, feeds.items()):
            at.name = name.encode()
            if isinstance(value, str):  # a file
                at.file = value.encode()
                continue
            shape, dtype = types.get(name, ((), None))
            a = self._array(name, value, dtype)
            if a.shape[1:] != shape[1:] or a.ndim != len(shape):
                raise Error(f"{name}: expected rows of {shape[1:]}, found {a.shape}")
            at.data, at.rows = a.ctypes.data, len(a) if a.ndim else 0
            keep.append(a)
        keep.append(f)
        return Rows(entry.encode(), f, len(f), 0, 0)

    def fit(self, entry, feeds, epochs, shuffle=None, eval=None, eval_feeds=None, on_epoch=None,
            steps_per_call=0):
        """feeds: {input: array of rows, or a file}. on_epoch(epoch, means): False stops.
        steps_per_call: steps that run without a return to the host."""
        keep, raised = [], []

        def means(at):
            return {at.metric[i].name.decode(): at.metric[i].mean for i in range(at.nmetrics)}

        def call(user, program, train, evaluated):
            try:
                all = means(train[0])
                if evaluated:
                    all |= {f"{eval}.{k}": v for k, v in means(evaluated[0]).items()}
                return on_epoch(train[0].epoch, all) is False
            except BaseException as e:  # it cannot pass through C
                raised.append(e)
                return 1

        o = FitOptions(epochs=epochs, shuffle=shuffle is not None, shuffle_seed=shuffle or 0,
                       steps_per_call=steps_per_call)
        o.train = self._rows(entry, feeds, keep)
        if eval:
            o.eval = self._rows(eval, eval_feeds, keep)
        if on_epoch:
            o.on_epoch = EpochFn(call)
        self._check(self.lib.dtgc_fit(self.p, c.byref(o)))
        if raised:
            raise raised[0]


MODEL = """
import "nn"
import "optim"
const batch = 50
layer mlp() {
  d1 = dense(2, 32, act=tanh)
  d2 = dense(32, 2)
  apply(x) { return d2(d1(x)) }
}
moons = mlp()
opt = adam(moons, lr=0.01)
entry train(x: f32[batch, 2], side: i32[batch]) {
  logits = moons(x)
  loss = mean(sparse_softmax_cross_entropy(logits, side))
  opt.minimize(loss)
  return loss, accuracy = mean(f32(argmax(logits, axis=1) == side))
}
entry predict(x: f32[batch, 2]) { return p = softmax(moons(x)) }
"""


def two_moons(n, rng):
    side = rng.integers(0, 2, n, np.int32)
    angle = rng.uniform(0, np.pi, n)
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    x[side == 1] = [1, 0.5] - x[side == 1]
    return np.float32(x + rng.normal(0, 0.1, x.shape)), side


def main():
    lib = open_library(*sys.argv[1:2])
    p = Program(lib, {"moons.dtg": MODEL}, mesh="data=2,model=2",
                layouts=["x=[data,_]", "side=[data]", "moons.d1.w=[_,model]"])
    x, side = two_moons(1020, np.random.default_rng(0))

    def show(epoch, means):
        if epoch % 5 == 0:
            print(f"epoch {epoch:2}  loss {means['loss']:.4f}  accuracy {means['accuracy']:.3f}")
        return means["accuracy"] < 0.999

    p.fit("train", {"x": x, "side": side}, epochs=20, shuffle=1, on_epoch=show)

    # What dtg computed, from the weights and NumPy alone.
    w = {path.removeprefix("moons."): p.get(path) for path in p.variables()
         if path.startswith("moons.")}
    z = np.tanh(x[:50] @ w["d1.w"] + w["d1.b"]) @ w["d2.w"] + w["d2.b"]
    e = np.exp(z - z.max(axis=1, keepdims=True))
    mine = e / e.sum(axis=1, keepdims=True)
    theirs = p.run("predict", x=x[:50])["p"]
    print("NumPy and dtg agree" if np.allclose(mine, theirs, atol=1e-5) else "they differ")

    with tempfile.TemporaryDirectory() as folder:
        p.save(folder + "/moons", epoch=20)
        p.set("moons.d2.b", w["d2.b"] + np.float32([100, 0]))
        print("all on side 0:", bool((p.run("predict", x=x[:50])["p"].argmax(axis=1) == 0).all()))
        done = p.restore(folder + "/moons")
        same = np.array_equal(p.run("predict", x=x[:50])["p"], theirs)
        print(f"epoch {done['epoch']} is back:", same)


if __name__ == "__main__":
    main()
