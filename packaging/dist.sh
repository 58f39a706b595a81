#!/usr/bin/env bash
# Writes the source archive of the last commit: the same bytes whoever makes it, wherever and when.
#
#   packaging/dist.sh FILE.tar.gz FOLDER_IN_IT
set -eu -o pipefail
archive=$1 folder=$2

top=$(git rev-parse --show-toplevel 2>/dev/null) && [ "$top" = "$(pwd -P)" ] || {
    echo "dist: the list of files comes from git, and this is no clone; an unpacked archive is one already" >&2
    exit 2
}
git diff --quiet HEAD -- || echo "dist: what is not committed is left out" >&2

mkdir -p "$(dirname "$archive")"
# Times are the commit's; git's and gzip's settings of whoever makes it do not count.
git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix="$folder/" HEAD |
    GZIP='' gzip -9 -n >"$archive.new"
mv "$archive.new" "$archive"
sha256sum "$archive"
