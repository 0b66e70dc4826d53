# Helpers for the tests of the command line. ILAB_PROGRAM is the program under test.

setup() {
	ILAB_PROGRAM=${ILAB_PROGRAM:-$BATS_TEST_DIRNAME/../../build/iteragpu-lab}
	work=$BATS_TEST_TMPDIR/work
	mkdir -p "$work" "$BATS_TEST_TMPDIR/tmp"
	cd "$work" || return 1
	# Kernel caches outlive a test, so that the second run of a shape is quick; everything else is the test's own.
	local caches=${ILAB_TEST_CACHE:-${TMPDIR:-/tmp}/iteragpu-lab-test-cache-$(id -u)}
	export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$caches/pocl} MESA_SHADER_CACHE_DIR=${MESA_SHADER_CACHE_DIR:-$caches/mesa}
	mkdir -p "$POCL_CACHE_DIR" "$MESA_SHADER_CACHE_DIR"
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	unset OCL_ICD_VENDORS POCL_DEVICES POCL_MEMORY_LIMIT
	type more_setup >/dev/null 2>&1 && more_setup
	return 0
}

# Run the program; $out and $err are its streams, $status its exit status.
lab() {
	status=0
	"$ILAB_PROGRAM" "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
	out=$(cat "$BATS_TEST_TMPDIR/out")
	err=$(cat "$BATS_TEST_TMPDIR/err")
}

# What the last run said, for a test that fails.
explain() {
	echo "status $status; stdout:"
	head -c 2000 "$BATS_TEST_TMPDIR/out"
	echo "stderr:"
	head -c 2000 "$BATS_TEST_TMPDIR/err"
	[ $# -eq 0 ] || echo "expected: $*"
	return 1
}

# expect STATUS [TEXT...]: the exit status, and each text on stderr.
expect() {
	[ "$status" -eq "$1" ] || explain "status $1"
	shift
	local text
	for text in "$@"; do
		case $err in *"$text"*) ;; *) explain "on stderr: $text" ;; esac
	done
}

# One line on stderr, nothing on stdout, no file in the folder, no temporary file.
one_clear_line() {
	[ -z "$out" ] || explain "an empty stdout"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ] || explain "one line on stderr"
	case $err in "iteragpu-lab: "*) ;; *) explain "a line that begins with the program's name" ;; esac
	nothing_left
}

nothing_left() {
	[ -z "$(ls -A "$work")" ] || { ls -lA "$work"; explain "an empty folder"; }
	no_temporary
}

no_temporary() {
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ] || { ls -lA "$BATS_TEST_TMPDIR/tmp"; explain "no temporary file"; }
}

# No worker of this test is alive: each has this test's TMPDIR in its environment.
no_worker() {
	local pid
	for pid in /proc/[0-9]*; do
		if tr '\0' ' ' <"$pid/cmdline" 2>/dev/null | grep -q -- '--worker' && grep -qz "^TMPDIR=$BATS_TEST_TMPDIR/tmp$" "$pid/environ" 2>/dev/null; then
			echo "still there: $pid $(tr '\0' ' ' <"$pid/cmdline")"
			return 1
		fi
	done
}

# The selector of PoCL's CPU device; skips where there is none.
pocl_device() {
	local line
	device=
	while read -r line; do
		lab environment --json --device "$line"
		case $out in *'"platform": "Portable Computing Language"'*) device=$line; return 0 ;; esac
	done < <("$ILAB_PROGRAM" environment --list)
	skip "PoCL shows no device here"
}

# small OUTPUT [OPTIONS]: the small measurement of the documentation.
small() {
	local output=$1
	shift
	lab measure --device "$device" --batch 1 --context 16 --width 64 --dtype float32 --warmup 1 --repeats 2 --output "$output" "$@"
}

# A document that a run left: our own validation, and the schemas' where the tool for it is installed.
valid_document() {
	"$ILAB_PROGRAM" validate "$1" || return 1
	local checker=${ILAB_VENV:+$ILAB_VENV/bin/check-jsonschema} schema
	schema=$(sed -n 's|.*"schema": "iteragpu-lab/\([a-z]*\)/\([0-9]*\)".*|\1.\2|p' "$1" | head -n 1)
	if [ -n "$checker" ] && [ -x "$checker" ]; then
		"$checker" --schemafile "$BATS_TEST_DIRNAME/../../results-schema/$schema.schema.json" "$1"
	fi
}

# A member of a JSON document by path, such as .summary.samples. Python is everywhere that bats tests run.
json() {
	python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
for p in sys.argv[2].split("."):
    if p: v = v[int(p)] if p.isdigit() else v[p]
print(json.dumps(v) if isinstance(v, (dict, list)) else v)' "$1" "$2"
}
