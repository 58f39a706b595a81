# Sourced by run.sh and notebook.sh: runs tests and counts the results. `logs` is the folder for the output of the tests.
# shellcheck shell=bash

passed=0 failed=0

# Runs a function, which is named after what it tests. If the function fails, prints the end of its output.
check() { # TEST
    if "$1" >"$logs/$1.log" 2>&1; then
        echo "ok - $1"
        passed=$((passed + 1))
    else
        echo "not ok - $1"
        tail -n 100 "$logs/$1.log" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
}
