#!/usr/bin/env bash
# Compiles the libraries of the program with musl-gcc, as static libraries, from the source packages
# that packaging/source_packages.sh unpacked. The program and its tests are linked with them.
#
#   tests/musl/libraries.sh SOURCES PREFIX
#
# OpenMP is Debian's libgomp.a, which was compiled with the C library of GNU. The functions that it
# calls have the same interface in musl; tests/musl/libgomp.c adds two that musl lacks.
set -u
sources=$(realpath "$1") || exit 1
prefix=$2

if [ -e "$prefix/packages" ] && cmp -s "$sources/packages" "$prefix/packages"; then
    exit 0
fi
rm -rf "$prefix" && mkdir -p "$prefix/work" && prefix=$(realpath "$prefix") || exit 1

quietly() { # COMMAND... ; its messages go into a file, and to the reader if it fails
    "$@" >"$prefix/work/messages" 2>&1 || { cat "$prefix/work/messages" >&2; return 1; }
}

by_cmake() { # NAME OPTION...
    local name=$1
    shift
    quietly cmake -S "$sources/$name" -B "$prefix/work/$name" -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF "$@" &&
        quietly cmake --build "$prefix/work/$name" --target install -j "${JOBS:-2}"
}

set -e
cp -r "$sources/libzstd" "$sources/xxhash" "$prefix/work" # these two are compiled among their sources
quietly make -C "$prefix/work/libzstd/lib" -j "${JOBS:-2}" CC=musl-gcc PREFIX="$prefix" install-static install-includes install-pc
quietly make -C "$prefix/work/xxhash" CC=musl-gcc PREFIX="$prefix" libxxhash.a libxxhash.pc
cp "$prefix/work/xxhash/libxxhash.a" "$prefix/lib"
cp "$prefix/work/xxhash"/{xxhash,xxh3}.h "$prefix/include"
cp "$prefix/work/xxhash/libxxhash.pc" "$prefix/lib/pkgconfig"
by_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
by_cmake cmocka -DWITH_STATIC_LIB=ON -DWITH_EXAMPLES=OFF
mv "$prefix/lib/libcmocka-static.a" "$prefix/lib/libcmocka.a"
rm -f "$prefix"/lib/libcmocka.so*
musl-gcc -O2 -D_GNU_SOURCE -c -o "$prefix/work/missing.o" tests/musl/libgomp.c
cp "$(gcc -print-file-name=libgomp.a)" "$prefix/lib/libgomp.a"
ar rs "$prefix/lib/libgomp.a" "$prefix/work/missing.o" 2>/dev/null
rm -rf "$prefix/work"
cp "$sources/packages" "$prefix/packages"
