#!/bin/sh
# Makes wari.wasm: the two files of `make amalgamation`, what JavaScript calls, and the little they need of
# the C library, by clang for wasm32.
#
#   js/build.sh FOLDER_OF_THE_TWO_FILES WARI.WASM
set -eu
clang --target=wasm32 -std=c99 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror \
    -ffreestanding -nostdlib -nostdlibinc -fno-builtin -isystem js/libc -I"$1" \
    -Wl,--no-entry,--strip-all,-z,stack-size=32768 \
    -o "$2" js/wasm.c js/libc/string.c js/libc/stdio.c "$1/wari_probe.c"
chmod 644 "$2"
