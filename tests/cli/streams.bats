load common

# Results on stdout: closed, full, or read by nobody, it is exit 3 with a line.

@test "closed stdout" {
	for command in "estimate --parameters 1 --bits 8" "environment" "environment --list" "environment --json" "--help" "--version"; do
		status=0
		: >"$BATS_TEST_TMPDIR/out"
		"$ILAB_PROGRAM" $command >&- 2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
		out= err=$(cat "$BATS_TEST_TMPDIR/err")
		if [ "$command" = "environment --list" ] && [ -z "$("$ILAB_PROGRAM" environment --list)" ]; then
			continue       # nothing to print
		fi
		expect 3 "standard output"
		one_clear_line
	done
}

@test "full stdout" {
	for command in "estimate --parameters 1 --bits 8" "estimate --parameters 1 --bits 8 --json" "environment" "--man"; do
		status=0
		: >"$BATS_TEST_TMPDIR/out"
		"$ILAB_PROGRAM" $command >/dev/full 2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
		out= err=$(cat "$BATS_TEST_TMPDIR/err")
		expect 3 "standard output" "No space left"
		one_clear_line
	done
}

@test "a reader that has gone" {
	status=0
	{ "$ILAB_PROGRAM" --man 2>"$BATS_TEST_TMPDIR/err" || echo $? >status; } | { sleep 0.2; exec 0<&-; }
	# The page may fit into the pipe before its reader goes; what matters is that no signal ends the program.
	[ ! -s status ] || [ "$(cat status)" = 3 ]
}

@test "measure: closed and full stdout leave no file" {
	pocl_device
	for target in closed full; do
		status=0
		: >"$BATS_TEST_TMPDIR/out"
		set -- measure --device "$device" --batch 1 --context 16 --width 64 --warmup 1 --repeats 2 --output f.json
		if [ $target = closed ]; then
			"$ILAB_PROGRAM" "$@" >&- 2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
		else
			"$ILAB_PROGRAM" "$@" >/dev/full 2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
		fi
		out= err=$(cat "$BATS_TEST_TMPDIR/err")
		expect 3 "standard output"
		one_clear_line
	done
}

@test "a closed stdin does no harm" {
	status=0
	"$ILAB_PROGRAM" estimate --parameters 8 --bits 8 --json >e.json <&- || status=$?
	[ "$status" -eq 0 ]
	[ "$(json e.json weight_bytes)" = 8 ]
	pocl_device
	rm e.json
	"$ILAB_PROGRAM" measure --device "$device" --batch 1 --context 16 --width 64 --warmup 1 --repeats 2 --output f.json >/dev/null <&-
	valid_document f.json
}

@test "closed stderr: the exit status still tells" {
	status=0
	"$ILAB_PROGRAM" estimate --parameters 8 --bits 8 >"$BATS_TEST_TMPDIR/out" 2>&- || status=$?
	[ "$status" -eq 0 ]
	grep -q '^total' "$BATS_TEST_TMPDIR/out"
	OCL_ICD_VENDORS=/nonexistent "$ILAB_PROGRAM" measure --device cpu --batch 1 --context 1 --width 8 --output f.json 2>&- || status=$?
	[ "$status" -eq 2 ]
	nothing_left
}

@test "closed stdout: found before any work" {
	export OCL_ICD_VENDORS=/nonexistent     # any work would end with 2
	for closed in '>&- 2>&-' '>&-'; do
		status=0
		: >"$BATS_TEST_TMPDIR/out"
		: >"$BATS_TEST_TMPDIR/err"
		eval '"$ILAB_PROGRAM" measure --device cpu --batch 1 --context 1 --width 8 --output f.json >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"' "$closed" || status=$?
		[ "$status" -eq 3 ] || explain "3 for $closed"
		[ ! -s "$BATS_TEST_TMPDIR/out" ]
		nothing_left
	done
	status=0
	"$ILAB_PROGRAM" validate /nonexistent.json >&- 2>"$BATS_TEST_TMPDIR/err" || status=$?
	out= err=$(cat "$BATS_TEST_TMPDIR/err")
	expect 3 "standard output is closed"
	one_clear_line
}

@test "a limit on file size is an error of the write" {
	sh -c 'ulimit -f 0; exec "$@"' sh "$ILAB_PROGRAM" estimate --parameters 8 --bits 8 >"$work/estimate" 2>/dev/null && return 1
	status=$?
	[ "$status" -eq 3 ] || explain 3
	rm "$work/estimate"
	status=0
	sh -c 'ulimit -f 0; exec "$@"' sh "$ILAB_PROGRAM" export --blank --output grid.csv 2>&1 | cat >"$BATS_TEST_TMPDIR/err" || status=$?
	grep -q "cannot write to grid.csv: File too large" "$BATS_TEST_TMPDIR/err"
	nothing_left
	# A driver that may not write its kernels either says so, or goes on; neither it nor the program dies of a signal.
	pocl_device
	sh -c 'ulimit -f 0; exec "$@"' sh "$ILAB_PROGRAM" measure --device "$device" --batch 1 --context 1 --width 8 --output f.json 2>&1 |
		cat >"$BATS_TEST_TMPDIR/err"
	status=${PIPESTATUS[0]}
	grep -q "^iteragpu-lab: " "$BATS_TEST_TMPDIR/err"
	! grep -q SIG "$BATS_TEST_TMPDIR/err"
	[ "$status" -eq 1 ] || [ "$status" -eq 3 ] || explain "1 or 3"
	nothing_left
}

@test "a driver that chatters on stdout does not reach ours" {
	pocl_device
	POCL_DEBUG=all lab environment --json
	expect 0
	printf '%s' "$out" | python3 -c 'import json, sys; json.load(sys.stdin)'
	[ -z "$err" ] || explain "an empty stderr"
	POCL_DEBUG=all lab environment --verbose --json
	expect 0
	printf '%s' "$out" | python3 -c 'import json, sys; json.load(sys.stdin)'
	[ -n "$err" ] || explain "what the driver prints, with --verbose"
}
