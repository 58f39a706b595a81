# Builds, tests and checks Wari. `make help` prints the lines that start with "#?".
#
#? make                  build build/wari, build/libwari.so and build/libwari.a, and build/wari-mpi if MPI is
#?                       installed; make lib builds the libraries only
#? make demo             solve 0 to 18 seeds and look up well-known positions
#? make test             run each test once, at a small size; ends with "N passed, N failed"
#? make test-changed       run the tests that the changes since the last commit can break
#? make test-full          run test, then test-rest, which has more cases and tests in a second build
#? make test-stress        run `make test` under ten kinds of stress; takes an hour or two
#? make test-long          run tests that take very long: 200 kills, all published hashes
#? make test-unit, test-cli, test-asan, test-tsan     run one part of the tests; ONLY='PATTERN' selects by name
#? make mutants          check that the proof refuses fifty wrong solvers
#? make mutants-tests    check that the tests detect a hundred faults
#? make coverage         measure which lines and branches `make test` reaches
#? make test-web         test the pages of `wari serve` and `make site` in Chromium and Firefox
#? make test-posix       build and test the program as on Unix systems other than Linux: with nothing but calls of POSIX
#? make musl             build build/musl/wari, one static file that runs on every Linux, but has no `serve`;
#?                       make test-musl runs the unit tests with the C library musl
#? make test-arm         cross-compile the program for AArch64 and test it with qemu
#? make windows          cross-compile wari.exe and wari.dll for Windows; make test-windows tests them with wine
#? make fuzz             run libFuzzer on everything that reads files or text; FUZZ_SECONDS=1200 for each target
#? make attack           failing calls, kills, fuzzers, random sessions and requests, many clients: takes about ten
#?                       minutes; ATTACK_SECONDS=3600 for each fuzzer
#? make lint             compile with gcc and clang, warnings as errors, and check the rules for the sources
#? make format           format the C files; make format-check only checks them
#? make bench            measure speed, size and memory
#? make evaluation       train the evaluation function of the search again (half an hour)
#? make setup            install missing packages; setup-web, setup-packages, setup-arm, setup-musl and setup-windows
#?                       install those for the tests of the page, of packages and other languages, for AArch64, for
#?                       musl, and for Windows
#? make books            write books of tournament, awari and wari own with 12, 15 and 18 seeds
#? make amalgamation     write wari_probe.h and wari_probe.c, a reader of books in two files; and wari_levels.h, a
#?                       third file that reads level files
#? make js               compile that reader to bindings/js/wari.wasm, which completes the npm package bindings/js/
#? make site             write the page of `wari serve` as files for any web host, with a book of 12 seeds
#? make install          install programs, libraries, headers, wari.pc, files for CMake, manual, examples, licence,
#?                       CITATION.cff, and completion for bash; make uninstall removes them
#? make wheel            build the package for Python in build/wheel; make sdist writes its source archive to
#?                       build/sdist; make test-python tests both
#? make test-notebook    run the notebook of bindings/python/examples and write the result to
#?                       build/notebook/values.html; make setup-notebook installs Jupyter for it
#? make java             build the jars for Java in build/java; make test-java tests them by playing games
#? make dist             write the source archive to build/dist; the same commit always gives the same bytes
#? make deb              build Debian packages in build/deb
#? make test-packages    build both, install the packages in a new Debian system, and test them there
#? make clean            remove everything that was made
#?
#? Variables: CC, CPPFLAGS, CFLAGS, LDFLAGS; PREFIX (default /usr/local), LIBDIR (below PREFIX; default lib), DESTDIR;
#? PLATFORM=posix, to build the program for systems other than Linux in build/posix (system/README.md);
#? BUILD, the folder for everything that is made (default build), so that `make CC=clang BUILD=build/clang` does not
#? replace another build; V=1 shows commands, WERROR=1 makes warnings errors, JOBS is the number of processes that
#? tests use. The inner loops are compiled with -O3 in addition to CFLAGS, unless CFLAGS contains -O0, -O1, -Og, -Os,
#? -Oz or a sanitizer.

# ---- What is needed ---------------------------------------------------------------------------
# Each entry is a Debian package and the way to see whether it is installed: command:NAME (a command on the path),
# module:NAME (known to pkg-config) or file:PATTERN. Set-up, error messages and CI all read these lists.

BUILD_NEEDS = \
    $(if $(findstring clang,$(CC)),clang,$(if $(findstring musl,$(CC)),musl-tools,gcc))=command:$(firstword $(CC)) \
    $(if $(findstring clang,$(CC)),libomp-14-dev=file:/usr/lib/llvm-*/lib/libomp.so) \
    libc6-dev=file:/usr/include/stdio.h \
    binutils=command:ar \
    mawk=command:awk \
    pkg-config=command:pkg-config \
    libzstd-dev=module:libzstd \
    libxxhash-dev=module:libxxhash \
    libjansson-dev=module:jansson

# If it is missing, everything except `wari serve` is built.
SERVE_NEEDS = libmicrohttpd-dev=module:libmicrohttpd

# If it is missing, browsers load the modules of the page one by one, which takes seconds on a slow network.
PAGE_NEEDS = esbuild=command:esbuild

# If it is missing, everything except `wari-mpi` is built. (libmpich-dev and mpich also work if pkg-config
# knows them as mpi-c.)
MPI_NEEDS = libopenmpi-dev=module:mpi-c openmpi-bin=command:mpirun

CURL_NEEDS = curl=command:curl

# A big-endian 32-bit machine, to test the two files of `make amalgamation`.
POWERPC_NEEDS = \
    gcc-powerpc-linux-gnu=command:powerpc-linux-gnu-gcc \
    libc6-dev-powerpc-cross=file:/usr/powerpc-linux-gnu/include/stdio.h \
    qemu-user=command:qemu-ppc

WASM_NEEDS = clang=command:clang lld=command:wasm-ld

CHECK_NEEDS = \
    libcmocka-dev=module:cmocka \
    gcc=command:gcc \
    clang=command:clang \
    clang-format=command:clang-format \
    bsdutils=command:script \
    cmake=command:cmake \
    $(CURL_NEEDS) \
    util-linux=command:setpriv \
    g++=command:g++ \
    tcc=command:tcc \
    $(WASM_NEEDS) \
    nodejs=command:node \
    node-typescript=command:tsc \
    $(POWERPC_NEEDS) \
    python3=command:python3 \
    python3-jsonschema=file:/usr/lib/python3/dist-packages/jsonschema \
    universal-ctags=command:ctags \
    man-db=command:man \
    groff-base=command:groff \
    mandoc=command:mandoc \
    aspell=command:aspell \
    aspell-en=file:/usr/lib/aspell/en.multi \
    libomp-14-dev=file:/usr/lib/llvm-*/lib/libarcher.so \
    libclang-rt-14-dev=file:/usr/lib/llvm-*/lib/clang/*/lib/*/libclang_rt.tsan*.a \
    libclang-rt-14-dev=file:/usr/lib/llvm-*/lib/clang/*/lib/*/libclang_rt.fuzzer*.a

# The clients with which `make bench` measures the server.
BENCH_NEEDS = wrk=command:wrk python3=command:python3 $(CURL_NEEDS)

# Real browsers, only for `make test-web`.
WEB_NEEDS = \
    chromium=command:chromium \
    chromium-driver=command:chromedriver \
    firefox-esr=command:firefox \
    nodejs=command:node \
    npm=command:npm \
    python3-selenium=file:/usr/lib/python3/dist-packages/selenium

# Only for `make test-arm`: a cross compiler and its C library, and an emulator. The libraries for arm64 come from the
# packages in ARM_PACKAGES, which tests/arm/libraries.sh unpacks below $(BUILD).
ARM_SYSTEM = /usr/aarch64-linux-gnu
ARM_NEEDS = \
    gcc=command:gcc \
    gcc-aarch64-linux-gnu=command:aarch64-linux-gnu-gcc \
    libc6-dev-arm64-cross=file:$(ARM_SYSTEM)/include/stdio.h \
    qemu-user=command:qemu-aarch64
ARM_PACKAGES = libzstd-dev libzstd1 libxxhash-dev libxxhash0 libjansson-dev libjansson4 \
    libcmocka-dev libcmocka0

# The programs for musl and for Windows need libraries that Debian does not have in compiled form. So the libraries are
# compiled from these source packages of Debian 12 (NAME=VERSION), which packaging/source_packages.sh downloads.
SOURCE_NEEDS = dpkg-dev=command:dpkg-source xz-utils=command:xz
SOURCE_PACKAGES = libzstd=1.5.4+dfsg2-5 xxhash=0.8.1-1 jansson=2.14-2 cmocka=1.1.5-2.1

# Only for `make musl` and `make test-musl`.
MUSL_NEEDS = gcc=command:gcc musl-tools=command:musl-gcc cmake=command:cmake $(SOURCE_NEEDS)

# Everything that `make test` needs.
TEST_NEEDS = $(BUILD_NEEDS) $(SERVE_NEEDS) $(PAGE_NEEDS) $(MPI_NEEDS) $(CHECK_NEEDS)

# ---- Settings ---------------------------------------------------------------------------------

VERSION := $(shell sed -n 's|^.define WARI_VERSION "\([^"]*\)".*|\1|p' db/wari.h)
ABI := $(shell sed -n 's/^.define WARI_ABI \([0-9]*\)$$/\1/p' db/wari.h)
PREFIX ?= /usr/local
LIBDIR ?= lib
DESTDIR ?=
PLATFORM =
BUILD ?= build$(PLATFORM:%=/%)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CFLAGS ?= -O2 -g1
# OPTIMISE follows CFLAGS on the command line of the compiler; for folders with inner loops it is FASTER.
OPTIMISE =
FASTER := $(if $(filter -O0 -O1 -Og -Os -Oz -fsanitize%,$(CFLAGS)),,-O3)

ifneq ($(words $(BUILD)),1)
$(error BUILD: "$(BUILD)" must be one path without blanks, because make divides lists of files at blanks)
endif

# musl-gcc cannot use the libraries of this system, which were compiled for another C library.
ifneq ($(filter musl-gcc,$(notdir $(CC))),)
ifeq ($(PKG_CONFIG_LIBDIR),)
$(error CC: musl-gcc needs libraries that were compiled with it, too. Use `make setup-musl musl`; or set PKG_CONFIG_LIBDIR \
    to the folder of the .pc files of your own libraries)
endif
endif

WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
    -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla $(if $(WERROR),-Werror)
MODULES = libzstd libxxhash
# PLATFORM=posix builds the program for systems other than Linux: with these macros, the headers of the system declare
# only the functions of POSIX. The tests may also call other functions.
ifneq ($(filter-out posix,$(PLATFORM)),)
$(error PLATFORM: "$(PLATFORM)" is neither empty nor posix)
else ifeq ($(PLATFORM),posix)
FEATURES = -D_XOPEN_SOURCE=700 -DWARI_POSIX_ONLY -Werror=implicit-function-declaration
TEST_FEATURES = -D_GNU_SOURCE
else
FEATURES = -D_GNU_SOURCE
endif
# The option that makes the compiler and the linker use OpenMP. For Apple's clang, it is '-Xpreprocessor -fopenmp', and
# LDFLAGS needs -lomp.
OPENMP ?= -fopenmp
STANDARD = -std=c11 $(FEATURES) -D_FILE_OFFSET_BITS=64 -fvisibility=hidden -I. -Igame -Idb -Idb/book -Idb/host -MMD -MP

pkg = $(shell pkg-config $(1) 2>/dev/null)
LIB_CFLAGS := $(call pkg,--cflags $(MODULES) jansson)
LIB_LIBS := $(call pkg,--libs $(MODULES))
TOOL_LIBS := $(call pkg,--libs jansson) -lm
SERVE_LIBS := $(call pkg,--libs libmicrohttpd)
SERVE_CFLAGS = $(call pkg,--cflags libmicrohttpd) -Wa,-I$(BUILD)/page
MPI_LIBS := $(call pkg,--libs mpi-c)
TEST_CFLAGS := $(call pkg,--cflags cmocka)
TEST_LIBS := $(call pkg,--libs cmocka jansson) -lm

COMPILE = $(CC) $(STANDARD) $(WARNINGS) $(LIB_CFLAGS) $(CPPFLAGS) $(CFLAGS)
LINK = $(CC) $(CFLAGS) $(LDFLAGS) $(OPENMP) -pthread
PIC = -fPIC -fno-semantic-interposition

# ---- Sources: every .c file of a folder is compiled --------------------------------------------

# $(call sources,FOLDER...): the .c files of these folders and their sub-folders. A build for another system may set
# three variables: LEFT_OUT names files that it does not compile, ADDED names files of the program that are in other
# folders, and LIB_SYSTEM names files of system/ that become part of the library.
sources = $(filter-out $(LEFT_OUT),$(wildcard $(foreach folder,$(1),$(folder)/*.c $(folder)/*/*.c $(folder)/*/*/*.c)))
objects = $(1:%.c=$(BUILD)/obj/%.o)
MPI_SOURCES = $(call sources,solver/cluster tools/mpi)
# db/portable is the reader of level files in wari_levels.h (`make amalgamation`). The library does not contain it,
# because it has a faster one.
PORTABLE_SOURCES = $(call sources,db/portable)
LIB_OBJECTS = $(call objects,$(filter-out $(PORTABLE_SOURCES),$(call sources,game index db)) $(LIB_SYSTEM))
SOLVER_OBJECTS = $(call objects,$(filter-out $(MPI_SOURCES) $(LIB_SYSTEM),$(call sources,system solver verify)))
PLAY_OBJECTS = $(call objects,$(call sources,play))
LEARN_OBJECTS = $(call objects,$(call sources,tools/learn))
TOOL_OBJECTS = $(call objects,$(filter-out $(MPI_SOURCES) tools/examples/% tools/learn/%, \
    $(call sources,answer tools $(if $(SERVE_LIBS),serve))) $(ADDED))
MPI_OBJECTS = $(call objects,$(MPI_SOURCES))
MPI_PROGRAM = $(if $(MPI_LIBS),$(BUILD)/wari-mpi)
FUZZ_TARGETS = level_file chunk catalogue checkpoint proof notation record book opening_book protocol string_array
FUZZ_OBJECTS = $(call objects,$(filter-out %/libfuzzer.c,$(call sources,tests/fuzz)) serve/string_array.c)
# Unit tests run ranks as threads, with the network of tests/support/thread_net.c.
RANK_OBJECTS = $(filter-out %/net.o %/mpi_build.o %/main.o %/mpi_plan.o,$(MPI_OBJECTS))
REFERENCE_OBJECTS = $(call objects,$(call sources,tests/reference))
SUPPORT_OBJECTS = $(REFERENCE_OBJECTS) $(call objects,$(PORTABLE_SOURCES) $(call sources,tests/support)) \
    $(FUZZ_OBJECTS) $(RANK_OBJECTS)
BENCH_OBJECTS = $(call objects,$(call sources,tests/bench))
# Parts of serve/ that the unit tests need even if the program is built without a server.
SERVE_TESTED = $(call objects,$(addprefix serve/,analysis.c connections.c permits.c string_array.c))

# tests/unit mirrors the tree. Each file is a group of tests; all groups are linked into one program, so their names
# must differ. $(BUILD)/unit-SET contains the groups UNITS_SET; tests.mk explains the sets.
UNIT_SOURCES := $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c tests/unit/*/*/test_*.c)
UNITS_all = $(basename $(notdir $(UNIT_SOURCES)))
ifneq ($(words $(UNITS_all)),$(words $(sort $(UNITS_all))))
$(error two files of unit tests have the same name)
endif
unit_sources = $(foreach name,$(UNITS_$(1)),$(filter %/$(name).c,$(UNIT_SOURCES)))
ALL_OBJECTS = $(sort $(LIB_OBJECTS) $(SOLVER_OBJECTS) $(PLAY_OBJECTS) $(TOOL_OBJECTS) $(MPI_OBJECTS) \
    $(SUPPORT_OBJECTS) $(BENCH_OBJECTS) $(LEARN_OBJECTS) $(SERVE_TESTED) \
    $(call objects,$(call sources,serve tests/huge) tests/unit/groups.c $(UNIT_SOURCES)))

# The archives of a program, in the order that the linker needs. Only libwari.a is installed.
PARTS = $(BUILD)/libsolver.a $(BUILD)/libplay.a $(BUILD)/libwari.a
TEST_PARTS = $(BUILD)/libsupport.a $(PARTS)

# A build for tests only (BATCHED=1) compiles a dozen files at a time, which takes less than half the time;
# tests/batch.py explains how. The inner loops for particular processors and the reference solver have their own flags
# and are compiled one by one. Unit tests have batches of their own, because only the tests are compiled with -O0.
WIDE_OBJECTS = $(filter %_avx2.o %_avx512bw.o %_avx512.o,$(LIB_OBJECTS) $(SOLVER_OBJECTS))
unbatched = $(1:$(BUILD)/obj/%.o=%.c)
# $(call batch,NAME,OBJECTS): the objects of the batches that replace OBJECTS.
batch = $(patsubst %.c,%.o,$(shell tests/batch.py $(BUILD)/batch/$(1) $(call unbatched,$(2))))
ifdef BATCHED
PRODUCT := $(call batch,product,$(sort $(filter-out %/tools/main.o $(WIDE_OBJECTS), \
    $(LIB_OBJECTS) $(SOLVER_OBJECTS) $(PLAY_OBJECTS) $(TOOL_OBJECTS) $(SERVE_TESTED)))) $(WIDE_OBJECTS)
unit_batch = $(call batch,$(1),$(call objects,tests/unit/groups.c $(call unit_sources,$(1)))) \
    $(call batch,support,$(sort $(filter-out $(SERVE_TESTED) $(REFERENCE_OBJECTS),$(SUPPORT_OBJECTS)))) $(REFERENCE_OBJECTS) $(PRODUCT)
else
PRODUCT = $(filter-out %/main.o,$(TOOL_OBJECTS)) $(PARTS)
unit_batch = $(call objects,tests/unit/groups.c $(call unit_sources,$(1))) $(TEST_PARTS) $(SERVE_TESTED) $(PRODUCT)
endif

# ---- Build ------------------------------------------------------------------------------------

# $(call say,WORDS) prints without starting a process: printing and making folders took a twentieth of the build time.
ifneq ($(V),1)
Q = @
say = $(info $(1))
endif

.PHONY: all lib unit force
.SECONDARY: $(ALL_OBJECTS)
.SUFFIXES:
.DELETE_ON_ERROR:

# SHARED is the name of the shared library for the linker, SONAME the name by which programs load it, and SHARED_FILE
# the name of the installed file. The linker of macOS has no version scripts, so there the library exports every
# function that has WARI_API.
SYSTEM := $(shell uname -s)
ifeq ($(SYSTEM),Darwin)
SHARED = libwari.dylib
SONAME = libwari.$(ABI).dylib
SHARED_FILE = libwari.$(VERSION).dylib
SHARED_FLAGS = -dynamiclib -install_name $(PREFIX)/$(LIBDIR)/$(SONAME)
else
SHARED = libwari.so
SONAME = libwari.so.$(ABI)
SHARED_FILE = libwari.so.$(VERSION)
SHARED_FLAGS = -shared -Wl,-soname,$(SONAME) -Wl,--version-script,$(BUILD)/wari.map
endif
LIBRARIES = $(BUILD)/libwari.a $(BUILD)/$(SHARED)

PUBLIC_HEADERS = db/wari.h db/book/wari_book.h db/host/wari_host.h game/wari_game.h
COMMANDS := $(subst _,-,$(shell sed -n 's/^extern .* command_\([a-z_]*\);.*/\1/p' tools/common/command.h))
MANUALS = $(BUILD)/wari.1 $(COMMANDS:%=$(BUILD)/wari-%.1) $(MPI_PROGRAM:%=%.1) $(BUILD)/libwari.3 \
    $(BUILD)/wari-format.5

all: $(BUILD)/wari $(MPI_PROGRAM) $(LIBRARIES) $(MANUALS)
	@:

lib: $(LIBRARIES)
	@:

unit: $(BUILD)/unit-all
	@:

# The prerequisites that are linked: each object once, and objects before archives.
linked = $(sort $(filter %.o,$^)) $(filter %.a,$^) $(filter %.a,$^)

$(BUILD)/wari: $(call objects,tools/main.c) $(PRODUCT)
	$(call say,LINK $@)
	$(Q)$(LINK) -o $@ $(linked) $(TOOL_LIBS) $(SERVE_LIBS) $(LIB_LIBS)

$(BUILD)/wari-mpi: $(MPI_OBJECTS) $(PRODUCT)
	$(call say,LINK $@)
	$(Q)$(LINK) -o $@ $(linked) $(TOOL_LIBS) $(SERVE_LIBS) $(MPI_LIBS) $(LIB_LIBS)

# Evaluated only for the set that is built, because finding the batches takes a moment. tests.mk names the groups.
define unit_program
$(BUILD)/unit-$(1): $(call unit_batch,$(1)) tests/tests.mk
	$$(call say,LINK $$@)
	$$(Q)$$(LINK) -o $$@ $$(linked) $$(TEST_LIBS) $$(SERVE_LIBS) $$(LIB_LIBS)
endef

$(BUILD)/bench: $(BENCH_OBJECTS) $(TEST_PARTS)
	$(call say,LINK $@)
	$(Q)$(LINK) -o $@ $^ $(LIB_LIBS)

# The program that writes play/search/evaluation_numbers.c.
$(BUILD)/learn: $(LEARN_OBJECTS) $(call objects,tools/common/output.c) $(PARTS)
	$(call say,LINK $@)
	$(Q)$(LINK) -o $@ $(linked) $(LIB_LIBS) -lm

# Linked without OpenMP, which only the solver and the proof use. Programs load the library by its soname.
$(BUILD)/$(SHARED): $(LIB_OBJECTS) db/wari.map
	$(call say,LINK $@)
	$(Q)sed 's/@ABI@/$(ABI)/' db/wari.map >$(BUILD)/wari.map
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SHARED_FLAGS) -pthread -o $(BUILD)/$(SONAME) $(LIB_OBJECTS) $(LIB_LIBS)
	$(Q)ln -sf $(SONAME) $@

$(BUILD)/libwari.a: $(LIB_OBJECTS)
$(BUILD)/libsolver.a: $(SOLVER_OBJECTS)
$(BUILD)/libplay.a: $(PLAY_OBJECTS)
$(BUILD)/libsupport.a: $(SUPPORT_OBJECTS)

# Archives are always made from scratch, so that no member stays whose source was removed.
$(BUILD)/lib%.a:
	$(call say,AR   $@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Both libraries are compiled as position-independent code, so that the static one can be linked into a shared object.
$(LIB_OBJECTS): FOLDER_CFLAGS = $(PIC)
WITH_THREADS = $(foreach folder,system solver verify,$(BUILD)/obj/$(folder)/%.o)
$(WITH_THREADS) $(BUILD)/obj/play/search/%.o $(BUILD)/obj/tools/learn/%.o: OPTIMISE = $(FASTER)
$(BUILD)/obj/db/book/%.o $(BUILD)/obj/db/format/%.o: OPTIMISE = $(FASTER)
$(filter $(LIB_OBJECTS),$(WIDE_OBJECTS)): FOLDER_CFLAGS = $(PIC) $(WIDE_CFLAGS)
$(WITH_THREADS): FOLDER_CFLAGS = $(OPENMP)
$(BUILD)/obj/solver/cluster/net.o: FOLDER_CFLAGS = $(OPENMP) $(call pkg,--cflags mpi-c)
$(BUILD)/obj/tools/%.o: FOLDER_CFLAGS = $(if $(SERVE_LIBS),-DWITH_SERVER)
$(BUILD)/obj/serve/%.o: FOLDER_CFLAGS = $(SERVE_CFLAGS)
$(BUILD)/obj/serve/page.o: $(BUILD)/page/made
$(BUILD)/obj/db/maintain/published.o: $(addprefix data/,count_hashes.csv payload_hashes.csv proofs.csv)
$(BUILD)/obj/tests/bench/%.o: FOLDER_CFLAGS = $(OPENMP)
$(BUILD)/obj/tests/reference/%.o: FOLDER_CFLAGS = $(REFERENCE_CFLAGS)
# -O0, because compiling the tests takes a third of the time without optimisation. What they test is optimised as usual.
$(BUILD)/obj/tests/unit/%.o: FOLDER_CFLAGS = -O0 $(TEST_CFLAGS) $(if $(SERVE_LIBS),-DWITH_SERVER)
$(BUILD)/batch/%.o: FOLDER_CFLAGS = -O0
$(BUILD)/obj/tests/%.o $(BUILD)/batch/%.o: EXTRA_FEATURES = $(TEST_FEATURES)
$(BUILD)/batch/product/%.o $(BUILD)/batch/support/%.o: FOLDER_CFLAGS =
$(BUILD)/batch/product/%.o: EXTRA_FEATURES =

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	$(call say,CC   $<)
	$(Q)$(COMPILE) $(OPTIMISE) $(FOLDER_CFLAGS) $(EXTRA_FEATURES) -c -o $@ $<

# The files of the page, as serve/page.c embeds them.
$(BUILD)/page/made: serve/page.sh serve/bundle.sh serve/fill_in.sh serve/openapi.json \
    $(wildcard serve/page/* serve/page/messages/*) $(BUILD)/flags
	$(call say,PAGE $(@D))
	$(Q)serve/page.sh $(@D) && touch $@

# The manual pages are made from the help texts of the programs, the public headers, and the specification of the
# files.
$(BUILD)/wari.1: $(BUILD)/wari $(wildcard tools/manual/*)
	$(call say,MAN  $@)
	$(Q)tools/manual/wari.sh $(BUILD)/wari $(VERSION) >$@

$(BUILD)/wari-%.1: $(BUILD)/wari $(wildcard tools/manual/*)
	$(Q)tools/manual/command.sh $(BUILD)/wari $* >$@

# MPI leaks memory, which a build with sanitizers would report.
$(BUILD)/wari-mpi.1: $(BUILD)/wari-mpi $(wildcard tools/manual/*)
	$(Q)ASAN_OPTIONS=detect_leaks=0 tools/manual/command.sh $(BUILD)/wari-mpi >$@

$(BUILD)/libwari.3: $(PUBLIC_HEADERS) tools/examples/probe.c $(wildcard tools/manual/*)
	$(call say,MAN  $@)
	$(Q)mkdir -p $(@D) && tools/manual/libwari.sh tools/examples/probe.c >$@

$(BUILD)/wari-format.5: db/FORMAT.md $(wildcard tools/manual/*)
	$(call say,MAN  $@)
	$(Q)mkdir -p $(@D) && tools/manual/wari-format.sh db/FORMAT.md >$@

# This file contains the compile and link commands. It changes only when they change, and then everything is built
# again. Its rule also reports missing libraries before the compiler would.
$(BUILD)/flags: force
	@tests/setup.sh --check $(BUILD_NEEDS)
	@mkdir -p $(sort $(dir $(ALL_OBJECTS)))
	@printf '%s\n' '$(COMPILE)' '$(FASTER)' '$(LINK)' '$(PIC)' '$(WIDE_CFLAGS)' '$(REFERENCE_CFLAGS)' '$(SERVE_LIBS)' \
	    '$(MPI_LIBS)' "$$(command -v esbuild)" >$@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; \
	    tests/setup.sh --without "\`wari serve\`" $(SERVE_NEEDS); \
	    tests/setup.sh --without "a page that loads in one request" $(PAGE_NEEDS); \
	    tests/setup.sh --without wari-mpi $(MPI_NEEDS); fi

# -Wno-shadow: a local name in one file of a batch may be the name of a function in another file.
$(BUILD)/batch/%.o: $(BUILD)/batch/%.c $(BUILD)/flags $(if $(SERVE_LIBS),$(BUILD)/page/made)
	$(call say,CC   $<)
	$(Q)$(COMPILE) -Wno-shadow $(OPENMP) $(if $(SERVE_LIBS),-DWITH_SERVER) $(TEST_CFLAGS) $(SERVE_CFLAGS) $(FOLDER_CFLAGS) $(EXTRA_FEATURES) -c -o $@ $<

-include $(ALL_OBJECTS:.o=.d)

# ---- Set-up and demo --------------------------------------------------------------------------

# `make test` and similar targets call make again after set-up, so that pkg-config is called again.
MAKE_IN = $(MAKE) --no-print-directory $(if $(findstring --jobserver,$(MAKEFLAGS)),,-j$(JOBS))

# Only these targets call the package manager: `make setup` (and setup-web and others like it, for tests that need more),
# `make demo` and `make test`. All other targets print what is missing.
.PHONY: setup setup-web demo bench evaluation
setup:
	@tests/setup.sh --install $(TEST_NEEDS) $(BENCH_NEEDS)

setup-web:
	@tests/setup.sh --install $(BUILD_NEEDS) $(SERVE_NEEDS) $(PAGE_NEEDS) $(WEB_NEEDS) $(WASM_NEEDS)

demo:
	@tests/setup.sh --install $(BUILD_NEEDS) $(SERVE_NEEDS) $(PAGE_NEEDS)
	@+$(MAKE_IN) all
	@tests/demo.sh $(BUILD)/wari $(BUILD)/demo

# Prints sizes and hashes. The books and the databases from which they are made go to $(BUILD)/books.
.PHONY: books
books:
	@tests/setup.sh --check $(BUILD_NEEDS)
	@+$(MAKE_IN) all
	@packaging/books.sh $(BUILD)/wari $(BUILD)/books

.PHONY: amalgamation js site
amalgamation: $(BUILD)/amalgamation/wari_probe.c
	@wc -l $(BUILD)/amalgamation/*.[ch]

$(BUILD)/amalgamation/wari_probe.c: packaging/amalgamation.sh LICENSE db/host/bytes.h db/wari.h \
    $(wildcard game/*.[ch] index/*.[ch] db/book/*.[ch] db/portable/*.[ch])
	$(call say,JOIN $@)
	$(Q)packaging/amalgamation.sh $(VERSION) $(@D)

js: bindings/js/wari.wasm
	@ls -l $<

bindings/js/wari.wasm: bindings/js/build.sh $(wildcard bindings/js/types.sh bindings/js/*.d.ts bindings/js/*.c bindings/js/libc/*) $(BUILD)/amalgamation/wari_probe.c
	@tests/setup.sh --check $(WASM_NEEDS)
	$(call say,WASM $@)
	$(Q)bindings/js/build.sh $(BUILD)/amalgamation $@ && cp LICENSE bindings/js && bindings/js/types.sh bindings/js

site: $(BUILD)/wari $(BUILD)/amalgamation/wari_probe.c
	@tests/setup.sh --check $(WASM_NEEDS)
	@bindings/js/site/site.sh $(BUILD)/wari $(BUILD)/amalgamation $(BUILD)/site

bench:
	@tests/setup.sh --check $(BUILD_NEEDS) $(SERVE_NEEDS) $(BENCH_NEEDS)
	@+$(MAKE_IN) $(BUILD)/bench all
	@$(BUILD)/bench $(BENCH_ARGS)
	@$(if $(findstring --json,$(BENCH_ARGS)),,tests/bench/probe.sh $(BUILD)/wari && \
	    tests/bench/verify.sh $(BUILD)/wari && \
	    tests/bench/search.sh $(BUILD)/wari $(BUILD)/bench && tests/bench/serve.sh $(BUILD)/wari)

# Builds a database of every variant in its own folder. The larger ones, one for each cycle rule, are the training set;
# with the others the error of the evaluation is measured.
EVALUATION = $(BUILD)/evaluation
LEARNED = abapa-own awari-even
VARIANTS = $(foreach rules,awari wari abapa warri ware slam-ends slam-gives slam-wins, \
    $(rules)-own $(rules)-even)
MEASURED = $(filter-out $(LEARNED),$(VARIANTS))
evaluation:
	@tests/setup.sh --check $(BUILD_NEEDS)
	@+$(MAKE_IN) $(BUILD)/wari $(BUILD)/learn
	@set -e; for variant in $(LEARNED) $(MEASURED); do \
	    case " $(LEARNED) " in *" $$variant "*) seeds=20 ;; *) seeds=14 ;; esac; \
	    mkdir -p $(EVALUATION)/$$variant; \
	    $(BUILD)/wari build --db $(EVALUATION)/$$variant --rules $${variant%-*} \
	        --cycle $${variant##*-} --seeds $$seeds; \
	done
	@$(BUILD)/learn play/search/evaluation_numbers.c \
	    $(addprefix $(EVALUATION)/,$(LEARNED) $(MEASURED))

include tests/tests.mk

# ---- Checks -----------------------------------------------------------------------------------

.PHONY: lint format format-check
# Compiles with warnings as errors in a separate folder, so that the next `make` has nothing to do. With WERROR=1 every
# build is such a build.
LINT_BUILD = $(if $(WERROR),$(BUILD),$(BUILD)/gcc)
lint: check-needs
	@+$(MAKE_IN) BUILD=$(LINT_BUILD) WERROR=1 all unit $(LINT_BUILD)/bench
	@JOBS=$(JOBS) WARNINGS='$(WARNINGS)' tests/lint.sh $(LINT_BUILD)

C_FILES = $(wildcard $(foreach folder,game index db bindings/js system solver verify play answer serve tools tests bindings/python, \
    $(folder)/*.[ch] $(folder)/*/*.[ch] $(folder)/*/*/*.[ch] $(folder)/*/*/*/*.[ch]))

format-check:
	@tests/setup.sh --check clang-format=command:clang-format
	@clang-format --dry-run -Werror $(C_FILES) && echo "format: $(words $(C_FILES)) files follow .clang-format"

format:
	clang-format -i $(C_FILES)

# ---- Install ----------------------------------------------------------------------------------
# The installed files. Each entry is MODE:FILE:PATH, or link:TARGET:PATH for a symbolic link; PATH is below PREFIX.

CMAKE_FILES = wari-config.cmake wari-config-version.cmake
EXAMPLES = $(wildcard tools/examples/*)
INSTALLED = \
    755:$(BUILD)/wari:bin/wari \
    $(MPI_PROGRAM:%=755:%:bin/wari-mpi) \
    644:$(BUILD)/$(SONAME):$(LIBDIR)/$(SHARED_FILE) \
    link:$(SHARED_FILE):$(LIBDIR)/$(SONAME) \
    link:$(SONAME):$(LIBDIR)/$(SHARED) \
    644:$(BUILD)/libwari.a:$(LIBDIR)/libwari.a \
    644:$(BUILD)/wari.pc:$(LIBDIR)/pkgconfig/wari.pc \
    $(foreach each,$(CMAKE_FILES),644:$(BUILD)/$(each):$(LIBDIR)/cmake/wari/$(each)) \
    $(foreach each,$(MANUALS),644:$(each):share/man/man$(subst .,,$(suffix $(each)))/$(notdir $(each))) \
    644:packaging/wari.bash:share/bash-completion/completions/wari \
    $(foreach each,$(PUBLIC_HEADERS),644:$(each):include/$(notdir $(each))) \
    $(foreach each,$(wildcard data/*.* data/games/*),644:$(each):share/wari/$(each:data/%=%)) \
    $(foreach each,$(EXAMPLES),644:$(each):share/doc/wari/examples/$(notdir $(each))) \
    $(foreach each,LICENSE CITATION.cff,644:$(each):share/doc/wari/$(each))

.PHONY: install uninstall clean help
install: all $(BUILD)/wari.pc $(CMAKE_FILES:%=$(BUILD)/%)
	@packaging/install.sh install "$(DESTDIR)" "$(PREFIX)" $(INSTALLED)

uninstall:
	@packaging/install.sh uninstall "$(DESTDIR)" "$(PREFIX)" $(INSTALLED)

# @UP@ is the path from the folder of wari.pc (or of the files for CMake) to PREFIX; it depends on the depth of LIBDIR.
# In /usr, wari.pc has absolute paths: pkg-config leaves out folders that compilers search anyway, if it recognises them.
$(BUILD)/wari.pc: UP = pkgconfig
$(CMAKE_FILES:%=$(BUILD)/%): UP = cmake/wari
$(BUILD)/wari.pc $(CMAKE_FILES:%=$(BUILD)/%): $(BUILD)/%: force
	@sed -e 's|@PREFIX@|$(if $(filter /usr /usr/,$(PREFIX)),/usr,$${pcfiledir}/@UP@)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e "s|@UP@|$$(realpath -m --relative-to="/x/$(LIBDIR)/$(UP)" /x)|" -e 's|@ABI@|$(ABI)|' \
	    -e 's|@SHARED_FILE@|$(SHARED_FILE)|' -e 's|@SONAME@|$(SONAME)|' \
	    -e 's|@VERSION@|$(VERSION)|' -e 's|@MODULES@|$(MODULES)|' db/$*.in >$@

# BUILD may name any folder. Outside of build/, only a folder that this Makefile compiled into is removed.
clean:
	@case "$(abspath $(BUILD))/" in "$(CURDIR)/build/"*) exit 0 ;; esac; [ ! -e "$(BUILD)" ] || ls "$(BUILD)"/flags "$(BUILD)"/*/flags 2>/dev/null | grep -q . || \
	    { echo "make: $(BUILD) holds nothing that this Makefile made; remove it yourself" >&2; exit 2; }
	rm -rf "$(BUILD)" bindings/js/wari.wasm bindings/js/LICENSE bindings/js/*.d.cts

help:
	@sed -n 's/^#? \{0,1\}//p' Makefile

include packaging/packages.mk
include packaging/windows/windows.mk
