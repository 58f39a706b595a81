# The Makefile's tests and fuzzers.
#
# There are three builds. They are made one after the other, so that they do not fight for processors;
# each runs its unit tests and scripts side by side. ONLY=PATTERN selects some by name.
#
#   plain     the program as users have it
#   asan      address and undefined sanitizers; compiled in batches
#   tsan      thread sanitizer; compiled in batches
#
# `make test` runs each test once, small, in the build where it finds most; what runs in a second build
# has a reason in the table of tests/README.md. `make test-rest` runs what remains: full size, and
# everything that can fail in another build. `make test-full` is both.

# ---- What runs where --------------------------------------------------------------------------

# All groups but those that measure memory, of which sanitizers take some themselves.
UNITS_asan = $(filter-out test_solver_peak,$(UNITS_all))
# The inner loops as they are shipped, and memory.
UNITS_kernels = $(addprefix test_solver_,peak kernels bits_kernels gathers half_bytes)
# What reaches threads: all of it but groups that start no thread, and groups whose threads do what
# those of another group do, too: of test_solver_bytes and _bounded, and of test_verify.
ONE_THREAD = check_damage crash huge_pages pack payload_hashes solver_bits_kernels solver_cells \
    solver_gathers solver_halves solver_kernels solver_large solver_merging verify_columns
SAME_THREADS = solver_bits_builds solver_peak solver_plan verify_look verify_wrong
UNITS_threads = $(filter-out $(addprefix test_,$(ONE_THREAD) $(SAME_THREADS)),$(basename $(notdir $(sort \
    $(filter tests/unit/solver/% tests/unit/verify/%,$(UNIT_SOURCES)) \
    $(shell grep -lE '^.include .(solver/|verify/|system/|pthread|threads)' $(UNIT_SOURCES) /dev/null)))))
# Of these `make test` leaves to `make test-rest`: stops, faults and what waits for disks.
REST_THREADS = $(addprefix test_,pack_proof reader_faults solver_bounded solver_checkpoint solver_cost \
    solver_faults solver_interruption solver_lower solver_sums)
# What `make test-long` runs in large.
UNITS_long = $(addprefix test_,db_player index solver_bits_kernels solver_gathers solver_large solver_peak \
    solver_tables)

# What `make test-arm` runs in an emulator, which takes some ten times as long: all but groups that take
# longest and are about disks, memory, stops and faults, or about processes, but not about processors.
ARM_LEFT_OUT = crash db_line pack_proof process solver_bounded solver_checkpoint solver_faults \
    solver_interruption solver_large solver_peak solver_plan solver_ranks
UNITS_arm = $(filter-out $(ARM_LEFT_OUT:%=test_%),$(UNITS_all))

# Scripts, as patterns of bash. Under sanitizers `make test` runs those whose input strangers send.
ASAN_SCRIPTS = @(check|compare|engine*|errors|judge|serve*)
# `make test-rest` adds the others, but for scripts about texts, sources and what is installed, which are
# the same in each build; kill.sh, which is about what lies on the disk; and scripts that compile for
# themselves, with sanitizers where these are of use.
ASAN_SCRIPTS_REST = !($(ASAN_SCRIPTS)|amalgamation|documents|install|js|site|kill|lint|manual|mutants|page_texts|readme)
# Scripts whose commands have threads outside of the solver.
THREAD_SCRIPTS = @(engine|serve|serve_analysis|serve_clients)
THREAD_SCRIPTS_REST = @(engine_*|serve_@(bulk|games|hosts))
# Scripts that do more at full size.
space := $(subst x,,x x)
SCALED_SCRIPTS = @($(subst $(space),|,$(basename $(notdir $(shell grep -l 'is_small\|WARI_TEST_SCALE' \
    $(filter-out %/lib.sh,$(wildcard tests/cli/*.sh)) /dev/null)))))

ASAN_FLAGS = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# A program at a fixed address that contains the libraries of the sanitizers needs two thirds of the processor time to
# start, and scripts start it more than a thousand times. (clang links these libraries statically by itself.)
ASAN_START = -no-pie $(if $(findstring clang,$(CC)),,-static-libasan -static-libubsan)
# Of three copies of the same arithmetic only the narrowest is checked for overflow: gcc takes sums of
# vectors apart for that, lane by lane, and the wide ones took a third of the time of some tests.
ASAN = BATCHED=1 BUILD=$(BUILD)/asan CFLAGS="-O1 -g1 $(ASAN_FLAGS)" LDFLAGS="$(LDFLAGS) $(ASAN_START)" \
    WIDE_CFLAGS=-fno-sanitize=signed-integer-overflow REFERENCE_CFLAGS=-O2
# The reference solver starts no thread and shares nothing; watched, it took ten times as long. With
# -O1 tests took 1.15 times as long.
TSAN = BATCHED=1 BUILD=$(BUILD)/tsan CC=clang CFLAGS="-O2 -g1 -fsanitize=thread" LDFLAGS="$(LDFLAGS)" \
    REFERENCE_CFLAGS="-O2 -fno-sanitize=thread"

# ---- Running ----------------------------------------------------------------------------------

# One more at a time than processors, since some wait; scripts wait for clocks, engines and connections.
RUN = AGAIN='$(AGAIN)' JOBS=$$(($(JOBS) + 1)) ONLY='$(ONLY)' CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)'
# AGAIN: the target that runs a failed test again. LOGS: a folder for logs.
AGAIN = test-unit
LOGS = some
RUN_UNITS = tests/run-unit.sh $(BUILD)/log/$(LOGS)/unit $(BUILD)/unit-$(UNIT_SET)
RUN_SCRIPTS = JOBS=$$((2 * $(JOBS))) tests/run-cli.sh $(BUILD)/log/$(LOGS)/cli $(BUILD)/wari

# Which program of unit tests a build has, which of its groups run, and a pattern for scripts; with
# ONLY, which is about either groups or scripts unless it begins with "!", what it selects of both.
UNIT_SET = all
UNITS = $(UNITS_$(UNIT_SET))
SCRIPTS = *
PICKED = $(if $(filter-out !%,$(ONLY)),$(if $(filter test_%,$(ONLY)),units,scripts))
# What the tests of a build need beside its program of unit tests.
PROGRAMS = $(if $(BATCHED),$(BUILD)/wari,all) $(CALLS)

$(foreach set,$(if $(BATCHED),$(UNIT_SET),all kernels long),$(eval $(call unit_program,$(set))))
# Only now, when all batches are written: make remembers which files a folder had when it first looked.
-include $(wildcard $(BUILD)/batch/*/*.d)

# A library that tests load before the C library: it holds the program at a call, or lets the call fail.
# Sanitizers need the calls for memory and threads themselves.
CALLS = $(BUILD)/calls.so
$(CALLS): tests/calls/calls.c $(BUILD)/flags
	$(call say,LINK $@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(if $(WERROR),-Werror) -fPIC -shared \
	    $(if $(findstring -fsanitize,$(CFLAGS)),-DFILES_ONLY) -o $@ $<

.PHONY: test test-rest test-full check-needs test-plain test-asan test-tsan rest-plain rest-asan rest-tsan
.PHONY: test-unit test-cli test-changed test-stress test-builds coverage run-coverage run-both mutants test-long test-web
TEST_ALL = tests/all.sh "$(MAKE)" $(BUILD)
test:
	@tests/setup.sh --install $(TEST_NEEDS)
	@+$(TEST_ALL) test-plain test-asan test-tsan

test-rest: check-needs
	@+$(TEST_ALL) rest-plain rest-asan rest-tsan

test-full: check-needs
	@+$(TEST_ALL) test-plain test-asan test-tsan rest-plain rest-asan rest-tsan

check-needs:
	@tests/setup.sh --check $(TEST_NEEDS)

test-unit:
	@+$(MAKE_IN) unit
	@$(RUN) $(RUN_UNITS) $(UNITS)

test-cli:
	@+$(MAKE_IN) all $(CALLS)
	@$(RUN) AGAIN=$@ $(RUN_SCRIPTS)

# $(call both,SETTING...): makes what the tests of a build need, and runs them.
both = $(MAKE_IN) $(1) AGAIN=$@ PICKED='$(PICKED)' $(if $(ONLY),ONLY='$(ONLY)') run-both
small = WARI_TEST_SCALE=small

run-both: $(PROGRAMS) $(if $(UNITS),$(BUILD)/unit-$(UNIT_SET))
	@$(RUN) tests/together.sh \
	    "$(if $(filter scripts,$(PICKED)),true,$(if $(UNITS),$(RUN_UNITS) $(UNITS),true))" \
	    "$(if $(filter units,$(PICKED)),true,ONLY='$(or $(ONLY),$(SCRIPTS))' $(RUN_SCRIPTS))"

test-plain:
	@+$(small) $(call both,LOGS=test UNIT_SET=$(if $(ONLY),all,kernels))

rest-plain:
	@+$(call both,LOGS=rest SCRIPTS='$(SCALED_SCRIPTS)')

test-asan:
	@+$(small) $(call both,$(ASAN) LOGS=test UNITS='$$(UNITS_asan)' SCRIPTS='$(ASAN_SCRIPTS)')

rest-asan:
	@+$(small) $(call both,$(ASAN) LOGS=rest $(if $(ONLY),,UNITS=) SCRIPTS='$(ASAN_SCRIPTS_REST)' \
	    PROGRAMS='$$(BUILD)/wari $$(MPI_PROGRAM) $$(CALLS)')

test-tsan:
	@tests/tsan.sh --self-test $(BUILD)/tsan
	@+$(small) tests/tsan.sh $(call both,$(TSAN) LOGS=test UNIT_SET=threads SCRIPTS='$(THREAD_SCRIPTS)' \
	    $(if $(ONLY),,UNITS='$(filter-out $(REST_THREADS),$(UNITS_threads))'))

rest-tsan:
	@+$(small) tests/tsan.sh $(call both,$(TSAN) LOGS=rest UNIT_SET=threads SCRIPTS='$(THREAD_SCRIPTS_REST)' \
	    $(if $(ONLY),,UNITS='$(REST_THREADS)'))

# What the change since a commit (BASE, the last one) can break.
test-changed: check-needs
	@+$(MAKE_IN) all unit $(CALLS)
	@$(RUN) RUN_UNITS='$(RUN_UNITS)' RUN_SCRIPTS='$(RUN_SCRIPTS)' tests/changed.sh $(BUILD) $(BASE)

# `make test` under ten kinds of stress, one after the other: an hour or two.
STRESS_NEEDS = locales=file:/usr/share/i18n/locales/de_DE libc-bin=command:localedef
test-stress: check-needs
	@tests/setup.sh --check $(STRESS_NEEDS)
	@+$(MAKE_IN) test-builds
	@+ONLY='$(ONLY)' tests/stress.sh "$(MAKE)" $(BUILD)

# All that `make test` compiles.
test-builds: all $(CALLS) $(BUILD)/unit-kernels
	@+$(MAKE_IN) $(ASAN) $(BUILD)/asan/wari $(BUILD)/asan/unit-all $(BUILD)/asan/calls.so
	@+$(MAKE_IN) $(TSAN) UNIT_SET=threads $(BUILD)/tsan/wari $(BUILD)/tsan/unit-threads $(BUILD)/tsan/calls.so

# Which lines and branches the tests of `make test` reach.
COVERAGE = BUILD=$(BUILD)/coverage CFLAGS="-O1 -g --coverage -fprofile-update=atomic" BATCHED=1
coverage: check-needs
	@tests/setup.sh --check gcovr=command:gcovr
	@+$(MAKE_IN) $(COVERAGE) PROGRAMS='all $$(CALLS)' $(BUILD)/coverage/unit-all run-coverage

run-coverage: $(PROGRAMS)
	@tests/coverage.sh $(BUILD) "$(RUN) $(RUN_UNITS) $(UNITS); $(RUN) $(RUN_SCRIPTS)"

# Fifty wrong solvers, and whether the proof refuses what each of them builds. STEP=10 takes one in ten;
# ONLY='slam' those whose names have that.
# A fault may well be one that the compiler warns of.
MUTANT_COMPILE = $(filter-out -Werror,$(COMPILE))
mutants: check-needs
	@+$(MAKE_IN) $(BUILD)/wari
	@JOBS=$(JOBS) STEP='$(STEP)' LIST='$(LIST)' tests/mutants/run.py $(BUILD) '$(MUTANT_COMPILE) -fopenmp' \
	    '$(LINK) $(TOOL_OBJECTS)' '$(PARTS) $(TOOL_LIBS) $(SERVE_LIBS) $(LIB_LIBS)' '$(ONLY)'

# These and the faults of answer/, db/, play/ and serve/, and whether tests notice each. (Without the archives,
# whose members could not be told from the objects that take their places.)
.PHONY: mutants-tests
mutants-tests: check-needs
	@+$(MAKE_IN) all $(CALLS) $(BUILD)/unit-$(UNIT_SET)
	@JOBS=$(JOBS) STEP='$(STEP)' LIST='$(LIST)' tests/mutants/run.py --tests $(BUILD) \
	    '$(MUTANT_COMPILE) -fopenmp -DWITH_SERVER $(TEST_CFLAGS) $(call pkg,--cflags libmicrohttpd)' '$(LINK)' \
	    '$(sort $(call objects,tests/unit/groups.c $(call unit_sources,$(UNIT_SET))) $(SUPPORT_OBJECTS) \
	    $(LIB_OBJECTS) $(SOLVER_OBJECTS) $(PLAY_OBJECTS) $(filter-out %/main.o,$(TOOL_OBJECTS)) $(SERVE_TESTED))' \
	    '$(sort $(LIB_OBJECTS) $(SOLVER_OBJECTS) $(PLAY_OBJECTS) $(TOOL_OBJECTS) $(SERVE_TESTED))' \
	    '$(TEST_LIBS) $(TOOL_LIBS) $(SERVE_LIBS) $(LIB_LIBS)' '$(ONLY)'

# In a real browser; screenshots of what it saw stay in $(BUILD)/log/web/pictures.
test-web:
	@SETUP=setup-web tests/setup.sh --check $(BUILD_NEEDS) $(SERVE_NEEDS) $(WEB_NEEDS) $(WASM_NEEDS)
	@+$(MAKE_IN) all site
	@tests/web/run.sh $(BUILD)/log/web $(BUILD)/wari $(BUILD)/site

# The program for AArch64, in $(BUILD)/arm; tests/arm/README.md says how. An emulator takes some ten
# times as long, so tests are small, and those are left out that take longest and are about disks,
# memory, stops and faults, or about processes, but not about processors.
ARM_FOLDER = $(abspath $(BUILD))/arm/libraries
ARM_LIBRARIES = $(ARM_FOLDER)/usr/lib/aarch64-linux-gnu
ARM = PKG_CONFIG_SYSROOT_DIR=$(ARM_FOLDER) PKG_CONFIG_LIBDIR=$(ARM_LIBRARIES)/pkgconfig \
    PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
    $(MAKE_IN) BUILD=$(BUILD)/arm CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar \
    LDFLAGS="$(ARM_LDFLAGS)" SERVE_NEEDS= MPI_NEEDS=
# The loader and the C library of the cross compiler, and no other.
ARM_LDFLAGS = -Wl,--dynamic-linker=$(ARM_SYSTEM)/lib/ld-linux-aarch64.so.1 \
    -Wl,--disable-new-dtags,-rpath,$(ARM_SYSTEM)/lib:$(ARM_LIBRARIES)

.PHONY: setup-arm test-arm test-arm-unit test-arm-builds
setup-arm:
	@tests/setup.sh --install $(ARM_NEEDS)
	@tests/arm/libraries.sh $(ARM_FOLDER) $(ARM_PACKAGES)

test-arm:
	@SETUP=setup-arm tests/setup.sh --check $(ARM_NEEDS)
	@+tests/all.sh "$(MAKE)" $(BUILD)/arm test-arm-unit $(if $(ONLY),,test-arm-builds)

# The inner loops, which a batch compiles with all other code, are optimised as in the program that users build.
test-arm-unit:
	@+$(ARM) BATCHED=1 OPTIMISE=-O3 UNIT_SET=arm $(BUILD)/arm/wari $(BUILD)/arm/unit-arm
	@$(RUN) AGAIN=$@ $(small) LIMIT=18000 EMULATOR=qemu-aarch64 \
	    tests/run-unit.sh $(BUILD)/arm/log/unit $(BUILD)/arm/unit-arm $(UNITS_arm)

test-arm-builds: $(BUILD)/arm/count_instructions.so
	@tests/arm/run.sh $(BUILD)/arm/log/builds qemu-aarch64 $(BUILD)/arm/wari $<

# A plugin of qemu's, for the machine that this is.
$(BUILD)/arm/count_instructions.so: tests/arm/count_instructions.c
	$(call say,LINK $@)
	$(Q)mkdir -p $(@D) && gcc $(STANDARD) $(WARNINGS) $(CFLAGS) -fPIC -shared -o $@ $<

# What takes too long for every day; each part ends with its time. ONLY picks parts by name.
test-long: check-needs
	@+$(MAKE_IN) all $(CALLS) $(BUILD)/unit-long
	@JOBS=$(JOBS) ONLY='$(ONLY)' tests/long.sh $(BUILD) $(UNITS_long)

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
fuzz: check-needs
	@+$(MAKE_IN) $(FUZZ) fuzzers
	@ONLY='$(ONLY)' FUZZ_SEED=$(FUZZ_SEED) tests/fuzz/run.sh $(FUZZ_SECONDS) $(BUILD)/fuzz $(FUZZ_TARGETS)

fuzzers: $(FUZZERS)

# Everything at once: tests/attack/README.md.
.PHONY: attack
attack: check-needs $(CALLS)
	@+$(MAKE_IN) all
	@+$(MAKE_IN) $(ASAN) $(BUILD)/asan/wari
	@+$(MAKE_IN) $(TSAN) $(BUILD)/tsan/wari
	@+$(RUN) tests/attack/run.sh "$(MAKE)" $(BUILD)

$(BUILD)/fuzz_%: tests/fuzz/libfuzzer.c $(TEST_PARTS)
	$(call say,LINK $@)
	$(Q)$(COMPILE) -fsanitize=fuzzer -DFUZZ_TARGET=fuzz_$* -fopenmp -pthread $(LDFLAGS) -o $@ $^ \
	    $(TEST_LIBS) $(LIB_LIBS)
