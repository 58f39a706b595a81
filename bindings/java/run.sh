#!/usr/bin/env bash
# Makes the jars and runs their tests. The last line is "N passed, N failed", which is also written to
# FOLDER_FOR_LOGS/total for tests/all.sh.
#
#   bindings/java/run.sh FOLDER_FOR_LOGS PROGRAM FOLDER_OF_THE_LIBRARY
set -u -o pipefail
logs=$1
wari=$(realpath "$2") && library=$(realpath "$3") || exit 1
jna=/usr/share/java/jna.jar
rm -rf "$logs"
mkdir -p "$logs" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

build() { # FOLDER RULES CYCLE SEEDS
    "$wari" build --db "$work/$1" --rules "$2" --cycle "$3" --seeds "$4" 2>>"$logs/build"
}

# A program in a package of its own, with nothing but the jars.
use() {
    mkdir -p "$work/program/org/example" && cat >"$work/program/org/example/Use.java" <<'END'
package org.example;

import org.wari.Wari;

public final class Use {
    public static void main(String[] arguments) {
        try (Wari wari = Wari.open(arguments[0], "awari even", null)) {
            for (Wari.Move move : wari.analyse(Wari.Setup.parse(arguments[1])).moves()) System.out.print(move.letter());
            System.out.println();
        }
    }
}
END
    javac -Xlint:all -Werror -cp "$jar" -d "$work/program" "$work/program/org/example/Use.java" &&
        java -Djna.library.path="$library" -cp "$jna:$jar:$work/program" org.example.Use "$work/tables" \
            "1-1-1-1-1-1-1-1-1-1-1-1-18-18-N" | tee "$logs/use" | grep -x facdeb
}

version=$("$wari" --version | sed -n '1s/^wari //p')
jar=$work/jars/wari-$version.jar
build tables awari even 12 && build several awari even 2 && build several awari own 1 && build several abapa own 1 &&
    "$wari" book --db "$work/tables" -o "$work/book" 2>>"$logs/build" &&
    cp -r "$work/tables" "$work/incomplete" && rm "$work/incomplete"/awari-even-{9,11}.wari &&
    bindings/java/build.sh "$work/jars" "$version" "$jna" 2>&1 | tee "$logs/compile" &&
    javac -Xlint:all -Werror -cp "$jna:$jar" -d "$work/tests" bindings/java/src/test/java/org/wari/*.java 2>&1 | tee -a "$logs/compile" &&
    timeout --kill-after=10 6000 java -Djna.library.path="$library" -cp "$jna:$jar:$work/tests" org.wari.WariTest \
        "$work/tables" "$work/book" "$work/several" "$work/incomplete" 2>&1 | tee "$logs/test" && use &&
    java -Djna.library.path="$library" -cp "$jna" bindings/java/src/main/java/org/wari/Wari.java "$work/tables" "1 1 1 1 1 1 / 1 1 1 1 1 1" |
        tee "$logs/readme" | grep -x "F 0" # the example of README.md
status=$?
[ $status -ne 124 ] || echo "timed out: WariTest did not end"
grep -E '^[0-9]+ passed, [0-9]+ failed$' "$logs/test" | tail -n 1 >"$logs/total"
[ -s "$logs/total" ] || { cat "$logs/build" && echo "0 passed, 1 failed" | tee "$logs/total"; }
exit "$status"
