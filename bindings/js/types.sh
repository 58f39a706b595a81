#!/bin/sh
# Writes the declarations for programs that use require(): wari.d.cts and worker.d.cts, from wari.d.ts and worker.d.ts.
#
#   bindings/js/types.sh FOLDER
set -eu
for name in wari worker; do
    sed 's|"\./wari\.js"|"./wari.cjs"|' "$1/$name.d.ts" >"$1/$name.d.cts"
done
