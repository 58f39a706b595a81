#!/usr/bin/env bash
# Tests `wari learn-book`, and engines that play from an opening book. The test itself writes the books for the engines, with
# scores that no search would find, and with a hash that Python computes.
. tests/cli/lib.sh
# shellcheck source=tests/cli/conversing.sh
. tests/cli/conversing.sh

db=$(shared_awari 8) || exit 1
learn=(learn-book --rules tournament --nodes 300)

# Writes a book. Each LINE has a position and the scores of its moves.
_write_book() { # FILE RULES LINE...
    python3 -I -S -c 'import sys
lines = sys.argv[3:]
text = "Wari opening book 1\nrules %s\nnodes 9\ntables none\npositions %d\n" % (sys.argv[2], len(lines))
text += "".join(line + "\n" for line in lines)
number = 14695981039346656037
for byte in text.encode():
    number = (number ^ byte) * 1099511628211 % 2**64
open(sys.argv[1], "w").write(text + "hash %016x\n" % number)' "$@" || fail "no book"
}

book=$WORK/hand.openings
_write_book "$book" "abapa own" \
    "4 4 4 4 4 4 / 4 4 4 4 4 4: 9 A+0 B-5 C+311 D-5 E-5 F-5" \
    "5 4 4 4 4 4 / 4 4 0 5 5 5: 9 A+1 B+2 C+3 D+4 E+5 F+6" \
    "5 5 4 4 4 4 / 4 4 4 0 5 5: 8 A-7 B-300 C-9 D-9 E-77 F-9"

# ---- Making a book ----

a_book_grows_from_the_start_position() {
    accepted "${learn[@]}" --positions 8 --output "$WORK/a.openings"
    expect_output_has "abapa own in $WORK/a.openings: 8 positions, each from a search of 300 positions"
    sed -n 6p "$WORK/a.openings" | grep -qE '^4 4 4 4 4 4 / 4 4 4 4 4 4: [0-9]+ A[-+][0-9]+ B.* C.* D.* E.* F[-+][0-9]+$' ||
        fail "expected the start position first"
    [ "$(grep -c : "$WORK/a.openings")" -eq 8 ] || fail "expected eight positions"
}

a_book_that_is_continued_is_the_same() {
    accepted "${learn[@]}" --positions 12 -o "$WORK/once"
    accepted "${learn[@]}" --positions 5 -o "$WORK/twice"
    accepted learn-book --rules tournament --positions 12 -o "$WORK/twice"
    same_file "$WORK/once" "$WORK/twice"
    accepted learn-book --rules tournament --positions 7 -o "$WORK/twice" # nothing is left to do
    expect_output_has "12 positions"
    same_file "$WORK/once" "$WORK/twice"
}

an_interrupted_book_is_the_same() { # the clock advances so fast that the book is saved before it is complete
    local held_settings=("${steady_clock[@]}")
    accepted "${learn[@]}" --positions 30 -o "$WORK/whole"
    start_held rename '*/part' "${learn[@]}" --positions 30 -o "$WORK/part"
    kill -s INT "$pid"
    end_held
    expect_code 130
    expect_message "the same command adds the others"
    [ "$(grep -c : "$WORK/part")" -lt 30 ] || fail "expected a book that is not complete"
    accepted "${learn[@]}" --positions 30 -o "$WORK/part"
    same_file "$WORK/whole" "$WORK/part"
}

# Lets the command that is held end, and checks that its book has five positions and no lock.
_end_with_five_positions() { # BOOK
    out=$WORK/background.out err=$WORK/background.err
    end_held
    expect_code 0
    [ "$(grep -c : "$1")" -eq 5 ] || fail "expected five positions"
    expect_no_file "$1.lock"
}

# Fixed bug: each of two commands replaced the book of the other.
only_one_command_at_a_time_adds_to_a_book() {
    start_held rename '*/shared' "${learn[@]}" --positions 5 -o "$WORK/shared"
    refused 4 "shared: another 'wari learn-book' adds positions to this book" "${learn[@]}" --positions 9 -o "$WORK/shared"
    expect_no_file "$WORK/shared"
    accepted "${learn[@]}" --positions 3 -o "$WORK/other" # in the same folder
    _end_with_five_positions "$WORK/shared"
}

the_lock_of_a_command_that_was_killed_does_not_count() {
    start_held rename '*/killed' "${learn[@]}" --positions 5 -o "$WORK/killed"
    kill_held
    [ -e "$WORK/killed.lock" ] || fail "expected the file of the lock"
    accepted "${learn[@]}" --positions 5 -o "$WORK/killed"
    expect_no_file "$WORK/killed.lock"
}

# The first command removes its lock between the moments in which the second one opens and locks it.
a_lock_that_was_removed_meanwhile_does_not_count() {
    start_held flock '*/late.lock' "${learn[@]}" --positions 5 -o "$WORK/late"
    accepted "${learn[@]}" --positions 3 -o "$WORK/late"
    let_go
    wait_until_held # at the file of the same name that it has opened next
    [ -e "$WORK/late.lock" ] || fail "expected a second file"
    _end_with_five_positions "$WORK/late"
}

a_file_that_is_not_a_lock_is_kept() {
    echo notes >"$WORK/noted.lock"
    refused 4 "noted.lock: this file is not a lock" "${learn[@]}" --positions 2 -o "$WORK/noted"
    [ "$(cat "$WORK/noted.lock")" = notes ] || fail "expected the file to stay"
    rm "$WORK/noted.lock"
    ln -s "$WORK/elsewhere" "$WORK/noted.lock"
    refused 4 "noted.lock: cannot open this file" "${learn[@]}" --positions 2 -o "$WORK/noted"
    expect_no_file "$WORK/elsewhere"
    refused 2 "which this command reads" learn-book --db "$db" --nodes 100 --positions 2 -o "$db/build"
}

without_locks_the_command_goes_on() {
    out=$WORK/out err=$WORK/err
    (with_calls FILES_LACK="flock fcntl" "$WARI" "${learn[@]}" --positions 3 -o "$WORK/unlocked") >"$out" 2>"$err" </dev/null
    code=$?
    expect_code 0
    expect_message "this file system has no locks"
    expect_no_file "$WORK/unlocked.lock"
}

# Fixed bug: the message said that the file, which does not exist, has 0 positions.
an_interruption_before_the_first_position_writes_no_book() {
    start_held unlink '*/early.*' "${learn[@]}" --positions 2 -o "$WORK/early"
    kill -s INT "$pid"
    end_held
    expect_code 130
    expect_message "no book was written"
    expect_no_file "$WORK/early*"
}

# Fixed bug: a file that cannot be written was found only when the book was saved. The first search of this test would take an hour; the time
# limit is only a safety net.
a_file_that_cannot_be_written_is_found_before_the_first_search() {
    out=$WORK/out err=$WORK/err
    timeout $safety "$WARI" learn-book --nodes 2000000000 -o "$WORK/none/book" >"$out" 2>"$err" </dev/null
    code=$?
    expect_code 4
    expect_message "$WORK/none/book"
    expect_message "cannot create: No such file or directory"
}

a_book_is_bound_to_its_database() {
    accepted learn-book --db "$db" --nodes 100 --positions 2 -o "$WORK/db.openings"
    grep -qx "rules awari even" "$WORK/db.openings" || fail "expected the rules of the database"
    grep -qx "tables 8" "$WORK/db.openings" || fail "expected the seeds of the database"
    refused 6 "made with a database of 8 seeds, but this command has no database" learn-book --positions 2 -o "$WORK/db.openings"
    refused 2 "which this command reads" learn-book --db "$db" -o "$db/awari-even-3.wari"
}

other_settings_and_files_are_refused() {
    refused 2 "--output FILE is missing" learn-book
    refused 2 "--output: the name of the file is empty" learn-book -o ""
    refused 2 "whole number from 1" learn-book -o "$WORK/x" --positions 0
    refused 6 "for the rules abapa own, not awari even" learn-book -o "$book"
    refused 2 "made with --nodes 9" "${learn[@]}" -o "$book"
    echo "not a book" >"$WORK/text"
    refused 3 "not an opening book" learn-book -o "$WORK/text"
    [ "$(cat "$WORK/text")" = "not a book" ] || fail "expected the file to be kept"
    cp "$book" "$WORK/damaged"
    flip_byte "$WORK/damaged" 150
    refused 3 "the opening book is damaged" learn-book --rules tournament -o "$WORK/damaged"
    sed 's/book 1/book 2/' "$book" >"$WORK/later"
    refused 6 "format 2" learn-book --rules tournament -o "$WORK/later"
    refused 4 "not a regular file" learn-book -o "$WORK"
}

# ---- Playing from a book ----

from_book=(engine --rules tournament --opening-book "$book")

the_best_move_of_the_book_is_played() { # by the other lines, D is worth 7 and C is worth -6
    _ask_alone 'position startpos\ngo\n' "${from_book[@]}"
    expect_output_has "info depth 9 score cp 7 nodes 0"
    expect_output_has " pv Da"
    expect_output_has "info string opening book: about +0.07"
    grep -qx 'bestmove D ponder a' "$out" || fail "expected D"
    _ask_alone 'position startpos\ngo searchmoves CE\ngo searchmoves BC\n' "${from_book[@]}"
    [ "$(grep -c "opening book" "$out")" -eq 0 ] || fail "expected a search: the book does not have E and B"
    _ask_alone 'position startpos\ngo searchmoves C\n' "${from_book[@]}"
    expect_output_has "score cp -6 "
    grep -qx 'bestmove C ponder f' "$out" || fail "expected C"
}

a_book_is_an_option() {
    local go='position startpos\ngo nodes 1\n'
    _ask_alone "setoption name Rules value tournament\nsetoption name BookFile value $book\n$go" engine
    expect_output_has "opening book: about +0.07"
    _ask_alone "setoption name OwnBook value false\n$go" "${from_book[@]}"
    ! grep -q "opening book" "$out" || fail "expected a search"
    _ask_alone "setoption name BookFile value <empty>\n$go" "${from_book[@]}"
    ! grep -q "opening book" "$out" || fail "expected a search"
    _ask_alone "setoption name BookFile value $WORK/none\nsetoption name OwnBook value 1\n$go" engine
    expect_output_has "info string $WORK/none: cannot open"
    expect_output_has "info string OwnBook: true or false is expected"
}

analysis_does_not_use_the_book() {
    local options
    for options in "setoption name MultiPV value 2\n" "setoption name UCI_AnalyseMode value true\n"; do
        _ask_alone "${options}position startpos\ngo depth 1\n" "${from_book[@]}"
        ! grep -q "opening book" "$out" || fail "expected a search: $options"
    done
    _ask_alone 'position startpos\ngo infinite depth 1\nstop\ngo prove depth 1\n' "${from_book[@]}"
    ! grep -q "opening book" "$out" || fail "expected a search"
}

a_book_gives_the_rules_that_nobody_chose() {
    _ask_alone 'position startpos\ngo\n' engine --opening-book "$book"
    expect_output_has "info string opening book: about +0.07"
    _ask_alone 'setoption name Rules value awari even\nposition startpos\ngo depth 1\n' engine --opening-book "$book"
    expect_output_has "for the rules abapa own, not awari even"
}

a_book_for_other_rules_is_not_used() {
    _ask_alone 'position startpos\ngo depth 1\ngo depth 1\n' engine --rules awari --opening-book "$book"
    [ "$(grep -c "for the rules abapa own, not awari even" "$out")" -eq 1 ] || fail "expected one remark"
    grep -q "^info depth 1 score" "$out" || fail "expected a search"
}

# The game is the line of play in README.md. The next move, b, would return to the position after ten moves.
a_move_that_returns_is_left_to_the_search() {
    _write_book "$WORK/returns" "awari even" "0 2 0 0 1 1 / 0 0 1 1 1 1: 9 B+100 E-100 F-100" \
        "0 0 1 1 1 1 / 0 0 1 1 1 1: 9 C-200 D-200 E-200 F-200"
    local start='position fen 1-1-1-1-1-1-1-1-1-1-1-1-18-18-S moves' line=FfEeDdCcBbEeDdCcEeDdEeFfAaCcDdB
    _ask_alone "$start $line\ngo depth 1\n" engine --opening-book "$WORK/returns"
    ! grep -q "opening book" "$out" || fail "expected a search"
    _ask_alone "position fen 0-0-1-1-1-1-0-2-0-0-1-1-20-20-N\ngo depth 1\n" engine --opening-book "$WORK/returns"
    expect_output_has "score cp 200 "
    grep -qx 'bestmove b ponder C' "$out" || fail "expected b, where nothing returns"
}

a_damaged_book_is_refused() {
    cp "$book" "$WORK/bad"
    flip_byte "$WORK/bad" 120
    refused 3 "the opening book is damaged" engine --opening-book "$WORK/bad"
    refused 4 "cannot open" engine --opening-book "$WORK/none"
    refused 2 "--random plays without" engine --random --opening-book "$book"
    _ask_alone "setoption name Rules value tournament\nsetoption name BookFile value $WORK/bad\nposition startpos\ngo depth 1\n" engine
    expect_output_has "info string $WORK/bad: the opening book is damaged"
    grep -q "^info depth 1 score" "$out" || fail "expected a search"
}

a_match_plays_from_the_book() {
    accepted match --start --openings 1 --plies 0 --nodes 5 --rules tournament --db "$WORK/db" \
        --engine "'$WARI' engine --rules tournament --opening-book '$book'" \
        --engine "'$WARI' engine --rules tournament" --adjudicate --ogn "$WORK/match.ogn"
    grep -q '^1\. D' "$WORK/match.ogn" || fail "expected D as the first move of one game"
}

build "$WORK/db" 4 --rules tournament || exit 1
run_tests
