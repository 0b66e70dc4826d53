load common

# Every mistake on a command line: exit 2, one line that names it, nothing written.

@test "no command, unknown command, unknown option" {
	lab
	expect 2 "missing COMMAND" "iteragpu-lab --help"
	one_clear_line
	lab mesure
	expect 2 'unknown command "mesure"'
	one_clear_line
	lab --frobnicate
	expect 2 'unknown option "--frobnicate"'
	one_clear_line
	lab measure --frobnicate
	expect 2 "unknown option --frobnicate" "iteragpu-lab measure --help"
	one_clear_line
}

@test "--help, --version, --man, --completion go to stdout and end with 0" {
	lab --help
	expect 0
	[ -z "$err" ]
	for command in estimate environment measure validate; do
		case $out in *"$command"*) ;; *) explain "$command in the help" ;; esac
		"$ILAB_PROGRAM" "$command" --help >help.txt
		grep -q "^Usage: iteragpu-lab $command" help.txt
	done
	lab --version
	expect 0
	[[ $out =~ ^iteragpu-lab\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || explain "a version"
	lab measure --version
	[[ $out =~ ^iteragpu-lab\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || explain "a version"
	lab --completion bash
	expect 0
	bash -n "$BATS_TEST_TMPDIR/out"
	lab --completion fish
	expect 2
}

@test "help fits 80 columns" {
	"$ILAB_PROGRAM" --help >help.txt
	for command in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' help.txt); do
		"$ILAB_PROGRAM" "$command" --help >>help.txt
	done
	! grep -n '.\{81\}' help.txt
}

@test "--help COMMAND is that command's help; --version with more is refused" {
	lab estimate --help
	local expected=$out
	lab --help estimate
	expect 0
	[ "$out" = "$expected" ] || explain "the help of estimate"
	lab --help nothing
	expect 2 'unknown command "nothing"'
	one_clear_line
	lab --version x
	expect 2 '--version stands alone' '"x"'
	one_clear_line
}

@test "bytes that are no UTF-8 do not reach stderr" {
	local bad=$'x\xff\xc3y\x9b'
	for arguments in "$bad" "--$bad" "estimate --$bad" "estimate $bad" "estimate --parameters $bad --bits 8" "estimate --bits 8 --parameters 1 --json=$bad" \
		"measure --batch 1 --context 1 --width 1 --output f --device $bad" "validate $bad" "cost --gpu $bad --days 3 --lots 1 --tariffs $bad" \
		"export $bad" "diff $bad $bad" "--help $bad" "--version $bad"; do
		lab $arguments
		[ "$status" -ge 2 ] || explain "a refusal of $arguments"
		python3 -c 'import sys; [open(f, encoding="utf-8").read() for f in sys.argv[1:]]' "$BATS_TEST_TMPDIR/err" "$BATS_TEST_TMPDIR/out" || explain "UTF-8 for $arguments"
	done
}

@test "the completion completes commands, options and choices" {
	"$ILAB_PROGRAM" --completion bash >completion.bash
	. ./completion.bash
	COMP_WORDS=(iteragpu-lab mea) COMP_CWORD=1
	_iteragpu_lab iteragpu-lab
	[ "${COMPREPLY[*]}" = measure ]
	COMP_WORDS=(iteragpu-lab measure --verify) COMP_CWORD=2
	_iteragpu_lab iteragpu-lab
	[ "${COMPREPLY[*]}" = --verify-rows ]
	COMP_WORDS=(iteragpu-lab measure --dtype b) COMP_CWORD=3
	_iteragpu_lab iteragpu-lab
	[ "${COMPREPLY[*]}" = bfloat16 ]
}

@test "the manual page formats without a complaint" {
	"$ILAB_PROGRAM" --man >iteragpu-lab.1
	for section in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" ENVIRONMENT FILES EXAMPLES; do
		grep -q "^\.SH $section" iteragpu-lab.1
	done
	if command -v groff >/dev/null; then
		groff -man -Tutf8 -ww -z iteragpu-lab.1 2>complaints
	elif command -v mandoc >/dev/null; then
		mandoc -T lint -W warning iteragpu-lab.1 >complaints
	else
		skip "neither groff nor mandoc is installed"
	fi
	[ ! -s complaints ] || { cat complaints; return 1; }
}

@test "every bad number is refused with the option's name" {
	for value in 0 -1 +1 1.5 1e3 0x10 12x "" " 1" 9223372036854775808 18446744073709551616 99999999999999999999999999999999999 nan; do
		for option in batch context width hidden repeats verify-rows; do
			set -- --device opencl:0:0 --output f.json
			for required in batch context width; do
				[ "$option" = "$required" ] || set -- "$@" "--$required" 2
			done
			lab measure "$@" "--$option" "$value"
			expect 2 "--$option: \"$value\"" "a whole number from 1 to" "iteragpu-lab measure --help"
			one_clear_line
		done
	done
	for value in -1 1.5 x 18446744073709551616; do
		lab measure --device opencl:0:0 --batch 1 --context 1 --width 1 --output f.json --seed "$value"
		expect 2 "--seed: \"$value\""
		one_clear_line
	done
	for value in 0 -1 1e3 1,5 x 99999999999; do
		lab measure --device opencl:0:0 --batch 1 --context 1 --width 1 --output f.json --timeout "$value"
		expect 2 "--timeout: \"$value\""
		one_clear_line
	done
}

@test "missing, repeated, unwanted and wrong values are named" {
	lab measure
	expect 2 "missing --device, --batch, --context, --width and --output"
	one_clear_line
	lab measure --device opencl:0:0 --batch 1 --batch 1 --context 1 --width 1 --output f.json
	expect 2 "--batch is given twice"
	one_clear_line
	lab measure --device opencl:0:0 --batch 1 --context 1 --width 1 --output f.json --json=1
	expect 2 "--json takes no value"
	one_clear_line
	lab measure --device opencl:0:0 --batch 1 --context 1 --width 1 --output
	expect 2 "--output needs a value"
	one_clear_line
	lab measure --device opencl:0:0 --batch 1 --context 1 --width 1 --output f.json extra
	expect 2 'unexpected argument "extra"'
	one_clear_line
	lab measure --device opencl:0:0 --batch 1 --context 1 --width 1 --output f.json --dtype float64
	expect 2 '"float64" is not float32, tf32, float16 or bfloat16'
	one_clear_line
	lab measure --device opencl:0:0 --batc 1 --context 1 --width 1 --output f.json
	expect 2 "unknown option --batc"
	one_clear_line
	lab validate
	expect 2 "missing FILE"
	one_clear_line
	lab environment --type gpu
	expect 2 "--type goes with --list"
	one_clear_line
	lab environment --list --json
	expect 2 "exclude each other"
	one_clear_line
}

@test "shapes that overflow are refused before any driver is asked" {
	export OCL_ICD_VENDORS=/nonexistent
	for shape in "--batch 9223372036854775807 --context 2 --width 2" "--batch 1 --context 1 --width 9223372036854775807" \
		"--batch 4294967296 --context 4294967296 --width 1" "--batch 1 --context 1 --width 3037000500 --hidden 3037000500"; do
		lab measure --device opencl:0:0 $shape --output f.json
		expect 2
		case $err in *OpenCL*) explain "no word of a driver" ;; esac
		one_clear_line
	done
}

@test "a selector that is none is refused with what is expected" {
	for selector in gpu 0 cuda opencl:0 opencl:0:x pci:1 uuid:1 name: "opencl:0:0 " opencl:99999999999:0; do
		lab measure --device "$selector" --batch 1 --context 1 --width 1 --output f.json
		expect 2 "is not a device selector" "opencl:P:D"
		one_clear_line
		lab environment --device "$selector"
		expect 2 "is not a device selector"
		one_clear_line
	done
}
