#!/bin/sh
# run.sh PROGRAM: a small verified measurement on the first GPU of this machine or, saying so, on its CPU. Used by `make run`.
set -eu
program=$1
device=$("$program" environment --list --type gpu | head -n 1)
if [ -z "$device" ]; then
	device=$("$program" environment --list --type cpu | head -n 1)
	if [ -z "$device" ]; then
		# A driver file without a device behind it: the CPU device is still missing.
		"$(dirname "$0")/deps.sh" cpu || true
		device=$("$program" environment --list --type cpu | head -n 1)
	fi
	if [ -z "$device" ]; then
		"$program" environment >&2 || true
		echo "run: no device to measure on; the lines above say what is missing" >&2
		exit 1
	fi
	echo "No GPU found: measuring on the CPU device $device instead. A CPU result says \"type\": \"cpu\"."
fi
# Beside the user, or in the build folder where that place cannot be written.
place=.
[ -w . ] || place=$(dirname "$program")
stamp=$(date -u +%Y%m%dT%H%M%SZ)
file=$place/measure-$stamp.json
n=1
while [ -e "$file" ]; do n=$((n + 1)); file=$place/measure-$stamp-$n.json; done
set -- "$program" measure --device "$device" --batch 2 --context 64 --width 256 --dtype float32 --warmup 2 --repeats 10 --output "$file"
echo "\$ $*"
"$@"
echo "The document is in $file."
