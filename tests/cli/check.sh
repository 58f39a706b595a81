#!/usr/bin/env bash
# `wari check`: it finds every kind of damage, names file and offset, and reports nothing about
# intact files. Unit tests flip every bit of a small database; this script takes a sample, through
# the program. The expected offsets were computed by hand from db/FORMAT.md.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=9 chunks=21 # 167,596 positions in the last level
! is_small || seeds=7 chunks=4 # 31,812
db=$WORK/db
build "$db" $seeds || exit 1
build "$db" 6 --rules tournament || exit 1
level=awari-even-$seeds.wari
table=128

# Prints the number in the 8 bytes at offset $2 of file $1.
_number_at() {
    od -An -tu8 -j "$2" -N 8 "$db/$1" | tr -d ' '
}

# Prints the offset of chunk 0 in a file with $2 chunks: it follows the table and the model.
_first_chunk() {
    echo $((table + 16 * $2 + $(_number_at "$1" 80)))
}

# Checks that the last run has found damage at this offset of a file.
_expect_damage() { # FOLDER FILE OFFSET
    expect_code 3
    grep -q "^$1/$2: .*offset $3[ ,:;)]" "$out" || fail "expected $2, offset $3"
    expect_message "damaged"
}

# Prints the offset of chunk K of the large level, according to its offset table.
_chunk_start() {
    [ "$1" -gt 0 ] || { _first_chunk $level $chunks && return; }
    _number_at $level $((table + 16 * ($1 - 1)))
}

intact_files_are_intact() {
    accepted check --db "$db"
    # One chunk for each level up to 5 seeds, then 2, 4, 10 (75,504 positions) and 21.
    if is_small; then
        expect_output_has "awari even in $db: 8 levels, 12 chunks, "
    else
        expect_output_has "awari even in $db: 10 levels, 43 chunks, "
    fi
    expect_output_has "abapa own in $db: 7 levels, 8 chunks, "
    [ "$(grep -c 'bytes: intact$' "$out")" -eq 2 ] || fail "expected two verdicts"
    expect_no_message
}

published_values_are_recognised() {
    local copy level
    accepted check --db "$db" --published
    expect_output_has "awari even: $((seeds + 1)) levels: the same values and counts as published"
    expect_output_has "abapa own: 7 levels: the same values and counts as published"
    copy=$(copy_of "$db")
    rm "$copy"/abapa-*
    accepted pack --db "$copy"
    accepted check --db "$copy" --published
    expect_output_has "awari even: $((seeds + 1)) levels: the same values and counts as published"
}

if ! is_small; then
    levels_that_were_proved_later_are_published_too() {
        accepted check --db "$(shared_awari 17)" --published # the first level of large_levels.csv
        expect_output_has "awari even: 18 levels: the same values and counts as published"
    }
fi

# The lists are matched by rules, cycle rule and seeds, in any order of lines.
lists_of_hashes_agree() {
    grep -hv ^rules data/payload_hashes.csv data/proofs.csv | cut -d, -f1-4 >"$WORK/hashes"
    grep -v ^rules data/large_levels.csv | cut -d, -f1-3,9 >>"$WORK/hashes"
    [ "$(sort -u "$WORK/hashes" | cut -d, -f1-3 | uniq -d | wc -l)" -eq 0 ] || fail "expected one hash each"
    [ "$(sort "$WORK/hashes" | uniq -d | wc -l)" -gt 30 ] || fail "expected levels in two lists"
    # Every level with published values has published counts, too.
    grep -hv ^rules data/payload_hashes.csv data/proofs.csv | cut -d, -f1-3 | sort -u >"$WORK/values"
    grep -v ^rules data/count_hashes.csv | cut -d, -f1-3 | sort >"$WORK/counts"
    same_file "$WORK/values" "$WORK/counts"
}

one_database_is_checked_if_it_is_asked_for() {
    local copy
    copy=$(copy_of "$db")
    flip_byte "$copy/$level" -1
    accepted check --db "$copy" --rules tournament
    ! _has "$out" awari || fail "expected one database"
    accepted check --db "$copy" --cycle own
    run check --db "$copy" --rules awari
    _expect_damage "$copy" $level "$(_chunk_start $((chunks - 1)))"
    run check --db "$copy"
    _expect_damage "$copy" $level "$(_chunk_start $((chunks - 1)))"
    expect_output_has "abapa own in $copy: 7 levels"
    refused 6 "awari even, abapa own" check --db "$copy" --rules warri
}

a_flipped_bit_is_named_with_file_and_offset() {
    local copy three=awari-even-3.wari four=awari-even-4.wari six=awari-even-6.wari catalogue=abapa-own.catalogue
    copy=$(copy_of "$db")
    flip_byte "$copy/$three" 60 "$copy/$four" 8 "$copy/$six" $((table + 20)) \
        "$copy/$level" $((table + chunks * 16 + 100)) "$copy/$catalogue" 100
    run check --db "$copy"
    _expect_damage "$copy" $three 120 # where the header's hash stands
    _expect_damage "$copy" $four 8
    _expect_damage "$copy" $six $table
    _expect_damage "$copy" $level $((table + chunks * 16)) # of the model
    _expect_damage "$copy" $catalogue "[0-9]*"
    copy=$(copy_of "$db")
    flip_byte "$copy/$level" $(($(_chunk_start 0) + 100)) $(($(_chunk_start 2) + 100))
    run check --db "$copy"
    _expect_damage "$copy" $level "$(_chunk_start 0)"
    _expect_damage "$copy" $level "$(_chunk_start 2)"
    copy=$(copy_of "$db")
    flip_byte "$copy/$level" $(($(_chunk_start $((chunks - 1))) + 100))
    run check --db "$copy"
    _expect_damage "$copy" $level "$(_chunk_start $((chunks - 1)))"
}

all_damage_is_listed_in_order() {
    local copy
    copy=$(copy_of "$db")
    flip_byte "$copy/$level" $(($(_chunk_start 0) + 7)) $(($(_chunk_start 2) + 7)) $(($(_chunk_start 3) + 7)) \
        "$copy/awari-even-2.wari" 130 "$copy/abapa-own-3.wari" -1
    echo >>"$copy/awari-even-4.wari"
    run check --db "$copy" --threads 3
    expect_code 3
    grep -o '^.*\(even\|own\)-[0-9]*.wari: [a-z]* *[a-z]*' "$out" | sed "s|^$copy/||" >"$WORK/found"
    cat >"$WORK/expected" <<END
awari-even-2.wari: damaged offset
awari-even-4.wari: the file
$level: chunk 
$level: chunks 
abapa-own-3.wari: chunk 
END
    same_file "$WORK/expected" "$WORK/found"
    expect_output_has "4 faults: DAMAGED"
    expect_output_has "1 fault: DAMAGED"
    expect_message "5 faults: damaged"
    cp "$out" "$WORK/three"
    run check --db "$copy" --threads 1
    same_file "$WORK/three" "$out"
}

json_holds_counts_and_places() {
    local copy bytes start
    copy=$(copy_of "$db")
    accepted check --db "$copy" --rules tournament --json
    bytes=$(cat "$copy"/abapa-own-*.wari | wc -c)
    expect_output "{\"ok\":true,\"levels\":7,\"chunks\":8,\"bytes\":$bytes,\"damaged\":0,\"databases\":[{\"rules\":\"abapa\",\"cycle\":\"own\",\"ok\":true,\"levels\":7,\"chunks\":8,\"bytes\":$bytes,\"damaged\":0,\"damages\":[],\"proved\":-1}]}"
    flip_byte "$copy/abapa-own-5.wari" -1
    run check --db "$copy" --rules tournament --format json
    expect_code 3
    expect_output_has '"ok":false,"levels":7,"chunks":8,'
    start=$(_first_chunk abapa-own-5.wari 1)
    expect_output_has "\"damaged\":1,\"damages\":[{\"file\":\"abapa-own-5.wari\",\"part\":\"chunks\",\"offset\":$start,\"text\":\"abapa-own-5.wari: chunk 0 at offset $start"
}

a_file_cut_short_or_lengthened_is_named() {
    local copy size number=0
    copy=$(copy_of "$db")
    for size in 0 1 127 128 500 -1; do # of the last level and those below it
        truncate -s "$size" "$copy/awari-even-$((seeds - number)).wari"
        number=$((number + 1))
    done
    head -c 4096 /dev/zero >>"$copy/abapa-own-6.wari"
    run check --db "$copy"
    expect_code 3
    for number in {0..5}; do
        expect_output_has "$copy/awari-even-$((seeds - number)).wari: "
    done
    _expect_damage "$copy" abapa-own-6.wari $(($(stat -c %s "$db/abapa-own-6.wari") + 4096))
}

# One sector of the last level, then one of a small level.
a_sector_of_zeros_is_named() {
    local copy at step=7 size small=awari-even-$((seeds - 1)).wari small_size
    ! is_small || step=3
    size=$(stat -c %s "$db/$level")
    small_size=$(stat -c %s "$db/$small")
    for ((at = 0; 512 * at < size; at += step)); do
        copy=$(copy_of "$db")
        dd if=/dev/zero of="$copy/$level" bs=512 seek=$at count=1 conv=notrunc status=none
        truncate -s "$size" "$copy/$level"
        dd if=/dev/zero of="$copy/$small" bs=512 seek=$((at % (small_size / 512))) count=1 conv=notrunc status=none
        run check --db "$copy"
        expect_code 3
        expect_output_has "$copy/$level: "
        expect_output_has "$copy/$small: "
    done
}

files_in_the_wrong_place_are_named() {
    local copy
    copy=$(copy_of "$db")
    mv "$copy/awari-even-5.wari" "$WORK/five"
    mv "$copy/awari-even-6.wari" "$copy/awari-even-5.wari"
    mv "$WORK/five" "$copy/awari-even-6.wari"
    run check --db "$copy"
    expect_code 6
    expect_output_has "awari-even-5.wari: this file holds level 6"
    expect_output_has "awari-even-6.wari: this file holds level 5"
    cp "$copy/abapa-own-3.wari" "$copy/awari-even-3.wari"
    run check --db "$copy"
    expect_code 6
    expect_output_has "awari-even-3.wari: this file holds level 3 of abapa"
    flip_byte "$copy/$level" -1 # and damage weighs more
    run check --db "$copy"
    expect_code 3
}

a_missing_file_is_named() {
    local copy
    copy=$(copy_of "$db")
    rm "$copy/awari-even-4.wari"
    run check --db "$copy"
    expect_code 4
    expect_output_has "awari-even.catalogue: level 4 is listed but missing"
    expect_output_has "abapa own in $copy: 7 levels, 8 chunks"
}

# Fixed bug: the first fault counted, not the worst one.
a_damaged_record_weighs_more_than_a_missing_file() {
    local copy
    copy=$(copy_of "$db")
    rm -f "$copy"/*.proof "$copy/awari-even-4.wari"
    echo nonsense >"$copy/awari-even.proof"
    run check --db "$copy"
    expect_code 3
    expect_output_has "awari-even.catalogue: level 4 is listed but missing"
    expect_output_has "awari-even.proof: the record of proved levels is damaged"
}

a_read_only_database_can_be_checked() {
    ordinary_program
    cp -r "$db" "$shared/db"
    chmod 555 "$shared/db"
    chmod 444 "$shared/db"/*
    as_ordinary_user "$shared/wari" check --db "$shared/db" >"$out" 2>"$err"
    code=$?
    expect_code 0
    expect_output_has "intact"
    chmod 000 "$shared/db/awari-even-2.wari"
    as_ordinary_user "$shared/wari" check --db "$shared/db" >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_output_has "awari-even-2.wari: cannot open: Permission denied"
    expect_output_has "1 fault: missing or unreadable"
    ! grep -qi damaged "$out" "$err" || fail "expected no word of damage: nobody knows"
}

nothing_is_written() {
    local copy
    copy=$(copy_of "$db")
    accepted check --db "$copy"
    diff -r "$db" "$copy" || fail "expected the folder as it was"
}

bad_use_is_refused() {
    mkdir "$WORK/empty"
    refused 2 "--db DIR is missing" check
    refused 4 "$WORK/nowhere" check --db "$WORK/nowhere"
    refused 6 "holds no database" check --db "$WORK/empty"
    refused 2 "unexpected argument" check --db "$db" 5
    refused 2 "--threads" check --db "$db" --threads 0
    refused 2 "text, json" check --db "$db" --format csv
    refused 2 "takes no value" check --db "$db" --json=yes
    refused 2 "contradicts" check --db "$db" --rules tournament --cycle even
}

run_tests
