#!/usr/bin/env bats
# The French summary keeps up with the program.

@test "both README name every command and every exit status" {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	commands=$("${ILAB_PROGRAM:-build/iteragpu-lab}" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
	[ -n "$commands" ]
	for page in README.md docs/README.fr.md; do
		for command in $commands; do
			grep -q "^| \`$command" "$page" || { echo "$page: no $command"; false; }
		done
	done
	diff <(sed -nE 's/^\| ([0-9, ]+) \|.*/\1/p' README.md) <(sed -nE 's/^\| ([0-9, ]+) \|.*/\1/p' docs/README.fr.md)
}
