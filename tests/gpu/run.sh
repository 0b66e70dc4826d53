#!/bin/sh
# run.sh [PART...] [PEER.py]: the tests and benchmarks that need an NVIDIA GPU. Parts, each of its own use, in this order when none is
# named: build conformance sanitizer passes bench counters. PEER.py is the PyTorch script that bench and counters compare with (python3 must have
# torch); without it they are skipped. Full output goes to $O/gpu, and as gpu-logs.tar.gz to $OUT where that is set; short tables to stdout,
# that of the benchmark once more at the end.
set -u
cd "$(dirname "$0")/../.."
O=${O:-build}
LOGS=$O/gpu
PYTHON=${PYTHON:-python3}
parts= peer= failed=
for word in "$@"; do
	case $word in
	*.py) peer=$word ;;
	build | conformance | sanitizer | passes | bench | counters) parts="$parts $word" ;;
	*) echo "usage: tests/gpu/run.sh [build|conformance|sanitizer|passes|bench|counters]... [PEER.py]" >&2; exit 2 ;;
	esac
done
mkdir -p "$LOGS"

program=$O/iteragpu-lab
modules=$O/modules

skip() { echo "skipped: $*"; }
failed() { echo "not ok - $*"; failed="$failed $1"; }

# Devices that OpenCL reaches on this machine's GPUs, as "PLATFORM DEVICE" lines. By type: an index alone may be a CPU.
opencl_gpus() { "$program" environment --list --type gpu --module-dir "$modules" | sed -n 's/^opencl:\([0-9]*\):\([0-9]*\)$/\1 \2/p'; }

part_build() {
	make -j"$(nproc)" CUDA=1 O="$O" build "$O/conformance" "$O/gpu-passes" >"$LOGS/build.log" 2>&1 || {
		tail -n 30 "$LOGS/build.log"
		failed build
		return
	}
	"$program" environment --module-dir "$modules" >"$LOGS/environment.txt" 2>&1 || failed environment
	cat "$LOGS/environment.txt"
}

conform() { # NAME ARGUMENTS...
	log=$LOGS/conformance-$1.log
	shift
	timeout 280 "$O/conformance" "$@" >"$log" 2>&1
	status=$?
	grep -E '^# |FAILED|not ok|^skipped|Error' "$log" | head -n 40
	echo "conformance $*: exit $status, $(grep -c '^ *\[ *OK *\]' "$log") passed, $(grep -c '^ *\[  FAILED  \] [a-z]' "$log") failed, $(grep -c '^ *\[  SKIPPED \] [a-z]' "$log") skipped"
	[ "$status" -eq 0 ] || failed "conformance $*"
}

part_conformance() {
	conform cuda cuda 0 0 --module-dir "$modules"
	opencl_gpus >"$LOGS/opencl-gpus.txt"
	[ -s "$LOGS/opencl-gpus.txt" ] || skip "conformance of OpenCL: no OpenCL device is a GPU here"
	while read -r platform device; do
		conform "opencl-$platform-$device" opencl "$platform" "$device"
	done <"$LOGS/opencl-gpus.txt"
}

part_sanitizer() {
	tool=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
	[ -n "$tool" ] || { skip "compute-sanitizer is not installed"; return; }
	for check in memcheck racecheck; do
		log=$LOGS/sanitizer-$check.log
		# Answers of the driver are no errors: the suite asks for more memory than there is, and is told so.
		timeout 280 "$tool" --tool "$check" --report-api-errors no --error-exitcode 9 "$O/conformance" cuda 0 0 --module-dir "$modules" --small >"$log" 2>&1
		status=$?
		echo "compute-sanitizer $check: exit $status; $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$log" | tail -n 1)"
		[ "$status" -eq 0 ] || { failed "sanitizer $check"; grep -E '^========= [A-Z]' "$log" | sort | uniq -c | sort -rn | head -n 12; }
	done
}

part_passes() {
	for shape in '8 1024 4096 bfloat16' '8 1024 4096 float16' '8 1024 4096 float32' '8 1024 4096 tf32' '2 128 1024 float32' '1 16 64 float32'; do
		log=$LOGS/passes-$(echo "$shape" | tr ' ' -).log
		# shellcheck disable=SC2086 # four words
		"$O/gpu-passes" cuda 0 "$modules" $shape 30 >"$log" 2>&1 || failed "passes $shape"
		cat "$log"
	done
}

with_peer() { # PART
	[ -n "$peer" ] || { skip "$1: name the PyTorch script to compare with"; return; }
	"$PYTHON" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null || { skip "$1: $PYTHON has no torch with a GPU"; return; }
	# shellcheck disable=SC2086 # words of their own
	"$PYTHON" tests/gpu/bench.py "$program" "$modules" "$peer" "$LOGS" "$1" ${BENCH_OPTIONS:-} >"$LOGS/$1.txt" 2>"$LOGS/$1.err" || { failed "$1"; tail -n 5 "$LOGS/$1.err"; }
	cat "$LOGS/$1.txt"
}

part_bench() { with_peer bench; }
part_counters() { with_peer counters; }

for part in ${parts:-build conformance sanitizer passes bench counters}; do
	echo "=== $part"
	"part_$part"
done
if [ -n "${OUT:-}" ]; then
	mkdir -p "$OUT" && tar -czf "$OUT/gpu-logs.tar.gz" -C "$LOGS" . || failed "logs"
fi
case " $parts " in *' bench '* | '  ') sed -n '/^ratio: /,$p' "$LOGS/bench.txt" 2>/dev/null ;; esac
[ -z "$failed" ] && echo "all well" || echo "failed:$failed"
[ -z "$failed" ]
