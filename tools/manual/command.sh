#!/usr/bin/env bash
# Prints the manual page of a command: what the program itself says of it, so that a new option has its
# place in the manual as soon as its help text has it; and sections from COMMAND.in, where there is one.
#
#   tools/manual/command.sh PROGRAM COMMAND      PROGRAM help COMMAND prints the text
#   tools/manual/command.sh build/wari-mpi       a program of one command
set -eu -o pipefail
program=$1 command=${2:-}
here=$(dirname "$0")
page=$(basename "$program")${command:+-$command}

if [ -n "$command" ]; then
    summary=$("$program" --help | sed -n "s/^  $command  *//p")
else
    summary="solve levels with several processes or machines"
fi
[ -n "$summary" ] || { echo "manual: $program --help has no command '$command'" >&2 && exit 1; }

cat <<END
.Dd November 21, 2026
.Dt ${page^^} 1
.Os
.Sh NAME
.Nm $page
.Nd $summary
END
more=$here/$command.in
[ -n "$command" ] && [ -f "$more" ] || more=
if [ "$command" = rules ]; then # what it prints is the best description
    more=$(mktemp) && trap 'rm -f "$more"' EXIT
    awk -f "$here/mdoc.awk" -f <(echo 'BEGIN { section(".Sh", "RULE SETS"); open_literal() }
        { print_literal($0) } END { close_literal() }') <("$program" rules) >"$more"
fi
"$program" help $command | awk -v more="$more" -f "$here/mdoc.awk" -f "$here/commands.awk"
echo ".Sh SEE ALSO"
echo ".Xr wari 1"
