#!/usr/bin/env bash
# Rare faults, and messages that confused people who saw them for the first time.
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
    trap _end_server EXIT
    kill "$server"
    wait "$server"
    code=$? out=/dev/null err=$WORK/server.err.$BASHPID
    expect_code 143
    expect_message "wari serve: stopped"
    ! _has "$err" "stopped;" || fail "expected no word about requests"
}

# Fixed bug: "localhost\\0.example" was taken for localhost, and arguments after a zero byte were dropped.
a_zero_byte_in_the_head_of_a_request_is_refused() {
    local target headers end='Connection: close\r\n\r\n'
    _start --db "$all" || exit 1
    trap _end_server EXIT
    for headers in 'Host: localhost\0.example\r\n' 'Host: localhost\r\nOrigin: http://localhost\0.example\r\n' \
        'Host: localhost\r\nX: \0y\r\n' 'Host\0x: localhost\r\n'; do
        _raw "GET /healthz HTTP/1.1\r\n$headers$end"
        _expect_status 400
        _raw "GET /healthz HTTP/1.1\r\n${end%\\r\\n}$headers\r\n" # as the last header
        _expect_status 400
    done
    # A line that begins with a blank continues the header above it. Such a line is refused with or without a zero byte.
    for headers in 'Host: localhost\r\n \0evil\r\n' 'Host: localhost\r\nX: y\r\n z\r\n' 'Host: localhost\r\n\t.example\0\r\n' 'Host: localhost\0\r\n .example\r\n' \
        'Host: localhost\r\nX: y\r\n \0z\r\n' 'Host: localhost\r\nOrigin: http://localhost\r\n \0.example\r\n'; do
        _raw "GET /healthz HTTP/1.1\r\n$headers$end"
        _expect_status 400
        _raw "GET /healthz HTTP/1.1\r\n${end%\\r\\n}$headers\r\n"
        _expect_status 400
    done
    for target in '/healthz\0x' '/api/info?\0rules=awari' '/api/stats?rules=awari\0&cycle=even'; do
        _raw "GET $target HTTP/1.1\r\nHost: localhost\r\n$end"
        _expect_status 400
    done
    for headers in 'Host: localhost\r\nX:\r\nY:   z  \r\n' 'Host:localhost\r\nCookie: a=b; c=d\r\n'; do
        _raw "GET /api/stats?rules=%61wari&cycle=even HTTP/1.1\r\n$headers$end"
        _expect_status 200
    done
    _raw '\r\nGET /healthz HTTP/1.1\nHost: localhost\nConnection: close\n\n'
    _expect_status 200
}

# ---- A folder with several databases ---------------------------------------------------------------

a_folder_with_several_databases_gives_an_example_of_a_name() {
    local several command words here="several databases here; name one, such as"
    several=$(_tables) || exit 1
    for command in query stats verify pack engine "export --seeds 2" book "match --engine x"; do
        read -r -a words <<<"$command"
        [ "$command" != book ] || words+=(-o "$WORK/x.book")
        refused 2 "$several: $here --rules awari --cycle even (there are: awari even, abapa own, warri even)" \
            "${words[@]}" --db "$several"
    done
    refused 2 "$here --rules awari --cycle even (there are: awari even, warri even)" query --db "$several" --cycle even
    accepted query --db "$several" --rules abapa --cycle own "0 0 1 0 0 0 / 0 1 0 1 0 0"
    _start --db "$several" || exit 1
    trap _end_server EXIT
    _ask "/api/stats"
    expect_code 400
    expect_output_has "$here rules=awari&cycle=even (there are: awari even, abapa own, warri even)"
    _ask "/api/stats?rules=awari&cycle=even"
    expect_code 200
}

run_tests
