#!/usr/bin/env bash
# Prints the manual page of a command. The page is made from the help text that the program prints, so that
# a new option is documented in both. If there is a file COMMAND.in, its sections are added.
#
#   tools/manual/command.sh PROGRAM COMMAND      uses the text of "PROGRAM help COMMAND"
#   tools/manual/command.sh build/wari-mpi       for a program without subcommands
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
if [ "$command" = rules ]; then # the output of this command is its best description
    more=$(mktemp) && trap 'rm -f "$more"' EXIT
    awk -f "$here/mdoc.awk" -f <(echo 'BEGIN { section(".Sh", "RULE SETS"); open_literal() }
        { print_literal($0) } END { close_literal() }') <("$program" rules) >"$more"
fi
"$program" help $command | awk -v more="$more" -f "$here/mdoc.awk" -f "$here/commands.awk"
echo ".Sh SEE ALSO"
echo ".Xr wari 1"
