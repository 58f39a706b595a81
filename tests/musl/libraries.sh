#!/usr/bin/env bash
# Compiles the libraries of the program with musl-gcc, as static libraries, from the source packages
# that packaging/source_packages.sh unpacked. The program and its tests are linked with them.
#
#   tests/musl/libraries.sh SOURCES PREFIX
#
# For OpenMP, the program is linked with Debian's libgomp.a, which was compiled for the GNU C library. It
# also works with musl, where the functions that it calls have the same interface; tests/musl/libgomp.c
# adds two functions that musl lacks.
set -u
sources=$(realpath "$1") || exit 1
prefix=$2

if [ -e "$prefix/packages" ] && cmp -s "$sources/packages" "$prefix/packages"; then
    exit 0
fi
rm -rf "$prefix" && mkdir -p "$prefix/work" && prefix=$(realpath "$prefix") || exit 1

# Runs a command, and prints its messages only if it fails.
quietly() { # COMMAND...
    "$@" >"$prefix/work/messages" 2>&1 || { cat "$prefix/work/messages" >&2; return 1; }
}

# Compiles and installs a library with CMake.
install_by_cmake() { # NAME OPTION...
    local name=$1
    shift
    quietly cmake -S "$sources/$name" -B "$prefix/work/$name" -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF "$@" &&
        quietly cmake --build "$prefix/work/$name" --target install -j "${JOBS:-2}"
}

set -e
cp -r "$sources/libzstd" "$sources/xxhash" "$prefix/work" # copied, because their Makefiles write among the sources
quietly make -C "$prefix/work/libzstd/lib" -j "${JOBS:-2}" CC=musl-gcc PREFIX="$prefix" install-static install-includes install-pc
quietly make -C "$prefix/work/xxhash" CC=musl-gcc PREFIX="$prefix" libxxhash.a libxxhash.pc
cp "$prefix/work/xxhash/libxxhash.a" "$prefix/lib"
cp "$prefix/work/xxhash"/{xxhash,xxh3}.h "$prefix/include"
cp "$prefix/work/xxhash/libxxhash.pc" "$prefix/lib/pkgconfig"
install_by_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
install_by_cmake cmocka -DWITH_STATIC_LIB=ON -DWITH_EXAMPLES=OFF
mv "$prefix/lib/libcmocka-static.a" "$prefix/lib/libcmocka.a"
rm -f "$prefix"/lib/libcmocka.so*
musl-gcc -O2 -D_GNU_SOURCE -c -o "$prefix/work/missing.o" tests/musl/libgomp.c
cp "$(gcc -print-file-name=libgomp.a)" "$prefix/lib/libgomp.a"
ar rs "$prefix/lib/libgomp.a" "$prefix/work/missing.o" 2>/dev/null
rm -rf "$prefix/work"
cp "$sources/packages" "$prefix/packages"
