#!/usr/bin/env python3
"""bench.py PROGRAM MODULE_DIR PEER.py OUT [bench|counters] [--blocks N] [--repeats N] [--only TEXT]

Ours against PyTorch on one GPU, in alternating blocks of passes in the same run: untuned, tuned (by one `tune` before), for the smallest
shape also replayed from a graph. PEER is run in this process, again and again, so that torch is started once; each block of ours is one
`measure`. Everything goes to OUT/bench.json or OUT/counters.json, tables to stdout, the short one last.
"""
import argparse
import contextlib
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time

SHAPES = [(8, 1024, 4096, t) for t in ("float32", "tf32", "float16", "bfloat16")] + [(2, 128, 1024, "float32"), (1, 16, 64, "float32")]
COUNTED = [(1, 16, 64), (2, 128, 1024), (8, 1024, 4096)]


def median(x):
    x = sorted(x)
    n = len(x)
    return (x[(n - 1) // 2] + x[n // 2]) / 2


def interval(x):
    """For the median, from order statistics, at least 95 %: the largest r with 1 - 2 P(Bin(n, 1/2) < r) >= 0.95; None below 6."""
    x, n, below, term, r = sorted(x), len(x), 0.0, 0.5 ** len(x), 0
    while n and 1 - 2 * (below + term) >= 0.95:
        below += term
        term *= (n - r) / (r + 1)
        r += 1
    return (x[r - 1], x[n - r]) if r else None


def warmup(shape):
    return 5 if shape[0] * shape[1] * shape[2] ** 2 > 1 << 36 and shape[3] == "float32" else 10


def run(command):
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("%s: exit %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))
    return done.stdout, time.perf_counter() - begin


def command(a, what, shape, output):
    batch, context, width, dtype = shape
    return [a.program, what, "--module-dir", a.modules, "--device", a.device, "--batch", str(batch), "--context", str(context),
            "--width", str(width), "--dtype", dtype, "--quiet", "--output", output]


def ours(a, shape, extra=()):
    with tempfile.TemporaryDirectory() as d:
        name = os.path.join(d, "m.json")
        seconds = run(command(a, "measure", shape, name) + ["--warmup", str(warmup(shape)), "--repeats", str(a.repeats), *extra])[1]
        with open(name) as f:
            doc = json.load(f)
    rows = {r["phase"]: r for r in doc["phases"]}
    return dict(samples=[r["seconds"] for r in doc["phases"] if r["phase"] == "warm_forward"],
                device=[r["device_seconds"] for r in doc["phases"] if r["phase"] == "warm_forward"],
                load=rows["model_load"]["seconds"], cold=rows["cold_forward"]["seconds"], floor=doc["environment"]["backend"]["floor_seconds"],
                setup=doc["environment"]["backend"]["setup_seconds"], process=seconds, document=doc)


def theirs(a, shape):
    import torch
    batch, context, width, dtype = shape
    argv = sys.argv
    sys.argv = [a.peer, "--device", a.device, "--batch", str(batch), "--context", str(context), "--width", str(width), "--dtype", dtype,
                "--warmup", str(warmup(shape)), "--repeats", str(a.repeats)]
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            left = runpy.run_path(a.peer, run_name="__main__")
    finally:
        sys.argv = argv
    rows = {r["phase"]: r for r in left["phases"]}
    out = dict(samples=list(left["samples"]), load=rows["model_load"]["seconds"], cold=rows["cold_forward"]["seconds"],
               phases=left["phases"][:5], peer=json.loads(printed.getvalue())["peer"])
    del left, rows
    torch.cuda.empty_cache()
    return out


def tune(a, shape, folder):
    name = os.path.join(folder, "tuning-%dx%dx%d-%s.json" % shape)
    run(command(a, "tune", shape, name))
    with open(name) as f:
        doc = json.load(f)
    print("  tune: %.1f s, %d candidates, %d rejected" % (doc["search"]["seconds"], doc["search"]["candidates"], doc["search"]["rejected"]))
    p = doc["passes"]
    print("    fastest: %s" % doc["fastest"] + ("; whole pass %.2f us, untuned %.2f us, ratio %.4f [%.4f, %.4f], %d pairs" % (p["median_seconds"] * 1e6,
          p["default_median_seconds"] * 1e6, p["ratio"], p["ratio_low"], p["ratio_high"], p["pairs"]) if p["pairs"] else ""))
    for e in doc["entries"]:
        print("    %d x %d x %d: %.2f us, untuned %.2f us: %s" % (e["m"], e["n"], e["k"], e["median_seconds"] * 1e6, e["default_median_seconds"] * 1e6,
              " ".join("%s=%s" % kv for kv in e["parameters"].items() if len(str(kv[1])) < 40)))
    return name, doc


def variants_of(shape, tuning):
    yield "untuned", ()
    yield "tuned", ("--tuning", tuning)
    if shape == SHAPES[-1]:
        yield "graph", ("--graph",)
        yield "tuned graph", ("--graph", "--tuning", tuning)


def in_turn(a, shape, variants):
    """Blocks of every variant and of the peer; each block begins with another one, and every other block goes backwards."""
    work = {name: (lambda extra=extra: ours(a, shape, extra)) for name, extra in variants}
    work["torch"] = lambda: theirs(a, shape)
    names, blocks = list(work), []
    for i in range(a.blocks):
        order = names[i % len(names):] + names[:i % len(names)]
        blocks.append({name: work[name]() for name in (order if i % 2 == 0 else reversed(order))})
    return blocks


def show(title, shape, blocks, name):
    samples, theirs_ = ([s for b in blocks for s in b[k]["samples"]] for k in (name, "torch"))
    ratios = [median(b["torch"]["samples"]) / median(b[name]["samples"]) for b in blocks]
    low, high = interval(ratios) or (min(ratios), max(ratios))
    flop = 16 * shape[0] * shape[1] * shape[2] ** 2
    loads = [median([b[k]["load"] for b in blocks]) for k in (name, "torch")]
    spread = interval(samples)
    print("  %-12s %11.2f us [%11.2f, %11.2f]  min %11.2f max %11.2f n %d; blocks %s" % (name, median(samples) * 1e6, spread[0] * 1e6, spread[1] * 1e6,
          min(samples) * 1e6, max(samples) * 1e6, len(samples), " ".join("%.2f" % (median(b[name]["samples"]) * 1e6) for b in blocks)), flush=True)
    return "%-22s %-12s %10.2f us %6.1f TFLOP/s  torch %10.2f us  ratio %.4f [%.4f, %.4f]  load x%.1f" % (
        title, name, median(samples) * 1e6, flop / median(samples) / 1e12, median(theirs_) * 1e6, median(ratios), low, high, loads[1] / loads[0])


def look_inside(a, shape):
    program = os.path.join(os.path.dirname(a.program), "gpu-passes")
    text = run([program, "cuda", a.device.rpartition(":")[2], a.modules, *map(str, shape), "30"])[0]
    print("  " + text.strip().replace("\n", "\n  "))
    return [line for line in text.splitlines() if line.startswith(("GELU:", "products +"))]


def bench(a):
    results, table = [], []
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            title = "%dx%dx%d %s" % shape
            if a.only and a.only not in title:
                continue
            begin = time.perf_counter()
            print("== " + title)
            inside = look_inside(a, shape) if shape[3].endswith("float16") else []
            name, tuning = tune(a, shape, folder)
            variants = list(variants_of(shape, name))
            blocks = in_turn(a, shape, variants)
            results.append(dict(shape=shape, tuning=tuning, blocks=blocks))
            table += [show(title, shape, blocks, v) for v, _ in variants]
            show(title, shape, blocks, "torch")
            table += ["%-22s %s" % (title, line) for line in inside]
            first = blocks[0]["untuned"]
            gemm = first["document"]["environment"]["gemm"]
            print("  model_load %.1f ms against %.1f ms; cold %.1f ms; setup %.2f s; process %.2f s; temporary %s; %d launches; %s" % (
                median([b["untuned"]["load"] for b in blocks]) * 1e3, median([b["torch"]["load"] for b in blocks]) * 1e3, first["cold"] * 1e3,
                first["setup"], median([b["untuned"]["process"] for b in blocks]), gemm["temporary_bytes"], gemm["launches_per_pass"],
                " ".join("%s=%s" % kv for kv in gemm["parameters"].items())))
            print("  took %.0f s" % (time.perf_counter() - begin), flush=True)
            if shape == SHAPES[-1]:
                table.append("%-22s floor (an empty pass) %.2f us; whole process %.2f s" % (title, median([b["untuned"]["floor"] for b in blocks]) * 1e6,
                             median([b["untuned"]["process"] for b in blocks])))
    print("\nratio: torch / ours per block, median [95 %% interval for %d blocks of %d passes]; %s" % (a.blocks, a.repeats, blocks[0]["torch"]["peer"]))
    print("\n".join(table))
    return results


def counters(a):
    """The table of docs/methodology.md: what each row added to the bytes allocated before it, ours / PyTorch's, in a process each."""
    a.repeats, results = 2, []
    print("| shape, type | parameters | inputs | end of a pass | peak of a pass | our temporary | reserved by ours | held by the process |")
    print("|---|---|---|---|---|---|---|---|")
    for batch, context, width in COUNTED:
        for dtype in ("float32", "float16", "bfloat16"):
            shape = (batch, context, width, dtype)
            o = ours(a, shape)
            t = json.loads(run([sys.executable, a.peer, "--device", a.device, "--batch", str(batch), "--context", str(context), "--width", str(width),
                                "--dtype", dtype, "--warmup", "3", "--repeats", "2"])[0])
            results.append(dict(shape=shape, ours=o, theirs=t))
            mine, other = ({p["phase"]: p for p in rows} for rows in (o["document"]["phases"], t["phases"]))
            added = lambda row, mark: "%s / %s" % tuple("{:,}".format(p[row][mark + "_allocated_bytes"] - p[row]["baseline_allocated_bytes"]) for p in (mine, other))
            print("| %dx%dx%d %s | %s | %s | %s | %s | %s | %s | %s |" % (*shape, added("model_load", "end"), added("inputs", "end"), added("warm_forward", "end"),
                  added("warm_forward", "peak"), *("{:,}".format(n) for n in (o["document"]["environment"]["gemm"]["temporary_bytes"],
                  mine["warm_forward"]["peak_reserved_bytes"], mine["warm_forward"]["driver_used_bytes"]))), flush=True)
    print("\nPyTorch allocates for good at its first product: %d bytes" % (other["cold_forward"]["end_allocated_bytes"] - other["inputs"]["end_allocated_bytes"] -
          mine["cold_forward"]["end_allocated_bytes"] + mine["inputs"]["end_allocated_bytes"]))
    print("%s; %s, driver %s, %s, %s" % (t["peer"], o["document"]["environment"]["device"]["name"], o["document"]["environment"]["device"]["driver_version"],
          " ".join("%(name)s %(version)s" % l for l in o["document"]["environment"]["backend"]["libraries"]), o["document"]["started_utc"]))
    return results


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program"), p.add_argument("modules"), p.add_argument("peer"), p.add_argument("out")
    p.add_argument("part", nargs="?", default="bench", choices=["bench", "counters"])
    p.add_argument("--blocks", type=int, default=9), p.add_argument("--repeats", type=int, default=16)
    p.add_argument("--device", default="cuda:0"), p.add_argument("--only")
    a = p.parse_args()
    results = (bench if a.part == "bench" else counters)(a)
    with open(os.path.join(a.out, a.part + ".json"), "w") as f:
        json.dump(results, f)


if __name__ == "__main__":
    main()
