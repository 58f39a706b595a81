# The Makefile's tests and fuzzers.
# Builds one after the other, so that they do not fight for processors; each runs its programs and
# scripts in parallel. ONLY=PATTERN picks some by name.

# Those that reach threads: the thread sanitizer runs them, but for those that start none and those
# whose threads do what they do in others: of test_solver_bytes and _bounded, test_verify.
THREAD_SOURCES = $(filter tests/unit/solver/% tests/unit/verify/%,$(UNIT_SOURCES)) \
    $(shell grep -lE '^.include .(solver/|verify/|system/|pthread|threads)' $(UNIT_SOURCES) /dev/null)
# Those that `make test-long` runs in large.
LONG_PROGRAMS = $(patsubst %,$(BUILD)/unit/test_%,db_player index solver_bits_kernels solver_gathers \
    solver_large solver_peak solver_tables)
# What `make test-asan` leaves out. Five scripts look at texts and sources, the same in each build; kill.sh
# is about what lies on the disk; amalgamation.sh, js.sh and site.sh compile for themselves, with sanitizers
# where that is of use; mutants.sh, too. test_solver_peak measures memory, of which sanitizers take some.
ASAN_ONLY = !(amalgamation|documents|js|site|kill|lint|manual|mutants|page_texts|readme|test_solver_peak)
# Scripts whose commands have threads outside of the solver.
THREAD_SCRIPTS = @(engine*|serve$(if $(ONCE),_)*)
ONE_THREAD = check_damage crash huge_pages pack payload_hashes solver_bits_kernels solver_cells \
    solver_gathers solver_halves solver_kernels solver_large solver_merging verify_columns
SAME_THREADS = solver_bits_builds solver_peak solver_plan verify_look verify_wrong
# `make test` (ONCE=1) runs each check once, small, in the build where it finds most. Unit tests: under
# address and undefined; the inner loops as they ship, too, and what those sanitizers cannot run.
# Scripts: the program as it ships; under sanitizers those whose input strangers send. Threads:
# without stops, faults and what waits for disks.
ONCE_PLAIN = $(patsubst %,$(BUILD)/unit/test_solver_%,peak kernels bits_kernels gathers half_bytes)
ONCE_SCRIPTS = @(check|compare|engine*|errors|judge|serve*)
ONCE_THREADS = pack_proof reader_faults solver_bounded solver_checkpoint solver_cost solver_faults \
    solver_interruption solver_lower solver_sums
THREAD_PROGRAMS = $(filter-out $(patsubst %,$(BUILD)/unit/test_%,$(ONE_THREAD) $(SAME_THREADS) \
    $(if $(ONCE),$(ONCE_THREADS))), $(call programs,$(sort $(THREAD_SOURCES))))

ASAN_FLAGS = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Of three copies of the same arithmetic only the narrowest is checked for overflow: gcc takes sums of
# vectors apart for that, lane by lane, and the wide ones took a third of the time of some tests.
ASAN = BUILD=$(BUILD)/asan CFLAGS="-O1 -g1 $(ASAN_FLAGS)" LDFLAGS="$(LDFLAGS)" \
    WIDE_CFLAGS=-fno-sanitize=signed-integer-overflow REFERENCE_CFLAGS=-O2
# The reference solver starts no thread and shares nothing; watched, it took ten times as long. With
# -O1 tests took 1.15 times as long.
TSAN = BUILD=$(BUILD)/tsan CC=clang CFLAGS="-O2 -g1 -fsanitize=thread" LDFLAGS="$(LDFLAGS)" \
    REFERENCE_CFLAGS="-O2 -fno-sanitize=thread"
# One more at a time than processors, since some wait; scripts wait for clocks, engines and connections.
RUN = JOBS=$$(($(JOBS) + 1)) ONLY='$(ONLY)' CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)'
RUN_PROGRAMS = tests/run-unit.sh $(BUILD)/log/unit
RUN_SCRIPTS = JOBS=$$((2 * $(JOBS))) tests/run-cli.sh $(BUILD)/log/cli $(BUILD)/wari
# For run-both and run-threads: unit tests to run; a pattern for scripts, where that is not ONLY; and
# whether ONLY is about programs or scripts alone.
TESTED =
SCRIPTS =
PICKED = $(if $(filter-out !%,$(ONLY)),$(if $(filter test_%,$(ONLY)),programs,scripts))
# $(call beside,PROGRAMS,SCRIPTS): both at once, or the one that ONLY is about.
beside = $(RUN) tests/together.sh "$(if $(filter scripts,$(PICKED)),true,$(1))" \
    "$(if $(filter programs,$(PICKED)),true,$(if $(SCRIPTS),ONLY='$(SCRIPTS)') $(2))"

# A library that tests load before the C library: it holds the program at a call, or lets the call fail.
# Sanitizers need the calls for memory and threads themselves.
CALLS = $(BUILD)/calls.so
$(CALLS): tests/calls/calls.c $(BUILD)/flags
	$(call say,LINK $@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(if $(WERROR),-Werror) -fPIC -shared \
	    $(if $(findstring -fsanitize,$(CFLAGS)),-DFILES_ONLY) -o $@ $<

.PHONY: test test-full test-plain test-unit test-cli test-asan test-tsan run-both run-threads
.PHONY: mutants test-long test-web
TEST_ALL = tests/all.sh "$(MAKE)" $(BUILD) test-plain test-asan test-tsan
test: setup
	@+export ONCE=1 WARI_TEST_SCALE=small; $(TEST_ALL)

test-full: setup
	@+unset ONCE WARI_TEST_SCALE; $(TEST_ALL)

test-unit:
	@+$(MAKE_IN) unit
	@$(RUN) $(RUN_PROGRAMS) $(UNIT_PROGRAMS)

test-cli:
	@+$(MAKE_IN) all $(CALLS)
	@$(RUN) $(RUN_SCRIPTS)

test-plain:
	@+$(MAKE_IN) TESTED='$(if $(and $(ONCE),$(if $(ONLY),,1)),$(ONCE_PLAIN),$(UNIT_PROGRAMS))' run-both

run-both: all $(CALLS) $(TESTED)
	@$(call beside,$(RUN_PROGRAMS) $(TESTED),$(RUN_SCRIPTS))

# Fifty wrong solvers, and whether the proof refuses what each of them builds. STEP=10 takes one in ten;
# ONLY='slam' those whose names have that.
mutants:
	@+$(MAKE_IN) $(BUILD)/wari
	@JOBS=$(JOBS) STEP='$(STEP)' LIST='$(LIST)' tests/mutants/run.py $(BUILD) '$(COMPILE) -fopenmp' \
	    '$(LINK) $(TOOL_OBJECTS)' '$(PARTS) $(TOOL_LIBS) $(SERVE_LIBS) $(LIB_LIBS)' '$(ONLY)'

# In a real browser; screenshots of what it saw stay in $(BUILD)/log/web/pictures.
test-web:
	@tests/setup.sh --install $(BUILD_NEEDS) $(SERVE_NEEDS) $(WEB_NEEDS) $(WASM_NEEDS)
	@+$(MAKE_IN) all site
	@tests/web/run.sh $(BUILD)/log/web $(BUILD)/wari $(BUILD)/site

# The program for AArch64, in $(BUILD)/arm; tests/arm/README.md says how. An emulator takes some ten
# times as long, so tests are small, and those are left out that take longest and are about disks,
# memory, stops and faults, or about processes, but not about processors.
ARM_LEFT_OUT = crash db_line pack_proof process solver_bounded solver_checkpoint solver_faults \
    solver_interruption solver_large solver_peak solver_plan solver_ranks
ARM_FOLDER = $(abspath $(BUILD))/arm/libraries
ARM_LIBRARIES = $(ARM_FOLDER)/usr/lib/aarch64-linux-gnu
ARM = PKG_CONFIG_SYSROOT_DIR=$(ARM_FOLDER) PKG_CONFIG_LIBDIR=$(ARM_LIBRARIES)/pkgconfig \
    PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
    $(MAKE_IN) BUILD=$(BUILD)/arm CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar \
    LDFLAGS="$(ARM_LDFLAGS)" SERVE_NEEDS= MPI_NEEDS=
# The loader and the C library of the cross compiler, and no other.
ARM_LDFLAGS = -Wl,--dynamic-linker=$(ARM_SYSTEM)/lib/ld-linux-aarch64.so.1 \
    -Wl,--disable-new-dtags,-rpath,$(ARM_SYSTEM)/lib:$(ARM_LIBRARIES)

ARM_PROGRAMS = $(patsubst $(BUILD)/%,$(BUILD)/arm/%,$(filter-out \
    $(ARM_LEFT_OUT:%=$(BUILD)/unit/test_%),$(UNIT_PROGRAMS)))

.PHONY: setup-arm test-arm test-arm-unit test-arm-builds
setup-arm:
	@tests/setup.sh --install $(ARM_NEEDS)
	@tests/arm/libraries.sh $(ARM_FOLDER) $(ARM_PACKAGES)

test-arm: setup-arm
	@+$(ARM) $(BUILD)/arm/wari $(ARM_PROGRAMS)
	@+tests/all.sh "$(MAKE)" $(BUILD)/arm test-arm-unit $(if $(ONLY),,test-arm-builds)

test-arm-unit:
	@$(RUN) WARI_TEST_SCALE=small LIMIT=900 EMULATOR=qemu-aarch64 \
	    tests/run-unit.sh $(BUILD)/arm/log/unit $(ARM_PROGRAMS)

test-arm-builds: $(BUILD)/arm/count_instructions.so
	@tests/arm/run.sh $(BUILD)/arm/log/builds qemu-aarch64 $(BUILD)/arm/wari $<

# A plugin of qemu's, for the machine that this is.
$(BUILD)/arm/count_instructions.so: tests/arm/count_instructions.c
	$(call say,LINK $@)
	$(Q)mkdir -p $(@D) && gcc $(STANDARD) $(WARNINGS) $(CFLAGS) -fPIC -shared -o $@ $<

# What takes too long for every day; each part ends with its time. ONLY picks parts by name.
test-long: setup
	@+$(MAKE_IN) all $(LONG_PROGRAMS)
	@JOBS=$(JOBS) ONLY='$(ONLY)' tests/long.sh $(BUILD) $(LONG_PROGRAMS)

test-asan:
	@+export WARI_TEST_SCALE=small; $(MAKE_IN) $(ASAN) TESTED='$$(UNIT_PROGRAMS)' PICKED='$(PICKED)' \
	    ONLY='$(or $(ONLY),$(ASAN_ONLY))' SCRIPTS='$(if $(ONCE),$(or $(ONLY),$(ONCE_SCRIPTS)))' run-both

test-tsan:
	@tests/tsan.sh --self-test $(BUILD)/tsan
	@+export WARI_TEST_SCALE=small; $(MAKE_IN) $(TSAN) SCRIPTS='$(or $(ONLY),$(THREAD_SCRIPTS))' run-threads

run-threads: $(THREAD_PROGRAMS) $(BUILD)/wari $(CALLS)
	@$(call beside,tests/tsan.sh $(RUN_PROGRAMS) $(THREAD_PROGRAMS),tests/tsan.sh env $(RUN_SCRIPTS))

# ---- Fuzzing ----------------------------------------------------------------------------------
# One fuzzer after the other. What is worth keeping goes to tests/fuzz/corpus by hand (tests/fuzz/
# README.md), and from there into `make test`.

FUZZ_SECONDS = 1200
FUZZ_SEED = 0
FUZZ_FLAGS = address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Compared numbers teach a fuzzer little behind edits and hashes; looking at each took 2/3 of the time.
FUZZ = BUILD=$(BUILD)/fuzz CC=clang \
    CFLAGS="-O2 -g -fsanitize=fuzzer-no-link,$(FUZZ_FLAGS) -fno-sanitize-coverage=trace-cmp"
FUZZERS = $(FUZZ_TARGETS:%=$(BUILD)/fuzz_%)

.PHONY: fuzz fuzzers
fuzz: setup
	@+$(MAKE_IN) $(FUZZ) fuzzers
	@ONLY='$(ONLY)' FUZZ_SEED=$(FUZZ_SEED) tests/fuzz/run.sh $(FUZZ_SECONDS) $(BUILD)/fuzz $(FUZZ_TARGETS)

fuzzers: $(FUZZERS)

# Everything at once: tests/attack/README.md.
.PHONY: attack
attack: setup $(CALLS)
	@+$(MAKE_IN) all
	@+$(MAKE_IN) $(ASAN) $(BUILD)/asan/wari
	@+$(MAKE_IN) $(TSAN) $(BUILD)/tsan/wari
	@+$(RUN) tests/attack/run.sh "$(MAKE)" $(BUILD)

$(BUILD)/fuzz_%: tests/fuzz/libfuzzer.c $(TEST_PARTS)
	$(call say,LINK $@)
	$(Q)$(COMPILE) -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_$* -fopenmp -pthread $(LDFLAGS) -o $@ $^ \
	    $(TEST_LIBS) $(LIB_LIBS)
