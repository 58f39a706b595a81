#!/usr/bin/env bash
# House rules that a compiler does not know. Every rule is checked even if one fails; each prints
# where it is broken.
#
#   tests/lint.sh LIBRARY        LIBRARY: libwari.a as built by gcc
set -u
shopt -s lastpipe # so that `... | rule` runs in this shell and can set `failed`
library=$1
[ -s "$library" ] || { echo "lint: no library $library" >&2; exit 2; }
failed=0
folders="game index db solver play answer serve tools"
mapfile -t sources < <(find $folders tests -name '*.[ch]' | sort)
mapfile -t scripts < <(find tools tests .ci -name '*.sh' -o -path .ci/run | sort)

rule() { # NAME ; stdin: places where the rule is broken
    local places
    places=$(cat)
    if [ -n "$places" ]; then
        echo "lint: $1:"
        printf '%s\n' "$places" | sed 's/^/    /'
        failed=1
    fi
}

# ---- Text -------------------------------------------------------------------------------------

wc -l "${sources[@]}" "${scripts[@]}" Makefile | awk '$2 != "total" && $1 > 600' |
    rule "no file has more than 600 lines"

grep -nE '\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b' "${sources[@]}" "${scripts[@]}" Makefile |
    rule "no mark is left behind"

for source in "${sources[@]}"; do
    case $source in
    *.c) [ "$(head -c 2 "$source")" = "/*" ] || echo "$source" ;;
    esac
done | rule "each .c file opens with a paragraph that says what it is"

for folder in $folders data tests; do
    [ -s "$folder/README.md" ] || echo "$folder"
done | rule "each folder has a README.md"

for script in "${scripts[@]}"; do
    bash -n "$script" 2>&1
done | rule "scripts are sound"

# A log of a build that was kept by mistake. (Where there is no git there is nothing that it tracks.)
{ git ls-files -- ':(top,glob)*.log' 2>/dev/null || true; } | rule "no log is kept in the top folder"

# ---- Who knows whom ---------------------------------------------------------------------------

# Quoted includes in FOLDER of anything but headers beside the file (named without a folder) and
# headers of the folders that PATTERN allows.
knows() { # FOLDER PATTERN
    local beside
    beside=$(find "$1" -maxdepth 1 -name '*.h' -printf '%f|')
    grep -nE '^ *# *include +"' /dev/null "$1"/*.[ch] |
        grep -vE "include +\"(($2)/[a-z0-9_]+\.h|${beside%|})\"" |
        grep -v '^db/wari\.h:.*"wari_game\.h"' # installed side by side, so without a folder
}
{
    knows game 'game'
    knows index 'index|game'
    knows db 'db|index|game'
    knows solver 'solver/bits|solver|db|index|game'
    knows solver/bits 'solver/bits|solver|db|index|game'
    knows solver/mpi 'solver/mpi|solver|db|index|game'
    knows play 'play|db|index|game'
    knows answer 'answer|db|game'
    knows serve 'serve|answer|db|game'
    knows tools 'tools|serve|answer|play|solver|db|index|game'
    knows tools/mpi 'solver/mpi|tools|solver|db|index|game'
    knows tests/reference 'tests/reference'
    knows tests/support 'solver/mpi|solver/bits|tests/support|tests/reference|play|solver|db|index|game'
    knows tests/fuzz 'tests/fuzz|tests/support|play|solver|db|index|game'
    knows tests/unit 'solver/mpi|solver/bits|tests/fuzz|tests/support|tests/reference|play|solver|db|index|game'
} | rule "arrows only point down: game, index, db, solver and play, answer, serve, tools; the reference stands alone"

grep -nE 'omp\.h|# *pragma +omp' "${sources[@]}" | grep -vE '^(solver|tests/tsan|tests/bench)/' |
    rule "OpenMP is used in solver/ only"
grep -n 'jansson\.h' "${sources[@]}" | grep -vE '^(answer|serve|tools)/' |
    rule "JSON is used in answer/, serve/ and tools/ only"
grep -n '<mpi\.h>' "${sources[@]}" | grep -v '^solver/mpi/net\.c:' |
    rule "MPI is spoken in solver/mpi/net.c only"
grep -n 'microhttpd\.h' "${sources[@]}" | grep -v '^serve/' |
    rule "HTTP is spoken in serve/ only"

# ---- The library ------------------------------------------------------------------------------

nm --defined-only --extern-only "$library" | awk 'NF == 3 && $3 !~ /^wari_/ { print $3 }' |
    rule "every name that libwari.a defines starts with wari_"

nm --undefined-only "$library" |
    awk '/:$/ { file = $1 } $1 == "U" && $2 ~ /^(__)?(v?printf(_chk)?|puts|putchar|perror|psignal|stdout|stderr|exit|_exit|abort|assert_fail|signal|sigaction)$/ { print file, $2 }' |
    rule "libwari.a never prints, exits or aborts"

# .data.rel.ro is constant after loading; .data and .bss are not.
size -A "$library" |
    awk '/ex / { file = $1 } $1 ~ /^\.(data|bss|tdata|tbss)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 { print file, $1, $2, "bytes" }' |
    rule "libwari.a keeps no state in globals"

# ---- Headers and a second opinion of clang ----------------------------------------------------

flags="-D_GNU_SOURCE -I. -Igame -Idb"
for header in $(find $folders -name '*.h'); do
    clang -std=c11 $flags -fsyntax-only -x c "$header" 2>&1
done | rule "each header compiles on its own"
clang -x c++ $flags -fsyntax-only db/wari.h 2>&1 | rule "wari.h can be included from C++"

clang -std=c11 $flags $(pkg-config --cflags mpi-c) -fopenmp -fsyntax-only -Wcomma -Wcast-qual \
    -Wduplicate-enum -Wimplicit-fallthrough -Wmissing-variable-declarations \
    -Wshift-sign-overflow -Wunreachable-code-aggressive -Wunused-macros \
    $(find $folders -name '*.c') 2>&1 | rule "clang has no further doubts"

[ "$failed" -eq 0 ] && echo "lint: ${#sources[@]} sources and ${#scripts[@]} scripts follow the house rules"
exit "$failed"
