#!/bin/sh
# first-measurement.sh [SELECTOR]: estimate, environment, one small bounded measurement and its grid, in a new folder.
# Without SELECTOR it takes the first GPU or, saying so, the first device. Nothing is installed, nothing overwritten.
set -eu
lab=${ILAB_PROGRAM:-iteragpu-lab}
command -v "$lab" >/dev/null 2>&1 || {
	echo "first-measurement: iteragpu-lab was not found; build it in its source folder with 'make run' or install it," \
		"or set ILAB_PROGRAM to its path" >&2
	exit 2
}

device=${1:-}
if [ -z "$device" ]; then
	device=$("$lab" environment --list --type gpu | head -n 1)
	if [ -z "$device" ]; then
		device=$("$lab" environment --list | head -n 1)
		[ -n "$device" ] || { echo "first-measurement: no device; '$lab environment' says what to install" >&2; exit 2; }
		echo "There is no GPU here: this measures $device, and says nothing about any GPU."
	fi
fi

folder=results-$(date -u +%Y%m%dT%H%M%SZ)-$$
mkdir "$folder"
"$lab" estimate --parameters 7000000000 --bits 16 --reserve-gib 4
"$lab" environment --json >"$folder/environment.json"
"$lab" measure --device "$device" --batch 1 --context 16 --width 64 --dtype float32 --warmup 3 --repeats 10 --output "$folder/measure.json"
"$lab" validate "$folder/environment.json" "$folder/measure.json"
"$lab" export "$folder/measure.json" --output "$folder/results-grid.csv"
echo "saved in $folder; fill in the last five columns of results-grid.csv by the quality protocol"
