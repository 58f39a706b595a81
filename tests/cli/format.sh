#!/usr/bin/env bash
# A stranger can read the files: the program shown in db/FORMAT.md, compiled as it stands, finds the
# values of level files where that page says they are.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

db=$WORK/awari
build "$db" 9 || exit 1
awk '$0 == "```c" { inside = 1; next } /^```/ { inside = 0 } inside' db/FORMAT.md >"$WORK/value.c"
${CC:-cc} -o "$WORK/value" "$WORK/value.c" -lzstd || exit 1

_values() { # LEVEL FIRST LAST
    local number
    for number in $(seq "$2" "$3"); do
        "$WORK/value" "$db/awari-even-$1.wari" "$number" || exit 1
    done
}

# By hand: a seed in F feeds the opponent, who takes it; from E to A it cannot, and stays.
values_of_one_seed_stand_in_the_order_described() {
    [ "$(_values 1 0 11 | tr '\n' ' ')" = "-1 1 1 1 1 1 -1 -1 -1 -1 -1 -1 " ] ||
        { _values 1 0 11; exit 1; }
}

values_read_make_the_published_histogram() {
    _values 3 0 363 | sort -n | uniq -c | awk '{ print "3," $2 "," $1 }' >"$WORK/counted"
    grep '^3,' data/awari_histograms.csv >"$WORK/published"
    same_file "$WORK/published" "$WORK/counted"
}

# The last block: C(14,5) - C(8,5) = 1946 positions, and the mover's row is empty.
values_of_the_last_chunk_are_found() {
    local positions=167596 # C(20,11) - C(14,11)
    [ "$(_values 9 $((positions - 1946)) $((positions - 1930)) | sort -u)" = -9 ] || exit 1
    [ "$(_values 9 $((positions - 1)) $((positions - 1)))" = -9 ] || exit 1
    ! "$WORK/value" "$db/awari-even-9.wari" 200000 || exit 1
}

run_tests
