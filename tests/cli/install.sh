#!/usr/bin/env bash
# The files that `make install` installs work, and can be removed again; and the libraries fulfil
# the promises of db/wari.h. Expected values of positions are published ones; level sizes were
# computed by hand.
#
# The Makefile is asked to install what is already built, so it gets the flags of that build.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

readonly built=$(dirname "$WARI")
readonly compiler=${CC:-cc}
readonly prefix=$WORK/staged/usr/local
readonly examples=$prefix/share/doc/wari/examples
readonly ones="1 1 1 1 1 1 / 1 1 1 1 1 1"

# Sanitized objects need the library of the sanitizer to be loaded before all others.
preload=
case ${CFLAGS:-} in
*-fsanitize=address*) preload=$($compiler -print-file-name=libasan.so) ;;
esac

_make() { # ARGUMENT... ; leaves $out, $err and $code
    out=$WORK/out err=$WORK/err
    make --no-print-directory BUILD="${built#"$PWD"/}" "$@" >"$out" 2>"$err"
    code=$?
    return "$code"
}

_pkg_config() {
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@"
}

# Compiles an installed example, with the flags that pkg-config prints, or with other flags.
_compile() { # PROGRAM SOURCE FLAG...
    local program=$WORK/$1 source=$examples/$2
    shift 2
    # shellcheck disable=SC2086 # flags are lists of words
    $compiler -std=c11 -Wall -Wextra -Wpedantic -Werror ${CFLAGS:-} -o "$program" "$source" "$@" ${LDFLAGS:-}
}

_run_example() { # COMMAND... ; leaves $out, $err and $code
    out=$WORK/out err=$WORK/err
    LD_LIBRARY_PATH=$prefix/lib "$@" >"$out" 2>"$err"
    code=$?
}

# Prints the exported functions, without their versions.
_exports() {
    nm -D --defined-only "$built/libwari.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort
}

# ---- The tree ---------------------------------------------------------------------------------------

# The files are installed here a second time.
readonly destination="$WORK/a folder"
readonly moved=$destination/opt/wari

uninstalling_removes_all_installed_files() {
    local file
    for file in bin/wari lib/here/libwari.a lib/here/libwari.so lib/here/libwari.so.0 include/wari.h \
        include/wari_game.h include/wari_host.h include/wari_book.h lib/here/pkgconfig/wari.pc \
        lib/here/cmake/wari/wari-config.cmake share/doc/wari/examples/probe.c \
        share/man/man1/wari.1 share/man/man1/wari-build.1 share/man/man3/libwari.3 \
        share/man/man5/wari-format.5 share/wari/README.md share/wari/large_histograms.csv \
        share/doc/wari/LICENSE share/doc/wari/CITATION.cff share/bash-completion/completions/wari; do
        [ -s "$moved/$file" ] || fail "expected to find $file"
    done
    [ "$before" = "$(stat -c %y "$WARI")" ] || fail "make install built the program anew"

    # The second time there is nothing to remove.
    cp -a "$destination" "$destination 2"
    for _ in 1 2; do
        _make uninstall DESTDIR="$destination 2" PREFIX=/opt/wari LIBDIR=lib/here
        expect_code 0
        [ -z "$(ls -A "$destination 2")" ] || fail "expected an empty folder: $(find "$destination 2")"
    done
}

uninstalling_keeps_the_files_of_others() {
    cp -a "$prefix" "$WORK/shared"
    echo other >"$WORK/shared/lib/other"
    _make uninstall PREFIX="$WORK/shared"
    expect_code 0
    [ "$(cd "$WORK/shared" && find . -mindepth 1 | sort | xargs)" = "./lib ./lib/other" ] ||
        fail "expected lib/other alone: $(find "$WORK/shared")"
}

a_relative_prefix_is_refused() {
    _make install PREFIX=somewhere
    expect_message "PREFIX must be an absolute path"
    [ "$code" -ne 0 ] || fail "expected a failure"
}

a_libdir_that_is_not_below_prefix_is_refused() {
    local folder=$WORK/refused libdir libdirs=("my lib" /usr/lib a:b)
    ! is_small || libdirs=("my lib") # make itself takes most of the time
    for libdir in "${libdirs[@]}"; do
        _make install DESTDIR="$folder" PREFIX=/usr LIBDIR="$libdir"
        expect_message "LIBDIR must be a path below PREFIX"
        [ "$code" -ne 0 ] || fail "expected a failure for $libdir"
        [ ! -e "$folder" ] || fail "expected nothing to be put down: $(find "$folder")"
    done
}

a_file_that_cannot_be_installed_is_a_failure() {
    mkdir -p "$WORK/full/bin/wari/in/the/way"
    _make install PREFIX="$WORK/full"
    [ "$code" -ne 0 ] || fail "expected a failure where bin/wari is a folder in the way"
}

# ---- Programs that use it ---------------------------------------------------------------------------

pkg_config_knows_the_version_that_the_program_states() {
    accepted --version
    sed -i 1q "$out"
    expect_output "wari $(_pkg_config --modversion wari)"
    _pkg_config --validate wari || fail "expected a valid wari.pc"
}

examples_in_c_run_with_the_shared_library() {
    # shellcheck disable=SC2046 # flags are lists of words
    _compile probe probe.c $(_pkg_config --cflags --libs wari) || fail "probe.c does not compile"
    readelf -d "$WORK/probe" | grep -q 'NEEDED.*\[libwari\.so\.0\]' || fail "expected to need libwari.so.0"
    _run_example "$WORK/probe" "$tables" "$ones"
    expect_code 0
    expect_output "value 0, best move F"
    _run_example "$WORK/probe" "$WORK/nowhere" "$ones"
    expect_code 1
    expect_message "$WORK/nowhere"

    # shellcheck disable=SC2046
    _compile level level.c $(_pkg_config --cflags --libs wari) || fail "level.c does not compile"
    # One seed, by hand: it is won in A..E (it stays in the own row) and lost in F, which
    # gives it away, and in a..f, where the own row is empty.
    _run_example "$WORK/level" "$tables" awari even 1
    expect_code 0
    expect_output "won 5, drawn 0, lost 7; first worth 1: 0 0 0 0 1 0 / 0 0 0 0 0 0"
    _run_example "$WORK/level" "$tables" awari even 13
    expect_code 1
    expect_message "there is no level 13"
}

# The test does not depend on a library in /usr: pkg-config only reads the file.
in_usr_pkg_config_prints_the_library_alone() {
    local folder=$WORK/usr file=$WORK/usr/usr/lib/x/pkgconfig/wari.pc
    _make install DESTDIR="$folder" PREFIX=/usr LIBDIR=lib/x
    expect_code 0
    grep -qx 'libdir=${prefix}/lib/x' "$file" || fail "expected LIBDIR: $(cat "$file")"
    rm -r "$folder"
    _make install DESTDIR="$folder" PREFIX=/usr LIBDIR=lib
    expect_code 0
    PKG_CONFIG_PATH=$folder/usr/lib/pkgconfig pkg-config --cflags --libs wari >"$WORK/out" || fail "no wari.pc"
    [ "$(xargs <"$WORK/out")" = -lwari ] || fail "expected -lwari alone: $(cat "$WORK/out")"
}

# Configures a program as a user's program would be, wherever the tree was moved to. The same build
# folder is used again, because looking for the compiler takes most of the time.
_cmake() { # REQUIREMENT PREFIX [TARGET]
    mkdir -p "$WORK/cmake" && cat >"$WORK/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(probe C)
find_package(wari $1 REQUIRED)
add_executable(probe $examples/probe.c)
target_link_libraries(probe \${LIBRARY})
END
    CFLAGS="${CFLAGS:-} ${LDFLAGS:-}" cmake -S "$WORK/cmake" -B "$WORK/cmake/build" -U wari_DIR -DCMAKE_PREFIX_PATH="$2" -DLIBRARY="${3:-wari::wari}" \
        -DCMAKE_C_COMPILER="${compiler##* }" >"$WORK/cmake/log" 2>&1
}

_cmake_builds() { # REQUIREMENT PREFIX [TARGET]
    _cmake "$@" && cmake --build "$WORK/cmake/build" >>"$WORK/cmake/log" 2>&1 || fail "version \"$1\": $(tail "$WORK/cmake/log")"
    _run_example "$WORK/cmake/build/probe" "$tables" "$ones"
    expect_code 0
    expect_output "value 0, best move F"
}

cmake_finds_the_library() {
    local version wanted found missing
    version=$(_pkg_config --modversion wari)
    found=("$version EXACT" 0 "${version%.*}" "$version") missing=(0.99 1 "0.0 EXACT")
    ! is_small || found=("${found[0]}") missing=("${missing[0]}")
    _cmake_builds "" "$prefix"
    for wanted in "${found[@]}"; do
        _cmake "$wanted" "$prefix" || fail "version \"$wanted\": $(tail "$WORK/cmake/log")"
    done
    for wanted in "${missing[@]}"; do
        ! _cmake "$wanted" "$prefix" || fail "expected not to find version $wanted"
        grep -q "version: $version" "$WORK/cmake/log" || fail "$(tail "$WORK/cmake/log")"
    done
    _cmake_builds "COMPONENTS static" "$prefix" wari::static
    ! readelf -d "$WORK/cmake/build/probe" | grep -q 'NEEDED.*wari' || fail "expected not to need libwari.so"
    ! _cmake "COMPONENTS other" "$prefix" || fail "expected no component \"other\""
    grep -q "the component other does not exist" "$WORK/cmake/log" || fail "$(tail "$WORK/cmake/log")"
    cp -a "$moved" "$WORK/elsewhere"
    _cmake_builds 0 "$WORK/elsewhere/lib/here/cmake"
    grep -q "elsewhere/lib/here" "$WORK/cmake/build/CMakeCache.txt" || fail "expected the one that was moved"
}

examples_in_c_run_with_the_static_library() {
    # shellcheck disable=SC2046
    _compile static probe.c $(_pkg_config --cflags wari) \
        "$(_pkg_config --variable=libdir wari)/libwari.a" $(pkg-config --libs libzstd libxxhash) ||
        fail "probe.c does not compile"
    ! readelf -d "$WORK/static" | grep -q 'NEEDED.*wari' || fail "expected not to need libwari.so"
    "$WORK/static" "$tables" "$ones" >"$WORK/out" || fail "it does not run"
    expect_output "value 0, best move F"
    case ${CFLAGS:-} in
    *-fsanitize*) ;; # there is no static sanitizer
    *)
        # shellcheck disable=SC2046
        _compile alone probe.c -static $(_pkg_config --static --cflags --libs wari) ||
            fail "probe.c does not compile without any shared library"
        "$WORK/alone" "$tables" "$ones" >"$WORK/out" || fail "it does not run"
        expect_output "value 0, best move F"
        ;;
    esac
}

the_example_in_python_runs_without_packages() {
    _run_example env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 \
        python3 -I -S "$examples/probe.py" "$tables" "$ones" "0 1 0 0 1 0 / 0 0 0 0 0 1"
    expect_code 0
    expect_output "$ones is worth 0
0 1 0 0 1 0 / 0 0 0 0 0 1 is worth 3"
    _run_example env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 \
        python3 -I -S "$examples/probe.py" "$tables" --level 1
    expect_code 0
    expect_output "-1 7
1 5"
    _run_example env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 \
        python3 -I -S "$examples/probe.py" "$tables" "1 1"
    expect_code 1
    expect_message "the text ends after 2 of 12 counts"
}

without_the_library_the_example_in_python_says_what_to_do() {
    _run_example env WARI_LIBRARY="$WORK/none.so" python3 -I -S "$examples/probe.py" "$tables" "$ones"
    expect_code 1
    expect_message "$WORK/none.so"
    expect_message "Run ldconfig"
}

headers_are_clean_in_c_and_in_cxx() {
    # clang knows C++ without further packages.
    for dialect in c:c99 c:c11 c:gnu17 c++:c++11 c++:c++20; do
        clang -x "${dialect%%:*}" -std="${dialect#*:}" -fsyntax-only -Wall -Wextra -Wpedantic \
            -Wconversion -Werror -I"$prefix/include" \
            - <<<'#include <wari.h>' >"$WORK/out" 2>"$WORK/err" ||
            fail "$dialect: $(cat "$WORK/err")"
    done
}

every_type_can_be_named_without_struct_in_cxx() {
    local type types
    types=$(cat "$prefix"/include/wari*.h | sed -nE 's/^(struct|enum) (wari_[a-z_]+)( \{|;)$/\2/p' | sort -u)
    [ "$(wc -w <<<"$types")" -ge 25 ] || fail "too few types: $types"
    {
        echo '#include <wari.h>'
        for type in $types; do
            echo "$type *${type}_pointer;"
        done
        echo 'int main() { wari_line line; wari_info info; wari_moves moves; wari_variant all[WARI_VARIANT_COUNT]; return sizeof line + sizeof info + sizeof moves + sizeof all > 0 ? 0 : 1; }'
    } >"$WORK/types.cc"
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only "$WORK/types.cc" >"$WORK/out" 2>&1 ||
        fail "$(cat "$WORK/out")"
}

# ---- What the libraries show and need ---------------------------------------------------------------

the_shared_library_shows_exactly_what_the_headers_declare() {
    $compiler -E -P -Idb -Idb/book -Idb/host -Igame db/wari.h | tr '\n;' ' \n' | grep 'visibility("default")' |
        grep -o 'wari_[a-z_]* *(' | tr -d ' (' | sort >"$WORK/declared"
    _exports >"$WORK/shown"
    [ -s "$WORK/declared" ] || fail "found no declarations"
    cmp "$WORK/declared" "$WORK/shown" || fail "$(diff "$WORK/declared" "$WORK/shown")"
    # ... and these exist, whatever the headers look like:
    for name in wari_open wari_close wari_probe wari_analyse wari_find_line wari_values wari_find_moves; do
        grep -qx "$name" "$WORK/shown" || fail "expected to find $name"
    done
    nm -D --defined-only "$built/libwari.so" | grep ' T ' | sed -n '/@@WARI_0$/!s/.* //p' >"$WORK/bare"
    local later="wari_find_line@@WARI_0.3 wari_find_moves@@WARI_0.3 wari_get_info@@WARI_0.3"
    later+=" wari_get_level_info@@WARI_0.3 wari_get_rules_info@@WARI_0.3 wari_host_system@@WARI_0.1"
    later+=" wari_missing@@WARI_0.2 wari_playstrategy_move_parse@@WARI_0.2 wari_playstrategy_text@@WARI_0.2"
    later+=" wari_probe_cached@@WARI_0.4 wari_probe_many@@WARI_0.1 wari_variant_parse@@WARI_0.3"
    [ "$(xargs <"$WORK/bare")" = "$later" ] ||
        fail "expected these of a later version than WARI_0, and not $(cat "$WORK/bare")"
}

every_declaration_in_the_headers_is_exported() {
    # Every function of the public headers has WARI_API.
    $compiler -E -P -Idb -Idb/book -Idb/host -Igame db/wari.h | tr '\n;' ' \n' | grep ' \**wari_[a-z_]* *(' |
        grep -v 'visibility("default")' >"$WORK/left"
    [ ! -s "$WORK/left" ] || fail "without WARI_API: $(cat "$WORK/left")"
}

the_library_needs_no_openmp_mpi_or_json() {
    readelf -d "$built/libwari.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
        grep -vE '^(libzstd|libxxhash|libc|ld-linux-x86-64|libasan|libubsan|libm|libgcc_s)\.so' >"$WORK/needed"
    [ ! -s "$WORK/needed" ] || fail "needed: $(xargs <"$WORK/needed")"
    readelf -d "$built/libwari.so" | grep -q 'SONAME.*\[libwari\.so\.0\]' || fail "expected the soname libwari.so.0"
    # The undefined names of the archive are checked, too.
    nm --undefined-only "$built/libwari.a" | grep -iE ' (GOMP_|omp_|__kmpc|MPI_|json_|MHD_)' >"$WORK/undefined"
    [ ! -s "$WORK/undefined" ] || fail "undefined: $(cat "$WORK/undefined")"
}

tables=$(shared_awari 12) || exit 1
before=$(stat -c %y "$WARI")
_make install PREFIX="$prefix" && _make install DESTDIR="$destination" PREFIX=/opt/wari LIBDIR=lib/here
[ "$code" -eq 0 ] || { echo "not ok - set-up: make install"; sed 's/^/    /' "$err"; exit 1; }
run_tests
