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

# edit SOURCE TARGET STATEMENTS: the document as `d`, changed by Python and written as this program writes it, hashes of runs made good.
edit() {
	python3 - "$@" <<-'END'
	import hashlib, json, sys
	class Number(str): pass
	def text(v, depth=0):
	    indent = "\n" + "  " * depth
	    if isinstance(v, Number): return str(v)
	    if isinstance(v, list): return "[" + ", ".join(text(x, depth + 1) for x in v) + "]"
	    if isinstance(v, dict):
	        return "{" + ",".join(indent + "  " + json.dumps(k) + ": " + text(x, depth + 1) for k, x in v.items()) + indent + "}"
	    return json.dumps(v, ensure_ascii=False)
	d = json.load(open(sys.argv[1]), parse_int=Number, parse_float=Number)
	runs = [r for c in d.get("cases", [d]) for v in c.get("views", []) for r in v["runs"]]
	sha256 = lambda r: hashlib.sha256((text(r["document"]) + "\n").encode()).hexdigest()
	assert all(r["sha256"] == sha256(r) for r in runs)
	exec(sys.argv[3])
	for r in runs: r["sha256"] = sha256(r)
	open(sys.argv[2], "w").write(text(d) + "\n")
	END
}

# refused SOURCE REASON STATEMENTS
refused() {
	edit "$1" edited.json "$3"
	lab validate edited.json
	expect 3
	case $out in "edited.json: not valid: $2"*) ;; *) explain "$2, after $3" ;; esac
}

@test "a comparison that was edited, hashes and all, is refused by what it says itself" {
	examples=$BATS_TEST_DIRNAME/../../results-schema/examples
	two=$examples/compare/ok/two-views.json twice=$examples/compare/ok/one-view-twice.json suite=$examples/suite/ok/one-view.json
	edit "$two" same.json ""
	cmp "$two" same.json
	refused "$two" device.name 'd["device"]["name"] = "Another"'
	refused "$two" device.identity 'd["device"]["type"] = "gpu"'
	refused "$two" total_seconds 'd["total_seconds"] = 0.1'
	refused "$two" 'agreement[0]' 'd["agreement"] = []'
	refused "$two" 'agreement[0]' 'd["agreement"][0].update(view_a=d["agreement"][0]["view_b"])'
	refused "$two" 'agreement[1]' 'd["agreement"] *= 2'
	refused "$two" 'agreement[0].relative_error' 'd["agreement"][0]["relative_error"] = -1'
	refused "$twice" 'agreement[0].relative_error: not 0' 'd["agreement"][0]["relative_error"] = Number("1e-09")'
	refused "$two" order 'd["order"].append(d["order"][0])'
	refused "$two" run_id 'runs[1]["document"]["run_id"] = runs[0]["document"]["run_id"]'
	refused "$two" 'views[0].runs[1].document' 'runs[1]["document"]["environment"]["device"]["vendor"] = "Another"'
	refused "$two" 'views[1].runs[0].document' 'runs[2]["document"]["tool"]["version"] = "9.9.9"'
	refused "$two" 'views[0].runs[0].document' 'runs[0]["document"]["command"][1:3] = []'
	refused "$two" command 'd["command"][d["command"].index("--repeats") + 1] = "3"'
	refused "$two" tool.modules 'd["tool"]["modules"] = ["cuda.so"]'
	refused "$suite" 'cases[0].case' 'd["cases"][0]["case"] = "tiny float32"'
	refused "$suite" 'cases[0].configuration' 'd["cases"][0]["case"] = "large float32"'
	refused "$suite" 'cases[0].total_seconds' 'd["total_seconds"] = 1'
	refused "$suite" 'cases[0].run_id' 'd["cases"][0]["run_id"] = d["run_id"]'
	refused "$suite" 'cases[0]: device.name' 'd["cases"][0]["device"]["name"] = "Another"'
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

@test "every reader refuses weights of another seed, by name" {
	bad=$BATS_TEST_DIRNAME/../../results-schema/examples/measure/bad-invariant/weights-of-another-seed.json
	good=$BATS_TEST_DIRNAME/../../results-schema/examples/measure/ok/six-rows.json
	table=$BATS_TEST_DIRNAME/../../data/tariffs.example.csv
	lab validate "$bad"
	expect 3
	lab diff "$good" "$bad"
	expect 3 weights-of-another-seed.json verification.weights_checksum
	lab cost --gpu b200 --days 7 --lots 1 --tariffs "$table" --accepted-results 1 --measure "$good" --measure "$bad"
	expect 3 weights-of-another-seed.json verification.weights_checksum
	lab export --output grid.csv "$bad"
	expect 3 weights-of-another-seed.json verification.weights_checksum
	[ ! -e grid.csv ]
}
