#!/usr/bin/env bash
# Every figure of data/ comes out of `wari`: values of positions and moves, histograms, counts of
# move sequences. In small only what 12 seeds and depth 8 can show. The one position of 18
# seeds that has a value under seven rule sets is asked for under three; under all in `make test-long`.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
failed=0
most=18
deepest=10
with_18="awari warri slam-gives"
case ${WARI_TEST_SCALE:-} in
small) most=12 deepest=8 with_18= ;;
long) with_18="awari wari warri ware slam-ends slam-gives slam-wins" ;;
esac

check() { # NAME EXPECTED ACTUAL
    if [ -n "$2" ] && [ "$2" = "$3" ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | sed 's/^/    /'
        failed=1
    fi
}

# The lines of a figure file whose position has at most $most seeds, without the first line.
covered() { # FILE
    awk -F, -v most="$most" -v with_18=" $with_18 " 'NR > 1 {
        seeds = 0; n = split($1, pit, /[ \/]+/)
        for (i = 1; i <= n; i++) seeds += pit[i]
        if (seeds <= most && (seeds < 18 || index(with_18, " " $2 " "))) print }' "$1"
}

folder_of() { # RULES CYCLE
    if [ "$1,$2" = awari,even ]; then shared_awari "$most"; else echo "$WORK/db"; fi
}

# The most seeds of any position in the standard input.
seeds_needed() {
    awk -F, '{ seeds = 0; n = split($1, pit, /[ \/]+/)
        for (i = 1; i <= n; i++) seeds += pit[i]
        if (seeds > all) all = seeds } END { print all }'
}

# Every variant that has a position, with as many seeds as it takes.
while IFS=, read -r rules cycle; do
    lines=$(covered data/positions.csv | grep -F ",$rules,$cycle,")
    seeds=$(seeds_needed <<<"$lines")
    db=$(folder_of "$rules" "$cycle")
    if ! "$WARI" build --db "$db" --rules "$rules" --cycle "$cycle" --seeds "$seeds" 2>/dev/null; then
        echo "not ok - $rules $cycle can be built to $seeds seeds"
        failed=1
        continue
    fi
    check "positions have their known values: $rules $cycle" "$(cut -d, -f4 <<<"$lines")" \
        "$(cut -d, -f1 <<<"$lines" |
            "$WARI" query --db "$db" --rules "$rules" --cycle "$cycle" --format value)"
done < <(covered data/positions.csv | cut -d, -f2,3 | sort -u)

while IFS=, read -r position rules cycle; do
    check "moves have their known values: $position, $rules $cycle" \
        "$(grep -F "$position,$rules,$cycle," data/moves.csv | cut -d, -f4,5)" \
        "$("$WARI" query --db "$(folder_of "$rules" "$cycle")" --rules "$rules" --cycle "$cycle" --format json "$position" |
            grep -oE '"move":"[A-F]","captured":[0-9]+,"value":-?[0-9]+' |
            sed -E 's/"move":"(.)".*:/\1,/' | sort)"
done < <(covered data/moves.csv | cut -d, -f1-3 | sort -u)

check "the published histograms come out: awari even" \
    "$(awk -F, -v most="$most" 'NR > 1 && $1 <= most' data/awari_histograms.csv)" \
    "$("$WARI" stats --db "$(folder_of awari even)" --rules awari --cycle even --format csv |
        awk -F, 'NR > 1 && $1 <= 16')"

"$WARI" build --db "$WORK/db" --rules abapa --cycle own --seeds 5 2>/dev/null || failed=1
check "independent histograms come out: abapa own" "$(tail -n +2 data/abapa_own_histograms.csv)" \
    "$("$WARI" stats --db "$WORK/db" --rules abapa --cycle own --format csv | grep '^[345],')"

while IFS=, read -r position rules; do
    lines=$(grep -F "$position,$rules," data/perft.csv |
        awk -F, -v deepest="$deepest" '$3 <= deepest { print $3, $4 }')
    check "move sequences have their known number: $position, $rules" "$lines" \
        "$("$WARI" perft --rules "$rules" --depth "$(wc -l <<<"$lines")" "$position")"
done < <(tail -n +2 data/perft.csv | cut -d, -f1,2 | sort -u)

exit "$failed"
