# IteraGPU Lab. GNU make, no configure step; `make help` lists the targets.
# CC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR bindir libdir mandir datadir are the user's and are never overwritten.

VERSION := 0.1.0

PREFIX ?= /usr/local
bindir ?= $(PREFIX)/bin
libdir ?= $(PREFIX)/lib
mandir ?= $(PREFIX)/share/man
datadir ?= $(PREFIX)/share
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
O ?= build

ifeq ($(origin CC),default)
CC := gcc
endif

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)')

# --- what to build ----------------------------------------------------------------------------------------------------

LIB_SRC := $(sort $(filter-out src/main.c src/backend/native%.c,$(wildcard src/*/*.c)))
CL_SRC := $(sort $(wildcard cl/*.cl cl/opencl/*.cl cuda/prelude.h hip/prelude.h))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT_AUX := $(sort $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c)))
CONF_SRC := $(sort $(wildcard tests/conformance/*.c))

LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o) $(O)/cl_texts.o
NATIVE_OBJ := $(sort $(patsubst %.c,$(O)/%.o,$(wildcard src/backend/native*.c)))
CUDA_OBJ := $(sort $(patsubst %.c,$(O)/%.o,$(wildcard cuda/*.c)))
HIP_OBJ := $(sort $(patsubst %.c,$(O)/%.o,$(wildcard hip/*.c)))
HOST_OBJ := $(sort $(patsubst %.c,$(O)/%.o,$(wildcard tests/native/host_*.c)))
CUDA_HOME ?= /usr/local/cuda
HIP_HOME ?= $(if $(wildcard /opt/rocm/include/hip/hip_runtime_api.h),/opt/rocm,/usr)
# Messages in other languages; without msgfmt the program speaks English. Errors of workers and of a document's content stay English.
LANGUAGES := $(sort $(basename $(notdir $(wildcard po/*.po))))
MSGFMT ?= $(shell command -v msgfmt)
CATALOGUES := $(if $(MSGFMT),$(LANGUAGES:%=$(O)/locale/%/LC_MESSAGES/iteragpu-lab.mo))
MESSAGE_SRC := $(sort src/main.c $(wildcard src/base/*.c src/model/*.c src/device/*.c src/cost/*.c src/cli/*.c src/result/text*.c) \
	src/harness/process.c src/harness/signals.c src/result/cost_text.c src/result/document.c src/result/tuning_fields.c)
MODULES := $(strip $(if $(CUDA),$(O)/modules/cuda.so) $(if $(HIP),$(O)/modules/hip.so))
UNIT_BIN := $(UNIT_SRC:%.c=$(O)/%)
PROGRAM := $(O)/iteragpu-lab

# --- flags ------------------------------------------------------------------------------------------------------------

ILAB_CFLAGS := -std=c11 -fPIC -fvisibility=hidden -fopenmp -ffp-contract=off -ffile-prefix-map="$(CURDIR)"=. -ffile-prefix-map="$(O)"=build \
	-Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wno-unknown-pragmas \
	$(if $(WERROR),-Werror) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
ILAB_CPPFLAGS := -D_GNU_SOURCE -DILAB_VERSION='"$(VERSION)"' -DCL_TARGET_OPENCL_VERSION=300 -Isrc
PLACES := -DILAB_LIBDIR='"$(libdir)/iteragpu-lab"' -DILAB_DATADIR='"$(datadir)"' -DILAB_LOCALEDIR='"$(datadir)/locale"'
ILAB_LDFLAGS := -fopenmp $(if $(SAN),-fsanitize=$(SAN))

hash := \#
PKGS := OpenCL clblast libcjson libmd
NO_BUILD_GOALS := help clean deps layers uninstall update-po dist kit verify-kit
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(NO_BUILD_GOALS) run check,$(MAKECMDGOALS)),build),)
ifeq ($(ILAB_DEPS_CHECKED),)
# What the compiler itself says is the best message when it does not work at all.
compiles = $(shell echo '$(1)' | $(CC) $(CPPFLAGS) $(CFLAGS) -fopenmp -fsyntax-only -x c - 2>&1 || echo failed)
$(if $(findstring failed,$(call compiles,int main(void) { return 0; })),$(error $(CC) does not compile: $(call compiles,int main(void) { return 0; }); install gcc, or set CC and CFLAGS, or run `make deps`))
$(if $(findstring failed,$(call compiles,$(hash)include <omp.h>)),$(error $(CC) finds no omp.h: install libomp-dev for clang (Debian, Ubuntu; Fedora: libomp-devel)))
need = $(if $(shell $(PKG_CONFIG) --exists $(1) && echo yes),,$(error $(1) not found: install $(2) (Debian, Ubuntu) or $(3) (Fedora), or run `make deps`))
$(if $(shell command -v $(PKG_CONFIG)),,$(error $(PKG_CONFIG) not found: install pkg-config (Debian, Ubuntu) or pkgconf-pkg-config (Fedora), or run `make deps`))
$(call need,OpenCL,ocl-icd-opencl-dev,ocl-icd-devel)
$(call need,clblast,libclblast-dev,clblast-devel)
$(call need,libcjson,libcjson-dev,cjson-devel)
$(call need,libmd,libmd-dev,libmd-devel)
# libcsv has no .pc file: does a program that uses it compile and link with the user's flags?
has_csv = $(shell d=$$(mktemp -d) && echo 'int main(void) { struct csv_parser p; return csv_init(&p, 0); }' | \
	$(CC) $(CPPFLAGS) $(CFLAGS) -include csv.h -x c - -o $$d/t $(LDFLAGS) -lcsv 2>/dev/null && echo yes; rm -rf $$d)
$(if $(has_csv),,$(error libcsv not found: install libcsv-dev (Debian, Ubuntu) or libcsv-devel (Fedora), or run `make deps`))
$(if $(CUDA),$(if $(wildcard $(CUDA_HOME)/include/cublasLt.h),,$(error CUDA=1 needs the CUDA headers: no $(CUDA_HOME)/include/cublasLt.h; install NVIDIA's toolkit or set CUDA_HOME)))
$(if $(HIP),$(if $(wildcard $(HIP_HOME)/include/hip/hiprtc.h),,$(error HIP=1 needs the HIP headers: no $(HIP_HOME)/include/hip/hiprtc.h; install libamdhip64-dev (Debian, Ubuntu) or AMD's hip-dev, or set HIP_HOME)))
endif
endif
PKG_CFLAGS = $(shell $(PKG_CONFIG) --cflags $(PKGS))
PKG_LIBS = $(shell $(PKG_CONFIG) --libs $(PKGS)) -lcsv -ldl -lm
CMOCKA_LIBS = $(shell $(PKG_CONFIG) --libs cmocka)

ALL_CFLAGS = $(ILAB_CPPFLAGS) $(PKG_CFLAGS) $(CPPFLAGS) $(ILAB_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(ILAB_LDFLAGS) $(LDFLAGS)

# --- building ---------------------------------------------------------------------------------------------------------

.PHONY: all build lib catalogues update-po help clean deps run check check-gpu test bench layers unit sanitized native-compile conformance schema cli notebook archives dist kit verify-kit install uninstall FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: build
build: $(PROGRAM) $(MODULES) $(O)/iteragpu-lab.1 catalogues
lib: $(O)/libilab.a

# A change of compiler or flags rebuilds everything.
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' >$@

# Vendor headers, for the folders that need them.
$(O)/cuda/%.o: VENDOR_CPPFLAGS := -isystem $(CUDA_HOME)/include
$(O)/hip/%.o: VENDOR_CPPFLAGS := -D__HIP_PLATFORM_AMD__ -isystem $(HIP_HOME)/include

# Where things will be installed concerns few files: `make install PREFIX=...` compiles no others again.
PLACED := $(patsubst %.c,$(O)/%.o,$(shell grep -lE 'ILAB_(LIB|DATA|LOCALE)DIR' $(LIB_SRC) /dev/null))
$(PLACED): private ILAB_CPPFLAGS += $(PLACES)
$(PLACED): $(O)/places
$(O)/places: FORCE
	@mkdir -p $(@D)
	@echo "$(PLACES)" | cmp -s - $@ || echo "$(PLACES)" >$@

$(O)/%.o: %.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(VENDOR_CPPFLAGS) -MMD -MP -c -o $@ $<

$(O)/%.o: $(O)/%.c $(O)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The kernel texts, as one table in the binary: no file is looked for at run time.
$(O)/cl_texts.c: $(CL_SRC) tools/embed.sh
	$(call say,EMBED,$@)
	@mkdir -p $(@D)
	$(Q)sh tools/embed.sh $(CL_SRC) >$@

$(O)/libilab.a: $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(PROGRAM): $(O)/src/main.o $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)

# A module holds its own copy of the low layers that it uses and shows one symbol. No vendor library is linked: it loads anywhere and
# explains what is missing.
$(O)/modules/cuda.so: $(CUDA_OBJ)
$(O)/modules/hip.so: $(HIP_OBJ)
$(O)/modules/%.so: $(NATIVE_OBJ) $(O)/libilab.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -Wl,-z,defs -Wl,-z,now -o $@ $(filter-out %.a,$^) $(filter %.a,$^) -ldl -lm

$(O)/iteragpu-lab.1: $(PROGRAM)
	$(call say,MAN,$@)
	$(Q)$(PROGRAM) --man >$@

catalogues: $(CATALOGUES)
	$(if $(MSGFMT),,@echo 'msgfmt not found: messages stay in English (package gettext)')
$(O)/locale/%/LC_MESSAGES/iteragpu-lab.mo: po/%.po
	$(call say,MSGFMT,$<)
	@mkdir -p $(@D)
	$(Q)$(MSGFMT) --check -o $@ $<

# The messages of the sources, and the translations brought up to date with them.
XGETTEXT_FLAGS := --language=C --from-code=UTF-8 --sort-by-file --no-wrap --no-location --package-name=iteragpu-lab -k -k_ -kN_ -kilab_err_set:5 -kilab_note:1 \
	-kusage:2 -kilab_layout_count:3,4 -kilab_message_plural:1,2 --flag=ilab_err_set:5:c-format --flag=ilab_note:1:c-format --flag=usage:2:c-format \
	--flag=ilab_message_plural:1:c-format --flag=ilab_message_plural:2:c-format --flag=_:1:pass-c-format --flag=ilab_text_add:2:c-format \
	--flag=ilab_layout_pair:3:c-format --flag=ilab_arena_printf:2:c-format
$(O)/iteragpu-lab.pot: $(MESSAGE_SRC)
	@mkdir -p $(@D)
	$(Q)xgettext $(XGETTEXT_FLAGS) -o $@ $^ && sed -i '/^"POT-Creation-Date:/d' $@
update-po: $(O)/iteragpu-lab.pot
	$(Q)for l in $(LANGUAGES); do msgmerge --quiet --no-fuzzy-matching --no-wrap -o $(O)/$$l.po po/$$l.po $< && \
		msgattrib --no-obsolete --no-wrap -o po/$$l.po $(O)/$$l.po || exit 1; done

-include $(LIB_OBJ:.o=.d) $(NATIVE_OBJ:.o=.d) $(CUDA_OBJ:.o=.d) $(HIP_OBJ:.o=.d) $(HOST_OBJ:.o=.d) $(O)/src/main.d $(UNIT_SRC:%.c=$(O)/%.d) $(UNIT_AUX:%.c=$(O)/%.d) $(CONF_SRC:%.c=$(O)/%.d) $(O)/tests/native-compile/native_compile.d

# --- tests ------------------------------------------------------------------------------------------------------------
# `make test` builds and runs them all without installing anything; `make check` gets the tools first.

export ILAB_VENV ?= $(CURDIR)/.venv
export O MAKE CC
SUITES := layers unit sanitized native-compile conformance schema cli notebook archives

$(O)/tests/unit/test_%: $(O)/tests/unit/test_%.o $(UNIT_AUX:%.c=$(O)/%.o) $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(WRAPPED) -o $@ $(filter-out %.a,$^) $(filter %.a,$^) $(CMOCKA_LIBS) $(PKG_LIBS)

# The native backend over a vendor of the tests' own: in a unit test, and as a module for the conformance suite.
$(filter $(O)/tests/unit/test_native%,$(UNIT_BIN)): $(NATIVE_OBJ) $(filter-out %/host_module.o,$(HOST_OBJ))
# It tells what is faster by a clock of its own.
$(O)/tests/unit/test_native_tune: private WRAPPED := -Wl,--wrap=ilab_clock_ns
$(O)/tests/native/cuda.so: $(NATIVE_OBJ) $(HOST_OBJ) $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -o $@ $(filter-out %.a,$^) $(filter %.a,$^) -ldl -lm

# Fakes of a driver and of modules, for the reasons that the real ones would give.
FAKES := $(O)/tests/fakes
$(O)/tests/unit/test_cuda_module: | $(filter %/cuda.so,$(MODULES)) $(FAKES)/libcuda.so.1 $(FAKES)/without-pools/libcuda.so.1 \
	$(FAKES)/wrong-abi/cuda.so $(FAKES)/text/cuda.so $(FAKES)/no-symbol/cuda.so
FAKE_LINK = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared
$(FAKES)/libcuda.so.1 $(FAKES)/without-pools/libcuda.so.1: tests/fakes/libcuda.c $(O)/flags
	@mkdir -p $(@D)
	$(Q)$(FAKE_LINK) $(if $(findstring without,$@),-DFAKE_WITHOUT_POOLS) -Wl,-soname,libcuda.so.1 -o $@ $<
$(FAKES)/wrong-abi/cuda.so: tests/fakes/wrong_abi.c $(O)/flags
	@mkdir -p $(@D)
	$(Q)$(FAKE_LINK) -o $@ $<
$(FAKES)/no-symbol/cuda.so: $(FAKES)/libcuda.so.1
	@mkdir -p $(@D) && cp $< $@
$(FAKES)/text/cuda.so:
	@mkdir -p $(@D) && echo 'not a shared object' >$@

# The module hip.so for tests, with declarations of HIP that are carried here, over fakes of AMD's libraries.
HIP_TEST_CPPFLAGS := -Itests/hip-headers -DHIP_BACKEND_NAME='"hip-fake-test"' -DHIP_PLATFORM='"fake (tests)"' -DHIP_PRELUDE='"hip/prelude.h"'
HIP_TEST_OBJ := $(HIP_OBJ:$(O)/hip/%=$(O)/tests/hip/%)
$(O)/tests/hip/%.o: hip/%.c $(O)/flags
	$(call say,CC,$< (tests))
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(HIP_TEST_CPPFLAGS) -MMD -MP -c -o $@ $<
$(O)/tests/hip/values.o: tests/hip-headers/values.c $(O)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests/hip-headers -c -o $@ $<
	$(if $(HIP),$(Q)$(CC) $(ALL_CFLAGS) -D__HIP_PLATFORM_AMD__ -isystem $(HIP_HOME)/include -fsyntax-only $<)
$(O)/tests/hip/hip-fake-test.so: $(NATIVE_OBJ) $(HIP_TEST_OBJ) $(O)/tests/hip/values.o $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -o $@ $(filter-out %.a,$^) $(filter %.a,$^) -ldl -lm
-include $(HIP_TEST_OBJ:.o=.d)

# The same module with HIP's names answered by CUDA, for an NVIDIA GPU; tests/gpu/hip.sh uses it. No HIP is needed to build it.
ON_CUDA_CPPFLAGS := -Itests/hip-headers -isystem $(CUDA_HOME)/include -DHIP_BACKEND_NAME='"hip-on-cuda-test"' -DHIP_PLATFORM='"HIP names on CUDA (tests)"' \
	-DHIP_PRELUDE='"cuda/prelude.h"'
ON_CUDA_OBJ := $(patsubst %.c,$(O)/tests/hip-on-cuda/%.o,$(filter-out hip/hip_agent.c,$(wildcard hip/*.c)) $(wildcard tests/gpu/hip_on_cuda/*.c))
$(O)/tests/hip-on-cuda/%.o: %.c $(O)/flags
	$(call say,CC,$< (hip on cuda))
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ON_CUDA_CPPFLAGS) -MMD -MP -c -o $@ $<
$(O)/tests/hip-on-cuda/hip-on-cuda-test.so: $(filter-out %/native_library.o,$(NATIVE_OBJ)) $(ON_CUDA_OBJ) $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -Wl,-z,defs -o $@ $(filter-out %.a,$^) $(filter %.a,$^) -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/lib64/stubs \
		-Wl,-rpath,$(CUDA_HOME)/lib64 -lcublas -lnvrtc -lcuda -ldl -lm
$(O)/tests/hip-on-cuda/conformance: $(CONF_SRC:%.c=$(O)/%.o) $(O)/tests/gpu/hip_on_cuda_load.o $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -Wl,--wrap=ilab_backend_load -o $@ $^ $(CMOCKA_LIBS) $(PKG_LIBS)
-include $(ON_CUDA_OBJ:.o=.d)

HIP_FAKES := $(addprefix $(FAKES)/hip/,libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7 libamdhip64.so.8 without-graphs/libamdhip64.so.7 \
	libhiprtc.so.7 libhsa-runtime64.so.1 libamd_comgr.so.2 libamd_comgr.so.3 librocblas.so.0 librocblas.so.4 librocblas.so.5 without-gemm/librocblas.so.4)
$(FAKES)/hip/renamed/hip.so: tests/fakes/wrong_abi.c $(O)/flags
	@mkdir -p $(@D)
	$(Q)$(FAKE_LINK) -DFAKE_NAME='"hip-on-cuda-test"' -o $@ $<
$(O)/tests/unit/test_hip_module: | $(filter %/hip.so,$(MODULES)) $(O)/tests/hip/hip-fake-test.so $(HIP_FAKES) $(FAKES)/hip/renamed/hip.so
HIP_FAKE_SRC = $(addprefix tests/fakes/,$(if $(findstring amdhip,$@),libamdhip64.c $(if $(filter %.7,$@),,hiprtc.c),$(if $(findstring hiprtc,$@),hiprtc.c, \
	$(if $(findstring rocblas,$@),librocblas.c,rocm_below.c))))
$(HIP_FAKES): $(wildcard tests/fakes/*.c tests/hip-headers/hip/*.h) $(O)/flags
	@mkdir -p $(@D)
	$(Q)$(FAKE_LINK) -Itests/hip-headers $(if $(findstring without-graphs,$@),-DFAKE_WITHOUT_GRAPHS) $(if $(findstring without-gemm,$@),-DFAKE_WITHOUT_GEMM_EX) \
		-Wl,-soname,$(@F) -o $@ $(HIP_FAKE_SRC)

$(O)/conformance: $(CONF_SRC:%.c=$(O)/%.o) $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(CMOCKA_LIBS) $(PKG_LIBS)

$(O)/native-compile: $(O)/tests/native-compile/native_compile.o $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)

# Looks inside a pass on a GPU; tests/gpu/run.sh uses it.
$(O)/gpu-passes: $(O)/tests/gpu/passes.o $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)

# Benchmarks of ours for ourselves; not tests.
$(O)/bench/%: $(O)/bench/%.o $(O)/libilab.a
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)

bench: $(O)/bench/gemm_cpu $(PROGRAM)
	$(Q)$<
	$(Q)bench/startup.sh $(PROGRAM)

layers:
	$(Q)tests/layers/run

unit: $(UNIT_BIN)
	$(Q)bad=0; for t in $(UNIT_BIN); do OMP_WAIT_POLICY=passive $$t || bad=1; done; exit $$bad

# Everything that needs no driver, under the address and undefined-behaviour sanitizers.
sanitized:
	$(Q)$(MAKE) --no-print-directory O=$(O)/sanitized SAN=address,undefined CFLAGS='-O1 -g' unit

native-compile: $(O)/native-compile
	$(Q)tests/native-compile/run $<

conformance: $(O)/conformance $(O)/tests/native/cuda.so
	$(Q)tests/conformance/run $(O)/conformance

schema: $(PROGRAM)
	$(Q)tests/schema/run $(PROGRAM)

cli: $(PROGRAM) $(O)/tests/native/cuda.so catalogues
	$(Q)ILAB_PROGRAM=$(abspath $(PROGRAM)) ILAB_HOST_MODULES=$(abspath $(O)/tests/native) bats --tap tests/cli

notebook: $(PROGRAM)
	$(Q)tests/notebook/run $(PROGRAM)

archives: $(PROGRAM)
	$(Q)tests/archives/run $(PROGRAM)

test: build $(O)/conformance $(O)/native-compile $(UNIT_BIN)
	$(Q)tests/run $(SUITES)

check:
	$(Q)$(MAKE) --no-print-directory deps
	$(Q)$(MAKE) --no-print-directory test

# An AMD GPU, an NVIDIA GPU, or both; a machine with neither gets the reasons of the NVIDIA part.
check-gpu:
	$(Q)status=0; if [ -e /dev/kfd ]; then tests/gpu/hip.sh amd || status=1; fi; \
	if [ ! -e /dev/kfd ] || [ -e /dev/nvidiactl ]; then tests/gpu/run.sh || status=1; tests/gpu/hip.sh on-cuda || status=1; fi; exit $$status

# --- archives ---------------------------------------------------------------------------------------------------------
# The same bytes each time. dist: every tracked file; kit: what is used beside the program.

dist kit:
	$(Q)python3 tools/archive.py $@ $(O)/archives $(VERSION)

# KIT=folder: an extracted kit (or source archive); without it, a kit made and unpacked now.
verify-kit: $(if $(KIT),,kit)
	$(Q)$(if $(KIT),,rm -rf $(O)/archives/unpacked && python3 -m zipfile -e $(O)/archives/iteragpu-lab-kit-$(VERSION).zip $(O)/archives/unpacked)
	$(Q)python3 tools/verify_archive.py $(or $(KIT),$(O)/archives/unpacked/iteragpu-lab-kit-$(VERSION))

# --- for people -------------------------------------------------------------------------------------------------------

deps:
	$(Q)tools/deps.sh $(or $(DEPS),check)

run:
	$(Q)$(MAKE) --no-print-directory deps DEPS=run
	$(Q)$(MAKE) --no-print-directory build
	$(Q)tools/run.sh $(PROGRAM)

install: build
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(datadir)/iteragpu-lab $(if $(MODULES),$(DESTDIR)$(libdir)/iteragpu-lab)
	install -m 755 $(PROGRAM) $(DESTDIR)$(bindir)/iteragpu-lab
	install -m 644 $(O)/iteragpu-lab.1 $(DESTDIR)$(mandir)/man1/iteragpu-lab.1
	install -m 644 data/tariffs.example.csv data/results-grid.csv $(DESTDIR)$(datadir)/iteragpu-lab/
	$(if $(MODULES),install -m 644 $(MODULES) $(DESTDIR)$(libdir)/iteragpu-lab/)
	$(foreach l,$(if $(MSGFMT),$(LANGUAGES)),install -D -m 644 $(O)/locale/$(l)/LC_MESSAGES/iteragpu-lab.mo $(DESTDIR)$(datadir)/locale/$(l)/LC_MESSAGES/iteragpu-lab.mo;)

uninstall:
	rm -f $(DESTDIR)$(bindir)/iteragpu-lab $(DESTDIR)$(mandir)/man1/iteragpu-lab.1
	rm -rf $(DESTDIR)$(libdir)/iteragpu-lab
	rm -f $(LANGUAGES:%=$(DESTDIR)$(datadir)/locale/%/LC_MESSAGES/iteragpu-lab.mo)
	rm -f $(DESTDIR)$(datadir)/iteragpu-lab/tariffs.example.csv $(DESTDIR)$(datadir)/iteragpu-lab/results-grid.csv
	-test ! -d $(DESTDIR)$(datadir)/iteragpu-lab || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(datadir)/iteragpu-lab

clean:
	rm -rf $(O)

help:
	@echo 'make run        install what is missing (root), build, measure on the first GPU or, saying so, on the CPU'
	@echo 'make check      install the test tools (root), build, run every test'
	@echo 'make            build $(O)/iteragpu-lab; CUDA=1 HIP=1 add the modules'
	@echo 'make test       every test, without installing anything or using the network'
	@echo '                one suite: make $(SUITES)'
	@echo 'make install    PREFIX DESTDIR bindir libdir mandir datadir; make uninstall'
	@echo 'make deps       install packages (apt as root, else prints the command); DEPS=run for building and running only'
	@echo 'make check-gpu  the tests and benchmarks that need a GPU'
	@echo 'make dist       $(O)/archives/: the source archive, reproducible, with its manifest; make kit: what is used beside the program'
	@echo 'make verify-kit KIT=folder: compare an extracted archive with its manifest'
	@echo 'make update-po  po/: bring the translations up to date with the sources (gettext)'
	@echo 'make bench      our CPU product against CLBlast, and how long the program takes to start and end'
	@echo 'make clean      remove $(O)'
	@echo 'Variables: CC CFLAGS CPPFLAGS LDFLAGS, O=folder, V=1 (show commands), WERROR=1, SAN=address,undefined, CUDA_HOME, HIP_HOME'
