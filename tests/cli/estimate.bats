load common

# Figures worked out by hand or with another tool.

@test "7 billion parameters of 16 bits and 4 GiB" {
	lab estimate --parameters 7000000000 --bits 16 --reserve-gib 4
	expect 0
	for figure in 14,000,000,000 13.0385 17.0385; do
		case $out in *"$figure"* | *"${figure//,/}"*) ;; *) explain "$figure" ;; esac
	done
	"$ILAB_PROGRAM" estimate --parameters 7000000000 --bits 16 --reserve-gib 4 --json >e.json
	[ "$(json e.json weight_bytes)" = 14000000000 ]
	[ "$(json e.json total_bytes)" = 18294967296 ]
	[[ $(json e.json weight_gib) == 13.0385160446167* ]]
	[[ $(json e.json total_gib) == 17.0385160446167* ]]
	valid_document e.json
}

@test "the largest model is exact beyond 64 bits" {
	"$ILAB_PROGRAM" estimate --parameters 9223372036854775807 --bits 64 --json >e.json
	[ "$(json e.json weight_bytes)" = 73786976294838206456 ]
	[ "$(json e.json total_bytes)" = 73786976294838206456 ]
	valid_document e.json
}

@test "bits round up to whole bytes once, at the end" {
	"$ILAB_PROGRAM" estimate --parameters 3 --bits 3 --json >e.json
	[ "$(json e.json weight_bytes)" = 2 ]
	"$ILAB_PROGRAM" estimate --parameters 1 --bits 1 --json >e.json
	[ "$(json e.json weight_bytes)" = 1 ]
	"$ILAB_PROGRAM" estimate --parameters 8 --bits 5 --json >e.json
	[ "$(json e.json weight_bytes)" = 5 ]
}

@test "a reserve rounds up to whole bytes, suffixes multiply" {
	"$ILAB_PROGRAM" estimate --parameters 7G --bits 8 --reserve-gib 0.000000001 --json >e.json
	[ "$(json e.json parameters)" = 7000000000 ]
	[ "$(json e.json total_bytes)" = 7000000002 ]      # 1.07 bytes become 2
	"$ILAB_PROGRAM" estimate --parameters 1Ki --bits 8 --json >e.json
	[ "$(json e.json weight_bytes)" = 1024 ]
	[ "$(json e.json reserve_gib)" = 0 ]
}

@test "bad figures" {
	for arguments in "--parameters 0 --bits 8" "--parameters 9223372036854775808 --bits 8" "--parameters 1.5G --bits 8" "--parameters 1 --bits 0" \
		"--parameters 1 --bits 65" "--parameters 1 --bits 8 --reserve-gib -1" "--parameters 1 --bits 8 --reserve-gib 1.0000000001" \
		"--parameters 1 --bits 8 --reserve-gib 1e3" "--parameters 1 --bits 8 --reserve-gib 1,5"; do
		lab estimate $arguments
		expect 2 "iteragpu-lab estimate --help"
		one_clear_line
	done
}

@test "it needs no driver and names no folder or user" {
	export OCL_ICD_VENDORS=/nonexistent
	lab estimate --parameters 1 --bits 8 --json --module-dir "$HOME/modules"
	expect 0
	case $out in *"$HOME"* | *"$(uname -n)"*) explain "no private word" ;; esac
}

@test "small models: bytes, and the singular of one" {
	lab estimate --parameters 1 --bits 1
	expect 0
	[ "$(sed -n 1,4p "$BATS_TEST_TMPDIR/out")" = "parameters    1 of 1 bit
weights       1 byte
reserve       0 bytes
total         1 byte" ] || explain "bytes alone"
	lab estimate --parameters 1Mi --bits 8
	expect 0
	case $out in *"1,048,576 bytes, 0.0010 GiB"*) ;; *) explain "GiB where they show something" ;; esac
}

@test "7B and 1.5G: the message says which suffixes there are" {
	for value in 7B 1.5G; do
		lab estimate --parameters $value --bits 8
		expect 2 "\"$value\"" "K M G T"
		one_clear_line
	done
}
