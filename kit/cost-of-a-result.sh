#!/bin/sh
# cost-of-a-result.sh MODEL DAYS LOTS ACCEPTED [TARIFFS.csv]: the price of a result that you accepted.
# ACCEPTED is your own count of distinct useful results. Without TARIFFS.csv it uses the invented prices beside this script, and says so.
set -eu
lab=${ILAB_PROGRAM:-iteragpu-lab}
[ $# -ge 4 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
tariffs=${5:-}
if [ -z "$tariffs" ]; then
	tariffs=$(dirname "$0")/tariffs.example.csv
	echo "These prices are invented; they show the arithmetic only."
fi
exec "$lab" cost --gpu "$1" --days "$2" --lots "$3" --accepted-results "$4" --tariffs "$tariffs"
