load common

# Several GPUs. No machine of the tests has one, so a preloaded library has PoCL's devices say that they are GPUs on slots of their own:
# SLOW_GPU is the number of one whose kernels start late, LOST_GPU that of one whose program ends at once when all run together.

more_setup() {
	pocl_device
	builtin="opencl/Portable Computing Language/builtin"
	command -v "${CC:-cc}" >/dev/null || skip "no C compiler to build the library with"
	if nm "$ILAB_PROGRAM" 2>/dev/null | grep -q __asan_init; then skip "a sanitized program does not take a preloaded library"; fi
	cat >"$BATS_TEST_TMPDIR/gpus.c" <<-'EOF'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		#define VISIBLE __attribute__((visibility("default")))
		typedef int ids_fn(void *, unsigned long, unsigned, void **, unsigned *);
		typedef int info_fn(void *, unsigned, size_t, void *, size_t *);
		typedef int launch_fn(void *, void *, unsigned, const void *, const void *, const void *, unsigned, const void *, void *);
		static void *known[8];
		static unsigned count;
		static unsigned index_of(void *device)
		{
			unsigned i = 0;
			while (i < count && known[i] != device)
				i++;
			if (i == count && count < 8)
				known[count++] = device;
			return i;
		}
		static int answer(const void *what, size_t bytes, size_t room, void *out, size_t *need)
		{
			if (need)
				*need = bytes;
			if (out && room < bytes)
				return -30;
			if (out)
				memcpy(out, what, bytes);
			return 0;
		}
		VISIBLE int clGetDeviceIDs(void *platform, unsigned long type, unsigned n, void **out, unsigned *got)
		{
			unsigned have = 0;
			int code = ((ids_fn *)dlsym(RTLD_NEXT, "clGetDeviceIDs"))(platform, 0xFFFFFFFF, n, out, &have);
			for (unsigned i = 0; !code && out && i < n && i < have; i++)
				index_of(out[i]);
			if (got)
				*got = have;
			return code;
		}
		VISIBLE int clGetDeviceInfo(void *device, unsigned what, size_t room, void *out, size_t *need)
		{
			info_fn *real = (info_fn *)dlsym(RTLD_NEXT, "clGetDeviceInfo");
			unsigned long gpu = 4;
			unsigned vendor = 0x1234, slot[4] = { 0, 1 + index_of(device), 0, 0 };
			char text[8192];
			if (what == 0x1000)
				return answer(&gpu, sizeof gpu, room, out, need);
			if (what == 0x1001)
				return answer(&vendor, sizeof vendor, room, out, need);
			if (what == 0x410F)
				return answer(slot, sizeof slot, room, out, need);
			int code = what == 0x1030 ? real(device, what, sizeof text - 40, text, NULL) : 0;
			if (what != 0x1030 || code)
				return code ? code : real(device, what, room, out, need);
			strcat(text, " cl_khr_pci_bus_info");
			return answer(text, strlen(text) + 1, room, out, need);
		}
		VISIBLE int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned c, const void *d, const void *e, const void *f, unsigned g,
			const void *h, void *i)
		{
			void *device = NULL;
			((info_fn *)dlsym(RTLD_NEXT, "clGetCommandQueueInfo"))(queue, 0x1091, sizeof device, &device, NULL);
			static unsigned launches;
			/* Once a pass of two kernels, for longer than busy cores make one pass differ from another. */
			if (getenv("SLOW_GPU") && index_of(device) == (unsigned)atoi(getenv("SLOW_GPU")) && launches++ % 2 == 0)
				usleep(150000);
			return ((launch_fn *)dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel"))(queue, kernel, c, d, e, f, g, h, i);
		}
		__attribute__((constructor)) static void start(void)
		{
			char line[4096] = "", name[32];
			FILE *f = getenv("LOST_GPU") ? fopen("/proc/self/cmdline", "r") : NULL;
			size_t bytes = f ? fread(line, 1, sizeof line - 1, f) : 0;
			snprintf(name, sizeof name, "opencl:0:%s", f ? getenv("LOST_GPU") : "");
			for (size_t at = 0; at < bytes; at += strlen(line + at) + 1)
				if (!strcmp(line + at, name))
					_exit(9);
			if (f)
				fclose(f);
		}
	EOF
	"${CC:-cc}" -w -shared -fPIC -o "$BATS_TEST_TMPDIR/gpus.so" "$BATS_TEST_TMPDIR/gpus.c" -ldl
}

# gpus DEVICES OUTPUT [OPTION...]: the suite's smallest case on that many of them.
gpus() {
	local devices=$1 output=$2
	shift 2
	export POCL_DEVICES LD_PRELOAD=$BATS_TEST_TMPDIR/gpus.so
	POCL_DEVICES=$(yes basic | head -n "$devices" | tr '\n' ' ')
	lab suite --device all --cases "small float32" --no-ceilings --output "$output" "$@"
	unset LD_PRELOAD POCL_DEVICES
}

@test "suite over three GPUs: each alone, all at once, and the slow one is odd" {
	SLOW_GPU=1 gpus 3 s.json --views "$builtin"
	expect 0
	case $(echo $out) in *"all at once small float32, $builtin: "*"times the time alone"*"odd one out pci:"*"times the median of all devices"*) ;; *) explain "what is odd" ;; esac
	valid_document s.json
	python3 - <<-'END'
		import json
		d = json.load(open("s.json"))
		slots = ["pci:0000:0%d:00.0" % i for i in (1, 2, 3)]
		assert [(c["case"], c["device"]["identity"]) for c in d["cases"]] == [(n, s) for n in ("small float32", "small float32, all at once") for s in slots], d["cases"]
		times = {(c["case"], c["device"]["identity"]): next(r["median_seconds"] for r in c["table"] if r["phase"] == "warm_forward") for c in d["cases"]}
		# On busy cores the two others may be far apart too: what is odd follows from the times, whatever they are.
		odd = {}
		for case, slot in times:
		    ratio = times[case, slot] / sorted(times[case, s] for s in slots)[1]
		    if ratio > 1.05 or ratio < 1 / 1.05:
		        odd[case, slot] = ratio
		assert {(o["case"], o["device"]) for o in d["odd"]} == set(odd), (d["odd"], times)
		assert all(abs(o["ratio"] - odd[o["case"], o["device"]]) < 1e-9 * o["ratio"] for o in d["odd"]), (d["odd"], odd)
		assert ("small float32", slots[1]) in odd, times
		for member in "device", "case", "view":
		    d["odd"][0][member], was = "another", d["odd"][0][member]
		    json.dump(d, open(member + ".json", "w"))
		    d["odd"][0][member] = was
	END
	for member in device case view; do
		lab validate "$member.json"
		expect 3
		case $out in *"odd[0].$member: "*) ;; *) explain "odd[0].$member" ;; esac
	done
	no_worker
}

@test "suite over two GPUs: they are held against each other, none is called odd" {
	SLOW_GPU=0 gpus 2 s.json --views "$builtin"
	expect 0
	case $(echo $out) in *"two devices pci:0000:02:00.0: small float32, $builtin: 0."*"times the time of pci:0000:01:00.0"*) ;; *) explain "both" ;; esac
	[ "$(json s.json odd)" = "[]" ]
	valid_document s.json
}

@test "suite over several GPUs: one that ends early costs nothing but its own results" {
	LOST_GPU=1 gpus 2 s.json --views "$builtin,$builtin" --against "$builtin#2" --backend opencl --timeout 300
	expect 1 "opencl:0:1"
	# Options reach the runs that are made at once.
	[ "$(python3 -c 'import json; print({c["against"] for c in json.load(open("s.json"))["cases"]})')" = "{'$builtin#2'}" ]
	valid_document s.json
	[ "$(python3 -c 'import json; print([c["case"] for c in json.load(open("s.json"))["cases"]])')" = "['small float32', 'small float32', 'small float32, all at once']" ]
}
