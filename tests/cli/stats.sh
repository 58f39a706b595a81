#!/usr/bin/env bash
# `wari stats`: compares histograms with published and independently computed ones.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=18
! is_small || seeds=12
db=$(shared_awari $seeds) || exit 1
own=$WORK/abapa
build "$own" 5 --rules abapa --cycle own || exit 1

# 0..16 seeds: Lincke 2002, appendix B; above them the counts of data/large_levels.csv.
csv_equals_the_published_histograms() {
    {
        awk -F, -v last=$seeds 'NR == 1 || $1 <= last' data/awari_histograms.csv
        sed -n 's/^awari,even,//p' data/large_histograms.csv | awk -F, -v last=$seeds '$1 <= last'
    } >"$WORK/expected.csv"
    [ "$(wc -l <"$WORK/expected.csv")" -gt 100 ] || fail "expected the published figures"
    accepted stats --db "$db" --format csv
    same_file "$WORK/expected.csv" "$out"
    expect_no_message
}

# The histograms of the rules page were checked against a simple solver with nested fixed points.
own_histograms_are_those_of_the_rules_page() {
    accepted stats --db "$own" --format csv
    sed -n '/^[345],/p' "$out" >"$WORK/levels"
    cat >"$WORK/expected" <<'END'
3,-3,178
3,-1,30
3,1,42
3,3,114
4,-4,534
4,-2,111
4,0,143
4,2,164
4,4,413
5,-5,1891
5,-3,52
5,-1,264
5,1,199
5,3,124
5,5,1838
END
    same_file "$WORK/expected" "$WORK/levels"
}

text_says_what_a_level_holds() {
    accepted stats --db "$db"
    expect_output_has "awari even"
    # C(13,11) placements of 2 seeds; all of them have an empty pit. Values from the published table.
    expect_output_has "2 seeds: 78 placements, 78 positions"
    grep -q "^ *-2  *40 " "$out" || fail "expected 40 placements of value -2"
    # In one of the C(17,11) = 12,376 placements of 6 seeds, no pit of the opponent is empty.
    expect_output_has "6 seeds: 12,376 placements, 12,375 positions"
    expect_output_has "bits a position"
    expect_output_has "hash of the values"
}

shares_of_won_drawn_and_lost_positions_are_right() {
    accepted stats --db "$db"
    # 1 seed, published: 7 of 12 positions lost, 5 won.
    expect_output_has "the mover wins 41.67 %, draws 0.00 %, loses 58.33 %"
}

json_holds_rules_and_counts() {
    accepted stats --db "$db" --format json
    [ "$(wc -l <"$out")" -eq 1 ] || fail "expected one line"
    grep -q "^{\"rules\":\"awari\",\"cycle\":\"even\",\"seeds_max\":$seeds," "$out" ||
        fail "expected rule set and last level first"
    expect_output_has '{"seeds":1,"positions":12,"placements":12,"hash":"'
    expect_output_has '"wins":5,"draws":0,"losses":7,"histogram":[{"value":-1,"count":7},{"value":1,"count":5}]'
}

hashes_of_the_values_are_the_published_ones() {
    cut -d, -f1-4 data/payload_hashes.csv data/proofs.csv | sed -n 's/^awari,even,//p' | sort -nu |
        head -n $((seeds + 1)) | sed 's/.*,/hash of the values /' >"$WORK/expected"
    [ "$(wc -l <"$WORK/expected")" -eq $((seeds + 1)) ] || fail "expected the published hashes"
    accepted stats --db "$db"
    grep -o 'hash of the values .*' "$out" >"$WORK/hashes"
    same_file "$WORK/expected" "$WORK/hashes"
    accepted stats --db "$db" --json
    [ "$(grep -o '"hash":"[0-9a-f]*"' "$out" | tail -n 1)" = \
        "\"hash\":\"$(tail -n 1 "$WORK/expected" | sed 's/.* //')\"" ] ||
        fail "expected the published hash in JSON, too"
}

json_has_a_short_name() {
    accepted stats --db "$db" --format json
    cp "$out" "$WORK/long"
    accepted stats --db "$db" --json
    same_file "$WORK/long" "$out"
}

# Reads a picture as XML. Prints what its bars say, as CSV. Fails if the height of a bar is not
# proportional to its count (but a bar is at least a pixel high), or if an axis has no label.
_read_plot() { # FILE
    python3 -B - "$1" <<'END'
import sys
import xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
picture = tree.parse(sys.argv[1]).getroot()
style = picture.find(svg + "style").text
assert "prefers-color-scheme: dark" in style and not picture.findall(".//*[@href]"), "one file, light and dark"
print("seeds,value,count")
for level in picture.iter(svg + "g"):
    words = [text.text for text in level.findall(svg + "text")]
    assert "value for the mover, in seeds" in words and "share of placements" in words, words
    bars = level.findall(svg + "rect")
    most = max(bars, key=lambda bar: float(bar.get("height")))
    for bar in bars:
        value, count = int(bar.get("data-value")), int(bar.get("data-count"))
        expected = max(1, float(most.get("height")) * count / int(most.get("data-count")))
        assert abs(float(bar.get("height")) - expected) < 0.02, (level.get("data-seeds"), value)
        assert f": {count:,} placement" + ("s," if count != 1 else ",") in bar.find(svg + "title").text, bar.find(svg + "title").text
        assert bar.get("class") == ("loses" if value < 0 else "wins" if value > 0 else "draws")
        print(level.get("data-seeds"), value, count, sep=",")
    left = [float(bar.get("x")) for bar in bars]
    assert left == sorted(left), "the values go from left to right"
END
}

a_plot_shows_the_published_counts() {
    awk -F, 'NR == 1 || $1 <= 12' data/awari_histograms.csv >"$WORK/expected.csv"
    accepted stats --db "$db" --seeds 0-12 --plot "$WORK/plot.svg"
    [ ! -s "$out" ] || fail "expected no output beside the file"
    _read_plot "$WORK/plot.svg" >"$WORK/plotted.csv" 2>"$err" || fail "$(tail -n 1 "$err")"
    same_file "$WORK/expected.csv" "$WORK/plotted.csv"
    accepted stats --db "$db" --seeds 5 --plot -
    sed -n '1p; /^5,/p' "$WORK/expected.csv" >"$WORK/expected5.csv"
    _read_plot "$out" >"$WORK/plotted.csv" 2>"$err" || fail "$(tail -n 1 "$err")"
    same_file "$WORK/expected5.csv" "$WORK/plotted.csv"
}

# 3 seeds, own: the figures of the rules page, worked out by hand: 178 of 364 placements are lost by 3.
a_plot_of_one_level_has_a_bar_for_each_value() {
    accepted stats --db "$own" --seeds 3 --plot "$WORK/plot.svg"
    grep -o '<title>value [^<]*' "$WORK/plot.svg" | sed 's/<title>//' >"$WORK/bars"
    cat >"$WORK/expected" <<'END'
value -3: 178 placements, 48.9 %
value -1: 30 placements, 8.24 %
value +1: 42 placements, 11.5 %
value +3: 114 placements, 31.3 %
END
    same_file "$WORK/expected" "$WORK/bars"
}

a_plot_replaces_no_file_of_a_database() {
    cp "$own/abapa-own.catalogue" "$WORK/before"
    refused 2 "belongs to the databases" stats --db "$own" --plot "$own/abapa-own.catalogue"
    same_file "$WORK/before" "$own/abapa-own.catalogue"
    refused 2 "without --format" stats --db "$own" --plot "$WORK/x.svg" --json
    refused 2 "--plot: the name of the file is empty" stats --db "$own" --plot ""
    refused 4 "not a regular file" stats --db "$own" --plot /dev/null
    refused 1 "no level 6" stats --db "$own" --seeds 4-6 --plot "$WORK/x.svg"
    [ ! -e "$WORK/x.svg" ] || fail "expected no file"
}

several_levels_can_be_chosen() {
    accepted stats --db "$db" --seeds 2-3 --format csv
    awk -F, 'NR == 1 || $1 == 2 || $1 == 3' data/awari_histograms.csv >"$WORK/expected.csv"
    same_file "$WORK/expected.csv" "$out"
    refused 2 "ends before it begins" stats --db "$db" --seeds 3-2
    refused 1 "no level 40" stats --db "$db" --seeds 3-40
}

bad_use_is_refused() {
    refused 2 "--db DIR is missing" stats
    refused 2 "--db DIR is missing" stats --db ""
    refused 2 "text, csv, json" stats --db "$db" --format xml
    refused 2 "unexpected argument" stats --db "$db" 5
    refused 2 "--help" stats --db "$db" --sead 3
    refused 6 "awari even" stats --db "$db" --rules abapa
}

run_tests
