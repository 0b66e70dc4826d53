load common

# No document holds a path of the user's, a host name, or the value of a variable; messages and documents of every kind.

more_setup() {
	private=$BATS_TEST_TMPDIR/private-place
	mkdir "$private"
}

# The document on stdout of `environment` holds none of the private words.
no_private_word() {
	"$ILAB_PROGRAM" environment --json "$@" >"$BATS_TEST_TMPDIR/document"
	"$ILAB_PROGRAM" validate "$BATS_TEST_TMPDIR/document" >/dev/null
	local word
	for word in "$BATS_TEST_TMPDIR" "$(uname -n)" "$HOME/"; do
		if grep -qF -- "$word" "$BATS_TEST_TMPDIR/document"; then
			grep -F -- "$word" "$BATS_TEST_TMPDIR/document"
			return 1
		fi
	done
}

@test "no driver where OCL_ICD_VENDORS points" {
	export OCL_ICD_VENDORS=$private
	no_private_word
	grep -q OCL_ICD_VENDORS "$BATS_TEST_TMPDIR/document"
	export OCL_ICD_VENDORS=$private/nowhere
	no_private_word
	export OCL_ICD_VENDORS=$private/nowhere.so
	no_private_word
	export OCL_ICD_VENDORS=$private/nowhere.icd
	no_private_word
}

@test "a driver file that points into a private folder" {
	echo "$private/libdriver.so" >"$private/mine.icd"
	export OCL_ICD_VENDORS=$private
	no_private_word
	grep -q "mine.icd" "$BATS_TEST_TMPDIR/document"
	grep -q "libdriver.so" "$BATS_TEST_TMPDIR/document"
	echo not a library >"$private/libdriver.so"
	no_private_word
}

@test "modules in a private folder" {
	no_private_word --module-dir "$private"
	grep -q "no module" "$BATS_TEST_TMPDIR/document"
	echo not a module >"$private/cuda.so"
	no_private_word --module-dir "$private"
	grep -q "does not load" "$BATS_TEST_TMPDIR/document"
}

@test "a measurement" {
	pocl_device
	export OMP_PROC_BIND=false SECRET_WORD=private-place
	lab measure --device "$device" --batch 1 --context 16 --width 64 --warmup 1 --repeats 2 --module-dir "$private" --output "$private/f.json"
	expect 0
	! grep -qF -e private-place/ -e "$(uname -n)" -e "$HOME/" "$private/f.json"
	[ "$(json "$private/f.json" command)" = "[\"measure\", \"--device\", \"$device\", \"--batch\", \"1\", \"--context\", \"16\", \"--width\", \"64\", \"--warmup\", \"1\", \"--repeats\", \"2\", \"--output\", \"f.json\", \"--module-dir\", \"private-place\"]" ]
}
