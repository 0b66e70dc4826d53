load common

# Saved documents side by side. Times are put into real documents by hand, and all that follows from them with them, so that the truth is
# known.

more_setup() {
	pocl_device
}

# A measurement, and edit FILE FACTOR OUTPUT: the same with every warm pass longer by the factor. The passes spread by 1 %.
measure() {
	lab measure --device "$device" --gemm builtin --batch 1 --context 2 --width 4 --warmup 0 --repeats 20 "$@"
	expect 0
}

edit() {
	python3 - "$@" <<-'END'
		import json, statistics, sys
		source, factor, target = sys.argv[1], float(sys.argv[2]), sys.argv[3]
		d = json.load(open(source))
		warm = [p for p in d["phases"] if p["phase"] == "warm_forward"]
		for i, p in enumerate(warm):
		    p["seconds"] = 0.01 * factor * (1 + 0.001 * ((i * 7) % 20 - 9.5))
		    p["device_seconds"], p["device_seconds_reason"] = None, "unavailable: written by a test"
		s = sorted(p["seconds"] for p in warm)
		t = [p["seconds"] for p in warm]
		m = statistics.median(s)
		d["summary"].update(median_seconds=m, min_seconds=s[0], max_seconds=s[-1], mad_seconds=statistics.median(abs(x - m) for x in s),
		    ci_low_seconds=s[5], ci_high_seconds=s[14], ci_coverage=1005176 / 2**20, drift_ratio=statistics.median(t[14:]) / statistics.median(t[:6]),
		    outliers=0, flop_per_second=d["synthetic_model"]["flop_per_forward"] / m, device_median_seconds=None,
		    device_median_seconds_reason="unavailable: written by a test")
		d["total_seconds"] = 1000.0
		json.dump(d, open(target, "w"))
	END
	"$ILAB_PROGRAM" validate "$3"
}

view_of() { echo "opencl/Portable Computing Language/$1"; }

@test "a loss fails only above the limit, a gain never" {
	measure --output m.json
	edit m.json 1 base.json
	edit m.json 1.2 slower.json
	edit m.json 0.5 faster.json
	edit m.json 1.01 same.json
	lab diff base.json slower.json
	expect 0
	lab diff base.json slower.json --fail-above 19
	expect 5 "a loss of 2" "single measurements"
	lab diff base.json slower.json --fail-above 21
	expect 0
	lab diff base.json faster.json --fail-above 0
	expect 0
	lab diff base.json same.json --fail-above 0
	expect 0
	lab diff base.json same.json faster.json slower.json --fail-above 0 --output d.json
	expect 5
	valid_document d.json
	[ "$(python3 -c 'import json; print(" ".join(r["verdict"] for r in json.load(open("d.json"))["table"] if r["phase"] == "warm_forward"))')" = "same faster slower" ]
	python3 -c 'import json; assert abs(json.load(open("d.json"))["worst_loss_percent"] - 20) < 1e-6'
}

@test "a loss inside the noise does not fail" {
	measure --output m.json
	edit m.json 1 base.json
	edit m.json 1.055 small.json
	lab diff base.json small.json --fail-above 1
	expect 0
	case $(echo $out) in *"no proven loss; 1 ambiguous, "*" without a verdict, 0 not compared"*) ;; *) explain "one that is ambiguous" ;; esac
	[ -z "$err" ] || explain "an empty stderr"
}

@test "shapes, types and seeds that differ are not comparable: the reason, no ratio, exit 0" {
	measure --output m.json
	lab measure --device "$device" --gemm builtin --batch 1 --context 3 --width 4 --warmup 0 --repeats 20 --output shape.json
	lab measure --device "$device" --gemm builtin --batch 1 --context 2 --width 4 --warmup 0 --repeats 20 --seed 9 --output seed.json
	lab measure --device "$device" --gemm builtin --batch 1 --context 2 --width 4 --warmup 0 --repeats 20 --dtype bfloat16 --output type.json
	lab diff m.json shape.json seed.json type.json --fail-above 0 --output d.json
	expect 0
	case $err in *"--fail-above did not judge 3 rows of the base"*) ;; *) explain "a line on stderr" ;; esac
	case $out in *"worst loss    nothing could be compared"*) ;; *) explain "no verdict at all" ;; esac
	valid_document d.json
	python3 - <<-'END'
		import json
		t = json.load(open("d.json"))["table"]
		assert [r["not_comparable"] for r in t] == ["the shapes differ", "the seeds differ", "the types differ"], t
		assert all(r["verdict"] == "not-comparable" and r["ratio"] is None for r in t)
	END
}

@test "what differs in configuration and environment is shown" {
	measure --output m.json
	sed 's/"driver_version": "[^"]*"/"driver_version": "9.9.9"/' m.json >other.json
	lab diff m.json other.json --json
	expect 0
	python3 - "$BATS_TEST_TMPDIR/out" <<-'END'
		import json, sys
		d = {x["path"]: x["new"] for x in json.load(open(sys.argv[1]))["differences"]}
		assert d == {"environment.device.driver_version": "9.9.9"}, d
	END
}

@test "different providers of two single measurements are held against each other" {
	measure --output a.json
	lab measure --device "$device" --gemm clblast --batch 1 --context 2 --width 4 --warmup 0 --repeats 20 --output b.json
	lab diff a.json b.json --json
	expect 0
	case $out in *'"base_view": "opencl/Portable Computing Language/builtin"'*'/clblast"'*) ;; *) explain "a row of both views" ;; esac
}

@test "warm-up passes of another number are not compared, all else is" {
	measure --output a.json
	lab measure --device "$device" --gemm builtin --batch 1 --context 2 --width 4 --warmup 3 --repeats 20 --output b.json
	lab measure --device "$device" --gemm builtin --batch 1 --context 2 --width 4 --warmup 1 --repeats 20 --output c.json
	lab diff c.json b.json --output d.json
	expect 0
	case $out in *"warmup        not-comparable: the numbers of warm-up passes differ"*) ;; *) explain "the reason" ;; esac
	valid_document d.json
	python3 - <<-'END'
		import json
		t = {r["phase"]: r for r in json.load(open("d.json"))["table"]}
		assert t["warmup"]["verdict"] == "not-comparable" and t["warmup"]["ratio"] is None, t["warmup"]
		assert t["warm_forward"]["ratio"] is not None and t["cold_forward"]["ratio"] is not None, t
	END
	# Without any there is no such row to compare.
	lab diff a.json b.json --json
	expect 0
	case $out in *'"phase": "warmup"'*) explain "no row" ;; esac
}

@test "a comparison is found in a suite by what was run" {
	lab suite --device "$device" --cases small --views "$(view_of builtin)" --no-ceilings --quiet --output s.json
	expect 0
	read -r batch context width hidden < <(python3 -c 'import json; c = json.load(open("s.json"))["cases"][0]["configuration"]
print(c["batch"], c["context"], c["width"], c["hidden"])')
	lab compare --device "$device" --batch "$batch" --context "$context" --width "$width" --hidden "$hidden" --repeats 2 --rounds 2 --no-ceilings \
		--views "$(view_of builtin)" --output c.json
	expect 0
	lab compare --device "$device" --batch 1 --context 3 --width 5 --repeats 2 --rounds 2 --no-ceilings --views "$(view_of builtin)" --output other.json
	expect 0
	lab diff c.json s.json --json
	expect 0
	python3 -c 'import json, sys; d = json.loads(sys.argv[1])
assert [r["what"].split(" ")[:2] for r in d["table"] if r["phase"] == "warm_forward"] == [["small", "float32"]] and d["table"][0]["ratio"] is not None, d["table"]' "$out"
	lab diff other.json s.json
	expect 0
	case $(echo $out) in *"has no run of this view with this shape and type"*"nothing could be compared"*) ;; *) explain "the reason" ;; esac
}

@test "a name that a terminal would obey does not reach it" {
	measure --output m.json
	cp m.json "$(printf 'a\n\033[31mb.json')"
	lab diff m.json "$(printf 'a\n\033[31mb.json')"
	expect 0
	case $out in *$'\033'*) explain "no escape" ;; esac
	case $out in *"a [31mb.json (measure"*) ;; *) explain "the name in one line" ;; esac
}

@test "a document held against itself is said to be one run" {
	measure --output m.json
	lab diff m.json m.json
	expect 0
	case $out in *"the same run as the base"*) ;; *) explain "a word about it" ;; esac
}

@test "what only one document has is listed" {
	lab compare --device "$device" --batch 1 --context 2 --width 4 --warmup 0 --repeats 1 --rounds 1 --no-ceilings --output c.json
	measure --output m.json
	lab diff m.json c.json
	expect 0
	case $out in *unmatched*clblast*"m.json has no such view"*) ;; *) explain "the view that is not there" ;; esac
}

@test "documents of another kind, truncated, or edited into contradiction: exit 3 and the reason" {
	measure --output m.json
	lab compare --device "$device" --batch 1 --context 2 --width 4 --warmup 0 --repeats 2 --rounds 2 --no-ceilings --output c.json
	"$ILAB_PROGRAM" environment --json >e.json
	head -c 700 m.json >cut.json
	: >empty.json
	sed 's|measure/1|measure/2|' m.json >number.json
	sed '0,/"peak_allocated_bytes": [0-9]*/s//"peak_allocated_bytes": 1/' m.json >peak.json
	python3 -c 'import json; d = json.load(open("m.json")); d["phases"].pop(); json.dump(d, open("row.json", "w"))'
	python3 -c 'import json; d = json.load(open("m.json")); d["summary"]["median_seconds"] *= 2; json.dump(d, open("median.json", "w"))'
	sed '0,/"median_seconds": [0-9.e-]*/s//"median_seconds": 123/' c.json >ctable.json
	tac c.json | sed '0,/"run_id": "[0-9a-f]*"/s//"run_id": "00000000000000000000000000000000"/' | tac >crun.json
	for bad in e.json:"is needed" cut.json:"line" empty.json: number.json:"is needed" peak.json:peak_allocated_bytes row.json:phases median.json:median_seconds \
		ctable.json:median_seconds crun.json:sha256 nothing.json:nothing.json; do
		lab diff m.json "${bad%%:*}"
		expect 3 "${bad%%:*}" "${bad#*:}"
		[ -z "$out" ] || explain "an empty stdout"
		lab diff "${bad%%:*}" m.json
		expect 3 "${bad%%:*}"
	done
	lab diff m.json
	expect 2
	lab diff m.json m.json --fail-above -1
	expect 2
}
