#!/usr/bin/env bash
# `wari verify`: what it proves, and its output. Wrong tables with valid hashes are tested in unit
# tests, damaged ones in errors.sh.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

rule_sets=(awari wari abapa warri ware slam-ends slam-gives slam-wins)
seeds=9
! is_small || seeds=6 # two chunks, and opponent halves that are full
all=$WORK/all
for rules in "${rule_sets[@]}"; do
    build "$all" $seeds --rules "$rules" || exit 1
    build "$all" $seeds --rules "$rules" --cycle own || exit 1
done
# The sum of C(n+11,11) - C(n+5,11) for 0..n seeds.
positions=293,475
levels=10
[ $seeds -eq 9 ] || { positions=18,563 levels=7; }

every_rule_set_is_proved_with_both_cycle_rules() {
    local rules cycle
    for rules in "${rule_sets[@]}"; do
        for cycle in even own; do
            accepted verify --db "$all" --rules "$rules" --cycle $cycle --anew
            expect_output_has "$rules $cycle in $all: $levels levels, $positions positions checked"
            expect_output_has "proved (a)"
            expect_output_has "proved (b)"
            [ $cycle = even ] || expect_output_has "proved (c)"
            ! _has "$out" "not proved" || fail "expected a whole proof"
        done
    done
}

# (`make test-long` has sixteen, under every rule set.)
if ! is_sanitized; then
    many_seeds_are_proved() {
        local many=13 proved="14 levels, 5,149,912 positions checked" db
        # The sums of C(n+11,11) - C(n+5,11) for 0..n seeds.
        ! is_small || { many=12 proved="13 levels, 2,685,592 positions checked"; }
        db=$(shared_awari $many) || exit 1
        accepted verify --db "$db" --no-record
        expect_output_has "awari even in $db: $proved"
        expect_output_has "these are the exact values"
    }
fi

# The smallest accepted limit leaves a megabyte for the levels below: level 14 reads level 12, which
# has 1,339,702 positions, in two pieces.
if ! is_small; then
    little_memory_proves_as_much() {
        build "$WORK/fourteen" 14 --rules warri --cycle own || exit 1
        accepted plan --verify --seeds 14 --rules warri --cycle own --threads 2 --json
        local least
        least=$(sed 's/.*"memory_least":\([0-9]*\).*/\1/' "$out")
        accepted verify --db "$WORK/fourteen" --threads 2 --verbose
        cp "$out" "$WORK/much"
        local chunks=$(sed -n 's/^read \([0-9,]*\) chunks.*/\1/p' "$err" | tr -d ,)
        accepted verify --db "$WORK/fourteen" --threads 2 --verbose --anew --memory "$least"
        same_file "$WORK/much" "$out"
        local more=$(sed -n 's/^read \([0-9,]*\) chunks.*/\1/p' "$err" | tr -d ,)
        [ "$more" -gt "$chunks" ] || fail "expected more than $chunks chunks read, not $more"
        refused 5 "needs at least" verify --db "$WORK/fourteen" --threads 2 --anew --memory $((least - 1))
    }
fi

too_little_memory_is_refused_with_what_is_enough() {
    local db enough
    db=$(_one)
    refused 5 "needs at least" verify --db "$db" --memory 1M
    enough=$(sed -n 's/.*--memory \([0-9]*M\).*/\1/p' "$err")
    refused 5 "needs at least" verify --db "$db" --memory $((${enough%M} - 1))M
    accepted verify --db "$db" --memory "$enough"
}

local_states_that_it_proves_less() {
    accepted verify --db "$all" --rules awari --cycle even --local
    expect_output_has "proved (a)"
    expect_output_has "not proved (b)"
}

a_sample_reports_what_it_examined() {
    accepted verify --db "$all" --rules awari --cycle even --sample 50 --seed 7
    expect_output_has "50 random positions a level (--seed 7)"
    expect_output_has "not proved"
    # 50 / ln 100 = 10.9; 100,000 / ln 100 = 21,715
    expect_output_has "with 99 % confidence fewer than 1 in 10 are"
    accepted verify --db "$(_one)" --sample 100000
    expect_output_has "with 99 % confidence fewer than 1 in 21,700 are"
}

json_says_the_same() {
    local numbers=${positions//,/}
    accepted verify --db "$all" --rules tournament --no-record --format json
    expect_output "{\"rules\":\"abapa\",\"cycle\":\"own\",\"mode\":\"full\",\"ok\":true,\"proved_local\":true,\"proved_grounded\":true,\"by_record\":-1,\"levels\":$levels,\"positions\":$numbers,\"differences\":0,\"first\":[],\"text\":\"\"}"
    accepted verify --db "$all" --rules tournament --local --format json
    expect_output_has '"mode":"local","ok":true,"proved_local":true,"proved_grounded":false,'
    accepted verify --db "$all" --rules tournament --sample 5 --format json
    expect_output_has '"mode":"sample","ok":true,"proved_local":false,"proved_grounded":false,'
}

json_has_a_short_name() {
    accepted verify --db "$all" --rules tournament --sample 5 --json
    expect_output_has '"mode":"sample","ok":true,'
}

threads_do_not_matter() {
    accepted verify --db "$all" --rules awari --cycle even --anew --threads 1
    cp "$out" "$WORK/one"
    accepted verify --db "$all" --rules awari --cycle even --anew --threads 3
    same_file "$WORK/one" "$out"
}

progress_goes_to_standard_error() {
    accepted verify --db "$all" --rules awari --cycle even
    expect_message "verifying level $seeds"
    ! _has "$out" "verifying" || fail "expected no progress on standard output"
}

# Prints a folder with one database that has no record of a proof.
_one() {
    local one=$WORK/unproved
    [ -e "$one" ] || { mkdir "$one" && cp "$all"/wari-own* "$one" && rm -f "$one"/*.proof; } || exit 1
    copy_of "$one"
}

a_proof_is_recorded_and_resumed() {
    local db
    db=$(_one)
    accepted stats --db "$db"
    expect_output_has "no proof on record"
    accepted verify --db "$db"
    ! _has "$err" "are on record as proved" || fail "expected nothing on record"
    [ "$(grep -c "^level .* proved abc version" "$db/wari-own.proof")" -eq $levels ] || fail "expected $levels levels"
    accepted verify --db "$db"
    expect_message "levels 0 to $seeds are on record as proved"
    expect_output_has "$levels levels, $positions positions checked"
    expect_output_has "levels 0 to $seeds: by the record of an earlier proof"
    accepted verify --db "$db" --json
    expect_output_has "\"by_record\":$seeds,"
    accepted verify --db "$db" --anew --json
    expect_output_has '"by_record":-1,'
    accepted verify --db "$db" --anew
    ! _has "$err" "are on record as proved" || fail "expected nothing on record"
    accepted stats --db "$db"
    expect_output_has "levels 0 to $seeds are on record as proved"
    accepted check --db "$db"
    expect_output_has "levels 0 to $seeds are on record as proved"
}

# Changes a line of a record or catalogue, and updates the hash at its end.
_forge() { # FILE PATTERN REPLACEMENT
    python3 - "$@" <<'PYTHON'
import ctypes, re, sys
xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
path, pattern, replacement = sys.argv[1:]
text = open(path, "rb").read()
text, count = re.subn(pattern.encode(), replacement.encode(), text[: text.rindex(b"hash ")])
assert count == 1
text += b"hash %016x\n" % xxhash.XXH3_64bits(text, ctypes.c_size_t(len(text)))
open(path, "wb").write(text)
PYTHON
}

# Fixed bug: the message said that the same command continues, but with --anew it begins again.
an_interrupted_new_proof_continues_without_the_option() {
    local db
    db=$(_one)
    accepted verify --db "$db"
    start_held rename '*.proof' verify --db "$db" --threads 1 --anew
    kill -s TERM "$pid"
    end_held
    expect_code 143
    expect_message "levels 0 to 0 are on record; the same command without --anew continues from there"
    accepted verify --db "$db"
    expect_message "levels 0 to 0 are on record as proved"
}

a_record_of_other_values_is_ignored() {
    local db
    db=$(_one)
    accepted verify --db "$db"
    cp "$db/wari-own.proof" "$WORK/record"
    _forge "$db/wari-own.proof" "(level 5 payload )[0-9a-f]*" '\g<1>0123456789abcdef' || exit 1
    accepted check --db "$db"
    expect_output_has "levels 0 to 4 are on record as proved"
    accepted verify --db "$db"
    expect_message "levels 0 to 4 are on record as proved"
    expect_message "the values of level 5 are not those that are on record as proved"
    expect_output_has "hashes agree, and counts from level 5 up"
    same_file <(sed "s/ date.*//; /^hash/d" "$WORK/record") <(sed "s/ date.*//; /^hash/d" "$db/wari-own.proof")
}

# For a level on record, only its hash is known to be right.
counts_of_recorded_levels_are_not_claimed_to_be_proved() {
    local db
    db=$(_one)
    accepted verify --db "$db"
    expect_output_has "hashes and counts agree"
    # The changed histogram counts one placement of 2 seeds with the value -2 instead of 0.
    _forge "$db/wari-own.catalogue" "histogram 2 -2:40 0:14 " "histogram 2 -2:41 0:13 " || exit 1
    accepted verify --db "$db"
    ! _has "$out" "counts" || fail "expected nothing to be said of counts"
    run verify --db "$db" --anew
    expect_code 1
    expect_output_has "WRONG: level 2: 40 placements have the value -2, but the catalogue counts 41"
}

a_damaged_record_is_named() {
    local db
    db=$(_one)
    accepted verify --db "$db"
    sed "s/wari/abapa/" "$db/wari-own.proof" >"$WORK/forged"
    rm -f "$db"/wari-own*
    cp "$all"/abapa-own* "$db"
    rm -f "$db"/*.proof
    accepted verify --db "$db" --local
    cp "$WORK/forged" "$db/abapa-own.proof"
    refused 3 "abapa-own.proof: the record of proved levels is damaged" verify --db "$db"
    run check --db "$db"
    expect_code 3
    expect_output_has "abapa-own.proof: the record of proved levels is damaged"
    accepted verify --db "$db" --anew
    accepted check --db "$db"
    sed -i "s/^wari proof 1/wari proof 2/" "$db/abapa-own.proof"
    refused 3 "abapa-own.proof: the record of proved levels is damaged" verify --db "$db"
    sed -i "s/^level 1/size 1/" "$db/abapa-own.proof" # no damage: nothing else fits version 1, either
    refused 6 "version 2" verify --db "$db"
}

a_level_that_cannot_be_recorded_is_still_proved() {
    ordinary_program
    cp -r "$(_one)" "$shared/db"
    chmod 755 "$shared/db"
    as_ordinary_user "$shared/wari" verify --db "$shared/db" >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_output_has "proved (b)"
    expect_message "proved, but the record was not written"
    as_ordinary_user "$shared/wari" verify --db "$shared/db" --no-record >"$out" 2>"$err"
    code=$?
    expect_code 0
    expect_output_has "proved (b)"
    ls "$shared/db"/*.proof* 2>/dev/null && fail "expected no record"
    refused 2 "--no-record needs a complete proof" verify --db "$shared/db" --no-record --local
}

# Starts a new proof on one thread, and holds it when the levels below LEVEL are on record and LEVEL
# is proved but not recorded yet. Sets $pid and, as `run` does, $out and $err.
_hold_proof() { # FOLDER RECORD LEVEL
    local level
    [ ! -e "$2" ] || rm "$2"
    start_held rename "$2" verify --db "$1" --threads 1
    for ((level = 0; level < $3; level++)); do
        let_go
        wait_until_held
    done
}

# Prints a folder with one database of several levels.
_slams() {
    local slams=$WORK/slams
    [ -e "$slams" ] || { mkdir "$slams" && cp "$all"/slam-ends-even* "$slams"; } || exit 1
    ! compgen -G "$slams/*.proof" >/dev/null || rm "$slams"/*.proof
    echo "$slams"
}

# The level that was being proved when the run was stopped is proved again; the levels before it are
# not. The exit code is 128 plus the number of the signal.
a_stopped_proof_keeps_its_record_and_can_be_resumed() {
    local db record name expected proved last=$((seeds - 1))
    db=$(_slams) record=$db/slam-ends-even.proof
    while read -r name expected; do
        _hold_proof "$db" "$record" $last
        kill -s "$name" "$pid"
        end_held
        expect_code "$expected"
        expect_no_output
        proved=$last # a signal waits until that is on record, too
        [ "$name" != KILL ] || proved=$((last - 1))
        [ "$name" = KILL ] || expect_message "levels 0 to $proved are on record; the same command"
        accepted verify --db "$db"
        expect_message "levels 0 to $proved are on record as proved"
        expect_output_has "$levels levels, $positions positions checked"
    done <<<"KILL 137
INT 130
TERM 143
HUP 129"
    accepted check --db "$db" --published
    expect_output_has "levels 0 to $seeds are on record as proved"
}

# Each line below is a change that may happen to a level file before the proof reaches the level. The
# proof is held two levels below.
a_file_that_changes_under_a_proof_ends_it() {
    local db record expected change
    db=$(_slams) record=$db/slam-ends-even.proof
    local file=$db/slam-ends-even-$((seeds - 1)).wari half
    half=$(($(stat -c %s "$file") / 2))
    cp "$file" "$WORK/level"
    while read -r expected change; do
        _hold_proof "$db" "$record" $((seeds - 3))
        eval "$change"
        end_held
        expect_code "$expected"
        expect_no_output
        expect_message "${file##*/}"
        ! grep -q "^level $((seeds - 1)) " "$record" || fail "expected no level above on record"
        cp "$WORK/level" "$file"
        accepted verify --db "$db"
        expect_message "are on record as proved"
    done <<'END'
3 flip_byte "$file" $half
3 flip_byte "$file" -20
3 truncate -s $half "$file"
4 rm "$file"
6 cp "$all/slam-ends-even-$seeds.wari" "$file"
END
}

# A limit on the file size simulates a full disk: it has space for some levels, but not for all.
on_a_full_disk_the_record_lacks_later_levels() {
    local db bytes=700
    ! is_small || bytes=400
    db=$(_slams)
    out=$WORK/out err=$WORK/out # by a pipe: the limit is not for these
    prlimit --fsize=$bytes "$WARI" verify --db "$db" --threads 1 2>&1 | cat >"$out"
    code=${PIPESTATUS[0]}
    expect_code 4
    expect_output_has "proved (b)"
    expect_message "proved, but the record was not written"
    ! find "$db" -name '*tmp*' | grep . || fail "expected no temporary file"
    accepted verify --db "$db"
    expect_message "are on record as proved"
    accepted stats --db "$db"
    expect_output_has "levels 0 to $seeds are on record as proved"
}

files_left_by_a_killed_proof_are_removed() {
    local db left young
    db=$(_slams)
    left=$db/slam-ends-even.proof.77.0.tmp young=$db/slam-ends-even.proof.78.0.tmp
    touch -d '2 hours ago' "$left" "$db/warri-even.proof.77.0.tmp" "$db/slam-ends-even.proof.tmp.kept"
    touch "$young"
    accepted verify --db "$db"
    [ ! -e "$left" ] || fail "expected it to be removed"
    [ -e "$young" ] || fail "expected a record that is being written to stay"
    [ -e "$db/warri-even.proof.77.0.tmp" ] || fail "expected other variants' to stay"
    [ -e "$db/slam-ends-even.proof.tmp.kept" ] || fail "expected other names to stay"
    rm -f "$db"/*.tmp "$db"/*.kept
}

a_terminal_shows_level_step_and_share() {
    # `script` gives the program a terminal.
    script -qec "\"$WARI\" verify --db \"$(_one)\"" /dev/null >"$WORK/typescript"
    out=/dev/null err=$WORK/typescript code=$?
    expect_code 0
    expect_message "level 0: reading, 0 %"
    grep -q $'\r\033\\[K' "$WORK/typescript" || fail "expected a line that is cleared"
}

# Answers tell what is proved, and what is wrong with a record that cannot be trusted.
answers_say_what_is_proved() {
    local db position="0 1 0 0 1 0 / 0 0 0 0 0 1"
    db=$(_one)
    accepted query --db "$db" "$position"
    expect_output_has "(3 seeds; rules wari own)"
    accepted query --db "$db" --json "$position"
    ! _has "$out" proved || fail "expected nothing on record"
    accepted stats --db "$db" --json
    expect_output_has '"proved":-1,"record":"none"'
    accepted verify --db "$db"
    accepted query --db "$db" "$position"
    expect_output_has "(3 seeds; rules wari own; proved)"
    accepted query --db "$db" --json "$position"
    expect_output_has '"proved":true'
    accepted stats --db "$db" --json
    expect_output_has "\"proved\":$seeds,\"record\":\"fits\""
    sed -i "s/seconds 0/seconds 1/" "$db/wari-own.proof"
    accepted query --db "$db" --json "$position"
    expect_message "wari-own.proof: the record of proved levels is damaged"
    ! _has "$out" proved || fail "expected a forged record not to count"
    accepted stats --db "$db" --json
    expect_message "wari-own.proof: the record of proved levels is damaged"
    expect_output_has '"proved":-1,"record":"damaged"'
    sed -i "s/^wari proof 1/wari proof 2/" "$db/wari-own.proof"
    accepted stats --db "$db" --json
    expect_output_has '"proved":-1,"record":"version"'
}

a_wrong_file_in_the_middle_ends_the_proof_before_it_begins() {
    local db
    db=$(_one)
    mv "$db/wari-own-3.wari" "$WORK/level"
    cp "$db/wari-own-4.wari" "$db/wari-own-3.wari"
    refused 6 "wari-own-3.wari" verify --db "$db"
    [ ! -e "$db/wari-own.proof" ] || fail "expected no record"
    mv "$WORK/level" "$db/wari-own-3.wari"
    accepted verify --db "$db"
}

two_simultaneous_proofs_in_one_folder_succeed() {
    local db
    db=$(_one)
    "$WARI" verify --db "$db" >"$WORK/first" 2>"$WORK/first.err" &
    accepted verify --db "$db"
    wait $! || fail "expected the other proof to end well"
    # One of the two proofs may have begun when the other had already put levels on record.
    same_file <(sed "s/; hashes.*//; /by the record/d" "$WORK/first") <(sed "s/; hashes.*//; /by the record/d" "$out")
    accepted stats --db "$db"
    expect_output_has "levels 0 to $seeds are on record as proved"
}

records_are_of_whole_proofs() {
    refused 2 "--anew" verify --db "$all" --rules awari --cycle even --anew --local
    local db
    db=$(_one)
    accepted verify --db "$db" --local
    accepted verify --db "$db" --sample 5
    [ ! -e "$db/wari-own.proof" ] || fail "expected no record"
}

with_several_databases_one_must_be_chosen() {
    refused 2 "awari even, awari own, wari even" verify --db "$all"
    refused 2 "abapa even, abapa own" verify --db "$all" --rules abapa
}

bad_use_is_refused() {
    refused 2 "--sample" verify --db "$all" --rules awari --cycle even --local --sample 5
    refused 2 "--sample" verify --db "$all" --rules awari --cycle even --seed 5
    refused 2 "--sample" verify --db "$all" --rules awari --cycle even --sample 0
    refused 2 "--sample" verify --db "$all" --rules awari --cycle even --sample many
    refused 2 "--threads" verify --db "$all" --rules awari --cycle even --threads 0
    refused 2 "--memory" verify --db "$all" --rules awari --cycle even --memory none
    refused 2 "takes no value" verify --db "$all" --local=yes
    refused 2 "text, json" verify --db "$all" --rules awari --cycle even --format csv
    refused 2 "unexpected argument" verify --db "$all" --rules awari --cycle even 5
}

run_tests
