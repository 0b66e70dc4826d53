load common

# Devices that say odd things of themselves. A library loaded before the OpenCL loader changes what it answers.

more_setup() {
	command -v "${CC:-cc}" >/dev/null || skip "no C compiler to build the fault with"
	if nm "$ILAB_PROGRAM" 2>/dev/null | grep -q __asan_init; then skip "a sanitized program does not take a preloaded library"; fi
	pocl_device
	cat >"$BATS_TEST_TMPDIR/odd.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdlib.h>
		#include <string.h>
		typedef int info_fn(void *, unsigned, size_t, void *, size_t *);
		__attribute__((visibility("default"))) int clGetDeviceInfo(void *device, unsigned what, size_t size, void *value, size_t *got)
		{
			const char *name = getenv("ODD_NAME");
			info_fn *real = (info_fn *)dlsym(RTLD_NEXT, "clGetDeviceInfo");
			if (what == 0x102B && name) {                   /* CL_DEVICE_NAME */
				if (got) *got = strlen(name) + 1;
				if (value && size <= strlen(name)) return -30;
				if (value) strcpy(value, name);
				return 0;
			}
			if (what == 0x100C) {                           /* CL_DEVICE_MAX_CLOCK_FREQUENCY */
				if (got) *got = 4;
				if (value) memset(value, 0, 4);
				return 0;
			}
			if (getenv("ODD_MEMORY") && what == 0x101F) {   /* CL_DEVICE_GLOBAL_MEM_SIZE */
				if (got) *got = 8;
				if (value) memset(value, 0, 8);
				return 0;
			}
			return real(device, what, size, value, got);
		}
	END
	"${CC:-cc}" -shared -fPIC -o "$BATS_TEST_TMPDIR/odd.so" "$BATS_TEST_TMPDIR/odd.c" -ldl
}

# Nothing that a terminal would obey, in what people see.
no_control_characters() {
	! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$1"
}

@test "control characters, quotes, other letters and broken UTF-8 in a name, 0 MHz" {
	export LD_PRELOAD=$BATS_TEST_TMPDIR/odd.so
	for name in $'tab\tbell\a escape\e[31m' 'quote " backslash \ slash /' $'broken \xff\xfe\xc3 utf-8' "GPU é 日本" " spaces  around " "%s%n%d" "" \
		"$(head -c 3000 /dev/zero | tr '\0' x)"; do
		export ODD_NAME=$name
		lab environment --json
		expect 0
		cp "$BATS_TEST_TMPDIR/out" e.json
		LD_PRELOAD= valid_document e.json
		no_control_characters e.json
		lab environment
		expect 0
		no_control_characters "$BATS_TEST_TMPDIR/out"
		rm -f f.json
		small f.json --gemm builtin
		expect 0
		no_control_characters "$BATS_TEST_TMPDIR/out"
		LD_PRELOAD= valid_document f.json
		lab measure --device name:not-there --batch 1 --context 1 --width 1 --output g.json
		expect 2
		no_control_characters "$BATS_TEST_TMPDIR/err"
	done
}

@test "a device that says it has no memory" {
	export LD_PRELOAD=$BATS_TEST_TMPDIR/odd.so ODD_MEMORY=1
	lab environment --json
	expect 0
	small f.json
	[ "$status" -eq 2 ] || [ "$status" -eq 0 ] || explain "a refusal, or a measurement"
	[ "$status" -eq 0 ] || one_clear_line
}
