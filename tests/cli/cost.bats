#!/usr/bin/env bats
# cost: the seed's command line, exact cents, refusals, where the price table is found.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	data=$BATS_TEST_DIRNAME/../../data
	example=$data/tariffs.example.csv
	export HOME=$BATS_TEST_TMPDIR/home XDG_DATA_DIRS=$BATS_TEST_TMPDIR/shared
	unset XDG_DATA_HOME
}

lab() { "$ILAB_PROGRAM" "$@"; }
figure() { python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for name in sys.argv[2].split("."):
    value = value[name]
print(json.dumps(value))' "$1" "$2"; }

@test "two lots of b200 for 7 days: four GPUs, twice the price of a lot" {
	lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --json >c.json
	[ "$(figure c.json gpu_count)" = 4 ]
	[ "$(figure c.json lot_price_cents)" = 88800 ]
	[ "$(figure c.json total_cents)" = 177600 ]
	[ "$(figure c.json tariffs.sha256)" = "\"$(sha256sum <"$example" | cut -d' ' -f1)\"" ]
	[ "$(figure c.json tariffs.file)" = '"tariffs.example.csv"' ]
	lab validate c.json
}

@test "without a count the unit cost is null and says why" {
	lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --json >c.json
	[ "$(figure c.json accepted_results)" = null ]
	[ "$(figure c.json unit_cost)" = null ]
	[[ "$(figure c.json unit_cost_reason)" == '"not-run: '* ]]
}

@test "the unit cost is exact, its decimal has six places, half to even" {
	lab cost --gpu=b200 --days=7 --lots=2 --accepted-results=1184 --tariffs="$example" --json >c.json
	[ "$(figure c.json unit_cost.numerator_cents)" = 177600 ]
	[ "$(figure c.json unit_cost.denominator)" = 1184 ]
	[ "$(figure c.json unit_cost.decimal_usd)" = '"1.500000"' ]
	lab cost --gpu b200 --days 30 --lots 1 --accepted-results 7 --tariffs "$example" --json >d.json
	[ "$(figure d.json unit_cost.decimal_usd)" = '"380.571429"' ]
}

@test "the text names prices, source and what a list does not prove" {
	run lab cost --gpu b200 --days 7 --lots 2 --accepted-results 1184 --tariffs "$example"
	[ "$status" -eq 0 ]
	[[ "$output" == *"fictional-example"*"1,776.00 USD"*"1.500000 USD"*"neither availability nor"* ]]
}

@test "zero, negative, fractional and huge numbers are refused" {
	for bad in 0 -1 1.5 1e3 9223372036854775808 99999999999999999999999 "" " 1" 1x; do
		run lab cost --gpu b200 --days 7 --lots="$bad" --tariffs "$example"
		[ "$status" -eq 2 ]
		run lab cost --gpu b200 --days 7 --lots 1 --accepted-results="$bad" --tariffs "$example"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "unknown model or duration is exit 2" {
	run lab cost --gpu B200 --days 7 --lots 1 --tariffs "$example"
	[ "$status" -eq 2 ]
	[[ "$output" == *"'B200' is not in tariffs.example.csv"*b200* ]]
	for days in 1 0 14 7.0 07 -7; do
		run lab cost --gpu b200 --days "$days" --lots 1 --tariffs "$example"
		[ "$status" -eq 2 ]
	done
}

@test "a total that passes 2^63-1 is refused, not wrapped" {
	run lab cost --gpu b200 --days 7 --lots 9223372036854775807 --tariffs "$example"
	[ "$status" -eq 2 ]
	[[ "$output" == *"2^63-1"* ]]
}

@test "a bad table is exit 3 with its line, and nothing on stdout" {
	sed '6s/1,7/1,7.5/' "$example" >bad.csv
	sed '6s/44400/444.00/' "$example" >price.csv
	for f in bad price; do
		run --separate-stderr lab cost --gpu b200 --days 7 --lots 1 --tariffs $f.csv --json
		[ "$status" -eq 3 ]
		[ -z "$output" ]
		[[ "$stderr" == *"$f.csv, line 6:"* ]]
	done
	run lab cost --gpu b200 --days 7 --lots 1 --tariffs nowhere.csv
	[ "$status" -eq 3 ]
	[[ "$output" == *"nowhere.csv"* ]]
}

@test "the same table with CRLF, a byte order mark and quotes gives the same price" {
	{ printf '\xef\xbb\xbf'; sed 's/[^,]*/"&"/g; s/$/\r/' "$example"; } >windows.csv
	lab cost --gpu b200 --days 7 --lots 2 --tariffs windows.csv --json >c.json
	[ "$(figure c.json total_cents)" = 177600 ]
}

@test "no table found: exit 3, where it was looked for, where the example lies" {
	cp "$example" tariffs.csv                 # the current folder is not searched
	run lab cost --gpu b200 --days 7 --lots 2
	[ "$status" -eq 3 ]
	[[ "$output" == *"--tariffs"*"$HOME/.local/share/iteragpu-lab/tariffs.csv"*"tariffs.example.csv"*"$XDG_DATA_DIRS"* ]]
	[ "${#lines[@]}" -eq 1 ]
}

@test "the search path: XDG_DATA_HOME before XDG_DATA_DIRS, relative folders not at all" {
	mkdir -p shared/iteragpu-lab own/iteragpu-lab home/.local/share/iteragpu-lab
	sed 's/,88800,/,11100,/' "$example" >shared/iteragpu-lab/tariffs.csv
	lab cost --gpu b200 --days 7 --lots 1 --json >c.json
	[ "$(figure c.json total_cents)" = 11100 ]
	sed 's/,88800,/,22200,/' "$example" >home/.local/share/iteragpu-lab/tariffs.csv
	lab cost --gpu b200 --days 7 --lots 1 --json >c.json
	[ "$(figure c.json total_cents)" = 22200 ]
	sed 's/,88800,/,33300,/' "$example" >own/iteragpu-lab/tariffs.csv
	XDG_DATA_HOME=$PWD/own lab cost --gpu b200 --days 7 --lots 1 --json >c.json
	[ "$(figure c.json total_cents)" = 33300 ]
	XDG_DATA_HOME=own lab cost --gpu b200 --days 7 --lots 1 --json >c.json
	[ "$(figure c.json total_cents)" = 11100 ]
	lab cost --gpu b200 --days 7 --lots 1 --tariffs "$example" --json >c.json
	[ "$(figure c.json total_cents)" = 88800 ]
	! grep -q "$PWD" c.json                   # no path in a document
}

@test "break-even: the fewest accepted results a day, and who is cheaper" {
	lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --break-even a100 --accepted-per-day 169 --json >c.json
	[ "$(figure c.json break_even.break_even_per_day)" = 43 ]    # 169 x 44400 / 177600 = 42.25
	[ "$(figure c.json break_even.cheaper)" = null ]
	lab validate c.json
	for rate in 42:b200 43:a100; do
		lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --break-even a100 --accepted-per-day 169 \
			--other-accepted-per-day "${rate%:*}" --json >c.json
		[ "$(figure c.json break_even.cheaper)" = "\"${rate#*:}\"" ]
		lab validate c.json
	done
	run lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --break-even a100
	[ "$status" -eq 2 ]
	run lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --break-even none --accepted-per-day 1
	[ "$status" -eq 2 ]
	run lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --accepted-per-day 1
	[ "$status" -eq 2 ]
}

@test "two measurements carry the user's own count over, never without it" {
	examples=$BATS_TEST_DIRNAME/../../results-schema/examples/measure/ok
	six=$examples/six-rows.json
	lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --accepted-results 1000 --measure "$six" --measure "$six" --json >c.json
	[ "$(figure c.json measured.ratio_millionths)" = 1000000 ]
	[ "$(figure c.json measured.scaled_accepted_results)" = 1000 ]
	[ "$(figure c.json measured.break_even_price_cents)" = 177600 ]
	[ "$(figure c.json measured.a.sha256)" = "\"$(sha256sum <"$six" | cut -d' ' -f1)\"" ]
	lab validate c.json
	run lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --measure "$six" --measure "$six"
	[ "$status" -eq 2 ]
	run lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --accepted-results 1000 --measure "$six"
	[ "$status" -eq 2 ]
	run lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --accepted-results 1000 --measure "$six" --measure "$six" --measure "$six"
	[ "$status" -eq 2 ]
	run lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --accepted-results 1000 --measure "$six" --measure "$examples/failed.json"
	[ "$status" -eq 2 ]
	run lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --accepted-results 1000 --measure "$six" --measure "$example"
	[ "$status" -eq 3 ]
	[[ "$output" == *"tariffs.example.csv"* ]]
	sed 's/"seed": "18446744073709551615"/"seed": "7"/; s/6d4e5a2e07e93db7/8e5605e66e04b43b/; s/fba940a4f3939418/cc5672e594dc678c/' "$six" >seed.json
	lab validate seed.json
	run lab cost --gpu b200 --days 7 --lots 2 --tariffs "$example" --accepted-results 1000 --measure "$six" --measure seed.json
	[ "$status" -eq 2 ]
	[[ "$output" == *"not of the same work: seed differs"* ]]
}

@test "the example table: 15 models, 3 durations each, every source fictional" {
	[ "$(tail -n +2 "$example" | cut -d, -f1 | sort -u | wc -l)" -eq 15 ]
	[ "$(tail -n +2 "$example" | wc -l)" -eq 45 ]
	[ "$(tail -n +2 "$example" | cut -d, -f6 | sort -u)" = fictional-example ]
	[ "$(grep -c '^b200,2,' "$example")" -eq 3 ]
}

@test "a closed or full stdout is exit 3" {
	run bash -c "'$ILAB_PROGRAM' cost --gpu b200 --days 7 --lots 2 --tariffs '$example' >/dev/full"
	[ "$status" -eq 3 ]
	run bash -c "'$ILAB_PROGRAM' cost --gpu b200 --days 7 --lots 2 --tariffs '$example' >&-"
	[ "$status" -eq 3 ]
}

@test "the worked examples of the quality protocols are what the program prints" {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	python3 - docs/quality-protocol.md docs/protocole-qualite.md <<'P'
import os, re, shlex, subprocess, sys
found = 0
for path in sys.argv[1:]:
    for command, printed in re.findall(r"```console\n\$ iteragpu-lab (cost [^\n]*)\n(.*?)```", open(path, encoding="utf-8").read(), re.S):
        got = subprocess.run([os.environ["ILAB_PROGRAM"], *shlex.split(command)], capture_output=True, text=True, check=True).stdout
        assert got == printed, f"{path}: {command}\n{got}"
        found += 1
assert found == 4, found
P
}
