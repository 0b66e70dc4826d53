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
