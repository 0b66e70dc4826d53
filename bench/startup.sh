#!/bin/sh
# startup.sh PROGRAM: whole-process time of `environment` and of the smallest measurement, with a warm kernel cache, on the first CPU
# device: five runs each, all of them printed, in milliseconds. A figure to read, not a test.
set -eu
program=$1
device=$("$program" environment --list --type cpu | head -n 1)
[ -n "$device" ] || { echo "startup: no CPU device here"; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

measure() { "$program" measure --device "$device" --batch 1 --context 16 --width 64 --warmup 1 --repeats 2 --output "$folder/$1.json" >/dev/null; }
environment() { "$program" environment >/dev/null; }

measure warm
for what in environment measure; do
	printf '%s (%s), ms:' "$what" "$device"
	for i in 1 2 3 4 5; do
		start=$(date +%s%N)
		$what "$i"
		printf ' %d' $((($(date +%s%N) - start) / 1000000))
	done
	echo
done
