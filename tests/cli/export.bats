#!/usr/bin/env bats
# export: the results grid as another CSV reader sees it.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	data=$BATS_TEST_DIRNAME/../../data
	examples=$BATS_TEST_DIRNAME/../../results-schema/examples/measure/ok
}

lab() { "$ILAB_PROGRAM" "$@"; }

@test "the blank grid is the one in data/" {
	lab export --blank --output blank.csv
	cmp blank.csv "$data/results-grid.csv"
	lab export --blank | cmp - "$data/results-grid.csv"
}

@test "a line for cold_forward and each warm_forward, with the document's own figures" {
	lab export "$examples/six-rows.json" "$examples/ten-repeats.json" --output grid.csv
	python3 - grid.csv "$examples/six-rows.json" "$examples/ten-repeats.json" <<'P'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))
want = []
for path in sys.argv[2:]:
    m = json.load(open(path))
    for p in m["phases"]:
        if p["phase"] in ("cold_forward", "warm_forward"):
            want.append((m, p))
assert len(rows) == len(want) and len(want) == 3 + 11, (len(rows), len(want))
text = lambda v: "" if v is None else str(v)
for row, (m, p) in zip(rows, want):
    c = m["configuration"]
    assert row["run_id"] == m["run_id"] and row["started_utc"] == m["started_utc"] and row["tool_version"] == m["tool"]["version"]
    device = m["environment"]["device"]
    assert row["device"] in (device["name"], "'" + device["name"]) and row["driver_version"] == text(device["driver_version"])
    assert row["view"] == c["view"] and row["dtype"] == c["dtype"]
    for n in ("batch", "context", "width", "hidden"):
        assert row[n] == str(c[n])
    assert row["phase"] == p["phase"] and row["repetition"] == text(p["repetition"])
    assert float(row["seconds"]) == p["seconds"]
    assert (row["device_seconds"] == "") if p["device_seconds"] is None else float(row["device_seconds"]) == p["device_seconds"]
    assert row["peak_allocated_bytes"] == str(p["peak_allocated_bytes"]) and row["peak_reserved_bytes"] == str(p["peak_reserved_bytes"])
    assert row["counters_source"] == m["memory_counters"]["source"] and row["verification"] == m["verification"]["status"]
    assert all(row[n] == "" for n in ("quality_unit", "quality_threshold", "accepted_results", "rejected_results", "notes"))
P
}

@test "lines end in CRLF and have 24 cells" {
	lab export "$examples/six-rows.json" >grid.csv
	[ "$(grep -c $'\r$' grid.csv)" -eq "$(wc -l <grid.csv)" ]
	python3 -c 'import csv; assert {len(r) for r in csv.reader(open("grid.csv", newline=""))} == {24}'
}

@test "a device name cannot become a formula" {
	python3 - "$examples/six-rows.json" <<'P'
import json, sys
m = json.load(open(sys.argv[1]))
device = m["environment"]["device"]
device["name"] = '=HYPERLINK("http://example.invalid","x")'
device["selectors"] = [s for s in device["selectors"] if not s.startswith("name:")]
json.dump(m, open("formula.json", "w"))
P
	lab validate formula.json
	lab export formula.json >grid.csv
	python3 -c 'import csv; assert {r["device"] for r in csv.DictReader(open("grid.csv", newline=""))} == {"\x27=HYPERLINK(\"http://example.invalid\",\"x\")"}'
}

@test "one bad file, no grid" {
	echo '{}' >bad.json
	run lab export "$examples/six-rows.json" bad.json --output grid.csv
	[ "$status" -eq 3 ]
	[[ "$output" == *bad.json* ]]
	[ ! -e grid.csv ]
	[ "$(ls)" = bad.json ]
}

@test "an existing file is never overwritten" {
	echo mine >grid.csv
	run lab export "$examples/six-rows.json" --output grid.csv
	[ "$status" -eq 3 ]
	[ "$(cat grid.csv)" = mine ]
}

@test "usage: FILE or --blank, not both, not neither" {
	run lab export --output grid.csv
	[ "$status" -eq 2 ]
	run lab export --blank "$examples/six-rows.json" --output grid.csv
	[ "$status" -eq 2 ]
	[ ! -e grid.csv ]
}
