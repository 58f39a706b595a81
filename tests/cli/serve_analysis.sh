#!/usr/bin/env bash
# `GET /api/analysis`: it answers any position, above the tables by a search. There are few searches
# at a time; they take turns, and end when nobody waits for them. For the servers here the clock
# stands still until a test moves it. So a search that can end without a time limit ends before
# anything else happens, and other searches go on.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

all=$WORK/all
build "$all" 6 || exit 1
build "$all" 2 --rules tournament || exit 1
_begin_client
_start_still --db "$all" --analysis-threads 1 || exit 1
trap _end_server EXIT

readonly start='4-4-4-4-4-4-4-4-4-4-4-4-0-0-S'

_analyse() { # ARGUMENTS POSITION
    _ask "/api/analysis?$1&p=${2// /%20}"
}

# Repeats the request until the search is done.
_analyse_on() { # ARGUMENTS POSITION
    _ask_until '"state":"done"' "/api/analysis?$1&p=${2// /%20}"
    expect_code 200
}

# Repeats the request, and moves the clock a little in between, until the body matches a regular
# expression.
_analyse_for() { # EXPRESSION ARGUMENTS POSITION
    local end=$((SECONDS + safety)) _text
    while _analyse "$2" "$3"; do
        _read_text "$out"
        [[ ! $_text =~ $1 ]] || return 0
        [ $SECONDS -lt $end ] || fail "timed out: no answer with $1"
        _pass 100
        _pause
    done
}

# Moves the clock so far that nobody counts as waiting for a search any more.
_leave_searches() {
    _pass 2000
}

# Values are published, or worked out by hand: data/README.md. There are no tables for these rules.
# (A search under other rules than the previous one allocates 64 MB, which is most of its cost;
# tests/unit/play/review/test_evaluate_rules.c tests all rules.)
rule_sets_without_tables_are_searched() {
    local position value rules
    while read -r rules value position; do
        _analyse_on "rules=$rules&cycle=even" "$position"
        [[ $(<"$out") =~ \"rules\":\"$rules\",\"cycle\":\"even\",(\"kind\":\"exact\",)?\"value\":$value, ]] ||
            fail "expected the value $value"
        expect_output_has '"kind":"exact",'
    done <<'END_OF_VALUES'
warri 2 0 0 0 3 2 0 / 1 0 0 0 0 0
slam-gives -2 0 0 0 3 2 0 / 1 0 0 0 0 0
slam-gives 2 1 0 0 0 0 1 / 2 0 0 0 0 0
wari 4 0 0 0 3 2 0 / 1 0 0 0 0 0
END_OF_VALUES
    _analyse "rules=ware" "0 0 0 3 2 0 / 1 0 0 0 0 0"
    expect_code 404
    expect_output_has "available are: awari even, abapa own"
}

# The value of A..F / a..f with three seeds is published; the tables reach up to two seeds.
above_the_tables_a_value_is_proven_by_search() {
    _analyse_on rules=tournament "0-1-0-0-1-0-0-0-0-0-0-1-22-23-S"
    expect_output_has '"kind":"exact","value":3,"moves":[{"move":"B","captured":0,"kind":"exact","value":3},{"move":"E","captured":0,"kind":"exact","value":3}]'
    expect_output_has '"stores":[22,23],"state":"done"'
}

positions_in_the_tables_are_exact_at_once() {
    _analyse rules=awari "0 1 0 0 1 0 / 0 0 0 0 0 1"
    expect_code 200
    expect_output_has '"value":3,"moves":[{"move":"'
    expect_output_has '"kind":"exact","state":"done"}'
    _expect_header "Cache-Control: public, max-age=3600"
}

an_estimate_is_marked_as_an_estimate() {
    _analyse_for '"depth"' rules=awari $start
    expect_output_has '"kind":"estimate","value":'
    expect_output_has '"error":3.0,"bounds":[-48,48],"moves":[{"move":"'
    expect_output_has '"line":["'
    _expect_header "Cache-Control: no-store"
    _leave_searches
}

nonsense_is_refused() {
    _ask "/api/analysis?rules=awari"
    expect_code 400
    expect_output_has "the argument p is missing"
    _analyse rules=awari "4 4 x"
    expect_code 400
    expect_output_has "column 5"
    _analyse rules=frisian $start
    expect_code 400
    _analyse "rules=tournament&cycle=even" $start
    expect_code 400
    expect_output_has "contradicts"
    _analyse "cycle=even&depth=3" $start
    expect_code 400
    _analyse "" $start
    expect_code 400
    _ask "/api/analysis?rules=awari&p=$start" -X POST --data x
    expect_code 405
}

# Sets $searched to the milliseconds of search that an answer reports.
_read_searched() {
    [[ $(<"$out") =~ \"milliseconds\":([0-9]+) ]] || fail "expected milliseconds"
    searched=${BASH_REMATCH[1]}
}

# Two positions take turns on the one thread. Each time slice of the first is twice as long as the
# one before. When nobody asks for it any more, in a slice of 1.6 s, the server stops it, and the
# second position has the thread to itself.
a_search_that_nobody_waits_for_ends() {
    local first=4-4-4-4-4-0-5-5-5-5-4-4-0-0-N second=4-4-4-0-5-5-5-5-4-4-4-4-0-0-N slice before passed=0 searched
    for slice in 100 200 400 800; do
        _ask_until '"state":"searching"' "/api/analysis?rules=awari&p=$first"
        _read_searched
        before=$searched
        _pass $slice
        ((passed += slice))
        while _analyse rules=awari $first && _read_searched && [ "$searched" -eq "$before" ]; do
            _pass 10 # the search began a little later than the slice
            ((passed += 10))
        done
    done
    _ask_until '"state":"searching"' "/api/analysis?rules=awari&p=$first"
    _pass 1100
    ((passed += 1100))
    _ask_until '"state":"searching"' "/api/analysis?rules=awari&p=$second"
    _analyse_for '"milliseconds":(1[5-9]|[2-9][0-9])[0-9][0-9]' rules=awari $second # which took several turns
    _analyse rules=awari $first
    _read_searched
    [ "$searched" -gt "$before" ] || fail "expected the last slice to have ended: $before"
    [ "$searched" -le $passed ] || fail "expected no turn since nobody asked: $passed"
    _leave_searches
}

_move() { # ARGUMENTS POSITION
    _ask "/api/move?$1&p=${2// /%20}"
}

# By hand: F takes 3 of the 4 seeds, and no level makes such a large error about the last seed.
every_strength_level_plays() {
    local level
    for level in first-steps beginner easy medium hard expert master; do
        _ask_until '"move":"' "/api/move?rules=ware&cycle=own&level=$level&seed=7&p=0,0,0,0,0,1,2,0,0,0,0,1"
        expect_code 200
        expect_output "{\"move\":\"F\",\"level\":\"$level\",\"state\":\"done\"}"
    done
    # From the tables: published, +3 by B and by E.
    _move "rules=awari&level=master" "0-1-0-0-1-0-0-0-0-0-0-1-22-23-S"
    [[ $(<"$out") =~ \"move\":\"[BE]\" ]] || fail "expected B or E"
    # The opponent has no seeds, and A cannot give any.
    _move "rules=awari&level=easy" "1 0 0 0 0 0 / 0 0 0 0 0 0"
    expect_code 400
    expect_output_has "the game is over"
}

# The results come from the reference solver that plays every history (tests/reference/reference_history.c). Without a
# history, South loses by every move. After these moves, E leads back to an earlier position, where South has enough seeds
# in its row for a draw, if the second occurrence ends the game and each side takes its row.
the_strongest_level_uses_the_game_so_far() {
    local now='1-0-0-0-1-0-0-1-1-0-0-0-22-22-S' rule='rules=awari&level=master&repetition=second&repetition_score=rows'
    local game='start=1-0-0-0-0-1-0-1-0-1-0-0-22-22-S&moves=FdAbBeCaDf'
    _move "$rule&$game" $now
    expect_code 200
    expect_output '{"move":"E","level":"master","state":"done"}'
    _move "$rule" $now
    expect_output_has '"state":"done"'
    _move "$rule&${game%f}" $now
    expect_code 400
    expect_output_has "moves: they lead from start to"
    _move "$rule&${game}f" $now
    expect_code 400
    expect_output_has "moves: move 11: "
    _move "$rule&moves=F" $now
    expect_code 400
    expect_output_has "start and moves belong together"
    _move "$rule&start=x&moves=F" $now
    expect_code 400
    _move "rules=awari&level=master&repetition=fourth" $now
    expect_code 400
    expect_output_has "choose one of second, third, ideal"
    _move "rules=awari&level=master&repetition_score=x" $now
    expect_code 400
    expect_output_has "choose one of rows, cycle"
}

invalid_levels_and_seeds_are_refused() {
    local seed
    for seed in -1 x 18446744073709551616 1x; do
        _move "rules=awari&level=easy&seed=$seed" $start
        expect_code 400
        expect_output_has "is not a number from 0"
    done
    _move "rules=awari&level=easy&seed=18446744073709551615" $start
    expect_code 200
    _move "rules=awari&level=Easy" $start
    expect_code 400
    expect_output_has "choose one of first-steps, beginner, easy, medium, hard, expert, master"
    _move "rules=awari" $start
    expect_code 400
}

# Sends a text again and again until all of it has been searched.
_review() { # TEXT [ARGUMENTS]
    printf '%b' "$1" >"$WORK/game"
    _ask_until '"plies"' "/api/review${2:+?$2}" -H "Content-Type: text/plain" --data-binary "@$WORK/game"
}

# Published: in awari the position is worth 3, by B and by E; the value after B is from the tables.
a_game_is_reviewed_by_the_tables_where_they_reach() {
    _review '0-1-0-0-1-0-0-0-0-0-0-1-22-23-S B' rules=awari
    expect_code 200
    expect_output_has '{"rules":"awari","cycle":"even","tables":true,"remarks":[],"done":2,"count":2,"plies":[{"move":"B"'
    expect_output_has '"kind":"exact","value":3.0,"played":3.0,"loss":0.0,"proven_loss":0,"best":["B","E"],"turns":false,"turn_proven":false}]'
    expect_output_has '"review":{"South":{"moves":1,"accuracy":100.0,"proven":1,"lost":0.0,"turns":0},"North":{"moves":0,'
}

# Both reviews end with the value of the last position from the tables.
a_review_has_the_score_and_the_repetition_of_a_judged_game() {
    local game end
    for game in '0-1-0-0-1-0-0-0-0-0-0-1-22-23-S B' '1-0-0-0-0-0-1-0-0-0-0-0-23-23-S AaBbCcDdEeFfAa' \
        '0-0-0-0-0-1-1-0-0-0-0-0-23-23-S'; do
        _review "$game" rules=awari
        expect_code 200
        mv "$out" "$WORK/reviewed"
        _post "/api/game?rules=awari" text/plain "$WORK/game"
        expect_code 200
        [[ $(<"$out") =~ \"score\":.*\"repetition\":.* ]] || fail "expected a score"
        end=${BASH_REMATCH[0]%%,\"remarks*}
        out=$WORK/reviewed
        expect_output_has "$end"
    done
}

# The values are those of data/README.md: -6 under ware, whatever is played.
a_game_without_tables_is_reviewed_by_search() {
    _review '[Variant "Ware"]\n[FEN "0-0-0-3-2-0-1-0-0-0-0-0-20-22-S"]\nD *'
    expect_code 200
    expect_output_has '{"rules":"ware","cycle":"even","tables":false,'
    expect_output_has '"kind":"exact","value":-6.0,"played":-6.0,"loss":0.0,"proven_loss":0,"best":["D"'
    expect_output_has '"score":[20,28],"repetition":null}'
}

games_that_cannot_be_reviewed_are_refused() {
    local cycle
    _review '[Variant "Nonsense"]\nA *'
    expect_code 400
    expect_output_has 'no rule set is called \"Nonsense\"; available: awari even, abapa own, wari own, '
    for cycle in own nonsense; do
        _review '[Variant "Awari"]\nA *' cycle=$cycle
        expect_code 400
        expect_output_has "cycle: give the argument rules, too"
    done
    _review 'A A' rules=awari
    expect_code 400
    expect_output_has "line 1 column 3: move 2: 'A' is not a move of North"
    # Twelve moves that return to the first position, 42 times, and a few more moves.
    local round=FfAbBcCaDdEe moves='0-0-0-0-0-1-0-1-0-0-0-1-23-22-S ' i
    for ((i = 0; i < 41; i++)); do moves+=$round; done
    _review "$moves${round:0:8}" rules=awari
    expect_code 200
    _review "$moves${round:0:9}" rules=awari
    expect_code 400
    expect_output_has "games of more than 500 moves are not reviewed here"
    head -c 1048576 /dev/zero | tr '\0' A >"$WORK/long"
    _post "/api/review?rules=awari" text/plain "$WORK/long"
    expect_code 400
    head -c 1048577 /dev/zero | tr '\0' A >"$WORK/long"
    _post "/api/review?rules=awari" text/plain "$WORK/long"
    expect_code 413
    _post "/api/review?rules=awari" text/plain "$WORK/long" -H "Expect: 100-continue"
    expect_code 413
    printf '["A"]' >"$WORK/game"
    _post "/api/review?rules=awari" application/json "$WORK/game"
    expect_code 415
}

# Prints COUNT positions of 48 seeds, as requests for curl.
_questions() { # COUNT
    local i
    for ((i = 0; i < $1; i++)); do
        printf 'url = "%s/api/analysis?rules=awari&p=' "$url"
        printf '%d-4-%d-%d-4-%d-%d-4-%d-%d-4-%d-0-0-S"\noutput = "/dev/null"\n' $((4 - i % 5)) $((4 + i % 5)) \
            $((4 - i / 5 % 5)) $((4 + i / 5 % 5)) $((4 - i / 25 % 5)) $((4 + i / 25 % 5)) $((4 - i / 125)) $((4 + i / 125))
    done
}

# All clients get their place in the queue. Two threads search, and other requests are answered
# meanwhile. SIGTERM ends everything.
two_hundred_clients_take_turns() {
    _start_still --db "$all" --analysis-threads 2 || exit 1
    trap _end_server EXIT
    _ask_until '"state":"searching"' "/api/analysis?rules=awari&p=$start" # which is one of the 200
    _questions 200 >"$WORK/questions"
    for _ in 1 2; do
        curl -s -Z --parallel-max 200 -w '%{http_code}\n' -K "$WORK/questions" 2>/dev/null | sort | uniq -c >"$WORK/codes"
        grep -qx ' *200 200' "$WORK/codes" || fail "expected 200 answers: $(cat "$WORK/codes")"
    done
    _analyse rules=awari "4-4-4-4-0-5-5-5-5-4-4-4-0-0-N"
    [[ $(<"$out") =~ '"state":"waiting","before":'(198|199), ]] || fail "expected all but the two that are searched to come first"
    _still_serves
    _stop
    [ "$stopped" -eq 143 ] || fail "expected 143, not $stopped"
}

without_analysis_a_message_says_so() {
    _start --db "$all" --no-analysis || exit 1
    trap _end_server EXIT
    _analyse rules=awari $start
    expect_code 404
    expect_output_has "analysis is turned off on this server"
    _ask /api/info
    expect_output_has '"analysis_threads":0'
}

bad_numbers_of_threads_are_refused() {
    local number
    for number in 0 65 x -1; do
        refused 2 "--analysis-threads" serve --db "$all" --analysis-threads "$number"
    done
}

run_tests
