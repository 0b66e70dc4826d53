#!/usr/bin/env python3
"""bench.py PROGRAM MODULE_DIR PEER.py OUT [bench|counters] [--blocks N] [--repeats N] [--only TEXT] [--tuning FILE]

Ours against PyTorch on one GPU, in alternating blocks of passes in the same run. PEER is run in this process, again and again, so
that torch is started once; each block of ours is one `measure`. Everything goes to OUT/bench.json, a short table to stdout.
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
WARMUP = 20


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


def ours(a, shape, extra=()):
    batch, context, width, dtype = shape
    with tempfile.TemporaryDirectory() as d:
        name = os.path.join(d, "m.json")
        command = [a.program, "measure", "--module-dir", a.modules, "--device", a.device, "--batch", str(batch), "--context", str(context),
                   "--width", str(width), "--dtype", dtype, "--warmup", str(WARMUP), "--repeats", str(a.repeats), "--quiet", "--output", name, *extra]
        begin = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        seconds = time.perf_counter() - begin
        if done.returncode:
            raise RuntimeError("%s: exit %d: %s" % (" ".join(command[1:]), done.returncode, done.stderr.strip()))
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
                "--warmup", str(WARMUP), "--repeats", str(a.repeats)]
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


def line(name, x):
    low, high = interval(x) or (float("nan"),) * 2
    return "%-7s %11.2f us  [%11.2f, %11.2f]  min %11.2f max %11.2f n %d" % (name, median(x) * 1e6, low * 1e6, high * 1e6, min(x) * 1e6, max(x) * 1e6, len(x))


def bench(a):
    results, table = [], []
    for shape in SHAPES:
        title = "%dx%dx%d %s" % shape
        if a.only and a.only not in title:
            continue
        blocks = []
        for i in range(a.blocks):            # who goes first alternates too
            pair = {}
            for who in ((ours, theirs) if i % 2 == 0 else (theirs, ours)):
                pair[who.__name__] = who(a, shape, a.extra) if who is ours else who(a, shape)
            blocks.append(pair)
        results.append(dict(shape=shape, blocks=blocks))
        us, them = ([s for b in blocks for s in b[k]["samples"]] for k in ("ours", "theirs"))
        ratios = [median(b["theirs"]["samples"]) / median(b["ours"]["samples"]) for b in blocks]
        low, high = interval(ratios) or (min(ratios), max(ratios))
        flop = 16 * shape[0] * shape[1] * shape[2] ** 2
        first = blocks[0]["ours"]
        gemm = first["document"]["environment"]["gemm"]
        loads = [median([b[k]["load"] for b in blocks]) for k in ("ours", "theirs")]
        print("== %s\n  %s\n  %s" % (title, line("ours", us), line("torch", them)))
        print("  block medians, us: ours %s; torch %s" % tuple(" ".join("%.2f" % (median(b[k]["samples"]) * 1e6) for b in blocks) for k in ("ours", "theirs")))
        print("  model_load %.1f ms against %.1f ms; cold %.1f ms; setup %.2f s; process %.2f s; floor %.2f us; temporary %s; %s" % (
            loads[0] * 1e3, loads[1] * 1e3, first["cold"] * 1e3, first["setup"], median([b["ours"]["process"] for b in blocks]), first["floor"] * 1e6,
            gemm["temporary_bytes"], " ".join("%s=%s" % kv for kv in gemm["parameters"].items())), flush=True)
        table.append("%-26s ours %11.2f us %7.1f TFLOP/s  torch %11.2f us  ratio %.4f [%.4f, %.4f]  load x%.1f" % (
            title, median(us) * 1e6, flop / median(us) / 1e12, median(them) * 1e6, median(ratios), low, high, loads[1] / loads[0]))
    print("\nratio: torch / ours per block, median [95 %% interval for %d blocks of %d passes]" % (a.blocks, a.repeats))
    print("\n".join(table))
    return results


def counters(a):
    a.repeats, results = 2, []
    for batch, context, width in COUNTED:
        for dtype in ("float32", "float16", "bfloat16"):
            shape = (batch, context, width, dtype)
            o, t = ours(a, shape), theirs(a, shape)
            results.append(dict(shape=shape, ours=o, theirs=t))
            model = o["document"]["synthetic_model"]
            print("== %dx%dx%d %s: parameters %d inputs %d hidden %d output %d temporary %d bytes" % (*shape, model["parameter_bytes"], model["input_bytes"],
                  model["hidden_bytes"], model["output_bytes"], o["document"]["environment"]["gemm"]["temporary_bytes"]))
            rows = {r["phase"]: r for r in o["document"]["phases"]}
            for p in t["phases"]:
                r = rows[p["phase"]]
                print("  %-13s" % p["phase"] + "".join("  %s %d / %d" % (k, r[k + "_bytes"], p[k + "_bytes"]) for k in
                      ("end_allocated", "peak_allocated", "end_reserved", "peak_reserved")) + "  driver %s" % r["driver_used_bytes"])
    print("each pair: ours / torch")
    return results


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program"), p.add_argument("modules"), p.add_argument("peer"), p.add_argument("out")
    p.add_argument("part", nargs="?", default="bench", choices=["bench", "counters"])
    p.add_argument("--blocks", type=int, default=6), p.add_argument("--repeats", type=int, default=30)
    p.add_argument("--device", default="cuda:0"), p.add_argument("--only"), p.add_argument("--tuning")
    a = p.parse_args()
    a.extra = ["--tuning", a.tuning] if a.tuning else []
    results = (bench if a.part == "bench" else counters)(a)
    with open(os.path.join(a.out, a.part + ".json"), "w") as f:
        json.dump(results, f)


if __name__ == "__main__":
    main()
