load common

# Comparisons of views of the CPU: at least PoCL's two, CLBlast and builtin.

more_setup() {
	pocl_device
	pocl="opencl/Portable Computing Language"
	clblast=$pocl/clblast builtin=$pocl/builtin
}

compare() {
	local output=$1
	shift
	lab compare --device "$device" --batch 1 --context 16 --width 64 --warmup 1 --no-ceilings --output "$output" "$@"
}

# rows FILE PHASE MEMBER: of each view, in order.
rows() {
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(" ".join(str(r[sys.argv[3]]) for r in d["table"] if r["phase"] == sys.argv[2]))' "$@"
}

# A library that meets CLBlast's products with a fault: $FAULT is segv, hang, or skip (the product is not done); stop: every kernel hangs.
fault_library() {
	command -v "${CC:-cc}" >/dev/null || skip "no C compiler to build the fault with"
	if nm "$ILAB_PROGRAM" 2>/dev/null | grep -q __asan_init; then skip "a sanitized program does not take a preloaded library"; fi
	cat >"$BATS_TEST_TMPDIR/fault.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		typedef int launch_fn(void *, void *, unsigned, const void *, const void *, const void *, unsigned, const void *, void *);
		typedef int info_fn(void *, unsigned, size_t, void *, size_t *);
		__attribute__((visibility("default"))) int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned c, const void *d, const void *e,
			const void *f, unsigned g, const void *h, void *i)
		{
			const char *fault = getenv("FAULT");
			char name[256] = "";
			((info_fn *)dlsym(RTLD_NEXT, "clGetKernelInfo"))(kernel, 0x1190, sizeof(name), name, NULL);
			while (fault && !strcmp(fault, "stop"))
				pause();
			if (fault && !strncmp(name, "Xgemm", 5)) {
				if (!strcmp(fault, "segv"))
					*(volatile int *)0 = 1;
				while (!strcmp(fault, "hang"))
					pause();
				e = d;
				return ((int (*)(void *, unsigned, const void *, void *))dlsym(RTLD_NEXT, "clEnqueueMarkerWithWaitList"))(queue, 0, NULL, i);
			}
			return ((launch_fn *)dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel"))(queue, kernel, c, d, e, f, g, h, i);
		}
	END
	"${CC:-cc}" -w -shared -fPIC -o "$BATS_TEST_TMPDIR/fault.so" "$BATS_TEST_TMPDIR/fault.c" -ldl
}

faulty() {
	local fault=$1 output=$2
	shift 2
	export FAULT=$fault LD_PRELOAD=$BATS_TEST_TMPDIR/fault.so
	compare "$output" "$@"
	unset FAULT LD_PRELOAD
}

@test "two views of the host: balanced order, whole measurements inside, a valid document" {
	compare c.json --repeats 2 --rounds 3 --views "$clblast,$builtin"
	expect 0
	[ -z "$err" ] || explain "an empty stderr"
	[ "$(json c.json device.identity)" = cpu ]
	[ "$(json c.json order)" = "[\"$clblast\", \"$builtin\", \"$builtin\", \"$clblast\", \"$clblast\", \"$builtin\"]" ]
	[ "$(json c.json against)" = "$clblast" ]
	[ "$(json c.json views.1.runs.2.document.configuration.view)" = "$builtin" ]
	[ "$(json c.json agreement.0.view_a)" = "$builtin" ]
	valid_document c.json
	no_temporary
	no_worker
}

@test "an embedded run is the file that measure would have written" {
	compare c.json --repeats 2 --rounds 1 --views "$builtin"
	expect 0
	python3 - <<-'END'
		import hashlib, json
		text = open("c.json").read()
		run = json.loads(text)["views"][0]["runs"][0]
		# The text of the member, moved to the left margin.
		start = text.index('"document": ') + len('"document": ')
		indent = text[:start].rsplit("\n", 1)[1]
		indent = indent[: len(indent) - len(indent.lstrip())]
		end = text.index("\n" + indent + "}", start) + len(indent) + 2
		document = text[start:end].replace("\n" + indent, "\n") + "\n"
		assert json.loads(document) == run["document"]
		assert hashlib.sha256(document.encode()).hexdigest() == run["sha256"]
		open("m.json", "w").write(document)
	END
	valid_document m.json
	[ "$(json m.json command.0)" = measure ]
	lab diff m.json c.json
	expect 0
}

@test "a view named twice is compared with itself" {
	compare c.json --repeats 6 --rounds 2 --views "$builtin,$builtin"
	expect 0
	[ "$(json c.json views.1.view)" = "$builtin#2" ]
	[ "$(json c.json agreement.0.relative_error)" = 0 ] || [ "$(json c.json agreement.0.relative_error)" = 0.0 ]
	valid_document c.json
}

@test "phases with one sample a round have no verdict below six rounds, and one from six on" {
	compare five.json --repeats 2 --rounds 5 --views "$builtin,$builtin"
	expect 0
	[ "$(rows five.json cold_forward verdict)" = "None None" ]
	python3 -c 'import json; r = [r for r in json.load(open("five.json"))["table"] if r["phase"] == "cold_forward"][1]
assert r["verdict_reason"].startswith("too-few-samples: ") and r["ratio_low"] is None, r'
	compare six.json --repeats 2 --rounds 6 --views "$builtin,$builtin"
	expect 0
	case $(rows six.json cold_forward verdict) in "None faster"|"None slower"|"None same"|"None ambiguous") ;; *) explain "a verdict" ;; esac
	valid_document six.json
}

@test "a slow-down put into one side is found, recorded, and refused by diff" {
	lab compare --device "$device" --batch 1 --context 128 --width 256 --warmup 1 --repeats 6 --rounds 6 --no-ceilings --views "$builtin,$builtin" \
		--test-slow-down "$builtin#2=900" --output c.json
	expect 0
	[ "$(rows c.json warm_forward verdict)" = "None slower" ]
	[ "$(json c.json views.1.runs.0.document.configuration.test_slow_down_percent)" = 900 ]
	python3 -c 'import json; assert "test_slow_down_percent" not in json.load(open("c.json"))["views"][0]["runs"][0]["document"]["configuration"]'
	case $out in *"TEST: held up by 900.00 %"*) ;; *) explain "a word about the test" ;; esac
	valid_document c.json
	lab diff c.json c.json
	expect 2 "--test-slow-down"
	lab diff c.json c.json --accept-test-hook
	expect 0
}

@test "a view that crashes is a row with its reason; the others go on" {
	fault_library
	faulty segv c.json --repeats 2 --rounds 2 --views "$builtin,$clblast,$builtin"
	expect 1 SIGSEGV "$clblast"
	[ "$(json c.json views.0.status) $(json c.json views.1.status) $(json c.json views.2.status)" = "passed crashed passed" ]
	[ "$(json c.json order)" = "[\"$builtin\", \"$clblast\", \"$builtin#2\", \"$builtin#2\", \"$builtin\"]" ]
	[ "$(rows c.json warm_forward ratio | cut -d ' ' -f 2)" = None ]
	valid_document c.json
	no_worker
}

@test "a view that hangs is a row with its reason" {
	fault_library
	faulty hang c.json --repeats 1 --rounds 1 --timeout 3 --views "$clblast,$builtin"
	expect 1 "time-out"
	[ "$(json c.json views.0.status) $(json c.json views.1.status)" = "timeout passed" ]
	valid_document c.json
	no_worker
}

@test "a view that computes something else is unverified, and nothing is compared with it" {
	fault_library
	faulty skip c.json --repeats 2 --rounds 1 --views "$clblast,$builtin"
	expect 4 "not finite" "$clblast"
	[ "$(json c.json views.0.status) $(json c.json views.1.status)" = "unverified passed" ]
	[ "$(rows c.json warm_forward ratio)" = "None None" ]
	[ "$(json c.json views.0.runs.0.document.verification.status)" = failed ]
	valid_document c.json
	lab diff c.json c.json
	expect 0
	case $out in *"not-comparable: the base is unverified"*) ;; *) explain "not-comparable" ;; esac
}

@test "a type that no view has is unsupported in every row, and exit 0" {
	compare c.json --dtype tf32 --repeats 1
	expect 0 "not supported"
	[ "$(json c.json views.0.status)" = unsupported ]
	valid_document c.json
}

@test "a reference that nobody named is one that runs" {
	compare c.json --dtype bfloat16 --repeats 2 --rounds 2 --views "$clblast,$builtin,$builtin"
	expect 0
	[ "$(json c.json against)" = "$builtin" ]
	[ "$(rows c.json warm_forward ratio | cut -d ' ' -f 1,2)" = "None None" ]
	[ "$(rows c.json warm_forward ratio | cut -d ' ' -f 3)" != None ]
	valid_document c.json
	compare d.json --dtype bfloat16 --repeats 2 --rounds 2 --views "$clblast,$builtin" --against "$clblast"
	expect 0
	[ "$(json d.json against)" = "$clblast" ]
}

@test "several runtimes on one physical device" {
	count=$("$ILAB_PROGRAM" environment --list --type cpu | wc -l)
	if [ "$count" -lt 2 ] && [ -e /etc/OpenCL/vendors/rusticl.icd ]; then export RUSTICL_ENABLE=llvmpipe; fi
	other=$("$ILAB_PROGRAM" environment --json | python3 -c 'import json, sys
for d in json.load(sys.stdin)["devices"]:
    if d["type"] == "cpu" and d["platform"] != "Portable Computing Language": print(d["platform"]); break')
	[ -n "$other" ] || skip "one OpenCL implementation for the CPU only"
	lab compare --device cpu --batch 1 --context 4 --width 8 --warmup 0 --repeats 1 --rounds 1 --no-ceilings \
		--views "$builtin,opencl/$other/clblast" --against "$builtin" --output c.json
	expect 0
	[ "$(json c.json views.1.runs.0.document.environment.device.platform)" = "$other" ]
	python3 -c 'import json; assert json.load(open("c.json"))["agreement"][0]["relative_error"] < 1e-5'
	valid_document c.json
}

@test "Intel's runtime beside PoCL" {
	local intel=
	for lib in "${ILAB_VENV:-/nonexistent}"/lib/libintelocl.so "${ILAB_VENV:-/nonexistent}"/lib/*/libintelocl.so; do
		[ ! -e "$lib" ] || intel=$lib
	done
	[ -n "$intel" ] || skip "no libintelocl.so in ILAB_VENV"
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no pocl.icd on this system"
	mkdir "$BATS_TEST_TMPDIR/vendors"
	cp /etc/OpenCL/vendors/pocl.icd "$BATS_TEST_TMPDIR/vendors/"
	echo "$intel" >"$BATS_TEST_TMPDIR/vendors/intel.icd"
	export OCL_ICD_VENDORS=$BATS_TEST_TMPDIR/vendors
	other=$("$ILAB_PROGRAM" environment --json | python3 -c 'import json, sys
for d in json.load(sys.stdin)["devices"]:
    if d["platform"].startswith("Intel"): print(d["platform"]); break')
	[ -n "$other" ] || skip "Intel's runtime shows no device"
	lab compare --device cpu --batch 1 --context 16 --width 64 --warmup 1 --repeats 2 --rounds 2 --no-ceilings --gemm builtin --output c.json
	expect 0
	[ "$(json c.json views | grep -c Intel)" = 1 ]
	python3 -c 'import json; c = json.load(open("c.json")); assert [v["status"] for v in c["views"]] == ["passed"] * len(c["views"]) and len(c["views"]) == 2, c["views"]
assert c["agreement"][0]["relative_error"] < 1e-5'
	valid_document c.json
}

@test "options that cannot be met are refused before any run" {
	compare c.json --views "opencl/Nothing/builtin"
	expect 2 "opencl/Nothing/builtin" "$builtin"
	one_clear_line
	compare c.json --views "$builtin" --against "$clblast"
	expect 2 "--against"
	one_clear_line
	compare c.json --rounds 0
	expect 2 "--rounds"
	one_clear_line
	compare c.json --gemm cublaslt
	expect 2 cublaslt
	one_clear_line
	compare c.json --test-slow-down "$builtin"
	expect 2 "VIEW=PCT"
	one_clear_line
	lab compare --device pci:0000:01:00.0 --batch 1 --context 1 --width 1 --output c.json
	expect 2
	one_clear_line
	touch there.json
	compare there.json --rounds 1
	expect 3 "there.json"
}

@test "ceilings: measured, checked, and compared with" {
	lab ceilings --device "$device" --views "$builtin" --output k.json
	expect 0
	valid_document k.json
	python3 -c 'import json; k = json.load(open("k.json")); assert k["copy_bytes_per_second"] > 1e8 and {a["unit"] for a in k["arithmetic"]} == {"fma", "gemm"}'
	lab compare --device "$device" --batch 1 --context 16 --width 64 --repeats 2 --rounds 1 --views "$builtin" --ceilings k.json --output c.json
	expect 0
	python3 -c 'import json; r = [r for r in json.load(open("c.json"))["table"] if r["phase"] == "warm_forward"][0]
assert 0 < r["share_of_ceiling"] and r["suspect"] in (True, False)'
	valid_document c.json
	sed 's/"identity": "cpu"/"identity": "pci:0000:01:00.0"/; s/"type": "cpu"/"type": "gpu"/' k.json >other.json
	compare d.json --ceilings k.json
	expect 2 "--no-ceilings"
	lab compare --device "$device" --batch 1 --context 16 --width 64 --views "$builtin" --ceilings other.json --output d.json
	expect 2 other.json
	python3 -c 'import json
k = json.load(open("k.json"))
json.dump(dict(k, device=dict(k["device"], name="Another")), open("name.json", "w"))
json.dump(dict(k, arithmetic=[]), open("empty.json", "w"))
k["arithmetic"][0]["flop_per_second"] = 2e18
json.dump(k, open("fast.json", "w"))'
	lab compare --device "$device" --batch 1 --context 16 --width 64 --views "$builtin" --ceilings name.json --output d.json
	expect 2 name.json Another
	lab compare --device "$device" --batch 1 --context 16 --width 64 --views "$builtin" --ceilings empty.json --output d.json
	expect 2 empty.json "no arithmetic rate"
	lab validate fast.json
	expect 3
	case $out in *"at most 1e18"*) ;; *) explain "the limit" ;; esac
	sed 's/"flop_per_second": /"flop_per_second": -/' k.json >bad.json
	lab compare --device "$device" --batch 1 --context 16 --width 64 --views "$builtin" --ceilings bad.json --output d.json
	expect 3 bad.json
}

@test "ceilings of a device that hangs: exit 1, and the text tells time-outs" {
	fault_library
	export FAULT=stop LD_PRELOAD=$BATS_TEST_TMPDIR/fault.so
	lab ceilings --device "$device" --views "$clblast" --timeout 1 --output k.json
	unset FAULT LD_PRELOAD
	expect 1 "nothing could be measured" "time-out"
	case $out in *" timed out, "*) ;; *) explain "time-outs on stdout" ;; esac
	valid_document k.json
	no_worker
}

@test "a rate above the ceiling by more than 5 % is suspect" {
	lab ceilings --device "$device" --views "$builtin" --output k.json
	python3 - <<-'END'
		import json
		k = json.load(open("k.json"))
		for a in k["arithmetic"]: a["flop_per_second"] = 1000.0
		json.dump(k, open("low.json", "w"))
	END
	lab compare --device "$device" --batch 1 --context 16 --width 64 --repeats 2 --rounds 1 --views "$builtin" --ceilings low.json --output c.json
	expect 0
	[ "$(rows c.json warm_forward suspect)" = True ]
	case $out in *" !"*) ;; *) explain "a mark" ;; esac
}

@test "suite: cases by name, one document" {
	lab suite --device "$device" --cases "small float32,small bfloat16" --views "$builtin" --no-ceilings --output s.json
	expect 0
	[ "$(json s.json suite_version)" = 1 ]
	[ "$(json s.json cases.0.case) $(json s.json cases.1.case)" = "small float32 small bfloat16" ]
	valid_document s.json
	lab diff s.json s.json
	expect 0
	lab suite --device "$device" --cases enormous --output t.json
	expect 2 enormous
	lab suite --device all --output t.json
	[ "$("$ILAB_PROGRAM" environment --list --type gpu | wc -l)" -gt 0 ] || expect 2 "no GPU"
	[ ! -e t.json ] || [ "$status" -ne 2 ]
}
