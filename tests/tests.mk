# The Makefile's tests and fuzzers.
#
# There are three builds. They are compiled one after the other, so that they do not compete for
# processors. Each runs its unit tests and scripts in parallel. ONLY=PATTERN selects some by name.
#
#   plain     the program as users have it
#   asan      address and undefined sanitizers; compiled in batches
#   tsan      thread sanitizer; compiled in batches
#
# `make test` runs each test once, at small size, in the plain build or in the asan build, whichever
# is more likely to find faults. For each test that runs in a second build, the table of
# tests/README.md gives the reason. `make test-rest` runs what remains: tests that have more cases at
# full size, and everything that can fail in another build, such as the tsan build. `make test-full`
# runs both. If the full size of a test hardly finds other errors than the small size, only
# `make test-long` runs it.

# ---- What runs where --------------------------------------------------------------------------

# All groups except the one that measures memory, because sanitizers use memory themselves, and the
# one that forks while threads allocate: the C library makes its allocator usable in the child, but
# that of the sanitizer, in which a child may wait for ever, does not.
UNITS_asan = $(filter-out test_solver_peak test_db_fork,$(UNITS_all))
# The groups that run with shipped optimisation: those for the inner loops, and the two that do not
# run with sanitizers.
UNITS_kernels = $(addprefix test_solver_,peak kernels bits_kernels gathers half_bytes) test_db_fork
# The groups for the thread sanitizer: all except groups that start no thread, and groups whose
# threads do the same as those of another group (test_solver_bytes, test_solver_bits,
# test_solver_lower, test_solver_faults, test_verify, test_db_cache).
ONE_THREAD = check_damage crash host_memory pack payload_hashes solver_bits_kernels solver_cells \
    solver_gathers solver_halves solver_kernels solver_large solver_merging verify_columns
SAME_THREADS = db_fork solver_bits_builds solver_bounded solver_checkpoint solver_cost solver_peak solver_plan solver_sums solver_tables verify_look \
    verify_wrong
UNITS_threads = $(filter-out $(addprefix test_,$(ONE_THREAD) $(SAME_THREADS)),$(basename $(notdir $(sort \
    $(filter tests/unit/solver/% tests/unit/verify/%,$(UNIT_SOURCES)) \
    $(shell grep -lE '^.include .(solver/|verify/|system/|pthread|threads)' $(UNIT_SOURCES) /dev/null)))))
# The groups whose larger sizes only have larger levels, or more games or positions of the same kind. These sizes hardly find
# other errors than the small size, so `make test-long` runs them, and `make test-rest` does not.
UNITS_long = $(addprefix test_,db_line db_move_cache db_player endgame game_perft index reference reference_moves solver_bits \
    solver_bits_kernels solver_bounded solver_bytes solver_events solver_full_halves solver_gathers solver_kernels solver_large \
    solver_levels solver_lower solver_peak solver_plan solver_storage solver_tables)
# The groups that test more cases at full size: each bit, each call that can fail, each rule set. `make test-rest` runs them
# at this size.
UNITS_rest = $(filter-out $(UNITS_long),$(basename $(notdir $(shell grep -lw 'test_scale\|test_scale_is' $(UNIT_SOURCES) /dev/null))))

# The groups that `make test-arm` leaves out, because an emulator takes about ten times as long: the
# slowest groups about disks, memory, events, stops and faults, and groups about processes, games and statistics.
# What they test does not depend on the processor: it is portable code. Other groups test the code that
# uses vector instructions.
ARM_LEFT_OUT = check_damage crash db_faults db_fork db_line db_move_cache db_player elo endgame pack pack_proof \
    play_search process reader_faults serve_analysis serve_connections serve_permits solver_bits_builds solver_bounded \
    solver_checkpoint solver_cost solver_ended solver_events solver_faults solver_folder solver_interruption solver_large \
    solver_peak solver_plan solver_ranks solver_sums verify_wrong
UNITS_arm = $(filter-out $(ARM_LEFT_OUT:%=test_%),$(UNITS_all))

# The groups that `make test-musl` leaves out: these groups mainly compute, and call no function of the C library that other
# groups do not call.
MUSL_LEFT_OUT = book check_damage db_line db_many db_player db_probe endgame evaluate game_perft index pack_proof \
    payload_hashes play_search portable_levels reference reference_moves solver_bits solver_bits_kernels solver_bounded \
    solver_bytes solver_cost solver_events solver_gathers solver_halves solver_kernels solver_large solver_levels solver_merging \
    solver_plan solver_sums solver_tables verify verify_wrong
UNITS_musl = $(filter-out $(MUSL_LEFT_OUT:%=test_%),$(UNITS_all))

# `make test-posix` runs the tests of code that differs between Linux and other systems.
UNITS_posix = $(addprefix test_,db_host db_file_systems host_memory process processors progress)
POSIX_SCRIPTS = @(engine*|match*|plan|scores|serve*|world_@(engines|file_systems|progress))

# Scripts, as bash patterns. `make test` runs the scripts whose input may come from strangers with
# sanitizers, and all others with the plain program.
ASAN_SCRIPTS = @(check|compare|engine*|errors|judge|match|serve*)
# `make test-rest` adds the others, except
#   - scripts about texts, sources, installed files and the Makefile, which are the same in each build
#   - kill.sh, which tests what is left on the disk
#   - scripts that compile by themselves, with sanitizers where these are useful
#   - scripts that run the same commands as other scripts: on other data (figures, format); on poor file systems (of these,
#     test_db_file_systems and test_db_host are run with sanitizers); or with more ranks than mpi_hosts.sh (of ranks,
#     test_solver_ranks is run with sanitizers)
ASAN_SCRIPTS_REST = !($(ASAN_SCRIPTS)|amalgamation|documents|figures|format|install|js|kill|lint|makefile|manual|mpi|mutants$(\
    )|page_texts|readme|site|whole_game|world_file_systems)
# Scripts whose commands start threads outside of the solver.
THREAD_SCRIPTS = @(engine|engine_*|serve|serve_@(analysis|bulk|clients|games|hosts))
# Scripts whose full size only has larger levels, or more games or kills. `make test-long` runs this size, or an even larger
# one of those in SCRIPTS_larger.
SCRIPTS_larger = amalgamation figures kill
SCRIPTS_long = $(SCRIPTS_larger) book build export match mpi pack site world_file_systems
# Scripts that test more cases at full size.
space := $(subst x,,x x)
SCALED_SCRIPTS = @($(subst $(space),|,$(filter-out $(SCRIPTS_long),$(basename $(notdir $(shell grep -lw 'is_small\|WARI_TEST_SCALE' \
    $(filter-out %/lib.sh,$(wildcard tests/cli/*.sh)) /dev/null))))))

# Checks of the undefined behaviour sanitizer that report a wrong pointer even if the program has not accessed memory through it.
# The address sanitizer reports most wrong pointers at the access, so `make test` skips these checks, which took a quarter of the
# processor time of compiling and testing. `make test-long ONLY=checks` and the fuzzers use them.
SKIPPED_CHECKS ?= null,object-size,pointer-overflow
ASAN_FLAGS = -fsanitize=address,undefined $(SKIPPED_CHECKS:%=-fno-sanitize=%) -fno-sanitize-recover=all -fno-omit-frame-pointer
# A program at a fixed address that contains the libraries of the sanitizers needs two thirds of the processor time to
# start, and scripts start it more than a thousand times. (clang links these libraries statically by itself.)
ASAN_START = -no-pie $(if $(findstring clang,$(CC)),,-static-libasan -static-libubsan)
# The same arithmetic exists in three widths, and only the narrowest is checked for overflow. For
# that check gcc splits sums of vectors into lanes; in the wide versions this took a third of the
# time of some tests.
ASAN = BATCHED=1 BUILD=$(BUILD)/asan CFLAGS="-O1 -g1 $(ASAN_FLAGS)" LDFLAGS="$(LDFLAGS) $(ASAN_START)" \
    WIDE_CFLAGS=-fno-sanitize=signed-integer-overflow REFERENCE_CFLAGS=-O2
# The reference solver starts no thread and shares nothing; with the sanitizer it took ten times as
# long. With -O1 instead of -O2, the tests took 1.15 times as long.
TSAN = BATCHED=1 BUILD=$(BUILD)/tsan CC=clang CFLAGS="-O2 -g1 -fsanitize=thread" LDFLAGS="$(LDFLAGS)" \
    REFERENCE_CFLAGS="-O2 -fno-sanitize=thread"

# ---- Running ----------------------------------------------------------------------------------

# One job more than there are processors, since some jobs wait: scripts wait for clocks, engines and
# connections.
RUN = PLATFORM='$(PLATFORM)' AGAIN='$(AGAIN)' JOBS=$$(($(JOBS) + 1)) ONLY='$(ONLY)' CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)'
# AGAIN: the target that runs a failed test again. LOGS: the folder for logs.
AGAIN = test-unit
LOGS = some
RUN_UNITS = tests/run-unit.sh $(BUILD)/log/$(LOGS)/unit $(BUILD)/unit-$(UNIT_SET)
RUN_SCRIPTS = JOBS=$$((2 * $(JOBS))) tests/run-cli.sh $(BUILD)/log/$(LOGS)/cli $(BUILD)/wari

# The program with a build's unit tests, the groups of it that run, and a pattern for scripts. ONLY
# selects from both; if it does not begin with "!", it names either groups or scripts.
UNIT_SET = all
UNITS = $(UNITS_$(UNIT_SET))
SCRIPTS = *
PICKED = $(if $(filter-out !%,$(ONLY)),$(if $(filter test_%,$(ONLY)),units,scripts))
# What the tests of a build need in addition to its program of unit tests.
PROGRAMS = $(if $(BATCHED),$(BUILD)/wari,all $(HUGE)) $(CALLS)

$(foreach set,$(if $(BATCHED),$(UNIT_SET),all kernels long posix),$(eval $(call unit_program,$(set))))
# This must come after all batches are written, because make remembers the files of a folder from
# when it first looked.
-include $(wildcard $(BUILD)/batch/*/*.d)

# A library that tests load before the C library. It can pause the program at a call or make the
# call fail. The sanitizers need the calls for memory and threads themselves.
CALLS = $(BUILD)/calls.so
$(CALLS): tests/calls/calls.c $(BUILD)/flags
	$(call say,LINK $@)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(if $(WERROR),-Werror) -fPIC -shared \
	    $(if $(findstring -fsanitize,$(CFLAGS)),-DFILES_ONLY) -o $@ $<

# A program that writes a database of 48 seeds as sparse files. Tests with sanitizers leave it out.
HUGE = $(BUILD)/huge_tables
$(HUGE): $(call objects,tests/huge/huge_tables.c) $(TEST_PARTS)
	$(call say,LINK $@)
	$(Q)$(LINK) -o $@ $(linked) $(TEST_LIBS) $(LIB_LIBS)

.PHONY: test test-rest test-full check-needs test-plain test-asan rest-plain rest-asan test-tsan
.PHONY: test-unit test-cli test-changed test-stress test-builds coverage run-coverage run-both mutants test-long test-web
TEST_ALL = tests/all.sh "$(MAKE)" $(BUILD)
test:
	@tests/setup.sh --install $(TEST_NEEDS)
	@+$(TEST_ALL) test-plain test-asan

test-rest: check-needs
	@+$(TEST_ALL) rest-plain rest-asan test-tsan

test-full: check-needs
	@+$(TEST_ALL) test-plain test-asan rest-plain rest-asan test-tsan

check-needs:
	@tests/setup.sh --check $(TEST_NEEDS)

test-unit:
	@+$(MAKE_IN) unit
	@$(RUN) $(RUN_UNITS) $(UNITS)

test-cli:
	@+$(MAKE_IN) all $(CALLS) $(HUGE)
	@$(RUN) AGAIN=$@ $(RUN_SCRIPTS)

# $(call both,SETTING...): makes everything that the tests of a build need, and runs them.
both = $(MAKE_IN) $(1) AGAIN=$@ PICKED='$(PICKED)' $(if $(ONLY),ONLY='$(ONLY)') run-both
small = WARI_TEST_SCALE=small

run-both: $(PROGRAMS) $(if $(UNITS),$(BUILD)/unit-$(UNIT_SET))
	@$(RUN) tests/together.sh \
	    "$(if $(filter scripts,$(PICKED)),true,$(if $(UNITS),$(RUN_UNITS) $(UNITS),true))" \
	    "$(if $(filter units,$(PICKED)),true,ONLY='$(or $(ONLY),$(SCRIPTS))' $(RUN_SCRIPTS))"

test-plain:
	@+$(small) $(call both,LOGS=test UNIT_SET=$(if $(ONLY),all,kernels) SCRIPTS='!($(ASAN_SCRIPTS))')

rest-plain:
	@+$(call both,LOGS=rest $(if $(ONLY),,UNITS='$$(UNITS_rest)') SCRIPTS='$(SCALED_SCRIPTS)')

test-asan:
	@+$(small) $(call both,$(ASAN) LOGS=test UNITS='$$(UNITS_asan)' SCRIPTS='$(ASAN_SCRIPTS)')

rest-asan:
	@+$(small) $(call both,$(ASAN) LOGS=rest $(if $(ONLY),,UNITS=) SCRIPTS='$(ASAN_SCRIPTS_REST)' \
	    PROGRAMS='$$(BUILD)/wari $$(MPI_PROGRAM) $$(CALLS)')

test-tsan:
	@tests/tsan.sh --self-test $(BUILD)/tsan
	@+$(small) tests/tsan.sh $(call both,$(TSAN) LOGS=rest UNIT_SET=threads SCRIPTS='$(THREAD_SCRIPTS)')

# Runs the tests that may be affected by the changes since a commit (BASE; default: the last one).
test-changed: check-needs
	@+$(MAKE_IN) all unit $(CALLS) $(HUGE)
	@$(RUN) RUN_UNITS='$(RUN_UNITS)' RUN_SCRIPTS='$(RUN_SCRIPTS)' tests/changed.sh $(BUILD) $(BASE)

# Runs `make test` under ten kinds of stress, one after the other. Takes an hour or two.
STRESS_NEEDS = locales=file:/usr/share/i18n/locales/de_DE libc-bin=command:localedef
test-stress: check-needs
	@tests/setup.sh --check $(STRESS_NEEDS)
	@+$(MAKE_IN) test-builds
	@+ONLY='$(ONLY)' tests/stress.sh "$(MAKE)" $(BUILD)

# Everything that `make test` compiles.
test-builds: all $(CALLS) $(HUGE) $(BUILD)/unit-kernels
	@+$(MAKE_IN) $(ASAN) $(BUILD)/asan/wari $(BUILD)/asan/unit-all $(BUILD)/asan/calls.so

# Measures which lines and branches the tests of `make test` reach. A program that ends without exit() writes its profile first
# (tests/calls/exit_coverage.c). mutants.sh cannot run in this build, because it links single objects, and a batched build has
# none.
EXIT_COVERAGE = $(abspath $(BUILD))/coverage/exit_coverage.o
COVERAGE = BUILD=$(BUILD)/coverage CFLAGS="-O1 -g --coverage -fprofile-update=atomic" BATCHED=1 \
    LDFLAGS="$(LDFLAGS) -Wl,--wrap=_exit,--wrap=execvp,--wrap=raise,--wrap=syscall $(EXIT_COVERAGE)"
coverage: check-needs
	@tests/setup.sh --check gcovr=command:gcovr
	@mkdir -p $(BUILD)/coverage && $(CC) -std=c11 -D_GNU_SOURCE -O2 -fPIC -c -o $(EXIT_COVERAGE) tests/calls/exit_coverage.c
	@+$(MAKE_IN) $(COVERAGE) PROGRAMS='all $$(CALLS) $$(HUGE)' $(BUILD)/coverage/unit-all run-coverage

run-coverage: $(PROGRAMS)
	@tests/coverage.sh $(BUILD) "$(RUN) $(RUN_UNITS) $(UNITS); $(RUN) LDFLAGS= ONLY='$(or $(ONLY),!(mutants))' $(RUN_SCRIPTS)"

# Builds fifty faulty solvers, and checks that the proof rejects the database of each. STEP=10 takes
# one in ten; ONLY='slam' takes those whose names contain "slam". The compiler may warn of a fault,
# so warnings are no errors here.
MUTANT_COMPILE = $(filter-out -Werror,$(COMPILE))
mutants: check-needs
	@+$(MAKE_IN) $(BUILD)/wari
	@JOBS=$(JOBS) STEP='$(STEP)' LIST='$(LIST)' tests/mutants/run.py $(BUILD) '$(MUTANT_COMPILE) -fopenmp' \
	    '$(LINK) $(TOOL_OBJECTS)' '$(PARTS) $(TOOL_LIBS) $(SERVE_LIBS) $(LIB_LIBS)' '$(ONLY)'

# Adds faults in answer/, db/, play/ and serve/, and checks that the tests notice each fault. (It
# links no archives, because a member of an archive could not be distinguished from the object that
# replaces it.)
.PHONY: mutants-tests
mutants-tests: check-needs
	@+$(MAKE_IN) all $(CALLS) $(HUGE) $(BUILD)/unit-$(UNIT_SET)
	@JOBS=$(JOBS) STEP='$(STEP)' LIST='$(LIST)' tests/mutants/run.py --tests $(BUILD) \
	    '$(MUTANT_COMPILE) -fopenmp -DWITH_SERVER $(TEST_CFLAGS) $(SERVE_CFLAGS)' '$(LINK)' \
	    '$(sort $(call objects,tests/unit/groups.c $(call unit_sources,$(UNIT_SET))) $(SUPPORT_OBJECTS) \
	    $(LIB_OBJECTS) $(SOLVER_OBJECTS) $(PLAY_OBJECTS) $(filter-out %/main.o,$(TOOL_OBJECTS)) $(SERVE_TESTED))' \
	    '$(sort $(LIB_OBJECTS) $(SOLVER_OBJECTS) $(PLAY_OBJECTS) $(TOOL_OBJECTS) $(SERVE_TESTED))' \
	    '$(TEST_LIBS) $(TOOL_LIBS) $(SERVE_LIBS) $(LIB_LIBS)' '$(ONLY)'

# Tests the page in a real browser. The screenshots stay in $(BUILD)/log/web/pictures.
test-web:
	@SETUP=setup-web tests/setup.sh --check $(BUILD_NEEDS) $(SERVE_NEEDS) $(PAGE_NEEDS) $(WEB_NEEDS) $(WASM_NEEDS)
	@+$(MAKE_IN) all site js $(CALLS)
	@tests/web/run.sh $(BUILD)/log/web $(BUILD)/wari $(BUILD)/site $(CALLS)

# The program for AArch64, in $(BUILD)/arm (tests/arm/README.md). An emulator takes about ten times
# as long, so tests are small, and ARM_LEFT_OUT lists groups that are not run.
ARM_FOLDER = $(abspath $(BUILD))/arm/libraries
ARM_LIBRARIES = $(ARM_FOLDER)/usr/lib/aarch64-linux-gnu
ARM = PKG_CONFIG_SYSROOT_DIR=$(ARM_FOLDER) PKG_CONFIG_LIBDIR=$(ARM_LIBRARIES)/pkgconfig \
    PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
    $(MAKE_IN) BUILD=$(BUILD)/arm CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar \
    LDFLAGS="$(ARM_LDFLAGS)" SERVE_NEEDS= PAGE_NEEDS= MPI_NEEDS=
# Only the loader and the C library of the cross compiler.
ARM_LDFLAGS = -Wl,--dynamic-linker=$(ARM_SYSTEM)/lib/ld-linux-aarch64.so.1 \
    -Wl,--disable-new-dtags,-rpath,$(ARM_SYSTEM)/lib:$(ARM_LIBRARIES)

.PHONY: setup-arm test-arm test-arm-unit test-arm-builds
setup-arm:
	@tests/setup.sh --install $(ARM_NEEDS)
	@tests/arm/libraries.sh $(ARM_FOLDER) $(ARM_PACKAGES)

test-arm:
	@SETUP=setup-arm tests/setup.sh --check $(ARM_NEEDS)
	@+tests/all.sh "$(MAKE)" $(BUILD)/arm test-arm-unit $(if $(ONLY),,test-arm-builds)

# A batch compiles the inner loops together with all other code; they are optimised as in the
# program that users build.
test-arm-unit:
	@+$(ARM) BATCHED=1 CFLAGS=-O3 UNIT_SET=arm $(BUILD)/arm/wari $(BUILD)/arm/unit-arm
	@$(RUN) AGAIN=$@ $(small) LIMIT=18000 EMULATOR=qemu-aarch64 \
	    tests/run-unit.sh $(BUILD)/arm/log/unit $(BUILD)/arm/unit-arm $(UNITS_arm)

test-arm-builds: $(BUILD)/arm/count_instructions.so
	@tests/arm/run.sh $(BUILD)/arm/log/builds qemu-aarch64 $(BUILD)/arm/wari $<

# A plugin for qemu, compiled for the host.
$(BUILD)/arm/count_instructions.so: tests/arm/count_instructions.c
	$(call say,LINK $@)
	$(Q)mkdir -p $(@D) && gcc $(STANDARD) $(WARNINGS) $(CFLAGS) -fPIC -shared -o $@ $<

# The program for systems other than Linux, in $(BUILD)/posix (system/README.md).
.PHONY: test-posix
test-posix:
	@+$(small) $(call both,PLATFORM=posix BATCHED=1 BUILD=$(BUILD)/posix CFLAGS=-O1 LOGS=test UNIT_SET=posix \
	    SCRIPTS='$(POSIX_SCRIPTS)' PROGRAMS='$$(BUILD)/wari $$(MPI_PROGRAM) $$(CALLS)')

# The program with the C library musl, as one static file, in $(BUILD)/musl. -z stack-size is needed because the threads of
# musl have stacks of only 128 KiB by default.
MUSL_FOLDER = $(abspath $(BUILD))/musl
MUSL_LIBRARIES = $(MUSL_FOLDER)/libraries
MUSL = PKG_CONFIG_LIBDIR=$(MUSL_LIBRARIES)/lib/pkgconfig $(MAKE_IN) BUILD=$(BUILD)/musl CC=musl-gcc \
    LDFLAGS="-static -no-pie -L$(MUSL_LIBRARIES)/lib -Wl,-z,stack-size=1048576" SERVE_NEEDS= PAGE_NEEDS= MPI_NEEDS=

.PHONY: setup-musl musl-libraries musl test-musl
setup-musl:
	@tests/setup.sh --install $(MUSL_NEEDS)
	@+$(MAKE_IN) musl-libraries

musl-libraries:
	@SETUP=setup-musl tests/setup.sh --check $(MUSL_NEEDS)
	@packaging/source_packages.sh $(MUSL_FOLDER)/sources $(SOURCE_PACKAGES)
	@JOBS=$(JOBS) tests/musl/libraries.sh $(MUSL_FOLDER)/sources $(MUSL_LIBRARIES)

musl: musl-libraries
	@+$(MUSL) $(BUILD)/musl/wari

test-musl: musl-libraries
	@+$(MUSL) BATCHED=1 CFLAGS=-O1 UNIT_SET=musl $(BUILD)/musl/unit-musl
	@$(RUN) AGAIN=$@ $(small) tests/run-unit.sh $(BUILD)/musl/log/unit $(BUILD)/musl/unit-musl $(UNITS_musl)

# Tests that take too long for every day; each part ends with its time. ONLY selects parts by name.
test-long: check-needs
	@+$(MAKE_IN) all $(CALLS) $(HUGE) $(BUILD)/unit-long
	@+JOBS=$(JOBS) ONLY='$(ONLY)' SCRIPTS='@($(subst $(space),|,$(filter-out $(SCRIPTS_larger),$(SCRIPTS_long))))' tests/long.sh "$(MAKE)" $(BUILD) $(UNITS_long)

# ---- Fuzzing ----------------------------------------------------------------------------------
# One fuzzer after the other. Inputs worth keeping are copied to tests/fuzz/corpus by hand
# (tests/fuzz/README.md); `make test` runs them too.

FUZZ_SECONDS = 1200
FUZZ_SEED = 0
FUZZ_FLAGS = address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Tracing comparisons teaches a fuzzer little about values behind edits and hashes, and it took 2/3
# of the time.
FUZZ = BUILD=$(BUILD)/fuzz CC=clang \
    CFLAGS="-O2 -g -fsanitize=fuzzer-no-link,$(FUZZ_FLAGS) -fno-sanitize-coverage=trace-cmp"
FUZZERS = $(FUZZ_TARGETS:%=$(BUILD)/fuzz_%)

.PHONY: fuzz fuzzers
fuzz: check-needs
	@+$(MAKE_IN) $(FUZZ) fuzzers
	@ONLY='$(ONLY)' FUZZ_SEED=$(FUZZ_SEED) tests/fuzz/run.sh $(FUZZ_SECONDS) $(BUILD)/fuzz $(FUZZ_TARGETS)

fuzzers: $(FUZZERS)

# All attacks at once: tests/attack/README.md.
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
