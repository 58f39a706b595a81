#!/usr/bin/env bash
# The thread sanitizer for OpenMP programs: clang, libomp, and Archer, which tells the sanitizer
# what OpenMP's barriers and locks order. Without Archer every OpenMP program seems to have data
# races.
#
#   tests/tsan.sh COMMAND...            runs a command whose programs are built with it
#   tests/tsan.sh --self-test FOLDER    checks that a race is found and a correct program is not
#                                       blamed, with two small programs made in FOLDER
set -u

archer=$(compgen -G '/usr/lib/llvm-*/lib/libarcher.so' | sort -V | tail -n 1)
if [ -z "$archer" ]; then
    echo "tsan: libarcher.so is missing. Run \`make setup\`, which installs libomp-14-dev." >&2
    exit 2
fi
export OMP_TOOL_LIBRARIES=$archer
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 exitcode=66"

# With much address space randomisation (vm.mmap_rnd_bits above 28) the sanitizer cannot map its
# shadow memory and gives up; without randomisation it always can. Containers may forbid that.
fixed=()
if setarch "$(uname -m)" -R true 2>/dev/null; then
    fixed=(setarch "$(uname -m)" -R)
fi

self_test() { # FOLDER
    local folder=$1 name
    mkdir -p "$folder" || return 1
    for name in race no_race; do
        clang -O1 -g -fsanitize=thread -fopenmp -o "$folder/$name" "tests/tsan/$name.c" || return 1
    done
    ARCHER_OPTIONS=verbose=1 "${fixed[@]}" "$folder/no_race" >"$folder/no_race.log" 2>&1
    if [ $? -ne 0 ]; then
        cat "$folder/no_race.log"
        echo "tsan: a program without a race is reported" >&2
        return 1
    fi
    if ! grep -q '^Archer detected' "$folder/no_race.log"; then
        cat "$folder/no_race.log"
        echo "tsan: Archer ($archer) did not start" >&2
        return 1
    fi
    "${fixed[@]}" "$folder/race" >"$folder/race.log" 2>&1
    if [ $? -ne 66 ] || ! grep -q 'ThreadSanitizer: data race' "$folder/race.log"; then
        cat "$folder/race.log"
        echo "tsan: a program with a race is not reported" >&2
        return 1
    fi
    echo "The thread sanitizer finds a race and accepts correct OpenMP."
}

if [ "${1:-}" = --self-test ]; then
    self_test "$2"
else
    exec "${fixed[@]}" "$@"
fi
