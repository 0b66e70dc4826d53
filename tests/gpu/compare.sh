#!/bin/sh
# compare.sh PROGRAM FOLDER [PART...]: how often `compare` calls one view different from itself, how often it finds a slow-down of a known
# size, and the table of all views. PART: false, detect, table (default: all, in this order). The documents stay in FOLDER, which is made.
#
# MODULES    folder of the backend modules (default: modules beside the program)
# DEVICE     selector (default: the first GPU, by its identity)
# BACKEND    of the view that is compared with itself (default: cuda, else hip, else opencl)
# VIEW       that view (default: BACKEND's first on this device)
# FALSE      count of compares of one view with itself (40); FALSE_SHAPE, DETECT_SHAPE: options of the shape
# DETECT     count of compares with a slow-down (20) of SLOW percent (5)
# REPEATS    warm passes a run (30); ROUNDS (6); LIMIT: seconds for each part (150), after which it counts what it has
set -eu
program=$1 folder=$2
shift 2
modules=${MODULES:-$(dirname "$program")/modules}
[ -d "$modules" ] || modules=
[ $# -gt 0 ] || set -- false detect table
mkdir -p "$folder"

lab() { command=$1; shift; "$program" "$command" ${modules:+--module-dir "$modules"} "$@"; }
# The physical device behind the first GPU, so that every backend that reaches it can be asked for.
first_gpu() {
	lab environment --json | python3 -c '
import json, sys
e = json.load(sys.stdin)
print(next((e["physical_devices"][d["physical"]]["identity"] for d in e["devices"] if d["type"] == "gpu"), ""))'
}
DEVICE=${DEVICE:-$(first_gpu)}
[ -n "$DEVICE" ] || { echo "compare.sh: skipped: no GPU here"; exit 0; }
SLOW=${SLOW:-5} REPEATS=${REPEATS:-30} ROUNDS=${ROUNDS:-6} LIMIT=${LIMIT:-150}
# One shape for both: what finds a difference must be seen not to invent one under the same conditions.
DETECT_SHAPE=${DETECT_SHAPE:---batch 4 --context 512 --width 2048}
FALSE_SHAPE=${FALSE_SHAPE:-$DETECT_SHAPE}

# The first view of this device through the first of these backends, with its first provider.
find_view() {
	lab environment --json | python3 -c '
import json, sys
e = json.load(sys.stdin)
wanted = sys.argv[1]
device = next((d for d in e["devices"] if wanted in d["selectors"] or d["selector"] == wanted), None)
if device is None: sys.exit("compare.sh: no device " + wanted)
provider = {"cuda": "cublaslt", "hip": "rocblas", "opencl": "clblast"}
for backend in sys.argv[2].split():
    for d in e["devices"]:
        if d["physical"] == device["physical"] and d["backend"] == backend:
            print("%s/%s/%s" % (backend, d["platform"], provider[backend]))
            sys.exit()' "$DEVICE" "${BACKEND:-cuda hip opencl}"
}
VIEW=${VIEW:-$(find_view)}
backend=${VIEW%%/*}

# The verdict on warm_forward of the second view.
verdict() {
	python3 -c 'import json, sys
r = [r for r in json.load(open(sys.argv[1]))["table"] if r["phase"] == "warm_forward"][1]
print(r["verdict"], "%.4f %.4f %.4f" % (r["ratio"], r["ratio_low"] or 0, r["ratio_high"] or 0), "%.6f" % r["median_seconds"])' "$1"
}

# series NAME COUNT SHAPE [OPTION...]: compares of VIEW with itself; one verdict a line in NAME.txt.
series() {
	name=$1 count=$2 shape=$3
	shift 3
	: >"$folder/$name.txt"
	end=$(($(date +%s) + LIMIT))
	i=0
	while [ $i -lt "$count" ] && [ "$(date +%s)" -lt $end ]; do
		i=$((i + 1))
		rm -f "$folder/$name-$i.json"
		# shellcheck disable=SC2086 # a list of options
		lab compare --device "$DEVICE" --backend "$backend" --views "$VIEW,$VIEW" $shape --repeats "$REPEATS" --rounds "$ROUNDS" \
			--no-ceilings --quiet "$@" --output "$folder/$name-$i.json" >/dev/null
		verdict "$folder/$name-$i.json" >>"$folder/$name.txt"
	done
	echo "$name: $VIEW with itself, $shape, $REPEATS passes, $ROUNDS rounds: $(wc -l <"$folder/$name.txt") compares"
	cut -d ' ' -f 1 "$folder/$name.txt" | sort | uniq -c
	sort -k 2 -n "$folder/$name.txt" | awk '
		{ ratio[NR] = $2; wide = $4 / $2 - 1; if (wide > widest) widest = wide }
		NR == 1 || $5 < fast { fast = $5 }
		$5 > slow { slow = $5 }
		END { if (NR) printf "ratios %s to %s, median %s; widest interval +%.1f %%; passes %s to %s s\n",
			ratio[1], ratio[NR], ratio[int((NR + 1) / 2)], 100 * widest, fast, slow }'
}

for part in "$@"; do
	case $part in
	false) series false "${FALSE:-40}" "$FALSE_SHAPE" ;;
	detect)
		echo "slow-down of $SLOW % in the second"
		series detect "${DETECT:-20}" "$DETECT_SHAPE" --test-slow-down "$VIEW#2=$SLOW" ;;
	table)
		rm -f "$folder/suite.json"
		lab suite --device "$DEVICE" --output "$folder/suite.json" --quiet ;;
	*) echo "compare.sh: no part called $part" >&2; exit 2 ;;
	esac
done
