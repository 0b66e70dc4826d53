#!/bin/sh
# hip.sh [amd|on-cuda]...: what there is to run of the native HIP path. Without a word: what this machine has a GPU for.
#   amd      an AMD GPU with ROCm: builds with HIP=1, then environment, conformance, kernels, and verified measurements, for every HIP device
#   on-cuda  an NVIDIA GPU with CUDA, no ROCm needed: hip/ with its names answered by CUDA, through the conformance suite
# Full output goes to $OUT (default: $O/gpu), short tables to stdout. docs/hip.md says what either proves and where reports go.
set -u
cd "$(dirname "$0")/../.." || exit
O=${O:-build}
OUT=${OUT:-$O/gpu}
MAKE=${MAKE:-make}
failed=
mkdir -p "$OUT"

skip() { echo "skipped: $*"; }
failed() { echo "not ok - $*"; failed="$failed $1"; }

build() { # WHAT... (targets and variables)
	"$MAKE" -j"$(nproc)" O="$O" "$@" >"$OUT/hip-build.log" 2>&1 || { tail -n 30 "$OUT/hip-build.log"; failed build; return 1; }
}

conform() { # NAME PROGRAM ARGUMENTS...
	name=$1 log=$OUT/conformance-$1.log
	shift
	timeout 280 "$@" >"$log" 2>&1
	status=$?
	passed=$(grep -c '^ *\[ *OK *\]' "$log")
	grep -E '^# |FAILED|not ok|Error|^conformance:' "$log" | head -n 30
	echo "conformance $name: exit $status, $passed passed, $(grep -c '^ *\[  FAILED  \] [a-z]' "$log") failed, $(grep -c '^ *\[  SKIPPED \] [a-z]' "$log") skipped"
	if [ "$status" -ne 0 ] || [ "$passed" -eq 0 ]; then failed "conformance-$name"; fi
}

# --- on an NVIDIA GPU ---------------------------------------------------------------------------------------------------

part_on_cuda() {
	dir=$O/tests/hip-on-cuda
	build "$dir/hip-on-cuda-test.so" "$dir/conformance" || return
	HIP_ON_CUDA_COUNTERS=hip_mempool conform hip-on-cuda "$dir/conformance" hip-on-cuda-test 0 0 --module-dir "$dir"
	HIP_ON_CUDA_COUNTERS=hip_tracked HIP_ON_CUDA_VERSION=50700000 conform hip-on-cuda-5.7 "$dir/conformance" hip-on-cuda-test 0 0 --module-dir "$dir"
	HIP_ON_CUDA_COUNTERS=hip_mempool HIP_ON_CUDA_WITHOUT_ROCBLAS=1 conform hip-on-cuda-without-rocblas "$dir/conformance" hip-on-cuda-test 0 0 --module-dir "$dir"
}

# --- on an AMD GPU ------------------------------------------------------------------------------------------------------

measure() { # DEVICE NAME OPTIONS...
	device=$1 file=$OUT/measure-$2.json
	shift 2
	rm -f "$file"
	"$program" measure --module-dir "$modules" --device "$device" --output "$file" "$@" >"$OUT/measure.txt" 2>&1
	status=$?
	if [ "$status" -eq 0 ] && "$program" validate "$file" >>"$OUT/measure.txt" 2>&1; then
		echo "measure $device $*: verified"
	else
		failed "measure $device $*: exit $status"
		tail -n 3 "$OUT/measure.txt"
	fi
}

measure_device() { # DEVICE
	name=$(echo "$1" | tr : -)
	for dtype in float32 float16 bfloat16; do
		for gemm in auto builtin; do
			measure "$1" "$name-$dtype-$gemm" --batch 2 --context 128 --width 1024 --dtype $dtype --gemm $gemm
		done
	done
	measure "$1" "$name-odd" --batch 3 --context 7 --width 33 --hidden 65
	measure "$1" "$name-large" --batch 8 --context 1024 --width 4096 --dtype bfloat16
}

# The HIP and the OpenCL view of one card, in one document: both must have been found to be the same device.
compare_device() { # DEVICE
	file=$OUT/compare-$(echo "$1" | tr : -).json
	rm -f "$file"
	"$program" compare --module-dir "$modules" --device "$1" --batch 2 --context 128 --width 1024 --output "$file" >"$OUT/compare.txt" 2>&1 || failed "compare $1"
	cat "$OUT/compare.txt"
}

part_amd() {
	program=$O/iteragpu-lab modules=$O/modules
	build HIP=1 build "$O/conformance" "$O/native-compile" || return
	"$program" environment --module-dir "$modules" >"$OUT/environment.txt" 2>&1 || failed environment
	"$program" environment --module-dir "$modules" --json >"$OUT/environment.json" 2>/dev/null
	cat "$OUT/environment.txt"
	tests/native-compile/run "$O/native-compile" >"$OUT/native-compile.log" 2>&1 || failed native-compile
	tail -n 3 "$OUT/native-compile.log"
	"$program" environment --list --module-dir "$modules" 2>/dev/null | grep '^hip:[0-9]*$' >"$OUT/hip-devices.txt"
	[ -s "$OUT/hip-devices.txt" ] || { failed "no HIP device is listed"; return; }
	while read -r device; do
		conform "$(echo "$device" | tr : -)" "$O/conformance" hip 0 "${device#hip:}" --module-dir "$modules"
		measure_device "$device"
		compare_device "$device"
	done <"$OUT/hip-devices.txt"
}

parts=$*
[ -n "$parts" ] || [ ! -e /dev/kfd ] || parts=amd
[ -n "$parts" ] || [ ! -e /dev/nvidiactl ] || parts=on-cuda
[ -n "$parts" ] || { skip "neither /dev/kfd nor /dev/nvidiactl is here; name amd or on-cuda to try all the same"; exit 0; }
for part in $parts; do
	echo "=== $part"
	case $part in
	amd) part_amd ;;
	on-cuda) part_on_cuda ;;
	*) echo "usage: tests/gpu/hip.sh [amd|on-cuda]..." >&2; exit 2 ;;
	esac
done
[ -z "$failed" ] && echo "all well" || echo "failed:$failed"
[ -z "$failed" ]
