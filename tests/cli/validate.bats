load common

@test "a line for each file; 3 when any is not valid" {
	"$ILAB_PROGRAM" estimate --parameters 8 --bits 8 --json >good.json
	echo '{"schema": "iteragpu-lab/estimate/1"}' >bad.json
	lab validate good.json
	expect 0
	[ "$out" = "good.json: valid, iteragpu-lab/estimate/1" ] || explain "one line"
	lab validate good.json bad.json missing.json good.json
	expect 3 "2 of 4"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 4 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ]
	case $out in *"bad.json: not valid"*"missing.json: not valid"*) ;; *) explain "both named" ;; esac
}

@test "what is no document: empty, text, a folder, binary, deep, a number of another kind" {
	: >empty
	echo hello >text
	mkdir folder
	head -c 100000 /dev/urandom >binary
	python3 -c 'print("[" * 100000)' >deep
	echo '{"schema": "iteragpu-lab/estimate/99"}' >newer
	echo '{"schema": "iteragpu-lab/nothing/1"}' >unknown
	echo '{"schema": "iteragpu-lab/estimate/1", "schema": "iteragpu-lab/estimate/1"}' >twice
	for file in empty text folder binary deep newer unknown twice; do
		lab validate "$file"
		expect 3
		case $out in "$file: not valid: "*) ;; *) explain "the file and why" ;; esac
		[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 1 ] || explain "one line"
	done
}

@test "figures that disagree are found" {
	"$ILAB_PROGRAM" estimate --parameters 7000 --bits 16 --json >e.json
	sed 's/"weight_bytes": 14000/"weight_bytes": 14001/' e.json >wrong.json
	! cmp -s e.json wrong.json
	lab validate wrong.json
	expect 3
}

@test "a file name that looks like an option, after --" {
	"$ILAB_PROGRAM" estimate --parameters 7000 --bits 16 --json >./--quiet
	lab validate -- --quiet
	expect 0
}

@test "a line for each file, whatever its name" {
	"$ILAB_PROGRAM" estimate --parameters 8 --bits 8 --json >good.json
	cp good.json $'new\nline.json'
	cp good.json $'it\'s \e[31m \xff.json'
	lab validate $'new\nline.json' $'it\'s \e[31m \xff.json' good.json
	expect 0
	[ "$out" = "\$'new\\nline.json': valid, iteragpu-lab/estimate/1
\$'it\\'s \\x1b[31m \\xff.json': valid, iteragpu-lab/estimate/1
good.json: valid, iteragpu-lab/estimate/1" ] || explain "names that a shell would take"
}

@test "one bad file, in the singular" {
	lab validate missing.json
	expect 3 "1 of 1 file is not valid"
	lab validate missing.json missing.json
	expect 3 "2 of 2 files are not valid"
}

@test "a document that another program saved again is the same document" {
	examples=$BATS_TEST_DIRNAME/../../results-schema/examples
	for kind in compare/ok/two-views suite/ok/one-view measure/ok/six-rows tuning/ok/two-products; do
		python3 - "$examples/$kind.json" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		json.dump(d, open("plain.json", "w"))
		json.dump(d, open("sorted.json", "w"), sort_keys=True, indent=1)
		# As where every number is a double: 1 becomes 1.0.
		floats = lambda v: {k: floats(x) for k, x in v.items()} if isinstance(v, dict) else [floats(x) for x in v] if isinstance(v, list) \
			else float(v) if isinstance(v, int) and not isinstance(v, bool) and v < 2**53 else v
		json.dump(floats(d), open("floats.json", "w"))
		END
		lab validate plain.json sorted.json floats.json
		expect 0
	done
	python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1])), open("plain.json", "w"))' "$examples/compare/ok/two-views.json"
	lab diff "$examples/compare/ok/two-views.json" plain.json
	expect 0
	# Rounded numbers are other numbers, and a member more is another document.
	for change in 'r["document"]["timers"]["device"]["calibration_ratio"] = 0.9' 'r["document"]["note"] = 1' 'r["document"]["environment"]["host"]["kernel"] += "x"'; do
		python3 -c 'import json, sys
d = json.load(open("plain.json"))
r = d["views"][0]["runs"][0]
exec(sys.argv[1])
json.dump(d, open("changed.json", "w"))' "$change"
		lab validate changed.json
		expect 3
		case $out in *"views[0].runs[0].sha256: "*"saved again by a program that rounds numbers"*) ;; *) explain "the hash, and what may have happened" ;; esac
	done
}
