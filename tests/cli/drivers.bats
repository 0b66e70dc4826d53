load common

# Machines without drivers, with bad ones, and with devices that are hard to tell apart.

# A driver whose listing entry point ends with the given C statement.
bad_driver() {
	command -v "${CC:-cc}" >/dev/null || skip "no C compiler to build a bad driver with"
	cat >"$BATS_TEST_TMPDIR/bad.c" <<-END
		#include <signal.h>
		#include <string.h>
		#include <unistd.h>
		__attribute__((visibility("default"))) int clIcdGetPlatformIDsKHR(unsigned n, void *p, unsigned *c)
		{ (void)n, (void)p, (void)c; $1; return -1001; }
		__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name)
		{ return strcmp(name, "clIcdGetPlatformIDsKHR") ? 0 : (void *)clIcdGetPlatformIDsKHR; }
		__attribute__((visibility("default"))) int clGetPlatformInfo(void *p, unsigned n, unsigned long s, void *v, unsigned long *r)
		{ (void)p, (void)n, (void)s, (void)v, (void)r; return -30; }
	END
	"${CC:-cc}" -shared -fPIC -o "$BATS_TEST_TMPDIR/libbad.so" "$BATS_TEST_TMPDIR/bad.c"
}

# A driver whose library runs the given C statement as soon as it is loaded.
bad_library() {
	command -v "${CC:-cc}" >/dev/null || skip "no C compiler to build a bad driver with"
	printf '#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) static void load(void) { %s; }\n' "$1" >"$BATS_TEST_TMPDIR/bad.c"
	"${CC:-cc}" -shared -fPIC -o "$BATS_TEST_TMPDIR/libbad.so" "$BATS_TEST_TMPDIR/bad.c"
}

# A folder of driver files: the system's PoCL, and the bad one.
vendors_with_bad_driver() {
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no pocl.icd on this system"
	mkdir "$BATS_TEST_TMPDIR/vendors"
	cp /etc/OpenCL/vendors/pocl.icd "$BATS_TEST_TMPDIR/vendors/"
	echo "$BATS_TEST_TMPDIR/libbad.so" >"$BATS_TEST_TMPDIR/vendors/a-bad.icd"
	export OCL_ICD_VENDORS=$BATS_TEST_TMPDIR/vendors
}

small_with() {
	device=$1
	shift
	small f.json "$@"
}

@test "no driver registered: environment says what to install and ends with 0" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	for place in /nonexistent "$BATS_TEST_TMPDIR/empty"; do
		export OCL_ICD_VENDORS=$place
		lab environment
		expect 0
		[ -z "$err" ] || explain "an empty stderr"
		case $out in *install*) ;; *) explain "what to install" ;; esac
		lab environment --list
		expect 0
		[ -z "$out$err" ] || explain "nothing"
		"$ILAB_PROGRAM" environment --json >e.json
		valid_document e.json
		[ "$(json e.json devices)" = "[]" ]
		rm e.json
	done
}

@test "no driver registered: measure refuses every kind of selector" {
	export OCL_ICD_VENDORS=/nonexistent
	for selector in opencl:0:0 cpu name:x pci:0000:01:00.0 uuid:11111111-2222-3333-4444-555555555555; do
		small_with $selector
		expect 2 "driver"
		one_clear_line
	done
}

@test "a backend without its module is refused with the reason" {
	small_with cuda:0 --module-dir "$work"
	expect 2 "cuda" "no module"
	one_clear_line
	small_with hip:0 --module-dir "$work"
	expect 2 "hip"
	one_clear_line
	"$ILAB_PROGRAM" environment --json --module-dir "$work" >e.json
	[ "$(json e.json backends.1.state)" = unavailable ]
	case $(json e.json backends.1.reason) in "unavailable: no module"*) ;; *) false ;; esac
}

@test "unknown and out-of-range devices are refused with what there is" {
	pocl_device
	for selector in opencl:0:7 opencl:99:0 name:nothing-of-this-name pci:ffff:ff:1f.7; do
		small_with $selector
		expect 2 "opencl:"
		one_clear_line
		lab environment --device "$selector"
		expect 2
		one_clear_line
	done
}

@test "a GPU request where only a CPU is present never runs on it" {
	[ -z "$("$ILAB_PROGRAM" environment --list --type gpu)" ] || skip "this machine has a GPU"
	for selector in cuda:0 hip:0 pci:0000:01:00.0 name:NVIDIA; do
		small_with $selector
		expect 2
		one_clear_line
	done
}

@test "a platform without devices" {
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no pocl.icd on this system"
	export OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_DEVICES=none
	lab environment
	expect 0
	case $out in *"offers no"*POCL_CACHE_DIR*) ;; *) explain "no device, and what PoCL needs" ;; esac
	case $out in *pocl-opencl-icd*) explain "no advice to install what is there" ;; esac
	small_with opencl:0:0
	expect 2 "no device"
	one_clear_line
}

@test "two devices of one name are one host, and ambiguous" {
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no pocl.icd on this system"
	export OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_DEVICES="pthread pthread"
	[ "$("$ILAB_PROGRAM" environment --list | wc -l)" -eq 2 ] || skip "this PoCL does not show two devices"
	small_with cpu
	expect 2 "opencl:0:0" "opencl:0:1"
	one_clear_line
	small_with name:pthread
	expect 2 "opencl:0:0" "opencl:0:1"
	one_clear_line
	small_with opencl:0:1
	expect 0
	[ "$(json f.json configuration.device)" = opencl:0:1 ]
	"$ILAB_PROGRAM" environment --json >e.json
	[ "$(json e.json physical_devices | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')" -eq 1 ]
	[ "$(json e.json physical_devices.0.identity)" = cpu ]
	valid_document e.json
}

@test "a driver file that points nowhere is named, the others work" {
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no pocl.icd on this system"
	mkdir "$BATS_TEST_TMPDIR/vendors"
	cp /etc/OpenCL/vendors/pocl.icd "$BATS_TEST_TMPDIR/vendors/"
	echo /nonexistent/libnothing.so >"$BATS_TEST_TMPDIR/vendors/nowhere.icd"
	export OCL_ICD_VENDORS=$BATS_TEST_TMPDIR/vendors
	lab environment
	expect 0
	case $out in *nowhere.icd*) ;; *) explain "nowhere.icd named" ;; esac
	[ "$("$ILAB_PROGRAM" environment --list)" = opencl:0:0 ]
	rm "$BATS_TEST_TMPDIR/vendors/pocl.icd"
	small_with opencl:0:0
	expect 2
	one_clear_line
}

@test "a driver that crashes while listing is named, the others work" {
	bad_driver 'raise(SIGSEGV)'
	vendors_with_bad_driver
	lab environment
	expect 0
	case $out in *a-bad.icd*SIGSEGV*) ;; *) explain "a-bad.icd and SIGSEGV" ;; esac
	[ "$("$ILAB_PROGRAM" environment --list)" = opencl:0:0 ]
	"$ILAB_PROGRAM" environment --json >e.json
	valid_document e.json
	rm e.json
	small_with opencl:0:0
	expect 0
	valid_document f.json
	no_temporary
	no_worker
}

@test "a driver that aborts or exits while listing" {
	for fault in 'abort()' '_exit(0)'; do
		bad_driver "$(printf '%s' "$fault" | sed 's/abort()/raise(SIGABRT)/')"
		[ -d "$BATS_TEST_TMPDIR/vendors" ] || vendors_with_bad_driver
		lab environment
		expect 0
		case $out in *a-bad.icd*) ;; *) explain "a-bad.icd" ;; esac
		no_temporary
	done
}

@test "a library that aborts or exits when it is loaded: named, the others work" {
	for fault in 'abort()' '_exit(0)' 'exit(7)'; do
		bad_library "$fault"
		[ -d "$BATS_TEST_TMPDIR/vendors" ] || vendors_with_bad_driver
		lab environment
		expect 0
		case $out in *a-bad.icd*) ;; *) explain "a-bad.icd" ;; esac
		case $out in *pocl.icd*) explain "no word against pocl.icd" ;; esac
		[ "$("$ILAB_PROGRAM" environment --list)" = opencl:0:0 ]
		no_temporary
		rm -f f.json
		small_with cpu
		expect 0
		valid_document f.json
	done
}

@test "a library that never loads: --timeout holds, and environment names it" {
	bad_library 'for (;;) pause()'
	vendors_with_bad_driver
	local before=$SECONDS
	small_with cpu --timeout 2
	expect 1 "time-out" "after 2 s"
	one_clear_line
	[ $((SECONDS - before)) -le 5 ] || explain "an end in about 2 s"
	lab environment
	expect 0 "each is asked alone"
	case $out in *a-bad.icd*time-out*) ;; *) explain "a-bad.icd and time-out" ;; esac
	case $out in *opencl:0:0*) ;; *) explain "the good device" ;; esac
	[ $((SECONDS - before)) -le 50 ] || explain "an end in half a minute"
	no_worker
}

@test "a bad driver and no folder for temporary files" {
	bad_library 'abort()'
	vendors_with_bad_driver
	TMPDIR=/nonexistent lab environment
	expect 0
	case $out in *TMPDIR*a-bad.icd*) ;; *) explain "TMPDIR and a-bad.icd" ;; esac
	case $out in *nonexistent*) explain "no value of a variable" ;; esac
}

@test "what a library prints before it aborts is shown" {
	bad_library 'write(2, "last words\n", 11); abort()'
	vendors_with_bad_driver
	lab environment
	expect 0 "driver: last words"
	lab environment --quiet
	[ -z "$err" ] || explain "silence"
}

@test "OCL_ICD_VENDORS that names nothing" {
	OCL_ICD_VENDORS=/secret-folder/nowhere small_with opencl:0:0
	expect 2 "OCL_ICD_VENDORS" "nowhere"
	case $err in *secret-folder*) explain "the last part only" ;; esac
	one_clear_line
}

@test "registered, but too little memory to load any" {
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no pocl.icd on this system"
	if nm "$ILAB_PROGRAM" 2>/dev/null | grep -q __asan_init; then skip "a sanitized program needs its address space"; fi
	status=0
	out=$(ulimit -v 200000; "$ILAB_PROGRAM" environment 2>&1) || status=$?
	[ "$status" -eq 0 ]
	case $out in *"registered in"*) ;; *) echo "$out"; false ;; esac
	case $out in *"no OpenCL driver is registered"*) echo "$out"; false ;; esac
}

@test "too few file descriptors: the same line everywhere" {
	for n in 9 12 20 31; do
		for command in "environment" "measure --device cpu --batch 1 --context 1 --width 8 --output f.json"; do
			status=0
			sh -c "ulimit -n $n; exec \"\$@\"" sh "$ILAB_PROGRAM" $command >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
			out=$(cat "$BATS_TEST_TMPDIR/out") err=$(cat "$BATS_TEST_TMPDIR/err")
			expect 1 "too few file descriptors: the limit is $n"
			one_clear_line
		done
	done
}

@test "without /proc, and without /dev" {
	unshare -m true 2>/dev/null || skip "no right to a mount namespace of one's own"
	pocl_device
	for folder in /proc /dev; do
		unshare -m sh -c "mount -t tmpfs none $folder && \"$ILAB_PROGRAM\" environment --list" >list
		grep -q "^$device$" list || { echo "nothing without $folder"; cat list; false; }
	done
}

@test "nothing but a driver that crashes" {
	bad_driver 'raise(SIGSEGV)'
	vendors_with_bad_driver
	rm "$OCL_ICD_VENDORS/pocl.icd"
	lab environment
	expect 0
	case $out in *SIGSEGV*) ;; *) explain "SIGSEGV" ;; esac
	small_with opencl:0:0
	expect 2
	one_clear_line
	no_worker
}

@test "variables that change arithmetic are taken out and named" {
	pocl_device
	NVIDIA_TF32_OVERRIDE=1 CLBLAST_BUILD_OPTIONS=-secret-value small f.json
	expect 0
	[ "$(json f.json environment.ignored_variables)" = '["NVIDIA_TF32_OVERRIDE", "CLBLAST_BUILD_OPTIONS"]' ] \
		|| [ "$(json f.json environment.ignored_variables)" = '["CLBLAST_BUILD_OPTIONS", "NVIDIA_TF32_OVERRIDE"]' ]
	! grep -q secret-value f.json
}
