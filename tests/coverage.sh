#!/usr/bin/env bash
# Runs all unit tests and scripts, at small size as `make test` does, in a build that measures
# coverage. Prints for each folder of the program how many of its lines and branches were run. The
# program that learns the evaluation (tools/learn) is no part of it.
#
#   tests/coverage.sh BUILD_FOLDER COMMAND        COMMAND runs the tests; a failure of one does not matter
set -u
build=$1
find "$build" -name '*.gcda' -delete
WARI_TEST_SCALE=small bash -c "$2" >"$build/coverage.log" 2>&1
tail -n 1 "$build/coverage.log"
gcovr --root . --object-directory "$build" --exclude 'tests/.*' --exclude 'tools/learn/.*' --exclude-throw-branches --json-summary-pretty \
    --gcov-ignore-parse-errors --output "$build/coverage.json" "$build" || exit 2
python3 - "$build/coverage.json" <<'END'
import collections
import json
import sys

folders = collections.defaultdict(lambda: [0, 0, 0, 0])
with open(sys.argv[1], encoding="utf-8") as file:
    for each in json.load(file)["files"]:
        for name in (each["filename"].split("/")[0], "all"):
            for i, key in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
                folders[name][i] += each[key]
print(f"{'folder':10} {'lines':>16} {'branches':>18}")
for name, (lines, all_lines, branches, all_branches) in sorted(folders.items(), key=lambda item: item[0] == "all"):
    print(f"{name:10} {lines:6} {100 * lines / max(1, all_lines):8.2f} % "
          f"{branches:8} {100 * branches / max(1, all_branches):8.2f} %")
END
