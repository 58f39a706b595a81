#!/usr/bin/env bash
# `wari book`, and the commands that accept a book instead of a folder: they give the same answers.
# Damage and failing calls are tested in unit/db/book/test_book.c.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/conversing.sh
. tests/cli/conversing.sh

db=$WORK/db book=$WORK/o.book
seeds=9
! is_small || seeds=7
build "$db" $seeds --rules tournament || exit 1
"$WARI" book --db "$db" -o "$book" >"$WORK/report" || exit 1

# A position of the last level.
fen=0-1-0-3-0-0-1-1-0-1-0-2-20-19-S
! is_small || fen=0-1-0-3-0-0-1-1-0-0-0-1-20-21-S

the_report_says_size_and_hash_and_check_agrees() {
    local bytes hash
    bytes=$(sed -E 's/.* ([0-9,]+) bytes,.*/\1/' "$WORK/report")
    hash=$(sed -E 's/.*hash ([0-9a-f]{16})$/\1/' "$WORK/report")
    [ "${bytes//,/}" -eq "$(stat -c %s "$book")" ] || fail "reported $bytes bytes"
    accepted check "$book"
    expect_output_has "abapa own in $book: book of 0 to $seeds seeds, $bytes bytes, hash $hash: intact"
    accepted check "$book" --json
    expect_output_has "\"hash\":\"$hash\""
}

the_same_values_make_the_same_bytes() {
    local packed
    packed=$(copy_of "$db")
    accepted pack --db "$packed"
    echo "of another run" >"$WORK/again.book.tmp"
    accepted book --db "$packed" --output "$WORK/again.book"
    cmp "$book" "$WORK/again.book" || fail "the book of packed files differs"
    [ "$(cat "$WORK"/again.book.*)" = "of another run" ] || fail "$(ls "$WORK")"
}

# The book has 12 seeds; a smaller one has other bytes.
a_book_has_the_published_bytes() {
    build "$WORK/listed" 12 --rules tournament || fail "no database"
    accepted book --db "$WORK/listed" -o "$WORK/listed.book"
    expect_output_has "hash $(sed -n 's/^abapa,own,12,[0-9]*,//p' data/books.csv)"
    [ "$(stat -c %s "$WORK/listed.book")" -eq "$(sed -nE 's/^abapa,own,12,([0-9]*),.*/\1/p' data/books.csv)" ] ||
        fail "another size"
}

query_answers_as_from_the_folder() {
    local format step=997 positions=167596 # C(20,11) - C(14,11)
    ! is_small || step=1597 positions=31812 # C(18,11) - C(12,11)
    "$WARI" export --db "$db" --seeds $seeds --format csv | awk -F, -v step=$step 'NR % step == 2 { print $1 }' >"$WORK/positions"
    [ "$(wc -l <"$WORK/positions")" -ge $((positions / step)) ] || fail "too few positions"
    for format in text json value; do
        "$WARI" query --db "$db" --format $format <"$WORK/positions" >"$WORK/one" || exit 1
        "$WARI" query --book "$book" --format $format <"$WORK/positions" >"$WORK/other" || exit 1
        cmp "$WORK/one" "$WORK/other" || fail "--format $format"
        accepted query --book "$book" --format $format "0 0 0 0 0 0 / 0 0 0 0 0 0"
        expect_no_message
        ! _has "$out" proved || fail "proved"
    done
}

the_engine_plays_as_from_the_folder() {
    local place
    for place in "--db $db" "--book $book"; do
        # shellcheck disable=SC2086 # words on purpose
        _ask_alone "position fen $fen\ngo\n" engine $place
        expect_code 0
        grep -E 'score|bestmove' "$out" >>"$WORK/played"
    done
    [ "$(sort -u "$WORK/played" | wc -l)" -eq 2 ] || fail "$(cat "$WORK/played")"
}

# Fixed bug: a program that sets each option to its default value lost the book.
the_engine_keeps_its_book_when_it_is_named_again() {
    _ask_alone "setoption name DatabasePath value $book\nposition fen $fen\ngo\n" engine --book "$book"
    expect_code 0
    expect_output_has "score"
    ! _has "$out" "search alone" || fail "$(cat "$out")"
}

wrong_books_and_options_are_refused() {
    refused 6 "book of abapa own" query --book "$book" --rules awari "1 0 0 0 0 0 / 0 0 0 0 0 0"
    refused 6 "book of abapa own" check "$book" --cycle even
    refused 1 "goes up to $seeds" query --book "$book" "1 1 1 1 1 1 / 1 1 1 1 1 0"
    refused 1 "levels 0 to $seeds" book --db "$db" --seeds $((seeds + 1)) -o "$WORK/none.book"
    refused 2 "output" book --db "$db"
    refused 2 "--output: the name of the file is empty" book --db "$db" --output ""
    refused 2 "not both" query --db "$db" --book "$book"
    refused 2 "unexpected argument" check --db "$db" "$book"
    refused 2 "--published and --threads apply to folders" check --published "$book"
    refused 2 "not to books" check --book "$book" --threads 2
    refused 4 "no/such" query --book "$WORK/no/such.book"
    refused 4 "no/such" book --db "$db" -o "$WORK/no/such.book"
    head -c $(($(stat -c %s "$book") / 2)) "$book" >"$WORK/cut.book"
    run check "$WORK/cut.book"
    expect_code 3
    expect_output_has "cut.book: DAMAGED"
    refused 3 "cut.book" engine --book "$WORK/cut.book"
    [ ! -e "$WORK/none.book" ] || fail "a book that was refused is there"
}

a_damaged_book_is_not_served() {
    head -c $(($(stat -c %s "$book") / 2)) "$book" >"$WORK/cut.book"
    refused 3 "cut.book" serve --book "$WORK/cut.book"
}

pipes_and_links_are_not_replaced_by_books() {
    mkfifo "$WORK/pipe" && ln -s "$book" "$WORK/link" || fail "no pipe, no link"
    refused 4 "not a regular file" book --db "$db" -o "$WORK/pipe"
    refused 4 "not a regular file" book --db "$db" -o "$WORK/link"
    [ -p "$WORK/pipe" ] && [ -L "$WORK/link" ] || fail "replaced"
}

run_tests
