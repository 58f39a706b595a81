#!/usr/bin/env bash
# Prints the manual page wari-format(5): db/FORMAT.md between the frame that a page needs.
#
#   tools/manual/wari-format.sh db/FORMAT.md
set -eu -o pipefail
here=$(dirname "$0")

# The first line tells man(1) that the page has tables.
cat <<'END'
'\" t
.Dd November 21, 2026
.Dt WARI-FORMAT 5
.Os
.Sh NAME
.Nm wari-format
.Nd files of a database of exact Wari values
END
awk -f "$here/mdoc.awk" -f "$here/markdown.awk" "$1"
cat <<'END'
.Sh SEE ALSO
.Xr wari 1 ,
.Xr libwari 3
.Sh AUTHORS
.An The Wari authors
END
