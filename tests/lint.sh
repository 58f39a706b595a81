#!/usr/bin/env bash
# House rules that a compiler does not check. Every rule is checked even if one fails; each prints
# where it is broken. The dependencies between files are checked by tests/lint/lint.py.
#
#   tests/lint.sh BUILD        BUILD: the folder with libwari.a and objects as built by gcc
#
# WARNINGS: the warnings that the compilers are asked for. JOBS: processes at a time (2).
set -u
shopt -s lastpipe # so that `... | rule` runs in this shell and can set `failed`
library=$1/libwari.a
[ -s "$library" ] || { echo "lint: no library $library" >&2; exit 2; }
failed=0
folders="game index db system solver verify play answer serve tools"
mapfile -t sources < <(find $folders bindings tests -name '*.[ch]' | sort)
mapfile -t scripts < <(find bindings packaging tools tests .ci -name '*.sh' -o -path .ci/run | sort)
mapfile -t others < <(find bindings serve tests -name node_modules -prune -o \
    -regex '.*\.\(js\|mjs\|py\|java\)' -print | sort)

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

grep -nE '\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b' "${sources[@]}" "${scripts[@]}" "${others[@]}" Makefile ./*/*.mk |
    rule "no mark is left behind"

for source in "${sources[@]}"; do
    case $source in
    *.c) [ "$(head -c 2 "$source")" = "/*" ] || echo "$source" ;;
    esac
done | rule "each .c file opens with a paragraph that says what it is"

for script in "${scripts[@]}"; do
    bash -n "$script" 2>&1
done | rule "scripts are sound"

# The log of a build that was committed by mistake. (Without git, no file is tracked.)
{ git ls-files -- ':(top,glob)*.log' 2>/dev/null || true; } | rule "no log is kept in the top folder"

python3 -B tests/lint/documents.py || failed=1
python3 -B tests/web/languages.py || failed=1
python3 -B tests/web/contrast.py || failed=1

if command -v man >/dev/null; then
    for page in "$1"/*.[135]; do
        { LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings=w -l "$page" >/dev/null; } 2>&1
    done
fi | rule "man has no warnings about the manual pages"

(cd data && LC_ALL=C sha256sum ./*.csv) | cmp -s - data/sha256.txt ||
    echo "data/sha256.txt: write it anew: (cd data && LC_ALL=C sha256sum ./*.csv >sha256.txt)" |
    rule "hashes of published figures are those of the files"

# ---- Who knows whom ---------------------------------------------------------------------------

python3 -B tests/lint/lint.py "$1/obj" || failed=1

grep -nE 'omp\.h|# *pragma +omp' "${sources[@]}" | grep -vE '^(system|solver|verify|tests/tsan|tests/bench)/' |
    rule "OpenMP is used in system/, solver/ and verify/ only"
grep -n 'jansson\.h' "${sources[@]}" | grep -vE '^(answer|serve|tools|tests/fuzz)/' |
    rule "JSON is used in answer/, serve/, tools/ and tests/fuzz/ only"
grep -n '<mpi\.h>' "${sources[@]}" | grep -v '^solver/cluster/net\.c:' |
    rule "MPI is spoken in solver/cluster/net.c only"
grep -n 'microhttpd\.h' "${sources[@]}" | grep -v '^serve/' |
    rule "HTTP is spoken in serve/ only"

# For the files that `make PLATFORM=posix` builds, the compiler proves that they make no such calls.
one_system='signalfd|eventfd|timerfd_\w+|epoll_\w+|accept4|pipe2|dup3|memfd_create|prctl|syscall|pidfd_\w+|getrandom'
one_system+='|sched_[gs]etaffinity|posix_fadvise|fallocate|sync_file_range|mremap|madvise|malloc_trim|mallopt|qsort_r'
one_system+='|strerror_r|v?asprintf|strchrnul|memrchr|mempcpy|memmem|fdatasync|clock_nanosleep|pthread_\w+_np|sem_init'
one_system+='|pthread_barrier_\w+|MSG_NOSIGNAL|MSG_DONTWAIT|O_TMPFILE|SOCK_CLOEXEC|SOCK_NONBLOCK|st_[acm]tim|__GLIBC__|ioctl'
grep -nE "\b($one_system)\b|\"/(proc|sys)/" "${sources[@]}" | grep -vE '^(system|db/host|tests|bindings)/' |
    rule "calls that not every system has are made in system/ and db/host/ only"

# The proof may read a database, but neither write one nor encode what it reads.
find "$1/obj/verify" -name '*.o' -exec nm -uA {} + |
    grep -E ' (wari_level_(write|part)|wari_encod|wari_chunk_encode|wari_model_pack|wari_(catalogue|proof)_write|wari_(publish|put_in_place|create_))' |
    rule "verify takes the reading side of db/ only"

# The word "rank" is not searched for, because index/ also uses it for numbers of positions. Strings of fewer than eight
# characters are omitted, since the compressed files of the page contain some by chance.
{
    nm "$1/wari" | awk '{ print $NF }' | grep -E '^(MPI_|wari_(ranks|net|work|sent|distributed)_)'
    strings -d -n 8 "$1/wari" | grep -v 'Private-Network$' | grep -iwE 'mpi|mpirun|wari-mpi|ranks|network'
} | rule "the program for one process contains nothing of MPI"

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

# ---- Headers, and clang -----------------------------------------------------------------------

flags="-std=c11 -D_GNU_SOURCE -I. -Igame -Idb -Idb/book -Idb/host"
for header in $(find $folders -name '*.h'); do
    gcc $flags -fsyntax-only -x c "$header" 2>&1
done | rule "each header compiles on its own"
clang -x c++ ${flags#-std=c11} -fsyntax-only db/wari.h 2>&1 | rule "wari.h can be included from C++"

# The warnings that gcc was asked for when it compiled everything, and, for the program, some that
# only clang has. Two examples include generated files.
clang_reads() { # WARNINGS FOLDER...
    local warnings=$1
    shift
    find "$@" -name '*.c' ! -path tools/examples/book.c ! -path tools/examples/level_files.c -print0 | xargs -0 -n 20 -P "${JOBS:-2}" \
        clang $flags $warnings $(pkg-config --cflags mpi-c cmocka jansson libmicrohttpd) -fopenmp -DWITH_SERVER \
        -DFUZZ_TARGET=fuzz_notation -fsyntax-only 2>&1
}
{
    clang_reads "$WARNINGS -Wcomma -Wcast-qual -Wduplicate-enum -Wimplicit-fallthrough \
        -Wmissing-variable-declarations -Wshift-sign-overflow -Wunreachable-code-aggressive -Wunused-macros" $folders
    clang_reads "$WARNINGS" tests/unit tests/support tests/reference tests/fuzz tests/bench
} | rule "clang warns of nothing"

[ "$failed" -eq 0 ] && echo "lint: ${#sources[@]} sources and ${#scripts[@]} scripts follow the house rules"
exit "$failed"
