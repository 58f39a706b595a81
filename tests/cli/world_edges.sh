#!/usr/bin/env bash
# Faults at the edges, and messages that puzzled people who saw them for the first time.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

all=$(shared_awari 12) || exit 1

a_proof_in_a_folder_that_is_read_only_names_the_option() {
    ordinary_program
    build "$shared/db" 3 || exit 1
    chmod 755 "$shared/db"
    as_ordinary_user "$shared/wari" verify --db "$shared/db" >"$out" 2>"$err"
    code=$?
    expect_code 4
    expect_output_has "proved (b)"
    expect_message "use --no-record"
    as_ordinary_user "$shared/wari" verify --db "$shared/db" --no-record >"$out" 2>"$err"
    code=$?
    expect_code 0
    ! _has "$err" "record" || fail "expected no word about a record"
}

a_server_that_answered_everything_says_only_that_it_stopped() {
    _start --db "$all" || exit 1
    trap 'kill "$server" 2>/dev/null' EXIT
    kill "$server"
    wait "$server"
    code=$? out=/dev/null err=$WORK/server.err.$BASHPID
    expect_code 143
    expect_message "wari serve: stopped"
    ! _has "$err" "stopped;" || fail "expected no word about requests"
}

run_tests
