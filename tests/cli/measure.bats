load common

# Measurements on whatever OpenCL CPU device is here, and their documents.

more_setup() {
	pocl_device
}

phases() {
	python3 -c 'import json, sys; print(" ".join(p["phase"] for p in json.load(open(sys.argv[1]))["phases"]))' "$1"
}

@test "the small measurement: six rows, verified, a valid document, the table on stdout" {
	small f.json
	expect 0
	[ -z "$err" ] || explain "an empty stderr"
	[ "$(phases f.json)" = "model_load inputs cold_forward warmup warm_forward warm_forward" ]
	[ "$(json f.json verification.status)" = passed ]
	[ "$(json f.json configuration.device)" = "$device" ]
	[ "$(json f.json environment.device.type)" = cpu ]
	for word in model_load cold_forward warm_forward passed; do
		case $out in *"$word"*) ;; *) explain "$word in the table" ;; esac
	done
	valid_document f.json
	no_temporary
	no_worker
}

@test "--json prints the document and nothing else" {
	small f.json --json
	expect 0
	cmp "$BATS_TEST_TMPDIR/out" f.json
	[ -z "$err" ] || explain "an empty stderr"
}

@test "--warmup 0 has no warm-up row" {
	lab measure --device "$device" --batch 1 --context 3 --width 5 --hidden 7 --warmup 0 --repeats 1 --output f.json
	expect 0
	[ "$(phases f.json)" = "model_load inputs cold_forward warm_forward" ]
	valid_document f.json
}

@test "every type and provider, verified" {
	for dtype in float32 float16 bfloat16; do
		lab measure --device "$device" --batch 1 --context 8 --width 32 --dtype $dtype --gemm builtin --warmup 1 --repeats 2 --output $dtype.json
		expect 0
		[ "$(json $dtype.json environment.gemm.provider)" = builtin ]
		[ "$(json $dtype.json configuration.dtype)" = $dtype ]
		valid_document $dtype.json
	done
	small c.json --gemm clblast
	expect 0
	[ "$(json c.json environment.gemm.provider)" = clblast ]
}

@test "providers and types that this device cannot have are refused by name" {
	for provider in cublaslt rocblas; do
		small f.json --gemm $provider
		expect 2 "$provider"
		one_clear_line
	done
	lab measure --device "$device" --batch 1 --context 16 --width 64 --dtype tf32 --output f.json
	expect 2 "tf32"
	one_clear_line
}

@test "the same seed gives the same values, another seed others; the largest works" {
	small a.json
	small b.json
	small c.json --seed 18446744073709551615
	[ "$(json a.json verification.weights_checksum)" = "$(json b.json verification.weights_checksum)" ]
	[ "$(json a.json verification.output_checksum)" = "$(json b.json verification.output_checksum)" ]
	[ "$(json a.json verification.weights_checksum)" != "$(json c.json verification.weights_checksum)" ]
	[ "$(json a.json run_id)" != "$(json b.json run_id)" ]
	[ "$(json c.json configuration.seed)" = 18446744073709551615 ]
}

@test "counters are exact to the byte in every row" {
	small f.json --gemm builtin
	expect 0
	python3 - f.json <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
m, t = d["synthetic_model"], d["environment"]["gemm"]["temporary_bytes"]
parameters = 4 * (64 * 256 + 256 + 256 * 64 + 64)
inputs = output = 4 * 16 * 64
hidden = 4 * 16 * 256
assert m["parameter_bytes"] == parameters and m["hidden_bytes"] == hidden
for row in d["phases"]:
	if row["phase"] in ("cold_forward", "warmup", "warm_forward"):
		assert row["end_allocated_bytes"] == parameters + inputs + output, row
		assert row["peak_allocated_bytes"] == parameters + inputs + hidden + output + t, row
END
}

@test "the command of the document is canonical and names no folder" {
	mkdir deep
	lab measure --output "$work/deep/f.json" --repeats 2 --width=0064 --context 16 --batch 1 --warmup 1 --device "$device" --json --quiet
	expect 0
	[ "$(json deep/f.json command)" = "[\"measure\", \"--device\", \"$device\", \"--batch\", \"1\", \"--context\", \"16\", \"--width\", \"64\", \"--warmup\", \"1\", \"--repeats\", \"2\", \"--output\", \"f.json\"]" ]
	! grep -qF -e "$work" -e "$HOME/" -e "$(uname -n)" deep/f.json
}

@test "--no-uuid leaves UUIDs out of documents" {
	small f.json --no-uuid
	expect 0
	[ "$(json f.json environment.device.uuid)" = None ]
	! grep -qE '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}' f.json
	valid_document f.json
	"$ILAB_PROGRAM" environment --json --no-uuid >e.json
	! grep -qE '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}' e.json
	valid_document e.json
}

@test "--cold-cache starts with an empty cache and removes it" {
	lab measure --device "$device" --batch 1 --context 4 --width 8 --gemm builtin --warmup 0 --repeats 1 --cold-cache --output f.json
	expect 0
	[ "$(json f.json environment.backend.kernel_cache)" = cold ]
	no_temporary
	lab measure --device "$device" --batch 1 --context 4 --width 8 --gemm builtin --warmup 0 --repeats 1 --output g.json
	lab measure --device "$device" --batch 1 --context 4 --width 8 --gemm builtin --warmup 0 --repeats 1 --output h.json
	expect 0
	[ "$(json h.json environment.backend.kernel_cache)" = warm ]
	no_temporary
}

@test "shapes past the device's memory or its largest buffer are refused with both numbers" {
	export POCL_MEMORY_LIMIT=1
	lab measure --device "$device" --batch 1 --context 1 --width 16384 --output f.json
	expect 2 "bytes"
	one_clear_line
	lab measure --device "$device" --batch 1024 --context 1024 --width 1024 --hidden 1 --output f.json
	expect 2 "bytes"
	one_clear_line
	unset POCL_MEMORY_LIMIT
	lab measure --device "$device" --batch 1048576 --context 1024 --width 1024 --output f.json
	expect 2 "bytes"
	one_clear_line
}

@test "more than 32 bits of index with --gemm clblast are refused" {
	lab measure --device "$device" --batch 4294967296 --context 1 --width 1 --hidden 1 --gemm clblast --output f.json
	expect 2
	one_clear_line
}

@test "a time-out ends the run with 1 and names the phase" {
	lab measure --device "$device" --batch 1 --context 256 --width 512 --gemm builtin --repeats 100000 --timeout 1.5 --output f.json
	expect 1 "time-out" "1.5 s"
	case $err in *setup* | *verify* | *model_load* | *inputs* | *cold_forward* | *warmup* | *warm_forward*) ;; *) explain "a phase" ;; esac
	nothing_left
	no_worker
}

@test "environment --device shows that device alone" {
	"$ILAB_PROGRAM" environment --device "$device" --json >e.json
	[ "$(json e.json devices.0.selector)" = "$device" ]
	valid_document e.json
	[ "$("$ILAB_PROGRAM" environment --list --type cpu --device "$device")" = "$device" ]
	[ -z "$("$ILAB_PROGRAM" environment --list --type gpu --device "$device")" ]
}

@test "sizes that CLBlast pads beyond its indices: the padded number, and why auto passed it over" {
	lab measure --device "$device" --batch 1 --context 1 --width 1 --hidden 20000000 --gemm clblast --output f.json
	expect 2 "1 x 20000000 matrix" "5120065280 elements"       # (1 + 255) * (20000000 + 255)
	one_clear_line
	lab measure --device "$device" --batch 1 --context 1 --width 1 --hidden 20000000 --output f.json
	expect 2 "built-in product" "CLBlast was passed over" "5120065280 elements"
	one_clear_line
}

@test "the checksums of weights and inputs follow from the text alone, for every type and the smallest shape" {
	for dtype in float32 float16 bfloat16; do
		lab measure --device "$device" --batch 2 --context 3 --width 5 --hidden 7 --seed 12345678901234567890 --dtype $dtype --gemm builtin \
			--warmup 0 --repeats 1 --output $dtype.json
		expect 0
		lab measure --device "$device" --batch 1 --context 1 --width 1 --hidden 1 --dtype $dtype --gemm builtin --output one-$dtype.json
		expect 0
	done
	python3 "$BATS_TEST_DIRNAME/../schema/input_rule.py" ./*.json
	sed 's/"seed": "12345678901234567890"/"seed": "12345678901234567891"/' float32.json >other.json
	! python3 "$BATS_TEST_DIRNAME/../schema/input_rule.py" other.json >/dev/null
	lab validate ./*float*.json
	expect 0
}

@test "a real document edited by hand is refused, whichever figure was changed" {
	small f.json
	expect 0
	python3 - <<-'END'
	import json
	def edit(name, change):
	    d = json.load(open("f.json"))
	    change(d)
	    json.dump(d, open(f"edited-{name}.json", "w"))
	v = lambda **k: lambda d: d["verification"].update(k)
	edit("same", lambda d: None)
	edit("projection", v(projection_error=1))
	edit("bound", v(bound=8e-4))
	edit("output", v(output_checksum="0" * 16))
	edit("weights", v(weights_checksum="0" * 16))
	edit("inputs", v(inputs_checksum="0" * 16))
	edit("elements", v(elements_checked=1))
	edit("largest", v(max_abs_error=1))
	edit("row", lambda d: d["phases"][2].update(output_checksum="0" * 16))
	edit("peak", lambda d: d["phases"][4].update(peak_allocated_bytes=d["phases"][4]["end_allocated_bytes"]))
	edit("temporary", lambda d: d["environment"]["gemm"].update(temporary_bytes=d["environment"]["gemm"]["temporary_bytes"] + 4))
	edit("layers", lambda d: d["synthetic_model"]["layers"].reverse() or d["synthetic_model"]["layers"].pop())
	edit("device", lambda d: d["configuration"].update(device="cuda:0"))
	edit("type", lambda d: d["environment"]["device"].update(type="gpu"))
	edit("memory", lambda d: d["environment"]["device"].update(total_memory_bytes=1))
	edit("cores", lambda d: d["environment"]["host"].update(logical_cores=0))
	edit("day", lambda d: d.update(started_utc="2026-02-30T00:00:00Z"))
	edit("command", lambda d: d["command"].__setitem__(0, "compare"))
	edit("width", lambda d: d["command"].__setitem__(d["command"].index("--width") + 1, "65"))
	END
	for file in edited-*.json; do
		lab validate "$file"
		if [ "$file" = edited-same.json ]; then expect 0; else expect 3; fi
	done
	[ "$(ls edited-*.json | wc -l)" -eq 19 ]
}
