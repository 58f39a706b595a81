#!/usr/bin/env bash
# Anybody can read the files: tests/reference/plain_reader.c was written from db/FORMAT.md alone and
# is compiled without any code of this tree. It finds the values where that document says.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

db=$WORK/awari
build "$db" 8 || exit 1
cat >"$WORK/values.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "tests/reference/plain_reader.h"
int main(int argc, char **argv)
{
    static unsigned char file[1 << 20];
    static signed char values[1 << 20];
    FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size_t size = in ? fread(file, 1, sizeof file, in) : 0;
    long long count = plain_read_level(file, size, values);
    for (long long i = 0; i < count; i++)
        printf("%d\n", values[i]);
    return count < 0;
}
END
${CC:-cc} -O2 -I. -o "$WORK/values" "$WORK/values.c" tests/reference/plain_reader.c -lzstd || exit 1
for level in 1 3 8; do
    "$WORK/values" "$db/awari-even-$level.wari" >"$WORK/values-$level" || exit 1
done

_values() { # LEVEL FIRST LAST
    sed -n "$(($2 + 1)),$(($3 + 1))p" "$WORK/values-$1"
}

# By hand: a seed in F feeds the opponent, who gets it; a seed in A to E cannot feed, and stays.
values_of_one_seed_stand_in_the_order_described() {
    [ "$(_values 1 0 11 | tr '\n' ' ')" = "-1 1 1 1 1 1 -1 -1 -1 -1 -1 -1 " ] ||
        { _values 1 0 11; exit 1; }
}

values_read_make_the_published_histogram() {
    _values 3 0 363 | sort -n | uniq -c | awk '{ print "3," $2 "," $1 }' >"$WORK/counted"
    grep '^3,' data/awari_histograms.csv >"$WORK/published"
    same_file "$WORK/published" "$WORK/counted"
}

# The last block: C(13,5) - C(7,5) = 1266 positions, and the mover's row is empty.
values_of_the_last_chunk_are_found() {
    local positions=75504 # C(19,11) - C(13,11)
    [ "$(wc -l <"$WORK/values-8")" -eq $positions ] || exit 1
    [ "$(_values 8 $((positions - 1266)) $((positions - 1)) | sort -u)" = -8 ] || exit 1
}

run_tests
