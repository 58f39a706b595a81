#!/bin/sh
# Builds wari.wasm with clang for wasm32: the two files of `make amalgamation`, the functions that JavaScript calls,
# and the few functions of the C library that they need. With "search" it includes the search, for the static page.
#
#   bindings/js/build.sh FOLDER_OF_THE_TWO_FILES WARI.WASM [search]
set -eu
two=$1 wasm=$2
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

compile() { # STANDARD FLAGS SOURCE...
    standard=$1 flags=$2
    shift 2
    for source in "$@"; do
        # shellcheck disable=SC2086 # $flags may hold several flags
        clang --target=wasm32 "-std=$standard" -O2 -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror \
            -ffreestanding -nostdlibinc -fno-builtin -isystem bindings/js/libc $flags -c \
            -o "$objects/$(echo "$source" | tr / -).o" "$source"
    done
}

stack=65536
compile c99 "-I$two" bindings/js/wasm.c bindings/js/libc/string.c bindings/js/libc/stdio.c "$two/wari_probe.c"
if [ "${3:-}" = search ]; then
    stack=2097152
    compile c11 "-I. -Igame -Idb -Idb/book -Idb/host" bindings/js/libc/multiply.c bindings/js/site/search.c index/half.c play/game.c system/clock.c \
        play/review/evaluate.c play/search/*.c
fi
# The stack comes first in memory, so that a stack overflow leaves the memory, which is an error.
wasm-ld --no-entry --strip-all --stack-first -z "stack-size=$stack" -o "$wasm" "$objects"/*.o
chmod 644 "$wasm"
