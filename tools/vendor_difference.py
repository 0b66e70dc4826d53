#!/usr/bin/env python3
"""How much of the native backend is AMD's own.

Counts lines of code (comments, blank lines, lone braces, #include and lists of names left out) of src/backend/native*.c and hip/*.c, without the files of the
matrix library. A line of hip/ is a difference unless cuda/ has the same line in the same order after every vendor's name and every text in quotes
is replaced by one word. Prints the figures; exit 1 when differences pass LIMIT percent."""
import difflib
import glob
import re
import sys

LIMIT = 15.0
PAIRS = [("hip/hip_rt.c", "cuda/cuda_rt.c"), ("hip/hip_rtc.c", "cuda/cuda_rtc.c"), ("hip/module.c", "cuda/module.c"),
         ("hip/hip_agent.c", "cuda/cuda_nvml.c")]
LIBRARY = {"hip/hip_gemm.c"}
NAME = re.compile(r"\b(?:(?:cu|CU|hip|HIP|nvrtc|NVRTC|hiprtc|nvml|hsa)(?=[A-Z_])\w*|CU[a-z]\w*|cuda\w*|CUDA\w*|ILAB_(?:NV|HIP)RTC_OPTIONS|cu|hip|"
                  r"(?:load_)?(?:driver|runtime)(?:_names)?|DRIVER_CALLS|RUNTIME_CALLS|(?:cu)?uint64_t)\b")


def code(path):
    if path is None:
        return []
    text = open(path, encoding="utf-8").read()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines())
    lines = [line for line in lines if line.strip("{}; ") and not line.startswith("#include")]
    return [line for line in lines if not re.fullmatch(r"(X\(\w+\) ?)+\\\\?", line)]


def plain(line):
    return NAME.sub("NAME", re.sub(r'"(?:[^"\\]|\\.)*"', "TEXT", line))


def main():
    missing = set(glob.glob("hip/*.c")) - {hip for hip, _ in PAIRS} - LIBRARY
    if missing:
        sys.exit("not in the table: " + ", ".join(sorted(missing)))
    shared = sum(len(code(path)) for path in glob.glob("src/backend/native*.c"))
    own = different = 0
    for hip, cuda in PAIRS:
        a, b = [plain(x) for x in code(cuda)], [plain(x) for x in code(hip)]
        same = sum(m.size for m in difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
        print("%-18s %4d lines, %4d differ from %s" % (hip, len(b), len(b) - same, cuda or "nothing in cuda/"))
        own += len(b)
        different += len(b) - same
    percent = 100.0 * different / (shared + own)
    print("%d lines of src/backend/native*.c are the same for both; %d of %d lines differ: %.1f %% (limit %.0f %%)" % (
        shared, different, shared + own, percent, LIMIT))
    return percent >= LIMIT


if __name__ == "__main__":
    sys.exit(main())
