# What tests of `wari match` share: engines that are small scripts, and may fail.
# shellcheck shell=bash

# Milliseconds. Who fails of itself has all the time that a busy machine takes, and so has who plays;
# who never answers runs out of little.
patient=(--grace 60000 --start-time 60000)
short=(--movetime 20 --grace 100 --start-time 60000)

# An engine that is sane up to a point: what it does at each "go" is the script's argument.
_engine() { # NAME ACTION [ACTION-AT-uci]
    cat >"$WORK/$1" <<EOF
#!/bin/bash
while read -r word rest; do
    case \$word in
    uci) ${3:-echo "id name $1"; echo uciok} ;;
    isready) echo readyok ;;
    go) $2 ;;
    quit) exit 0 ;;
    esac
done
EOF
    chmod +x "$WORK/$1"
}

# Four games of a failing engine against perfect play: it loses all of them, for this reason.
_fails() { # NAME FAULT MESSAGE
    local time=("${patient[@]}")
    [ "$2" != time-out ] || time=("${short[@]}")
    run match --db "$WORK/db" --engine "$WORK/$1" --games 4 --json "${time[@]}"
    expect_code 1
    expect_message "$3"
    expect_output_has "\"lost\":4,\"forfeited\":4"
    expect_output_has "\"$2\":4"
    grep -qF '"games":4' "$out" || fail "expected four games"
}
