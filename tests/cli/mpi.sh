#!/usr/bin/env bash
# `wari-mpi` with more ranks than processors, all on this machine. With any number of ranks the
# files are those of a single process, and if one rank fails, all end with one message.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/ranks.sh
. tests/cli/ranks.sh
skip_without_mpi

# Levels from 8 up are distributed over more than four ranks, levels from 9 up over seven.
seeds=10 variants=8 many=7
! is_small || { seeds=8 variants=6 many=5; }
for _preset in awari tournament; do
    build "$WORK/$_preset" $seeds --rules "$_preset" || exit 1
done

# ---- The same bytes ---------------------------------------------------------------------------------

_expect_same_bytes() { # RANKS PRESET [OPTION...]
    local number=$1 preset=$2
    shift 2
    ranks "$number" build --db "$WORK/ranks" --seeds $seeds --rules "$preset" "$@"
    expect_code 0
    expect_no_output
    same_database "$WORK/$preset" "$WORK/ranks"
    [ -z "$(find "$WORK/ranks" -name '*.tmp' -o -name 'build.ranks.*')" ] ||
        fail "expected no file left behind"
    rm -rf "$WORK/ranks"
}

one_rank_writes_the_same_bytes() {
    _expect_same_bytes 1 awari --threads 2
}

two_ranks_with_threads_write_the_same_bytes() {
    _expect_same_bytes 2 awari --threads 2
}

three_ranks_write_the_same_bytes() {
    _expect_same_bytes 3 tournament --threads 1
}

# In a dense sweep each cell is sent once to the rank that needs it, unless that rank holds the
# cell, which is true of one cell in four on average. Each sowing needs at most one cell of a row.
four_ranks_write_the_same_bytes_and_send_what_sweeps_need() {
    _expect_same_bytes 4 awari --threads 1 --kernel portable --traffic
    awk '/^level/ { gsub(/,/, ""); positions = $3 }
         /dense sweeps/ { sweeps = $3 }
         /^  (child rows|tiles)/ && positions > 50000 {
             share = $(NF - 1) / positions / sweeps; lines++
             if (share < ($1 == "tiles" ? 0.6 : 1) || share > ($1 == "tiles" ? 0.9 : 4)) print "off: " share " in " $0 }
         END { if (lines < 2) print "no figures" }' "$err" >"$WORK/off"
    [ ! -s "$WORK/off" ] || fail "messages are not those of sweeps: $(head -3 "$WORK/off")"
}

many_ranks_write_the_same_bytes() {
    _expect_same_bytes $many awari --threads 1
}

# Without mpirun the program is a job of one rank.
a_single_process_writes_the_same_bytes() {
    out=$WORK/out err=$WORK/err
    "$WARI_MPI" build --db "$WORK/alone" --seeds 6 >"$out" 2>"$err" </dev/null
    code=$?
    expect_code 0
    same_file "$WORK/alone/awari-even-6.wari" "$WORK/awari/awari-even-6.wari"
}

# Hashes of all values, as published in data/. (At small size every seventh variant, so that both
# cycle rules occur.)
every_rule_set_has_its_published_values() {
    local rules cycle hash i=0
    while IFS=, read -r rules cycle _ hash; do
        ! is_small || ((i++ % 7 == 0)) || continue
        ranks 2 build --db "$WORK/all" --seeds $variants --rules "$rules" --cycle "$cycle" \
            --threads 1
        expect_code 0
        accepted stats --db "$WORK/all" --rules "$rules" --cycle "$cycle"
        expect_output_has "$hash"
    done < <(grep ",$variants," data/payload_hashes.csv)
    [ "$(grep -c ",$variants," data/payload_hashes.csv)" -eq 16 ] || fail "expected 16 variants"
}

# A single process continues where ranks stopped, and the other way round; files may be packed.
ranks_and_a_single_process_take_turns() {
    accepted build --db "$WORK/turns" --seeds 5
    accepted pack --db "$WORK/turns"
    ranks 2 build --db "$WORK/turns" --seeds 7 --threads 1
    expect_code 0
    accepted build --db "$WORK/turns" --seeds 8
    same_file "$WORK/turns/awari-even-8.wari" "$WORK/awari/awari-even-8.wari"
    ranks 2 build --db "$WORK/turns" --seeds 8
    expect_code 0
    expect_message "has all levels of awari even up to 8 seeds already"
}

# The catalogue still lists the levels whose files are lost.
ranks_solve_the_levels_whose_files_are_missing() {
    local db=$WORK/gaps number
    for number in 2 3; do
        rm -rf "$db"
        cp -r "$WORK/awari" "$db"
        rm "$db/awari-even-5.wari" "$db/awari-even-7.wari"
        ranks $number build --db "$db" --seeds $seeds --threads 1
        expect_code 0
        expect_no_output
        same_database "$WORK/awari" "$db"
    done
    rm "$db/awari-even-0.wari" "$db/awari-even-$seeds.wari" # the lowest and the highest
    ranks 2 build --db "$db" --seeds $seeds --threads 1
    expect_code 0
    same_database "$WORK/awari" "$db"
    rm "$db/awari-even-5.wari" # below the requested levels are only those that are there
    ranks 2 build --db "$db" --seeds 4 --threads 1
    expect_code 0
    expect_no_file "$db/awari-even-5.wari"
}

# This variable names a part of the MPI library. Since there is no part "none", MPI would fail when it starts.
help_and_version_do_not_start_mpi() {
    local word
    out=$WORK/out err=$WORK/err
    for word in --help "build --help" "plan -h" help; do
        # shellcheck disable=SC2086 # words on purpose
        OMPI_MCA_pml=none "$WARI_MPI" $word >"$out" 2>"$err" </dev/null
        code=$?
        expect_code 0
        expect_no_message
        expect_output_has "usage: mpirun -n R"
    done
    OMPI_MCA_pml=none "$WARI_MPI" --version >"$out" 2>"$err" </dev/null
    code=$?
    expect_code 0
    expect_output "wari-mpi $("$WARI" --version | sed -n 's/^wari //p')"
    ranks 2 --version
    expect_code 0
    [ "$(wc -l <"$out")" -eq 1 ] || fail "expected one line of all ranks"
}

# ---- Plans ----------------------------------------------------------------------------------------------

_shared_plan() { # OPTION...
    out=$WORK/out err=$WORK/err
    "$WARI_MPI" plan --seeds 24 --threads 2 --memory 4G --speed capture=0,sowing=0,column=0,event=0,count=0,encode=0,decode=0,level=0,memory=0 "$@" \
        >"$out" 2>"$err" </dev/null
    code=$?
}

# By the way in which rows and work are distributed, 16 ranks send 5.379 bytes of rows and 0.931
# bytes of tiles for each cell of level 24 in a dense sweep.
a_plan_for_ranks_says_what_they_send_and_how_long_that_takes() {
    _shared_plan --ranks 16 --network-bandwidth 1G --json
    expect_code 0
    python3 -I -S -c "import json, sys
plan = json.load(open(sys.argv[1]))
every, levels = plan['all'], plan['levels']
assert plan['ranks'] == 16 and every['scratch_bytes'] == 0
assert abs(every['seconds'] - every['sent'] / 1e9) <= 1e-6 * every['seconds']
assert abs(sum(level['sent'] for level in levels) - every['sent']) <= 25
assert 0.9 < levels[24]['sent'] / (17 * (5.379 + 0.931) * 382628610 / 16) < 1.1" "$out" ||
        fail "expected another plan"
    _shared_plan --ranks 16 --network-bandwidth 1G
    expect_code 0
    expect_output_has "per rank, for 16 ranks"
}

invalid_plans_for_ranks_are_refused() {
    _shared_plan --ranks 0 --network-bandwidth 1G
    expect_code 2
    expect_message "--ranks"
    _shared_plan --ranks 2
    expect_code 2
    expect_message "--network-bandwidth"
    _shared_plan --network-bandwidth 1G
    expect_code 2
    expect_message "--ranks R is missing"
}

# ---- What is refused --------------------------------------------------------------------------------

# Runs two ranks with the same arguments and one with others, or with another program.
_two_and_one() { # PROGRAM "ARGUMENTS OF TWO" "OF ONE"
    # shellcheck disable=SC2086 # words on purpose
    _run_job mpirun --oversubscribe -n 2 "$WARI_MPI" $2 : -n 1 "$1" $3
}

a_rank_with_other_rules_is_named() {
    local same="build --db $WORK/mixed --seeds 4 --threads 1"
    _two_and_one "$WARI_MPI" "$same" "$same --rules abapa"
    expect_code 6
    expect_one_message "was asked for abapa even, levels up to 4, but rank 0"
    expect_message "wari build: rank 2 on"
    _two_and_one "$WARI_MPI" "$same" "$same --cycle own"
    expect_code 6
    expect_one_message "was asked for awari own"
}

a_rank_of_another_version_is_named() {
    local version same="build --db $WORK/mixed --seeds 4 --threads 1"
    version=$("$WARI" --version | sed -n 's/^wari //p')
    sed "s/${version//./\\.}/9.9.9/g" "$WARI_MPI" >"$WORK/other"
    chmod +x "$WORK/other"
    [ ${#version} -eq 5 ] || fail "the version must be as long as 9.9.9"
    _two_and_one "$WORK/other" "$same" "$same"
    expect_code 6
    expect_one_message "rank 2 on"
    expect_message "runs wari 9.9.9"
    expect_message "install the same version on all hosts"
}

bad_options_are_reported_once() {
    ranks 2 build --db "$WORK/refused" --seeds 47
    expect_code 2
    expect_one_message "47"
    ranks 2 build --db "$WORK/refused" --seeds 4 --scratch "$WORK"
    expect_code 2
    expect_one_message "--scratch works with 'wari build' only"
    ranks 2 query
    expect_code 2
    expect_one_message "the commands are 'build' and 'plan'"
    refused 2 "unknown or ambiguous option --local-disks" build --db "$WORK/refused" --seeds 4 --local-disks
    [ ! -e "$WORK/refused" ] || fail "expected no folder"
}

a_rank_with_too_little_memory_is_named() {
    local same="build --db $WORK/memory --seeds 12 --threads 1"
    _two_and_one "$WARI_MPI" "$same" "$same --memory 1M"
    expect_code 5
    expect_one_message "rank 2 on"
    expect_message "only 1.0 MB is available (--memory)"
}

# This includes the code of the MPI library. (The memory of sanitizers is not planned.)
each_rank_keeps_the_memory_limit() {
    local bound kilobytes rank
    ! is_sanitized || return 0
    build "$WORK/bounded" 8 || fail "no database"
    ranks 3 build --db "$WORK/bounded" --seeds 10 --threads 1 --memory 1M
    expect_code 5
    bound=$(sed -n 's/.* need at least \([0-9]*\)\..* MB of memory.*/\1/p' "$err")
    [ -n "$bound" ] || fail "expected what is needed at least"
    cat >"$WORK/measured" <<'PYTHON'
#!/usr/bin/env python3
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1] + os.environ["OMPI_COMM_WORLD_RANK"], "w") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=file)
sys.exit(code)
PYTHON
    chmod +x "$WORK/measured"
    _run_job mpirun --oversubscribe -n 3 "$WORK/measured" "$WORK/resident" "$WARI_MPI" \
        build --db "$WORK/bounded" --seeds 10 --threads 1 --memory $((bound + 1))M
    expect_code 0
    for rank in 0 1 2; do
        kilobytes=$(cat "$WORK/resident$rank")
        [ $((kilobytes * 1024)) -le $(((bound + 1) * 1000000)) ] ||
            fail "rank $rank had $kilobytes kB resident, more than $((bound + 1)) MB"
    done
}

a_folder_in_use_is_refused() {
    mkdir "$WORK/busy"
    exec 9>"$WORK/busy/build.lock"
    flock 9
    ranks 3 build --db "$WORK/busy" --seeds 4 --threads 1
    expect_code 4
    expect_one_message "another process is building here"
}

# ---- What goes wrong --------------------------------------------------------------------------------

# Checks that finished levels are intact, and that the next run writes the right bytes.
_expect_to_go_on() { # FOLDER
    accepted check --db "$1"
    ranks 2 build --db "$1" --seeds $seeds --threads 1
    expect_code 0
    same_database "$WORK/awari" "$1"
    [ -z "$(find "$1" -name '*.tmp')" ] || fail "expected no temporary file"
    rm -rf "$1"
}

# Starts a job that is held when level 7 is solved but not published yet; the levels below are
# published. (Ranks publish levels one by one.)
_start_held_job() { # FOLDER
    start_ranks_held 3 rename '*-7.wari' build --db "$1" --seeds 16 --threads 1
    accepted stats --db "$1" --json
    expect_output_has '"seeds_max":6,'
    out=$WORK/background.out err=$WORK/background.err
}

a_killed_rank_ends_the_job() {
    _start_held_job "$WORK/killed"
    kill -s KILL "$(process_of 2)"
    finish_ranks
    expect_code 137
    expect_message "exited on signal 9"
    ! grep -q '^wari' "$err" || fail "expected no message of the other ranks"
    _expect_to_go_on "$WORK/killed"
}

# A signal to one rank ends all of them. (If mpirun itself gets the signal, it kills the ranks a
# second after passing it on, which is too soon on a busy machine.)
a_stopped_job_says_how_to_resume() {
    local signal
    for signal in TERM $(is_small || echo INT); do
        rm -rf "$WORK/stopped"
        _start_held_job "$WORK/stopped"
        kill -s $signal "$(process_of 1)"
        let_run
        finish_ranks
        expect_code $((128 + $(kill -l $signal)))
        expect_one_message "wari build: stopped; the levels up to 7 seeds are finished"
    done
    _expect_to_go_on "$WORK/stopped"
}

# With a limit on the file size, writing fails on the rank that writes the files.
# The limit would also apply to the files through which Open MPI shares memory between the ranks. Without them, messages get
# lost, or wait for ever. So here the ranks communicate by TCP.
a_rank_that_cannot_write_ends_the_job() {
    local same="build --db $WORK/full --seeds $seeds --threads 1"
    printf '#!/bin/sh\nulimit -f 8\nexec "%s" "$@"\n' "$WARI_MPI" >"$WORK/limited"
    chmod +x "$WORK/limited"
    OMPI_MCA_btl=self,tcp WARI_MPI=$WORK/limited _two_and_one "$WARI_MPI" "$same" "$same"
    expect_code 4
    expect_one_message "rank 0 on"
    expect_message "cannot write"
    [ -z "$(find "$WORK/full" -name '*.tmp')" ] || fail "expected no temporary file"
    _expect_to_go_on "$WORK/full"
}

# The checkpoint may have been left by a single process that was killed.
a_checkpoint_is_removed_when_its_level_is_published() {
    accepted build --db "$WORK/left" --seeds 5
    echo old >"$WORK/left/awari-even-6.checkpoint"
    ranks 3 build --db "$WORK/left" --seeds 7 --threads 1
    expect_code 0
    [ -z "$(find "$WORK/left" -name '*checkpoint*')" ] || fail "expected that it is removed"
}

a_damaged_level_is_reported_once() {
    accepted build --db "$WORK/damaged" --seeds 8
    flip_byte "$WORK/damaged/awari-even-8.wari" -100
    ranks 3 build --db "$WORK/damaged" --seeds 10 --threads 1
    expect_code 3
    expect_message "awari-even-8.wari: chunk"
    [ "$(grep -c 'its hash does not match' "$err")" -eq 1 ] || fail "expected one message"
    [ ! -e "$WORK/damaged/awari-even-10.wari" ] || fail "expected no level 10"
}

run_tests
