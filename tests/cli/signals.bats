load common

# ^C and termination in every phase: the right status, no process left, nothing written.

more_setup() {
	pocl_device
}

# A measurement in the background that lasts long; the phase of interest is given by its options.
start_long() {
	"$ILAB_PROGRAM" measure --device "$device" --output f.json "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null &
	pid=$!
}

# ends_with STATUS: wait for it; it must not take long.
ends_with() {
	status=0
	( sleep 10; kill -KILL $pid 2>/dev/null ) 3>&- &
	local watch=$!
	wait $pid || status=$?
	kill $watch 2>/dev/null || true
	err=$(cat "$BATS_TEST_TMPDIR/err")
	out=$(cat "$BATS_TEST_TMPDIR/out")
	[ "$status" -eq "$1" ] || explain "status $1"
	one_clear_line
	no_worker
}

# Wait until the worker is there.
worker_started() {
	local i
	for i in $(seq 100); do
		no_worker >/dev/null || return 0
		sleep 0.05
	done
	return 1
}

LONG="--batch 1 --context 256 --width 512 --gemm builtin --repeats 100000"

@test "^C while drivers are asked" {
	start_long $LONG
	sleep 0.03
	kill -INT $pid
	ends_with 130
}

@test "^C in setup, while kernels are compiled" {
	start_long $LONG --cold-cache
	worker_started
	sleep 0.3
	kill -INT $pid
	ends_with 130
}

@test "^C while the reference is computed or the model is loaded" {
	start_long --batch 64 --context 64 --width 2048 --gemm builtin --repeats 2 --verify-rows 64
	worker_started
	sleep 0.8
	kill -INT $pid
	ends_with 130
}

@test "^C in a pass" {
	start_long $LONG
	worker_started
	sleep 1.5
	kill -INT $pid
	ends_with 130
}

@test "SIGTERM in a pass, with a cold cache to remove" {
	start_long $LONG --cold-cache
	worker_started
	sleep 2
	kill -TERM $pid
	ends_with 143
}

@test "other signals that end a process: the cold cache goes too" {
	for signal in QUIT HUP USR1 ALRM XCPU; do
		[ -z "$(trap -p $signal)" ] || continue        # ignored since before the tests (nohup): a shell cannot undo that
		start_long $LONG --cold-cache
		worker_started
		sleep 0.3
		kill -$signal $pid
		ends_with 143
	done
}

@test "SIGHUP that was ignored (nohup) stays so: the ^C after it is the first that counts" {
	trap '' HUP
	start_long $LONG
	worker_started
	kill -HUP $pid
	sleep 0.3
	kill -INT $pid
	ends_with 130
}

@test "SIGTERM twice and ^C after it: the first one counts" {
	start_long $LONG
	worker_started
	sleep 0.5
	kill -TERM $pid
	kill -INT $pid 2>/dev/null || true
	ends_with 143
}

@test "the parent killed: no worker lives on, no file appears" {
	start_long $LONG
	worker_started
	sleep 0.5
	kill -KILL $pid
	wait $pid 2>/dev/null || true
	for i in $(seq 40); do
		no_worker >/dev/null && break
		sleep 0.05
	done
	no_worker
	[ -z "$(ls -A "$work")" ]
}

@test "the worker killed: exit 1, its signal and phase are named" {
	start_long $LONG
	worker_started
	sleep 1
	for worker in /proc/[0-9]*; do
		if grep -qz "^--worker$" "$worker/cmdline" 2>/dev/null && grep -qz "^TMPDIR=$BATS_TEST_TMPDIR/tmp$" "$worker/environ" 2>/dev/null; then
			kill -KILL "${worker#/proc/}"
		fi
	done
	ends_with 1
	case $err in *SIGKILL*) ;; *) explain "SIGKILL" ;; esac
	case $err in *" in "*) ;; *) explain "a phase" ;; esac
}

@test "^C on a terminal: progress is shown before, and cleared" {
	command -v python3 >/dev/null || skip "python3 makes the terminal"
	python3 - "$ILAB_PROGRAM" "$device" <<'END'
import os, pty, sys, time, select
pid, fd = pty.fork()
if pid == 0:
	os.environ["TERM"] = "xterm"
	os.execv(sys.argv[1], [sys.argv[1], "measure", "--device", sys.argv[2], "--output", "f.json", "--batch", "1",
		"--context", "256", "--width", "512", "--gemm", "builtin", "--repeats", "100000"])
seen, end, sent = b"", time.time() + 15, False
while time.time() < end:
	if select.select([fd], [], [], 0.1)[0]:
		try:
			part = os.read(fd, 4096)
		except OSError:
			break
		if not part:
			break
		seen += part
	if not sent and b"warm_forward" in seen and seen.count(b"\r\x1b[K") > 5:
		os.write(fd, b"\x03")
		sent = True
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
assert status == 130, (status, seen[-300:])
assert b" of 100000" in seen, seen[-300:]
last = seen[seen.rindex(b"\r\x1b[K"):]
assert b"interrupted" in last and b"warm_forward" not in last, last
END
	nothing_left
	no_worker
}
