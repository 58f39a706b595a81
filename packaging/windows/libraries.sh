#!/usr/bin/env bash
# Compiles the static libraries that the program for Windows needs, from the source packages that
# packaging/source_packages.sh unpacked. Does not run the configuration scripts of the libraries, which
# would take ten times as long as the compiler.
#
#   packaging/windows/libraries.sh SOURCES FOLDER COMPILER AR
#
# Writes the folders include/, lib/ (also with files for pkg-config) and licences/ in FOLDER.
set -eu
sources=$(realpath "$1")
folder=$2
read -r -a compiler <<<"$3"
ar=$4

if [ -e "$folder/packages" ] && cmp -s "$sources/packages" "$folder/packages"; then
    exit 0
fi
rm -rf "$folder"
mkdir -p "$folder/include" "$folder/lib/pkgconfig" "$folder/licences" "$folder/work"
folder=$(realpath "$folder")

# Compiles files of a source package with the options in `options`, makes a library of them, and writes a description of
# the library for pkg-config.
library() { # PACKAGE MODULE LIBRARY FILE...
    local package=$1 module=$2 name=$3 version
    shift 3
    mkdir "$folder/work/$package"
    (cd "$folder/work/$package" &&
        printf '%s\0' "${@/#/$sources/$package/}" |
        xargs -0 -n 4 -P "${JOBS:-2}" "${compiler[@]}" -O2 -w "${options[@]}" -c)
    "$ar" rcs "$folder/lib/lib$name.a" "$folder/work/$package"/*.o
    version=$(tr ' ' '\n' <"$sources/packages" | sed -n "s/^$package=\([0-9.]*\).*/\1/p")
    printf '%s\n' "Name: $module" "Description: $package" "Version: $version" "Cflags: -I$folder/include" \
        "Libs: -L$folder/lib -l$name" >"$folder/lib/pkgconfig/$module.pc"
    cp "$sources/$package/debian/copyright" "$folder/licences/$package.txt"
}

cd "$sources/libzstd"
options=(-DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_)
library libzstd libzstd zstd lib/common/*.c lib/compress/*.c lib/decompress/*.c
cp lib/zstd.h lib/zstd_errors.h "$folder/include"

options=()
library xxhash libxxhash xxhash xxhash.c
cp "$sources/xxhash/xxhash.h" "$sources/xxhash/xxh3.h" "$folder/include"

# Jansson's configuration for Android suits every system with a compiler for C99.
cd "$sources/jansson"
: >"$folder/work/jansson_private_config.h"
cp src/jansson.h android/jansson_config.h "$folder/include"
printf '#define JSON_HAVE_%s_BUILTINS 1\n' ATOMIC SYNC >>"$folder/include/jansson_config.h"
options=("-I$folder/include" "-I$folder/work" -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_SYS_TYPES_H)
library jansson jansson jansson src/*.c

options=("-I$sources/cmocka/include" -DHAVE_STDINT_H -DHAVE_INTTYPES_H -DHAVE_MALLOC_H)
library cmocka cmocka cmocka src/cmocka.c
cp "$sources"/cmocka/include/cmocka*.h "$folder/include"

rm -rf "$folder/work"
cp "$sources/packages" "$folder/packages"
