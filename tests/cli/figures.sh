#!/usr/bin/env bash
# Every figure of data/ is reproduced by `wari`: values of positions and moves, histograms, counts
# of move sequences. At small size only the figures up to 12 seeds and depth 8 are reproduced. The only position of 18
# seeds that has a value under seven rule sets is queried under three of them; `make test-long`
# queries all.
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

# Prints the lines of a figure file whose position has at most $most seeds, each with that number
# and a comma before it, without the heading.
covered() { # FILE
    awk -F, -v most="$most" -v with_18=" $with_18 " 'NR > 1 {
        seeds = 0; n = split($1, pit, /[ \/]+/)
        for (i = 1; i <= n; i++) seeds += pit[i]
        if (seeds <= most && (seeds < 18 || index(with_18, " " $2 " "))) print seeds "," $0 }' "$1"
}

awari=$(shared_awari "$most") || exit 1
folder_of() { # RULES,CYCLE ; sets $folder
    folder=$WORK/db
    [ "$1" != awari,even ] || folder=$awari
}

# Finds every variant that has a position, with the number of seeds that its positions need.
declare -A most_seeds positions expected
variants=()
while IFS=, read -r seeds position rules cycle value _; do
    variant=$rules,$cycle
    [ -n "${positions[$variant]:-}" ] || variants+=("$variant")
    positions[$variant]+=$position$'\n'
    expected[$variant]+=$value$'\n'
    [ "$seeds" -le "${most_seeds[$variant]:-0}" ] || most_seeds[$variant]=$seeds
done < <(covered data/positions.csv)
most_seeds[abapa,own]=5 # for the histograms, too
for variant in "${variants[@]}"; do
    rules=${variant%,*} cycle=${variant#*,}
    folder_of "$variant"
    if [ "$folder" != "$awari" ] && ! "$WARI" build --db "$folder" --rules "$rules" --cycle "$cycle" \
        --seeds "${most_seeds[$variant]}" 2>/dev/null; then
        echo "not ok - $rules $cycle can be built to ${most_seeds[$variant]} seeds"
        failed=1
        continue
    fi
    check "positions have their known values: $rules $cycle" "${expected[$variant]%$'\n'}" \
        "$("$WARI" query --db "$folder" --rules "$rules" --cycle "$cycle" --format value <<<"${positions[$variant]%$'\n'}")"
done

# Prints the moves of a JSON answer and their values, one in each line, in the order of the pits.
moves_of() { # JSON
    local json=$1 letter
    local -A values=()
    while [[ $json =~ \"move\":\"([A-F])\",\"captured\":[0-9]+,\"value\":(-?[0-9]+) ]]; do
        values[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
        json=${json#*"${BASH_REMATCH[0]}"}
    done
    for letter in A B C D E F; do
        [ -z "${values[$letter]:-}" ] || echo "$letter,${values[$letter]}"
    done
}

asked=()
unset expected
declare -A expected
while IFS=, read -r _ position rules cycle move value _; do
    [ -n "${expected[$position,$rules,$cycle]:-}" ] || asked+=("$position,$rules,$cycle")
    expected[$position,$rules,$cycle]+=$move,$value$'\n'
done < <(covered data/moves.csv)
for key in "${asked[@]}"; do
    IFS=, read -r position rules cycle <<<"$key"
    folder_of "$rules,$cycle"
    check "moves have their known values: $position, $rules $cycle" "${expected[$key]%$'\n'}" \
        "$(moves_of "$("$WARI" query --db "$folder" --rules "$rules" --cycle "$cycle" --format json "$position")")"
done

check "the published histograms come out: awari even" \
    "$(awk -F, -v most="$most" 'NR > 1 && $1 <= most' data/awari_histograms.csv)" \
    "$("$WARI" stats --db "$awari" --rules awari --cycle even --format csv | awk -F, 'NR > 1 && $1 <= 16')"

check "independent histograms come out: abapa own" "$(tail -n +2 data/abapa_own_histograms.csv)" \
    "$("$WARI" stats --db "$WORK/db" --rules abapa --cycle own --format csv | grep '^[345],')"

asked=()
unset expected
declare -A expected depth_of
while IFS=, read -r position rules depth count _; do
    [ "$depth" -le $deepest ] || continue
    [ -n "${expected[$position,$rules]:-}" ] || asked+=("$position,$rules")
    expected[$position,$rules]+="$depth $count"$'\n'
    depth_of[$position,$rules]=$depth
done < <(tail -n +2 data/perft.csv)
for key in "${asked[@]}"; do
    check "move sequences have their known number: ${key%,*}, ${key#*,}" "${expected[$key]%$'\n'}" \
        "$("$WARI" perft --rules "${key#*,}" --depth "${depth_of[$key]}" "${key%,*}")"
done

exit "$failed"
