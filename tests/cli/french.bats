load common

# The program in French: what is for people is translated, what is data is not.

setup_file() {
	command -v localedef >/dev/null && localedef -i fr_FR -f UTF-8 "$BATS_FILE_TMPDIR/fr_FR.UTF-8" 2>/dev/null || true
}

more_setup() {
	root=$BATS_TEST_DIRNAME/../..
	unset LANGUAGE LC_ALL LC_MESSAGES LC_CTYPE
	export LANG=C
	[ -d "$BATS_FILE_TMPDIR/fr_FR.UTF-8" ] || skip "localedef cannot make fr_FR.UTF-8 here (package locales)"
	[ -e "$(dirname "$ILAB_PROGRAM")/locale/fr/LC_MESSAGES/iteragpu-lab.mo" ] || skip "the program was built without msgfmt (package gettext)"
}

# Run the program in French.
labo() {
	export LOCPATH=$BATS_FILE_TMPDIR LANG=fr_FR.UTF-8
	lab "$@"
	unset LOCPATH
	export LANG=C
}

# On stdout, each text; no-break spaces are written as ~.
says() {
	local text shown
	shown=$(sed 's/\xc2\xa0/~/g' "$BATS_TEST_TMPDIR/out")
	for text; do
		case $shown in *"$text"*) ;; *) explain "on stdout: $text" ;; esac
	done
}

# A document without what no two runs share.
timeless() {
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
def drop(v):
    if isinstance(v, dict): return {k: drop(x) for k, x in v.items() if "seconds" not in k and k not in ("run_id", "started_utc")}
    return [drop(x) for x in v] if isinstance(v, list) else v
print(json.dumps(drop(d), indent=1, ensure_ascii=False))' "$1"
}

@test "help is French; names of commands, options and values are not translated" {
	labo --help
	expect 0
	says "Usage~: iteragpu-lab COMMAND" "Commandes~:" "  measure       une mesure bornée"
	for command in estimate environment measure validate cost export compare ceilings suite diff tune; do
		labo "$command" --help
		expect 0
		says "Usage~: iteragpu-lab $command" "Options~:" "montrer ce texte"
		grep -o -- '^  --[a-z-]*' "$BATS_TEST_TMPDIR/out" >french
		lab "$command" --help
		grep -o -- '^  --[a-z-]*' "$BATS_TEST_TMPDIR/out" | diff - french
	done
}

@test "an error is French, with the same status" {
	labo
	expect 2 "il manque COMMAND"
	one_clear_line
	labo measure --batch x
	expect 2 "n'est pas permis, il faut un nombre entier de 1 à 9223372036854775807"
	one_clear_line
	labo cost --gpu nothing --days 7 --lots 1 --tariffs "$root/data/tariffs.example.csv"
	expect 2 "n'est pas dans tariffs.example.csv"
	touch there.json
	labo measure --device cpu --batch 1 --context 1 --width 8 --output there.json
	expect 3 "un fichier de ce nom existe déjà"
}

@test "a table is French, its numbers have a point and its columns line up" {
	labo estimate --parameters 7G --bits 16 --reserve-gib 1.5
	expect 0
	says "poids         14,000,000,000 octets, 13.0385 GiB, 14.0000 GB" "hypothèses    - la réserve"
	labo cost --gpu b200 --days 7 --lots 2 --accepted-results 1184 --tariffs "$root/data/tariffs.example.csv"
	expect 0
	says "total         1,776.00 USD (177,600 cents)" "un résultat   1.500000 USD" "Une liste de prix ne prouve ni disponibilité ni réservation~:"
}

@test "a singular and a plural" {
	labo estimate --parameters 1 --bits 8
	says "1 de 8 bits" "poids         1 octet" "réserve       0 octet"
}

@test "--json is the same in both languages" {
	for arguments in "estimate --parameters 7G --bits 16 --json" "environment --json" \
		"cost --gpu b200 --days 7 --lots 2 --json --tariffs $root/data/tariffs.example.csv"; do
		lab $arguments
		expect 0
		cp "$BATS_TEST_TMPDIR/out" english.json
		labo $arguments
		expect 0
		cp "$BATS_TEST_TMPDIR/out" french.json
		timeless english.json >english
		timeless french.json | diff english -
	done
}

@test "a measurement: French text, the same document, valid" {
	pocl_device
	small english.json
	expect 0
	LOCPATH=$BATS_FILE_TMPDIR LANG=fr_FR.UTF-8 small french.json
	expect 0
	says "vérification  réussie~: erreur relative" "médiane" "matériel"
	# The lines of the phases have the width of those above them, in characters.
	python3 -c 'import sys
lines = [l.rstrip("\n") for l in open(sys.argv[1], encoding="utf-8")]
i = next(i for i, l in enumerate(lines) if l.startswith("phase "))
assert len({len(l) for l in lines[i - 1:i + 6]}) == 1, lines[i - 1:i + 6]' "$BATS_TEST_TMPDIR/out"
	valid_document french.json
	# The calibrations and measured values of a run differ; names, reasons and figures that do not depend on time may not.
	python3 - english.json french.json <<-'PYTHON'
	import json, sys
	def words(v, path=""):
	    if isinstance(v, dict):
	        for k in v:
	            if k not in ("run_id", "started_utc", "kernel_cache"): yield from words(v[k], path + "." + k)
	    elif isinstance(v, list):
	        for i, x in enumerate(v): yield from words(x, f"{path}[{i}]")
	    elif not isinstance(v, float): yield path, v
	a, b = (dict(words(json.load(open(f)))) for f in sys.argv[1:])
	different = [(k, a.get(k), b.get(k)) for k in a.keys() | b.keys() if a.get(k) != b.get(k) and k != ".command[14]"]
	different = [d for d in different if not str(d[1]).endswith("english.json")]
	assert not different, different
	PYTHON
}

@test "a reason in a document stays English, and so do its verdict and status words" {
	pocl_device
	LOCPATH=$BATS_FILE_TMPDIR LANG=fr_FR.UTF-8 lab compare --device "$device" --batch 1 --context 16 --width 64 --dtype bfloat16 --warmup 1 --repeats 2 \
		--rounds 1 --no-ceilings --output compare.json
	[ "$status" -le 1 ] || explain "0 or 1"
	says "exécutions    chaque voie 1 fois, dans un processus neuf; 2 passages chauds"
	valid_document compare.json
	grep -q 'CLBlast has no bfloat16' compare.json
	if grep -n 'é\|à\|è\|ê' compare.json; then return 1; fi
}

@test "the manual page, the completion and --list are the same in both languages" {
	for arguments in --man "--completion bash" "environment --list" --version; do
		lab $arguments
		cp "$BATS_TEST_TMPDIR/out" english
		labo $arguments
		diff english "$BATS_TEST_TMPDIR/out"
	done
}

@test "without a translation of the user's language everything is English" {
	LANG=de_DE.UTF-8 lab --help
	expect 0
	says "Usage: iteragpu-lab COMMAND"
	LANGUAGE=fr lab --help
	says "Usage: iteragpu-lab COMMAND"
}

@test "fr.po has every message of the sources, none fuzzy, in French typography" {
	command -v xgettext >/dev/null || skip "xgettext is not installed (package gettext)"
	folder=$(cd "$(dirname "$ILAB_PROGRAM")" && pwd)
	env -u MAKEFLAGS -u MAKELEVEL -u O make -s -C "$root" O="$folder" "$folder/iteragpu-lab.pot"
	msgfmt --check --statistics -o /dev/null "$root/po/fr.po" 2>statistics
	cat statistics
	[[ $(cat statistics) =~ ^[0-9]+\ translated\ messages\.$ ]]
	msgcmp "$root/po/fr.po" "$folder/iteragpu-lab.pot"
	# Nothing that the sources no longer say, and no plain space before a double punctuation mark.
	[ "$(grep -c '^msgid ' "$root/po/fr.po")" -eq "$(grep -c '^msgid ' "$folder/iteragpu-lab.pot")" ]
	if msgunfmt --no-wrap "$(dirname "$ILAB_PROGRAM")/locale/fr/LC_MESSAGES/iteragpu-lab.mo" | sed '/^msgid/,/^msgstr/{/^msgstr/!d}' |
		grep -n ' [:;?!]\| »\|« '; then
		return 1
	fi
}
