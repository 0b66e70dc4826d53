#!/bin/sh
# deps.sh run|check|cpu: install what building and running (run) or also testing (check) needs, on Debian or Ubuntu.
# The one place of the project that installs anything. Without root it prints the command instead; when everything
# is there already it does nothing and needs no network.
set -eu
what=${1:-check}
venv=${ILAB_VENV:-.venv}

build='gcc libc6-dev make pkg-config ocl-icd-opencl-dev opencl-c-headers libclblast-dev libcjson-dev libmd-dev libcsv-dev'
# Wanted where the distribution has them: a CPU device to measure on, and what the tests use.
cpu='pocl-opencl-icd'
messages='gettext'   # messages in other languages than English
tests='libcmocka-dev bats clang libomp-dev git python3 python3-venv gettext procps util-linux man-db locales'
drivers='mesa-opencl-icd oclgrind libamdhip64-dev'
pip_packages='check-jsonschema intel-opencl-rt intel-cmplr-lib-rt nvidia-cuda-nvrtc nbclient ipykernel matplotlib'

installed() { dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }
available() { apt-cache show "$1" >/dev/null 2>&1; }
missing() { for p in "$@"; do installed "$p" || printf '%s ' "$p"; done; }
has_opencl_driver() { ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1; }

command -v dpkg-query >/dev/null 2>&1 || {
	echo "deps: this is not Debian or Ubuntu; install by hand: a C11 compiler, make, pkg-config, the OpenCL headers and loader," \
		"CLBlast, cJSON, libmd and libcsv with their headers (Fedora: gcc make pkgconf-pkg-config ocl-icd-devel opencl-headers" \
		"clblast-devel cjson-devel libmd-devel libcsv-devel pocl)" >&2
	exit 0
}

need=$build
optional=
# A machine with an OpenCL driver of its own needs no CPU driver to run.
case $what in
run) optional=$messages; has_opencl_driver || optional="$cpu $messages" ;;
cpu) need= optional=$cpu ;;
check) need="$need $tests"; optional="$cpu $drivers" ;;
*) echo "usage: deps.sh run|check|cpu" >&2; exit 2 ;;
esac

todo=$(missing $need)
wanted=$(missing $optional)
if [ -n "$todo$wanted" ]; then
	if [ "$(id -u)" -ne 0 ]; then
		if [ -n "$todo" ]; then
			echo "deps: missing packages; as root: apt-get install -y --no-install-recommends $todo$wanted" >&2
			exit 1
		fi
		echo "deps: going on without $wanted(as root: apt-get install -y --no-install-recommends $wanted)" >&2
	else
		export DEBIAN_FRONTEND=noninteractive
		apt-get update -q || echo "deps: the package lists could not be refreshed; trying with those at hand" >&2
		for p in $wanted; do
			if available "$p"; then todo="$todo$p "; else echo "deps: this distribution has no package $p; going on without it" >&2; fi
		done
		# shellcheck disable=SC2086 # a list of package names
		[ -z "$todo" ] || apt-get install -y -q --no-install-recommends $todo
	fi
fi

[ "$what" = check ] || exit 0
# Test tools from PyPI, in an environment of their own. Tests that want an absent one are skipped with the reason.
# The marker holds the list, so that a longer list is installed into an older environment.
if [ "$(cat "$venv/.complete" 2>/dev/null)" != "$pip_packages" ]; then
	python3 -m venv "$venv" && ok=1
	for p in $pip_packages; do
		"$venv/bin/pip" install -q --disable-pip-version-check "$p" || { ok=0; echo "deps: $p could not be installed; its tests are skipped" >&2; }
	done
	[ "${ok:-0}" = 1 ] && echo "$pip_packages" >"$venv/.complete"
fi
exit 0
