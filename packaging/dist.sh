#!/usr/bin/env bash
# Writes the source archive of the last commit. The same commit gives the same bytes on every machine.
#
#   packaging/dist.sh FILE.tar.gz FOLDER_IN_IT
set -eu -o pipefail
archive=$1 folder=$2

top=$(git rev-parse --show-toplevel 2>/dev/null) && [ "$top" = "$(pwd -P)" ] || {
    echo "dist: this folder is not a git clone, from which the list of files is taken" >&2
    exit 2
}
git diff --quiet HEAD -- || echo "dist: changes that are not committed are not included" >&2

mkdir -p "$(dirname "$archive")"
# The times of the files are that of the commit. Settings of git and gzip that would change the bytes are overridden.
git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix="$folder/" HEAD |
    GZIP='' gzip -9 -n >"$archive.new"
mv "$archive.new" "$archive"
sha256sum "$archive"
