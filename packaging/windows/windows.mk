# The program and the library for 64-bit Windows, cross-compiled: a part of the Makefile
# (packaging/windows/README.md).
#
# `make windows` calls make again with the settings in $(WINDOWS); that make reads what follows `ifdef FOR_WINDOWS`.

WINDOWS_CC = x86_64-w64-mingw32-gcc-posix
WINDOWS_NEEDS = \
    gcc-mingw-w64-x86-64-posix=command:$(lastword $(WINDOWS_CC)) \
    binutils-mingw-w64-x86-64=command:x86_64-w64-mingw32-ar \
    make=command:make \
    pkg-config=command:pkg-config \
    $(SOURCE_NEEDS)
WINDOWS_TEST_NEEDS = wine=command:wine wine64=file:/usr/lib/wine/wine64 $(BUILD_NEEDS)

WINDOWS_BUILD = $(BUILD)/windows
WINDOWS_LIBRARIES = $(abspath $(WINDOWS_BUILD))/libraries
WINDOWS_FILES = wari.exe wari.dll libwari.dll.a wari.def

# Files that are not compiled, because they start processes, listen at sockets or run on several machines.
WINDOWS_LEFT_OUT = tools/serve.c $(wildcard tools/match/*.c) \
    $(filter-out %/elo.c %/endgame.c %/match.c %/opening_book.c %/uci.c,$(wildcard play/engine/*.c)) \
    tests/support/thread_net.c

# Reasons for the options:
#   -Wno-format, since the compiler would complain about %zu, although the printf() of mingw-w64 knows it. The build for
#     Linux checks formats
#   -Wno-float-conversion, since the macro isinf() of mingw-w64 converts its argument
#   -muse-unaligned-vector-move, since gcc assumes that the stack is aligned to 32 bytes, but Windows aligns it to 16 bytes
#   --stack, so that the stack is as large as on Linux
# WERROR is empty, because the program for Windows is built with the flags of its users, even by CI, which sets WERROR=1.
WINDOWS = PKG_CONFIG_LIBDIR=$(WINDOWS_LIBRARIES)/lib/pkgconfig \
    $(MAKE_IN) FOR_WINDOWS=1 BUILD=$(WINDOWS_BUILD) CC="$(WINDOWS_CC)" AR=x86_64-w64-mingw32-ar \
    CPPFLAGS="-isystem packaging/windows/include -D__USE_MINGW_ANSI_STDIO=1 -Wno-format -Wno-float-conversion $(CPPFLAGS)" \
    CFLAGS="$(CFLAGS) -Wa,-muse-unaligned-vector-move" LDFLAGS="$(LDFLAGS) -static -Wl,--stack,8388608" \
    WERROR= PIC= SERVE_NEEDS= PAGE_NEEDS= MPI_NEEDS= RANK_OBJECTS= SERVE_TESTED= \
    LIB_SYSTEM=system/windows.c ADDED=packaging/windows/missing.c LEFT_OUT="$(WINDOWS_LEFT_OUT)"

.PHONY: setup-windows windows windows-libraries windows-files test-windows
setup-windows:
	@tests/setup.sh --install $(WINDOWS_NEEDS) $(WINDOWS_TEST_NEEDS)
	@packaging/source_packages.sh $(WINDOWS_BUILD)/sources $(SOURCE_PACKAGES)

windows-libraries:
	@SETUP=setup-windows tests/setup.sh --check $(WINDOWS_NEEDS)
	@packaging/source_packages.sh $(WINDOWS_BUILD)/sources $(SOURCE_PACKAGES)
	@packaging/windows/libraries.sh $(WINDOWS_BUILD)/sources $(WINDOWS_LIBRARIES) "$(WINDOWS_CC)" x86_64-w64-mingw32-ar

windows: windows-libraries
	@+$(WINDOWS) windows-files

# Groups of unit tests that are left out: they start processes, or need links and other things that Windows lacks.
WINDOWS_UNITS_LEFT_OUT = $(addprefix test_,process db_fork db_file_systems)
UNITS_windows = $(filter-out $(WINDOWS_UNITS_LEFT_OUT),$(basename $(notdir \
    $(filter $(addprefix tests/unit/,game/% index/% db/% play/%),$(UNIT_SOURCES)))))

test-windows: windows-libraries
	@SETUP=setup-windows tests/setup.sh --check $(WINDOWS_TEST_NEEDS)
	@+$(MAKE_IN) $(BUILD)/wari
	@+$(WINDOWS) BATCHED=1 UNIT_SET= windows-files $(WINDOWS_BUILD)/unit-windows.exe
	@$(RUN) $(small) tests/windows/run.sh $(WINDOWS_BUILD) $(BUILD)/wari $(UNITS_windows)

windows-files: $(WINDOWS_FILES:%=$(BUILD)/%)

ifdef FOR_WINDOWS

# The tests (BATCHED=1) compile the library once, in batches, for both the DLL and the programs.
WINDOWS_LIBRARY := $(LIB_OBJECTS)
ifdef BATCHED
WINDOWS_LIBRARY := $(call batch,library,$(filter-out $(WIDE_OBJECTS),$(LIB_OBJECTS))) $(filter $(WIDE_OBJECTS),$(LIB_OBJECTS))
PRODUCT := $(call batch,program,$(sort $(filter-out %/tools/main.o $(WIDE_OBJECTS), \
    $(SOLVER_OBJECTS) $(PLAY_OBJECTS) $(TOOL_OBJECTS)))) $(filter $(WIDE_OBJECTS),$(SOLVER_OBJECTS)) $(WINDOWS_LIBRARY)
$(BUILD)/batch/library/%.o $(BUILD)/batch/program/%.o: FOLDER_CFLAGS =
$(BUILD)/batch/library/%.o $(BUILD)/batch/program/%.o: EXTRA_FEATURES =
endif

# With --wrap=main, the program starts with __wrap_main() of system/windows.c, which calls main().
$(BUILD)/wari.exe: $(call objects,tools/main.c) $(PRODUCT)
	$(call say,LINK $@)
	$(Q)$(LINK) -Wl,--wrap=main -o $@ $(linked) $(TOOL_LIBS) $(LIB_LIBS)

# wari.def lists the functions of the public headers, which the DLL exports.
$(BUILD)/wari.def: $(WINDOWS_LIBRARY) $(PUBLIC_HEADERS)
	$(Q)x86_64-w64-mingw32-nm --defined-only --extern-only $(WINDOWS_LIBRARY) | sed -n 's/^[0-9a-f]* T \(wari_.*\)/\1/p' | sort -u >$@.all
	$(Q){ echo "LIBRARY wari.dll"; echo EXPORTS; \
	    grep -ohE '\<wari_[a-z0-9_]+\(' $(PUBLIC_HEADERS) | tr -d '(' | sort -u | comm -12 - $@.all; } >$@
	$(Q)rm $@.all

$(BUILD)/libwari.dll.a: $(BUILD)/wari.dll
	@:

# __wrap_main() of system/windows.c calls __real_main(), which a DLL does not have; --defsym gives it an address.
$(BUILD)/wari.dll: $(WINDOWS_LIBRARY) $(BUILD)/wari.def
	$(call say,LINK $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,--defsym,__real_main=DllMainCRTStartup -Wl,--out-implib,$(BUILD)/libwari.dll.a \
	    -o $@ $^ $(LIB_LIBS)

$(BUILD)/unit-windows.exe: $(call unit_batch,windows) packaging/windows/windows.mk
	$(call say,LINK $@)
	$(Q)$(LINK) -Wl,--wrap=main -o $@ $(linked) $(TEST_LIBS) $(LIB_LIBS)

endif
