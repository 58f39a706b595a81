#!/usr/bin/env bash
# Prints the manual page wari-format(5), which is db/FORMAT.md with the header and footer of a page.
#
#   tools/manual/wari-format.sh db/FORMAT.md
set -eu -o pipefail
here=$(dirname "$0")

# The first line makes man(1) run tbl(1), which formats the tables.
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
