load common

# The output file: a new name, complete or absent, refused before any work where it cannot be had.

more_setup() {
	device=opencl:0:0
}

# The wall time of a refusal tells that no measuring came before it: a driver takes longer to start than this.
refused_output() {
	small "$1"
	expect 3 "$2"
	[ -z "$out" ] || explain "an empty stdout"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ] || explain "one line"
	no_temporary
}

@test "an existing file is refused and stays as it is, without a driver being asked" {
	export OCL_ICD_VENDORS=/nonexistent
	echo precious >f.json
	refused_output f.json "exists"
	[ "$(cat f.json)" = precious ]
	[ "$(ls -A)" = f.json ]
}

@test "a dangling link, a folder, a device file are refused" {
	export OCL_ICD_VENDORS=/nonexistent
	ln -s /nonexistent/target link.json
	refused_output link.json "link"
	ln -s target.json inside.json
	refused_output inside.json "link"
	[ ! -e target.json ]
	mkdir folder
	refused_output folder "folder"
	refused_output folder/ "folder"
	refused_output /dev/full "exists"
	refused_output /dev/null "exists"
	[ "$(ls -A folder)" = "" ]
}

@test "a missing folder, a file as folder" {
	export OCL_ICD_VENDORS=/nonexistent
	refused_output missing/f.json "missing/f.json"
	echo x >file
	refused_output file/f.json "file/f.json"
	[ "$(ls -A)" = file ]
}

@test "a folder that may not be written to" {
	mkdir readonly
	chmod 555 readonly
	if touch readonly/probe 2>/dev/null; then
		rm readonly/probe
		# The super-user writes anywhere but where the file system refuses.
		mount -t tmpfs -o ro,size=64k none readonly 2>/dev/null || skip "runs as a user who may write anywhere, and may not mount"
		mounted=1
	fi
	small readonly/f.json
	[ -z "${mounted:-}" ] || umount readonly
	expect 3 "readonly/f.json"
	one_line_only
}

one_line_only() {
	[ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ] || explain "one line"
	no_temporary
}

@test "a full disk" {
	mkdir full
	mount -t tmpfs -o size=4k none full 2>/dev/null || skip "may not mount a small file system"
	head -c 4096 /dev/zero >full/filler || true
	pocl_device_or_unmount
	small full/f.json
	left=$(ls -A full)
	umount full
	expect 3 "full/f.json" "No space left"
	one_line_only
	[ "$left" = filler ]
}

pocl_device_or_unmount() {
	"$ILAB_PROGRAM" environment --list | grep -q . || { umount full; skip "no device here"; }
	device=$("$ILAB_PROGRAM" environment --list | head -n 1)
}

@test "a name that appears during the measurement is not overwritten" {
	pocl_device
	"$ILAB_PROGRAM" measure --device "$device" --batch 1 --context 16 --width 64 --warmup 1 --repeats 20000 --output f.json \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" &
	sleep 0.4
	echo other >f.json
	status=0
	wait $! || status=$?
	err=$(cat "$BATS_TEST_TMPDIR/err")
	expect 3 "f.json"
	[ "$(cat f.json)" = other ]
	[ "$(ls -A)" = f.json ]
	no_temporary
}

@test "names with spaces, quotes, dashes and other letters" {
	pocl_device
	for name in "a b.json" "it's.json" 'dou"ble.json' "été.json" -- "--json"; do
		[ "$name" != -- ] || continue
		lab measure --device "$device" --batch 1 --context 16 --width 64 --warmup 0 --repeats 1 "--output=$name"
		expect 0
		valid_document "./$name"
	done
	[ "$(ls -A | wc -l)" -eq 5 ]
}

@test "a decimal comma in the locale changes nothing" {
	comma=$(locale -a 2>/dev/null | grep -Ei '^(de_DE|fr_FR|es_ES|it_IT)\.utf-?8$' | head -n 1)
	if [ -z "$comma" ]; then
		command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$BATS_TEST_TMPDIR/de_DE.UTF-8" 2>/dev/null \
			|| skip "no locale with a decimal comma, and none can be made"
		export LOCPATH=$BATS_TEST_TMPDIR
		comma=de_DE.UTF-8
	fi
	[ "$(LC_ALL=$comma printf '%.1f' 1,5 2>/dev/null)" = 1,5 ] || skip "the locale $comma has no decimal comma here"
	export LC_ALL=$comma
	lab estimate --parameters 7000000000 --bits 16 --reserve-gib 0.5 --json
	expect 0
	printf '%s' "$out" | python3 -c 'import json, sys; assert json.load(sys.stdin)["reserve_gib"] == 0.5'
	lab estimate --parameters 7000000000 --bits 16 --reserve-gib 0,5
	expect 2 "--reserve-gib"
	one_clear_line
	pocl_device
	small f.json --timeout 60.5
	expect 0
	LC_ALL=C valid_document f.json
	valid_document f.json
	case $out in *[0-9],[0-9][0-9]\ *) explain "no decimal comma" ;; esac
}
