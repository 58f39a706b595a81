#!/usr/bin/env bash
# Incomplete and damaged folders: missing files, a damaged file, a build without a finished level. Also tests outputs
# that would replace a file of the database.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

seeds=8
db=$WORK/db
build "$db" $seeds || exit 1
readonly three="0 0 1 0 0 0 / 0 1 0 1 0 0" # 3 seeds
readonly above="0 0 2 0 1 0 / 0 2 0 1 0 0" # 6 seeds
readonly missing="awari-even.catalogue: levels 5 to $seeds are listed but missing"

# Copies the catalogue and the first level files.
_first_levels() { # FOLDER LAST
    local n
    mkdir "$1"
    cp "$db/awari-even.catalogue" "$1"
    for ((n = 0; n <= $2; n++)); do
        cp "$db/awari-even-$n.wari" "$1"
    done
}

# Expects one message with this text, and no other line.
_expect_one_message() {
    expect_message "$1"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "expected one line of messages"
}

# ---- Some of the level files ------------------------------------------------------------------------

the_levels_that_were_copied_can_be_used() {
    local copy=$WORK/some value file
    _first_levels "$copy" 4
    for file in "$db" "$copy"; do
        accepted query --db "$file" --format value "$three"
        [ -z "${value:-}" ] || [ "$value" = "$(<"$out")" ] || fail "expected the value $value"
        value=$(<"$out")
    done
    _expect_one_message "$missing; only levels up to 4 are used"
    refused 1 "the position has 6 seeds; the database goes up to 4" query --db "$copy" "$above"
    accepted stats --db "$copy"
    expect_output_has "awari even, 0 to 4 seeds"
    _expect_one_message "$missing"
    accepted export --db "$copy" --seeds 4 --output "$WORK/4.raw"
    _expect_one_message "$missing"
    accepted export --db "$db" --seeds 4 --output "$WORK/whole.raw"
    same_file "$WORK/4.raw" "$WORK/whole.raw"
    accepted book --db "$copy" --output "$WORK/4.book"
    expect_output_has "0 to 4 seeds"
    _expect_one_message "$missing"
    accepted query --book "$WORK/4.book" --format value "$three"
    expect_output "$value"
    accepted match --db "$copy" --rules awari --engine "'$WARI' engine --random" --games 2
    expect_message "$missing"
    diff <(cd "$copy" && echo *) <(echo awari-even-{0..4}.wari awari-even.catalogue) ||
        fail "expected that nothing was written"
}

check_reports_all_missing_levels_in_one_line() {
    local copy=$WORK/checked
    _first_levels "$copy" 4
    run check --db "$copy"
    expect_code 4
    [ "$(grep -c missing "$out")" -eq 2 ] || fail "expected one line and a summary"
    expect_output_has "$copy/$missing; copy the files, or solve the levels with 'wari build'"
    expect_output_has "awari even in $copy: 5 levels, 5 chunks"
    expect_output_has "1 fault: missing or unreadable"
    rm "$copy/awari-even-2.wari"
    run check --db "$copy" --json
    expect_code 4
    expect_output_has "awari-even.catalogue: levels 2, 5 to $seeds are listed but missing"
    expect_output_has '"file":"awari-even-2.wari"'
    flip_byte "$copy/awari-even-4.wari" -1 # damage weighs more, also above the missing level
    run check --db "$copy"
    expect_code 3
    expect_output_has "awari-even-4.wari"
}

the_levels_that_are_there_are_proved() {
    local copy=$WORK/proved
    _first_levels "$copy" 4
    accepted verify --db "$copy"
    expect_output_has "5 levels, "
    expect_output_has "these are the exact values"
    expect_message "$missing"
    accepted verify --db "$copy" # all by the record now
    expect_output_has "levels 0 to 4: by the record"
    accepted verify --db "$copy" --sample 10
    expect_output_has "5 levels, "
    accepted build --db "$copy" --seeds $seeds
    accepted verify --db "$copy"
    expect_message "levels 0 to 4 are on record as proved"
    expect_output_has "levels 0 to 4: by the record"
    expect_output_has "$((seeds + 1)) levels, "
}

# A proof record of all levels is not written again if some of the levels are missing.
a_proof_of_lost_levels_stays_on_record() {
    local copy=$WORK/recorded
    cp -r "$db" "$copy"
    accepted verify --db "$copy"
    cp "$copy/awari-even.proof" "$WORK/proof"
    rm "$copy/awari-even-6.wari"
    accepted verify --db "$copy"
    expect_message "levels 0 to 5 are on record as proved"
    expect_output_has "levels 0 to 5: by the record"
    same_file "$WORK/proof" "$copy/awari-even.proof"
    accepted stats --db "$copy"
    expect_output_has "levels 0 to 5 are on record as proved"
}

missing_levels_are_solved_again_to_the_same_bytes() {
    local copy=$WORK/solved
    _first_levels "$copy" 4
    accepted build --db "$copy" --seeds 6
    expect_message "awari even, levels 5 to 6:"
    accepted stats --db "$copy" --seeds 6
    expect_message "levels 7 to $seeds are listed but missing; only levels up to 6 are used"
    accepted build --db "$copy" --seeds $seeds
    same_database "$db" "$copy"
    accepted build --db "$copy" --seeds $seeds
    expect_message "has all levels of awari even up to $seeds seeds already"
    accepted check --db "$copy"
}

# The levels above the lost level need it, but they are not solved again, so their memory requirements do not matter.
a_level_lost_in_the_middle_is_the_only_one_solved_again() {
    local copy=$WORK/middle
    cp -r "$db" "$copy"
    rm "$copy/awari-even-4.wari" "$copy/awari-even-6.wari"
    touch -d 2020-01-01 "$copy"/*.wari
    accepted query --db "$copy" --format value "$three"
    _expect_one_message "levels 4, 6 are listed but missing; only levels up to 3 are used"
    refused 1 "the database goes up to 3" query --db "$copy" "$above"
    accepted build --db "$copy" --seeds $seeds
    expect_message "awari even, levels 4 to 6:"
    [ "$(grep -c '^level' "$err")" -eq 2 ] || fail "expected that two levels are solved"
    same_database "$db" "$copy"
    [ "$copy/awari-even-5.wari" -ot "$copy/awari-even-4.wari" ] || fail "expected that level 5 is kept"
    accepted query --db "$copy" "$above"
    expect_no_message
}

without_level_0_there_is_nothing_to_use_but_a_build_solves_it() {
    local copy=$WORK/headless
    cp -r "$db" "$copy"
    rm "$copy/awari-even-0.wari"
    refused 4 "awari-even.catalogue: level 0 is listed but missing; copy the files" query --db "$copy" "$three"
    refused 4 "level 0 is listed but missing" verify --db "$copy"
    refused 4 "level 0 is listed but missing" pack --db "$copy"
    run check --db "$copy"
    expect_code 4
    accepted build --db "$copy" --seeds $seeds
    same_database "$db" "$copy"
}

a_build_that_was_killed_solves_the_rest_of_the_missing_levels() {
    local copy=$WORK/stopped
    cp -r "$db" "$copy"
    rm "$copy/awari-even-3.wari" "$copy/awari-even-5.wari"
    hold_build "$copy" $seeds 5
    kill_held
    accepted stats --db "$copy"
    expect_message "level 5 is listed but missing; only levels up to 4 are used"
    accepted build --db "$copy" --seeds $seeds
    same_database "$db" "$copy"
}

# ---- Packed files -----------------------------------------------------------------------------------

packed=$WORK/packed
cp -r "$db" "$packed"
WARI=$builder run pack --db "$packed"
[ "$code" -eq 0 ] || exit 1

# The build writes files that are not packed; after packing, they have the same bytes as before. Reading level 7 requires the
# values of level 5.
a_lost_packed_level_is_solved_and_packed_again() {
    local copy=$WORK/repacked
    cp -r "$packed" "$copy"
    rm "$copy/awari-even-5.wari" "$copy/awari-even-8.wari"
    accepted build --db "$copy" --seeds $seeds
    accepted check --db "$copy"
    accepted verify --db "$copy"
    accepted pack --db "$copy"
    expect_output_has "2 levels packed, 7 already"
    same_database "$packed" "$copy"
}

# The build is killed while the catalogue allows both files: once before the new file has its name, and once after.
a_kill_while_a_packed_level_is_replaced_leaves_a_valid_folder() {
    local copy=$WORK/replaced
    cp -r "$packed" "$copy" && rm "$copy/awari-even-5.wari"
    start_held rename '*/awari-even-5.wari' build --db "$copy" --seeds $seeds --threads 1
    kill_held
    grep -q '^or bytes' "$copy/awari-even.catalogue" || fail "expected that the catalogue allows both files"
    refused 1 "the database goes up to 4" query --db "$copy" "$above"
    start_held rename '*/awari-even.catalogue' build --db "$copy" --seeds $seeds --threads 1
    let_go
    wait_until_held
    kill_held
    grep -q '^or bytes' "$copy/awari-even.catalogue" || fail "expected that the catalogue still allows both files"
    accepted query --db "$copy" "$above"
    accepted check --db "$copy"
    accepted build --db "$copy" --seeds $seeds
    accepted pack --db "$copy"
    same_database "$packed" "$copy"
}

only_the_levels_below_a_missing_one_are_packed() {
    local copy=$WORK/half
    cp -r "$db" "$copy"
    rm "$copy/awari-even-6.wari"
    accepted pack --db "$copy"
    expect_message "level 6 is listed but missing; only levels up to 5 are used"
    expect_output_has "5 levels packed, 1 already" # level 0 has one position
    same_file "$copy/awari-even-5.wari" "$packed/awari-even-5.wari"
    same_file "$copy/awari-even-7.wari" "$db/awari-even-7.wari"
    accepted build --db "$copy" --seeds $seeds
    accepted pack --db "$copy"
    same_database "$packed" "$copy"
}

# ---- Damage -------------------------------------------------------------------------------------------

a_damaged_level_is_not_read_and_can_be_replaced() {
    local copy=$WORK/damaged
    cp -r "$db" "$copy"
    flip_byte "$copy/awari-even-5.wari" 20
    refused 3 "awari-even-5.wari" query --db "$copy" "$three"
    refused 3 "--replace-damaged" build --db "$copy" --seeds $seeds
    expect_message "wari build --db $copy --rules awari --cycle even --seeds $seeds --replace-damaged"
    refused 2 "--dry-run changes no files" build --db "$copy" --seeds $seeds --replace-damaged --dry-run
    accepted build --db "$copy" --seeds $seeds --replace-damaged
    expect_message "1 damaged file: .bad was added to its name, and the level is solved again"
    same_database "$db" "$copy"
    [ -e "$copy/awari-even-5.wari.bad" ] || fail "expected that the damaged file is kept"
    accepted check --db "$copy"
}

# Headers do not reveal this damage, and no build reads this level.
damage_of_a_chunk_is_found_and_replaced_too() {
    local copy=$WORK/chunk
    cp -r "$db" "$copy"
    flip_byte "$copy/awari-even-$seeds.wari" -1 "$copy/awari-even-2.wari" -1
    run check --db "$copy"
    expect_code 3
    expect_message "--replace-damaged"
    accepted build --db "$copy" --seeds $seeds --replace-damaged
    expect_message "2 damaged files: .bad was added to their names, and the levels are solved again"
    same_database "$db" "$copy"
}

# Fixed bug: the damaged level was renamed although the build did not solve it, so that the intact levels above it
# could no longer be used.
damage_above_the_last_level_of_the_build_is_left_alone() {
    local copy=$WORK/above
    cp -r "$db" "$copy"
    flip_byte "$copy/awari-even-5.wari" -1 "$copy/awari-even-2.wari" -1
    cp "$copy/awari-even-5.wari" "$WORK/level5"
    accepted build --db "$copy" --seeds 4 --replace-damaged
    expect_message "1 damaged file: .bad was added to its name, and the level is solved again"
    same_file "$db/awari-even-2.wari" "$copy/awari-even-2.wari"
    same_file "$WORK/level5" "$copy/awari-even-5.wari"
}

a_deleted_damaged_file_is_solved_again() {
    local copy=$WORK/deleted
    cp -r "$db" "$copy"
    flip_byte "$copy/awari-even-5.wari" 20
    rm "$copy/awari-even-5.wari"
    accepted build --db "$copy" --seeds $seeds
    same_database "$db" "$copy"
}

# An intact file in the wrong place may be the only copy of its level.
files_that_are_not_damaged_are_not_replaced() {
    local copy=$WORK/swapped
    cp -r "$db" "$copy"
    cp "$db/awari-even-6.wari" "$copy/awari-even-5.wari"
    refused 6 "awari-even-5.wari: this file holds level 6" build --db "$copy" --seeds $seeds --replace-damaged
    same_file "$db/awari-even-6.wari" "$copy/awari-even-5.wari"
    flip_byte "$copy/awari-even.catalogue" 100
    refused 3 "remove $copy/awari-even.catalogue first" build --db "$copy" --seeds $seeds --replace-damaged
    expect_no_file "$copy/*.bad"
    accepted build --db "$WORK/new" --seeds 3 --replace-damaged
}

values_that_differ_from_the_listed_ones_are_refused() {
    local copy=$WORK/forged
    cp -r "$db" "$copy"
    build "$WORK/other" $seeds --rules abapa || exit 1
    # The catalogue of another rule set under this name: its levels have other values.
    sed -e '/^hash /d' -e 's/^rules abapa/rules awari/' "$WORK/other/abapa-even.catalogue" >"$WORK/forged.text"
    python3 -c 'import sys, xxhash' 2>/dev/null || return 0 # the hash needs a module that may be absent
    python3 -c 'import sys, xxhash
text = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(text + b"hash %016x\n" % xxhash.xxh3_64_intdigest(text))' "$WORK/forged.text" "$copy/awari-even.catalogue"
    rm "$copy"/*.wari
    refused 3 "was solved again, and its values are not those that the catalogue lists" build --db "$copy" --seeds $seeds
}

# ---- A build without a finished level -------------------------------------------------------------------

a_build_without_a_finished_level_is_said_to_be_one() {
    local folder=$WORK/started
    start_held rename '*-0.wari' build --db "$folder" --seeds 3 --threads 1
    refused 4 "$folder: a build was started here and no level is finished; run the same build again" check --db "$folder"
    kill_held
    refused 4 "no level is finished; run the same build again" stats --db "$folder"
    refused 4 "no level is finished; run the same build again" query --db "$folder" "$three"
    refused 4 "no level is finished; run the same build again" verify --db "$folder"
    refused 4 "no level is finished; run the same build again" check --db "$folder" --rules awari
    accepted build --db "$folder" --seeds 3
    accepted check --db "$folder"
}

# Fixed bug: the message said that no level was finished.
a_copy_without_its_catalogue_is_said_to_be_one() {
    local folder=$WORK/uncatalogued
    _first_levels "$folder" 4
    rm "$folder/awari-even.catalogue"
    touch "$folder/build.lock"
    refused 4 "holds level files of awari even, and their catalogue is missing; copy the .catalogue file" query --db "$folder" "$three"
    cp "$db/awari-even.catalogue" "$folder"
    accepted query --db "$folder" "$three"
}

# ---- Serving and playing ------------------------------------------------------------------------------

the_engine_says_once_which_levels_are_missing() {
    local copy=$WORK/engine
    _first_levels "$copy" 4
    run_with_input 'uci\nposition startpos\ngo depth 1\ngo depth 1\nquit\n' engine --db "$copy"
    expect_code 0
    expect_output_has "info string levels 5 to $seeds are listed but missing; only levels up to 4 are used"
    [ "$(grep -c missing "$out")" -eq 1 ] || fail "expected it once"
}

the_server_says_once_which_levels_are_missing() {
    local copy=$WORK/served endpoint
    _first_levels "$copy" 4
    _start --db "$copy" || exit 1
    out=$WORK/answer
    code=0
    for endpoint in info stats; do
        curl -s --max-time $safety -o "$out" "$url/api/$endpoint"
        expect_output_has '"seeds_max":4'
        expect_output_has '"missing":[5,6,7,8]'
    done
    expect_message "$missing; only levels up to 4 are used"
    [ "$(grep -c missing "$err")" -eq 1 ] || fail "expected it once"
    kill "$server"
}

# ---- One level of the statistics ------------------------------------------------------------------------

stats_prints_one_level() {
    accepted stats --db "$db" --seeds 3 --format csv
    grep -E '^(seeds|3),' data/awari_histograms.csv >"$WORK/expected"
    same_file "$WORK/expected" "$out"
    accepted stats --db "$db" --seeds 3 --json
    expect_output_has '"missing":[],"levels":[{"seeds":3,'
    [ "$(grep -o '"histogram"' "$out" | wc -l)" -eq 1 ] || fail "expected one level"
    accepted stats --db "$db" --seeds 3
    expect_output_has "3 seeds: 364 placements"
    ! grep -q "^2 seeds" "$out" || fail "expected no other level"
    refused 1 "there is no level 20 in this database, which goes up to $seeds" stats --db "$db" --seeds 20
    refused 2 "--seeds" stats --db "$db" --seeds 47
}

# ---- Outputs that would replace what is read --------------------------------------------------------------

a_catalogue_that_was_copied_as_text_is_recognised() {
    local copy=$WORK/as-text
    cp -r "$db" "$copy"
    sed -i 's/$/\r/' "$copy/awari-even.catalogue"
    refused 3 "awari-even.catalogue: line 2: the lines end with CR LF, so the file was changed when it was copied as text" \
        stats --db "$copy"
}

an_output_never_replaces_a_file_of_the_database() {
    local copy=$WORK/kept file linked=$WORK/linked
    cp -r "$db" "$copy"
    ln "$copy/awari-even-3.wari" "$WORK/second-name"
    ln -s kept "$linked"
    for file in "$copy/awari-even-3.wari" "$copy/awari-even.catalogue" "$copy/build.lock" "$WORK/second-name" \
        "$copy/../kept/awari-even-7.wari" "$linked/awari-even-0.wari" "$copy/awari-even-12.wari" "$copy/awari-even.proof"; do
        refused 2 "belongs to the databases in $copy" export --db "$copy" --seeds 2 --output "$file"
        refused 2 "belongs to the databases in $copy" book --db "$copy" -o "$file"
        refused 2 "belongs to the databases in $copy" match --db "$copy" --engine x --ogn "$file"
        refused 2 "belongs to the databases in $copy" match --db "$copy" --engine x --match "$file"
        refused 2 "belongs to the databases in $copy" judge --db "$copy" --html "$file" data/games/village.ogn
    done
    same_database "$db" "$copy"
    (cd "$copy" && accepted export --db . --seeds 2 --output 2.raw) || exit 1
    accepted export --db "$copy" --seeds 3 --output "$copy/2.raw" # a file of the user may be replaced
    accepted export --db "$copy" --seeds 2 --output "$WORK/awari-even-2.wari"
    accepted book --db "$copy" -o "$copy/awari.book"
    (cd "$copy" && refused 2 "belongs to the databases in ." export --db . --seeds 2 --output awari-even-2.wari)
}

the_files_of_a_match_are_neither_read_by_it_nor_the_same() {
    echo FfEe >"$WORK/openings.txt"
    ln "$WORK/openings.txt" "$WORK/other.txt"
    for option in --ogn --match; do
        refused 2 "other.txt: this command also reads this file (as $WORK/openings.txt)" match --db "$db" --engine x --engine y \
            --start "$WORK/openings.txt" "$option" "$WORK/other.txt"
    done
    refused 2 "games: this command also reads this file (as $WORK/games)" match --db "$db" --engine x --match "$WORK/games" \
        --ogn "$WORK/games"
    expect_no_file "$WORK/games"
    [ "$(cat "$WORK/openings.txt")" = FfEe ] || fail "expected the openings to stay"
}

# Links build/learn, the program of `make evaluation`. It gets OUT and sixteen folders; the first fifteen do not exist.
_make_learn() {
    built=${WARI%/*} folders=() out=$WORK/out err=$WORK/err
    local i
    for ((i = 0; i < 15; i++)); do
        folders+=("$WORK/none")
    done
    make --no-print-directory BUILD="${built#"$PWD"/}" "${built#"$PWD"/}/learn" >"$out" 2>&1 || {
        cat "$out"
        fail "make build/learn"
    }
}

learning_never_replaces_a_file_of_the_tables() {
    local folders built
    is_sanitized && return # its objects exist in the plain build only
    _make_learn
    cp "$db/awari-even-3.wari" "$WORK/before"
    for file in "$db/awari-even-3.wari" "$db/awari-even-12.wari"; do
        "$built/learn" "$file" "${folders[@]}" "$db" >"$out" 2>"$err"
        code=$?
        expect_code 1
        expect_no_output
        expect_message "learn: $file: this file belongs to the databases in $db, which this command reads"
    done
    same_file "$WORK/before" "$db/awari-even-3.wari"
    "$built/learn" "$WORK" "${folders[@]}" "$db" >"$out" 2>"$err"
    code=$?
    expect_code 1
    expect_message "learn: $WORK: this is not a regular file"
}

# Fixed bug: a file that cannot be written was found only at the end, after hours. If the check let the file pass, the first folder, which does not
# exist, would be reported.
learning_begins_only_if_its_file_can_be_written() {
    local folders built
    is_sanitized && return
    _make_learn
    "$built/learn" "$WORK/missing/weights.c" "${folders[@]}" "$db" >"$out" 2>"$err"
    code=$?
    expect_code 1
    expect_no_output
    expect_message "learn: $WORK/missing/weights.c"
    expect_message "cannot create: No such file or directory; give OUT a name in a folder that you can write to"
    mkdir "$WORK/weights"
    echo old >"$WORK/weights/weights.c"
    "$built/learn" "$WORK/weights/weights.c" "${folders[@]}" "$db" >"$out" 2>"$err"
    code=$?
    expect_code 1
    expect_message "learn: $WORK/none: "
    [ "$(cat "$WORK/weights/weights.c")" = old ] || fail "expected the file to stay"
    [ "$(ls "$WORK/weights")" = weights.c ] || fail "expected no other file"
}

run_tests
