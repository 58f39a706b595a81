#!/usr/bin/env bash
# Input from other programs and sites for `wari judge`, `wari query` and `wari export`, such as
# positions and moves of PlayStrategy; also tests reports as web pages and totals by player. Positions of
# PlayStrategy and their results come from the site's own tests; values are those of data/RULES.md.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

one=$(shared_awari 12) || exit 1
oware=$WORK/oware
build "$oware" 2 --rules oware || exit 1

readonly site='3,2S,1S,2S/1S,3,2S,3S 20 17 S 50'
readonly even_board='[FEN "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"]' # A..F are worth -1 -8 -2 -2 -2 0: published

_file() { # NAME TEXT ; sets $file
    file=$WORK/$1
    printf '%b' "$2" >"$file"
}

# Two games of Ama and a player whose name contains an attack, with the sides exchanged. Ama loses 8
# seeds by B, the other player 1 by a.
_two_games() {
    _file games.ogn "[South \"Ama\"]\n[North \"<script>alert('&')</script>\"]\n$even_board\n\nB *\n
[South \"<script>alert('&')</script>\"]\n[North \"Ama\"]\n[FEN \"1-1-1-1-1-1-1-1-1-1-1-1-18-18-S\"]\n\nA *\n"
}

query_reads_positions_of_playstrategy() {
    accepted query --db "$one" --json "$site"
    expect_output_has '"position":[1,0,0,0,2,3,2,1,2,0,0,0]'
    expect_output_has '"diagram":"1-0-0-0-2-3-2-1-2-0-0-0-20-17-S"'
    cp "$out" "$WORK/first"
    run_with_input "1-0-0-0-2-3-2-1-2-0-0-0-20-17-S\n3,2S,1S,2S/1S,3,2S,3S_20_17_S\n" query --db "$one" --json
    expect_code 0
    cat "$WORK/first" "$WORK/first" >"$WORK/twice"
    same_file "$WORK/twice" "$out"
    refused 2 "column 3: a number without S counts empty pits" query --db "$one" '6/7 24 24 S 1'
}

judge_reads_positions_and_moves_of_playstrategy() {
    _file list.txt "$site e1f2 d2b2\n$site 1. e1f2+3 2. d2b2\n"
    accepted judge --db "$one" --json "$file"
    expect_no_message
    expect_output_has '"start":"1-0-0-0-2-3-2-1-2-0-0-0-20-17-S","moves":[{"move":"E","captured":3,'
    expect_output_has '"game":2,"line":2'
    _file game.ogn "[P1 \"Ama\"]\n[P2 \"Kofi\"]\n[FEN \"$site\"]\n\n1. e1f2 d2b2 *\n"
    accepted judge --db "$one" "$file"
    expect_output_has ", Ama - Kofi   (rules"
    expect_output_has "     1  E+3 "
}

a_square_that_the_last_seed_does_not_reach_loses_the_game() {
    _file list.txt 'd1e2 b2c1 b1f2\nd1f2\n'
    run judge --db "$one" --json "$file"
    expect_code 2
    expect_message "list.txt:2:1: move 1: the last seed of d1 falls into e2, not f2;"
    expect_output_has '"games":1'
}

export_writes_positions_of_playstrategy() {
    accepted export --db "$one" --seeds 3 --format playstrategy
    expect_output_has '"1S,5/1,1S,2,1S,1 45 0 S 1",3' # published: +3
    cp "$out" "$WORK/site.csv"
    accepted export --db "$one" --seeds 3 --format csv
    # Both formats have the same values in the same order, and the positions of both are read as the
    # same positions.
    cmp <(sed 's/.*,//' "$WORK/site.csv") <(sed 's/.*,//' "$out") || fail "expected the same values"
    tail -n +2 "$WORK/site.csv" | sed 's/",[^"]*$//; s/^"//' >"$WORK/positions"
    "$WARI" query --db "$one" --format value <"$WORK/positions" | cmp - <(tail -n +2 "$out" | sed 's/.*,//') ||
        fail "expected that query reads the exported positions"
}

the_column_value_says_whose_value_it_is() {
    _file game.ogn "$even_board\n\nB *\n"
    run judge --db "$one" "$file"
    expect_output_has "            mover's                             South-North
  move         value  played  loss  best         score with best play"
}

totals_are_given_by_player_whatever_the_side() {
    _two_games
    run judge --db "$one" "$file"
    expect_code 1
    expect_output_has " games   moves  judged  lossless    lost    mean   worst  player
     2       1       1     0.0 %       8   8.000       8  Ama
     2       1       1     0.0 %       1   1.000       1  <script>alert('&')</script>"
    run judge --db "$one" --json "$file"
    expect_output_has '"players":[{"name":"Ama","games":2,"moves":1,"judged":1,"perfect":0,"lost":8,"mean":8.0,"worst_loss":8,"cycle_lost":0},'
    _file unnamed.ogn "[South \"?\"]\n$even_board\n\nB *\n\n[North \"-\"]\n$even_board\n\nB *\n"
    run judge --db "$one" --json "$file"
    expect_output_has '"players":[]'
}

the_report_is_one_page_without_scripts_and_other_files() {
    _two_games
    run judge --db "$one" --html "$WORK/report.html" "$file"
    expect_code 1
    expect_no_output
    expect_no_message
    python3 -I -S - "$WORK/report.html" <<'END' || fail "the page is not as expected"
import re, sys, xml.dom.minidom
from html.parser import HTMLParser
text = open(sys.argv[1], encoding="utf-8").read()
class Check(HTMLParser):
    void = {"meta", "line", "rect", "circle", "br"}
    open, tags = [], []
    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            assert not name.startswith("on"), name
            assert name not in ("src", "srcset", "action", "data"), name
            assert name != "href" or value.startswith("#"), value
        if tag not in self.void: self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
check = Check()
check.feed(text)
check.close()
assert not check.open and "script" not in check.tags and "link" not in check.tags
assert "&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;" in text and "url(" not in text and "@import" not in text
assert "prefers-color-scheme: dark" in text and "@media print" in text and "default-src 'none'" in text
charts = re.findall(r"<svg.*?</svg>", text, re.S)
assert len(charts) == 2
for number, chart in enumerate(charts, 1):
    svg = xml.dom.minidom.parseString(chart).documentElement
    title = svg.getElementsByTagName("title")[0]
    assert svg.getAttribute("role") == "img" and svg.getAttribute("aria-labelledby") == title.getAttribute("id")
assert "move 1, B: loses 8; best: F" in charts[0] and "move 1, A: loses 1; best: F" in charts[1]
END
}

the_report_holds_what_could_not_be_read_and_appears_when_it_is_complete() {
    _file bad.txt 'FfEe\nFfx\n'
    run judge --db "$one" --html "$WORK/partly.html" "$file" "$WORK/none"
    expect_code 4
    _has "$WORK/partly.html" "bad.txt:2:3: " || fail "expected the message in the report"
    _has "$WORK/partly.html" "none: cannot open this file" || fail "expected the message in the report"
    _has "$WORK/partly.html" "</html>" || fail "expected a complete page"
    echo before >"$WORK/kept.html"
    run judge --db "$WORK/nowhere" --html "$WORK/kept.html" "$file"
    expect_code 4
    [ "$(cat "$WORK/kept.html")" = before ] || fail "expected that the old report stays"
    expect_no_file "$WORK/*.tmp"
    # Fixed bug: an empty report replaced the old one.
    refused 4 "no report was written" judge --db "$one" --html "$WORK/kept.html" "$WORK/none"
    refused 2 "no report was written" judge --db "$one" --html "$WORK/kept.html" /dev/null
    [ "$(cat "$WORK/kept.html")" = before ] || fail "expected that the old report stays"
    expect_no_file "$WORK/*.tmp"
    refused 2 "bad.txt: this command also reads this file (as $file); give the output another name" judge --db "$one" \
        --html "$WORK/./bad.txt" "$file"
    ln "$file" "$WORK/second.txt"
    refused 2 "this command also reads this file (as $file)" judge --db "$one" --html "$WORK/second.txt" "$WORK/none" "$file"
    "$WARI" judge --db "$one" --html "$file" - <"$file" >"$out" 2>"$err"
    code=$?
    expect_code 2
    expect_message "bad.txt: this command also reads this file (as standard input)"
    printf 'FfEe\nFfx\n' | cmp - "$file" || fail "expected the records to stay"
    refused 4 "$WORK/no/folder.html" judge --db "$one" --html "$WORK/no/folder.html" "$file"
}

# Fixed bug: the unfinished report was left. A pipe does not hold all these blanks, so the program has read some when
# the signal arrives.
a_report_of_games_that_are_still_typed_can_be_stopped() {
    local pid
    mkfifo "$WORK/typed"
    "$WARI" judge --db "$one" --html "$WORK/typed.html" - <"$WORK/typed" >"$WORK/out" 2>"$WORK/err" &
    pid=$!
    exec {typed}>"$WORK/typed"
    printf '%1000000s' '' >&"$typed"
    kill -s TERM "$pid"
    wait "$pid"
    code=$? out=$WORK/out err=$WORK/err
    exec {typed}>&-
    expect_code 143
    expect_message "stopped before all of standard input was read"
    expect_no_file "$WORK/typed.html*"
}

the_records_of_the_tests_can_be_reported() {
    run judge --db "$one" --rules awari --html "$WORK/all.html" tests/data/records/*.ogn
    [[ $code == [012] ]] || fail "expected a report"
    _has "$WORK/all.html" "</html>" || fail "expected a complete page"
}

# ---- Without a database --------------------------------------------------------------------------------

readonly no_database="no database is given (--db or --book): each position is searched"

# Computed by hand: F gets 2 seeds and later 2 more; E leaves all 4 to North.
without_a_database_each_move_is_judged_by_a_search() {
    _file few.txt '0-0-0-0-1-1-1-1-0-0-0-0-22-22-S E\n'
    run judge --depth 8 "$file"
    expect_code 1
    expect_message "$no_database to depth 8, and values are estimates unless they are called exact"
    expect_message "games that do not name their rules are judged under awari even"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "expected one message"
    expect_output_has "(rules awari even)"
    expect_output_has "exact: loses 4   changes the result: a draw becomes a win for North (proven)"
    expect_output_has "The game stops before its end."
    ! _has "$out" "judged" || fail "expected no table of the database"
    _file start.txt 'FfEe\n'
    run judge --depth 2 "$file" # only estimates: no mistake is known
    expect_code 0
    [ "$(grep -cE ' estimate($|   changes)' "$out")" -eq 4 ] || fail "expected four estimates"
    run judge --movetime 1 "$WORK/few.txt"
    expect_message "$no_database, and values are estimates"
    run judge --depth 2 --annotate "$file"
    expect_output_has "estimate by search }"
    refused 2 "--depth" judge --depth 0 "$file"
    refused 2 "--depth" judge --depth 100 "$file"
}

a_search_of_a_depth_finds_the_same_whichever_games_come_before() {
    _file one.txt 'FfEeAcB\n'
    _file two.txt 'AaBbCcDd\n'
    run judge --depth 5 --json "$WORK/two.txt" "$WORK/one.txt"
    sed -n 2p "$out" >"$WORK/later"
    run judge --depth 5 --json "$WORK/one.txt" "$WORK/two.txt"
    sed -n 1p "$out" | cmp - "$WORK/later" || fail "expected the same values"
    [ "$(sed -n 1p "$out" | grep -o '"kind":"' | wc -l)" -eq 7 ] || fail "expected seven moves"
}

tags_name_the_rules_when_there_is_no_database() {
    _file rules.ogn '[Variant "Oware Abapa"]\n[Cycle "own"]\n\nF *\n\n[Variant "Oware Abapa"]\n\nF *\n
[Variant "Warri"]\n\nF *\n\n[Cycle "own"]\n\nF *\n\n[South "Ama"]\n\nF *\n\n[Variant "Frisian"]\n\nF *\n'
    run judge --depth 1 --json "$file"
    expect_code 2
    [ "$(sed -n 's/.*"rules":"\([a-z]*\)","cycle":"\([a-z]*\)".*/\1 \2/p' "$out" | tr '\n' ,)" = \
        "abapa own,abapa even,warri even,awari own,awari even," ] || fail "expected other rules"
    expect_message 'no rule set is called "Frisian"'
    _file plain.txt 'F\n'
    run judge --depth 1 --rules tournament --json "$file"
    expect_output_has '"rules":"abapa","cycle":"own"'
    expect_message "are judged under abapa own"
    refused 2 "frisian" judge --rules frisian "$file"
}

# The game of a test below, whose repetition loses nothing.
a_book_takes_the_place_of_a_folder() {
    local book=$WORK/oware.book circle=FaAbBcCdDeEf kind
    "$WARI" book --db "$oware" -o "$book" >"$WORK/report" || fail "no book"
    _file book.txt "1-0-0-0-0-1-0-0-0-0-0-0-23-23-S $circle$circle\n"
    for kind in "" --json --annotate "--depth 2"; do
        # shellcheck disable=SC2086 # words on purpose
        "$WARI" judge --db "$oware" $kind "$file" >"$WORK/folder.out" 2>&1 || fail "judge --db $kind"
        # shellcheck disable=SC2086
        accepted judge --book "$book" $kind "$file"
        expect_no_message
        same_file "$WORK/folder.out" "$out"
    done
    accepted judge --book "$book" --html "$WORK/book.html" "$file"
    ! _has "$WORK/book.html" "No database was given" || fail "expected a database"
    refused 2 "oware.book: this command also reads this file" judge --book "$book" --html "$book" "$file"
    accepted check "$book"
    refused 2 "use --db or --book, not both" judge --db "$oware" --book "$book" "$file"
    refused 6 "is a book of abapa own" judge --book "$book" --rules awari "$file"
    refused 4 "no/such.book" judge --book "$WORK/no/such.book" "$file"
    _file other.ogn '[Variant "Warri"]\n[Cycle "own"]\n[FEN "1-0-0-0-0-1-0-0-0-0-0-0-23-23-S"]\n\nF a *\n'
    run judge --book "$book" "$file"
    expect_code 2
    expect_message "the rules of this game are not available here; available: abapa own"
}

a_depth_also_judges_positions_above_a_database() {
    _file game.txt 'FfEe\n'
    run judge --db "$one" --rules awari --depth 2 "$file"
    expect_code 0
    expect_no_message
    [ "$(grep -cE ' estimate($|   changes)' "$out")" -eq 4 ] || fail "expected four estimates"
    run judge --db "$one" --rules awari --depth 2 --html "$WORK/both.html" "$file"
    _has "$WORK/both.html" "perfect play where the database covers the position, otherwise" || fail "expected both"
}

# The accuracy is 100 / (1 + n / 2), and the losses of 8 and 1 seeds are published.
totals_of_reviews_are_given_by_player() {
    _two_games
    run judge --db "$one" --depth 1 "$file"
    expect_code 1
    expect_output_has " games   moves  accuracy  proven    lost  turns  player
     2       1    20.0 %       1     8.0      1  Ama
     2       1    66.7 %       1     1.0      1  <script>alert('&')</script>"
    run judge --db "$one" --depth 1 --json "$file"
    expect_output_has '"name":"Ama","games":2,"moves":1,"judged":1,"perfect":0,"lost":8,'
    expect_output_has '"review":{"moves":1,"accuracy":20.0,"proven":1,"lost":8.0,"turns":1}}'
    expect_output_has '"review":{"South":{"moves":2,"accuracy":'
    run judge --db "$one" --depth 1 --html "$WORK/players.html" "$file"
    _has "$WORK/players.html" "Ama</bdi></th><td>2</td><td>1</td><td>20.0 %</td><td>1</td><td>8.0</td>" ||
        fail "expected Ama's sums"
    _file few.ogn '[South "Ama"]\n[FEN "0-0-0-0-1-1-1-1-0-0-0-0-22-22-S"]\n\nE *\n'
    run judge --depth 8 "$file" "$file"
    expect_output_has " games   moves  accuracy  proven    lost  turns  player
     2       2    33.3 %       2     8.0      2  Ama"
}

# The numbers of games and of lost games are those in the files beside the records.
all_records_of_the_tests_are_reported_without_a_database() {
    local games lost
    games=$(($(cat tests/data/records/*.expected | grep -c '^game') + 3)) # and two files without expectations
    lost=$(cat tests/data/records/*.expected | grep -c '^lost')
    run judge --depth 2 --html "$WORK/report.html" tests/data/records/*.ogn
    expect_code 2
    expect_no_output
    [ "$(grep -c "$no_database" "$err")" -eq 1 ] || fail "expected one message about the database"
    [ "$(grep -c '; this game is skipped$' "$err")" -eq "$lost" ] || fail "expected $lost lost games"
    [ "$(grep -c '<section id="game-' "$WORK/report.html")" -eq "$games" ] || fail "expected $games games"
    _has "$WORK/report.html" "No database was given, so values are estimates" || fail "expected these words"
    _has "$WORK/report.html" "</html>" || fail "expected a complete page"
    ! _has "$WORK/report.html" "<th scope=\"col\">judged</th>" || fail "expected no table of the database"
}

# The game in data/RULES.md: the rows have 2 and 0 seeds when the position occurs again, and under
# `own` neither side keeps anything.
a_repetition_pays_nothing_that_is_not_held_throughout() {
    local moves=FaAbBcCdDeEf start=1-0-0-0-0-1-0-0-0-0-0-0-23-23-S
    grep -qF "${moves:0:1} ${moves:1:1} ${moves:2:1} b B c C d D e E f" data/RULES.md || fail "expected these moves"
    grep -qF "$start" data/RULES.md || fail "expected this position"
    _file circle.txt "$start $moves$moves\n"
    accepted judge --db "$oware" --json "$file"
    expect_output_has '"end":"repetition","score":[24,24],"winner":null,"repetition":{"times":3,"after_move":0,"pays":0,"value":0'
    ! _has "$out" '"loss":1' || fail "expected no loss"
}

run_tests
