#!/bin/sh
# Replaces a script by one that contains all modules that it imports, so that a browser loads it in one request. The new
# script is also minified: it has short names, and neither comments nor indentation. Without esbuild, the script stays as
# it is, and the browser loads the modules one after the other.
#
#   serve/bundle.sh SCRIPT
set -eu
cd "$(dirname "$1")"
script=$(basename "$1")
if command -v esbuild >/dev/null; then
    esbuild --bundle '--external:node:*' --format=esm --charset=utf8 --log-level=warning --minify --allow-overwrite --outfile="$script" "$script"
fi
