load common

# Drivers that fail while they work. A library loaded before them puts itself in the way of one call of the OpenCL loader, in the worker,
# after the call has come as often as FAULT_AFTER says.

more_setup() {
	command -v "${CC:-cc}" >/dev/null || skip "no C compiler to build the fault with"
	"$ILAB_PROGRAM" environment --list >/dev/null
	pocl_device
	cat >"$BATS_TEST_TMPDIR/fault.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		typedef int kernel_fn(void *, void *, unsigned, const void *, const void *, const void *, unsigned, const void *, void *);
		__attribute__((visibility("default"))) int clEnqueueNDRangeKernel(void *a, void *b, unsigned c, const void *d, const void *e, const void *f,
			unsigned g, const void *h, void *i)
		{
			static int calls;
			const char *fault = getenv("FAULT"), *after = getenv("FAULT_AFTER");
			kernel_fn *real = (kernel_fn *)dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
			if (calls++ < (after ? atoi(after) : 0))
				return real(a, b, c, d, e, f, g, h, i);
			if (!strcmp(fault, "segv"))
				*(volatile int *)0 = 1;
			if (!strcmp(fault, "abort")) {
				fprintf(stderr, "first words of the driver\nlast words of the driver\n");
				abort();
			}
			if (!strcmp(fault, "exit"))
				_exit(0);
			if (!strcmp(fault, "hang"))
				for (;;)
					pause();
			if (!strcmp(fault, "chatter")) {
				printf("chatter\n");
				fflush(stdout);
				return real(a, b, c, d, e, f, g, h, i);
			}
			return atoi(fault);     /* an OpenCL error code */
		}
	END
	"${CC:-cc}" -shared -fPIC -o "$BATS_TEST_TMPDIR/fault.so" "$BATS_TEST_TMPDIR/fault.c" -ldl
	# The program itself must not be sanitized for a preloaded library to come first.
	if nm "$ILAB_PROGRAM" 2>/dev/null | grep -q __asan_init; then skip "a sanitized program does not take a preloaded library"; fi
}

faulty() {
	export FAULT=$1
	shift
	LD_PRELOAD=$BATS_TEST_TMPDIR/fault.so small f.json --gemm builtin "$@"
	unset FAULT FAULT_AFTER
}

# Exit 1, the last line names what, nothing is left.
failed_run() {
	expect 1 "$@"
	[ -z "$out" ] || explain "an empty stdout"
	case $(tail -n 1 "$BATS_TEST_TMPDIR/err") in "iteragpu-lab: "*) ;; *) explain "our own line last" ;; esac
	nothing_left
	no_worker
}

@test "a crash in a kernel launch, early and late" {
	faulty segv
	failed_run SIGSEGV " in "
	FAULT_AFTER=12 faulty segv
	failed_run SIGSEGV " in "
}

@test "an abort, with the driver's last words" {
	faulty abort
	failed_run SIGABRT "driver: last words of the driver"
	faulty abort --quiet
	failed_run SIGABRT
	case $err in *"last words"*) explain "silence" ;; esac
	faulty abort --verbose
	failed_run SIGABRT "last words of the driver"
}

@test "a driver that ends the process" {
	faulty exit
	failed_run "ended" " in "
}

@test "a driver that never returns" {
	faulty hang --timeout 1
	failed_run "time-out" " in "
}

@test "an error code: out of resources, a late lack of memory" {
	faulty -5
	failed_run "-5"
	faulty -4
	failed_run "out of device memory"
}

@test "a driver that talks on stdout" {
	faulty chatter --json
	expect 0
	cmp "$BATS_TEST_TMPDIR/out" f.json
	valid_document f.json
}
