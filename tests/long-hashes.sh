#!/usr/bin/env bash
# Builds databases of every rule set and cycle rule up to 16 seeds with every kernel that this
# machine supports, checks and proves the files, and compares their payload hashes with the
# published ones. Takes some minutes.
#
#   tests/long-hashes.sh PROGRAM
set -eu -o pipefail
wari=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

kernels=$("$wari" --version | sed -n 's/^kernels: \(.*\); auto .*/\1/p')
[ -n "$kernels" ]

hashes() { # RULES CYCLE ; the lines of the list, from a database
    "$wari" stats --db "$work/db" --rules "$1" --cycle "$2" |
        sed -n 's/^  hash of the values //p' | awk -v name="$1,$2" '{ print name "," NR - 1 "," $1 }'
}

passed=0 failed=0
for kernel in $kernels; do
    for rules in awari wari abapa warri ware slam-ends slam-gives slam-wins; do
        for cycle in even own; do
            rm -rf "$work/db"
            name="$rules $cycle, 0 to 16 seeds, kernel $kernel"
            if "$wari" build --db "$work/db" --rules $rules --cycle $cycle --seeds 16 \
                --kernel $kernel 2>"$work/messages" &&
                "$wari" check --db "$work/db" >>"$work/messages" 2>&1 &&
                { [ $kernel != portable ] ||
                    "$wari" verify --db "$work/db" >>"$work/messages" 2>&1; } &&
                diff <(hashes $rules $cycle) <(grep "^$rules,$cycle," data/payload_hashes.csv); then
                echo "ok - $name: the published hashes"
                passed=$((passed + 1))
            else
                echo "not ok - $name"
                sed 's/^/    /' "$work/messages"
                failed=$((failed + 1))
            fi
        done
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
