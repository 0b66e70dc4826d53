load common

# `tune` and `measure --tuning`, over a backend module whose device is host memory and whose library has candidates.

more_setup() {
	[ -f "${ILAB_HOST_MODULES:-}/cuda.so" ] || skip "no test module: run by make cli"
	modules=(--module-dir "$ILAB_HOST_MODULES" --device cuda:0)
	shape=(--batch 1 --context 16 --width 32)
}

tuned() {
	lab tune "${modules[@]}" "${shape[@]}" --output t.json
	expect 0
}

@test "tune writes what is faster, measure --tuning uses it and says so" {
	tuned
	valid_document t.json
	[ "$(json t.json provider)" = cublaslt ]
	[ "$(json t.json device.identity)" = pci:0000:ab:00.0 ]
	[ "$(json t.json search.candidates)" -eq 4 ]
	[ "$(json t.json entries.0.verified)" = True ]
	lab measure "${modules[@]}" "${shape[@]}" --tuning t.json --output m.json
	expect 0
	valid_document m.json
	[ -z "$err" ] || explain "no note"
	[ "$(json m.json environment.gemm.tuned)" = True ]
	case $out in *"9.9, tuned"*) ;; *) explain "tuned in the table" ;; esac
	case $(json m.json command) in *'"--tuning", "t.json"'*) ;; *) json m.json command; false ;; esac
	lab measure "${modules[@]}" "${shape[@]}" --output n.json
	[ "$(json n.json environment.gemm.tuned)" = False ]
	no_temporary
	no_worker
}

@test "entries for other shapes and types are left alone, with a note" {
	tuned
	lab measure "${modules[@]}" --batch 1 --context 8 --width 32 --tuning t.json --output m.json
	expect 0 "are for other products"
	[ "$(json m.json environment.gemm.tuned)" = False ]
	lab measure "${modules[@]}" "${shape[@]}" --dtype float16 --tuning t.json --output f.json
	expect 0 "are for other products"
	[ "$(json f.json environment.gemm.tuned)" = False ]
}

@test "another device, driver, provider or version is refused before any work" {
	tuned
	mkdir ../kept && mv t.json ../kept
	local change
	for change in 's/pci:0000:ab:00.0/pci:0000:01:00.0/' 's/"driver_version": "[^"]*"/"driver_version": "0.1"/' \
		's/"provider": "cublaslt"/"provider": "clblast"/' 's/"provider_version": "9.9"/"provider_version": "9.8"/'; do
		sed "$change" ../kept/t.json >../kept/changed.json
		lab measure "${modules[@]}" "${shape[@]}" --tuning ../kept/changed.json --output m.json
		expect 2 "the tuning"
		one_clear_line
	done
	lab measure "${modules[@]}" "${shape[@]}" --gemm builtin --tuning ../kept/t.json --output m.json
	expect 2 "is for cublaslt"
	one_clear_line
}

@test "compare uses a tuning for the views of its provider, and for those only" {
	tuned
	lab compare "${modules[@]}" "${shape[@]}" --rounds 1 --no-ceilings --tuning t.json --output c.json
	[ -f c.json ] || explain "a document"
	local tuned_views
	tuned_views=$(python3 -c 'import json, sys
for v in json.load(open("c.json"))["views"]:
    for r in v["runs"]:
        g = r["document"]["environment"]["gemm"]
        print(g["provider"], g["tuned"], "--tuning" in r["document"]["command"])')
	[ "$(sort <<<"$tuned_views")" = $'builtin False False\ncublaslt True True' ] || { echo "$tuned_views"; explain; }
	lab compare "${modules[@]}" "${shape[@]}" --rounds 1 --no-ceilings --gemm builtin --tuning t.json --output d.json
	expect 2 "none of the views"
}

@test "a tuning that cannot be read, or is none, is named" {
	lab measure "${modules[@]}" "${shape[@]}" --tuning missing.json --output m.json
	expect 3 missing.json
	one_clear_line
	lab estimate --parameters 1 --bits 8 --json
	printf '%s' "$out" >../estimate.json
	lab measure "${modules[@]}" "${shape[@]}" --tuning ../estimate.json --output m.json
	expect 3 estimate.json "not a valid tuning"
	one_clear_line
}

@test "what has nothing to tune is refused with the reason, and nothing is written" {
	lab tune "${modules[@]}" "${shape[@]}" --gemm builtin --output t.json
	expect 2 "nothing to tune"
	one_clear_line
	unset modules
	pocl_device
	lab tune --device "$device" "${shape[@]}" --output t.json
	expect 2 "nothing to tune"
	one_clear_line
}

@test "a shape that does not fit is refused before any work, and nothing is written" {
	lab tune "${modules[@]}" --batch 100000 --context 100000 --width 4096 --output t.json
	expect 2 "choose a smaller shape"
	one_clear_line
	[ ! -e t.json ]
}

@test "an existing file is not overwritten" {
	echo mine >t.json
	lab tune "${modules[@]}" "${shape[@]}" --output t.json
	expect 3 "t.json"
	[ "$(cat t.json)" = mine ]
}

@test "--graph is refused where passes cannot be replayed, and nothing is written" {
	unset modules
	pocl_device
	lab measure --device "$device" "${shape[@]}" --graph --output m.json
	expect 2 "leave --graph out"
	one_clear_line
}
