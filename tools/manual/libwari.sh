#!/usr/bin/env bash
# Prints the manual page libwari(3), which consists of the comments and declarations of the public headers.
#
#   tools/manual/libwari.sh EXAMPLE.c        run it in the top folder; EXAMPLE.c is a complete program
set -eu -o pipefail
here=$(dirname "$0")

header() { # TITLE FILE
    awk -v title="$1" -f "$here/mdoc.awk" -f "$here/header.awk" "$2"
}

cat <<'END'
.Dd November 21, 2026
.Dt LIBWARI 3
.Os
.Sh NAME
.Nm libwari
.Nd exact values of Wari positions, from C
.Sh SYNOPSIS
.In wari.h
.Pp
.Dl cc program.c $(pkg-config --cflags --libs wari)
END
header DESCRIPTION db/wari.h
header "THE GAME (wari_game.h)" game/wari_game.h
header "BOOKS (wari_book.h)" db/book/wari_book.h
header "THE MACHINE (wari_host.h)" db/host/wari_host.h
cat <<'END'
.Sh EXAMPLES
.Bd -literal
END
awk -f "$here/mdoc.awk" -f <(echo '{ print_literal($0) }') "$1"
cat <<'END'
.Ed
.Sh SEE ALSO
.Xr wari 1 ,
.Xr wari-format 5
.Sh AUTHORS
.An The Wari authors
END
