#!/usr/bin/env bash
# A tour of what `wari` does, on databases built afresh: shows each command and what it prints.
#
#   tests/demo.sh PROGRAM FOLDER        FOLDER is emptied first
#
# Two variables make the demo shorter for an emulator: with SEEDS=12 the large database has 12 instead of 18 seeds, and with
# SAMPLE=K only K positions of each of its levels are proved.
set -eu
wari=$1
folder=$2

explain() {
    echo
    printf '# %s\n' "$@"
}

show() { # COMMAND... ; stops the demo if it fails
    local word
    printf '$'
    for word in "$@"; do
        [[ $word == *' '* ]] && word="\"$word\""
        printf ' %s' "$word"
    done
    printf '\n'
    "$@"
}

case $folder in
*/demo) rm -rf "$folder" ;;
*) echo "demo: the folder to be emptied must be called demo" >&2 && exit 2 ;;
esac

explain "The exact value of every position with 0 to 12 seeds, by the rules of the published tables."
show "$wari" build --db "$folder" --seeds 12

explain "What is it worth to the player to move, and by which moves? (Published: 0; -1 -8 -2 -2 -2 0.)"
show "$wari" query --db "$folder" "1 1 1 1 1 1 / 1 1 1 1 1 1"

explain "Three seeds, and the mover gets them all. (Published: +3, by B and by E.)"
show "$wari" query --db "$folder" "0 1 0 0 1 0 / 0 0 0 0 0 1"

explain "A position with more seeds than the tables have is refused, not guessed."
show "$wari" query --db "$folder" "1 1 1 1 1 2 / 4 2 3 0 0 0" || echo "(exit code $?)"

if [ "${SEEDS:-18}" -ge 18 ]; then
    explain "Building goes on from what is there. Now the positions with 16 and 18 seeds are known, too." \
        "(Published: 0, by moves worth -1 -1 -2 -2 -2 0; and -2, by E and F only.)"
    show "$wari" build --db "$folder" --seeds 18
    show "$wari" query --db "$folder" "1 1 1 1 1 2 / 4 2 3 0 0 0" "0 0 6 0 3 5 / 1 2 1 0 0 0"
fi

explain "One position by every rule set: what a grand slam does decides it."
for rules in awari wari abapa warri ware slam-ends slam-gives slam-wins; do
    "$wari" build --db "$folder" --rules "$rules" --cycle even --seeds 6 2>/dev/null
    printf '%-12s' "$rules"
    "$wari" query --db "$folder" --rules "$rules" --cycle even --format value \
        "0 0 0 3 2 0 / 1 0 0 0 0 0"
done

explain "Tournament rules: a grand slam captures nothing, endless play gives each side its own row."
show "$wari" build --db "$folder" --rules tournament --seeds 12
show "$wari" query --db "$folder" --rules tournament "1 0 1 0 0 0 / 1 0 0 0 0 0"

explain "A proof by code that shares nothing with the solver."
show "$wari" verify --db "$folder" --rules awari ${SAMPLE:+--sample "$SAMPLE"}
show "$wari" verify --db "$folder" --rules tournament
