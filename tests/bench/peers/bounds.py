"""How far a step of dtg is from what its cores could do, and where the rest goes: from the trace of a profile
(docs/profiling.md), which has the flops and bytes of each step."""
KINDS = {"product": "products", "loop": "loops", "exchange": "exchanges"}


def spent(events):
    """Of all devices: the seconds of their calls and of each kind of step, its flops and bytes, and the largest steps."""
    out = {"calls": 0.0, "waiting": 0.0, "kinds": {}, "steps": {}}
    for e in events:
        if e.get("ph") != "X":
            continue
        seconds, args = e["dur"] * 1e-6, e["args"]
        if e["cat"] == "call":
            out["calls"] += seconds
        elif e["cat"] in KINDS:
            kind = out["kinds"].setdefault(KINDS[e["cat"]], {"s": 0.0, "flops": 0, "bytes": 0})
            kind["s"] += seconds
            kind["flops"] += args["flops"]
            kind["bytes"] += args["bytes"]
            out["steps"][e["name"]] = out["steps"].get(e["name"], 0.0) + seconds
            out["waiting"] += args["waiting"] * 1e-6
    return out


def short(name):
    return name if len(name) <= 60 else name[:57] + "..."


def line(title, devices, cores, spent, peak, bandwidth):
    """`peak` in GFLOP/s and `bandwidth` in GB/s are those of all cores. On fewer cores than devices, devices take turns,
    and all their calls last as long as one: what the cores did is divided by the time that passed. What a step reads or
    stores counts once, also what a cache holds: that may be more than memory passes."""
    passed = spent["calls"] / devices
    kinds, total = spent["kinds"], spent["calls"]

    def part(of, rate, most):
        return f"{100 * of * 1e-9 / rate / most:.0f} %"

    # Bytes of exchanges are read from other devices' memory; all others are read or written once a step.
    flops, moved = (sum(k[what] for k in kinds.values()) for what in ("flops", "bytes"))
    text = [f"{part(flops, passed, peak)} of FMA peak ({peak:.0f} GFLOP/s), "
            f"{part(moved, passed, bandwidth)} of memory bandwidth ({bandwidth:.0f} GB/s)"]
    for name in KINDS.values():
        k = kinds.get(name)
        if not k:
            continue
        # A kind's own rate: devices that work at once, as many as there are cores for.
        own, at_once = k["s"] / min(devices, cores), f"{name} {100 * k['s'] / total:.0f} % of the time"
        if name == "products":
            at_once += f" at {part(k['flops'], own, peak)} of peak"
        elif name == "loops":
            at_once += f" at {part(k['bytes'], own, bandwidth)} of bandwidth"
        text.append(at_once)
    rest = total - sum(k["s"] for k in kinds.values())
    text.append(f"waiting {100 * spent['waiting'] / total:.0f} %, between steps {100 * rest / total:.0f} %")
    most = sorted(spent["steps"].items(), key=lambda s: -s[1])[:3]
    text.append("most in " + ", ".join(f"{short(name)} {100 * s / total:.0f} %" for name, s in most))
    return f"{title}, {devices} on {cores}: " + "; ".join(text)
