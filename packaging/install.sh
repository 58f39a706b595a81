#!/usr/bin/env bash
# Installs a list of files, and removes what is on the list: the Makefile holds it, once for both.
#
#   packaging/install.sh install|uninstall DESTDIR PREFIX ENTRY...
#
# ENTRY is MODE:FILE:PLACE, with PLACE below PREFIX, or link:TARGET:PLACE for a symbolic link. DESTDIR
# may be empty; otherwise it is put in front of PREFIX. Uninstalling removes folders that are left
# empty, too, up to DESTDIR or else PREFIX, except where PREFIX is one of the system's own.
set -eu
action=$1 destdir=$2 prefix=$3
shift 3

case $prefix in
/*) ;;
*) echo "install: PREFIX must be an absolute path, not \"$prefix\"" >&2 && exit 2 ;;
esac
root=$destdir${prefix%/}
for entry in "$@"; do
    [[ $entry =~ ^[^:]+:[^:]+:[^:/][^:]*$ ]] || {
        echo "install: LIBDIR must be a path below PREFIX, such as lib/x86_64-linux-gnu, without blanks" \
            "and colons; it makes \"$entry\" of a file's place" >&2
        exit 2
    }
done

install_one() { # MODE FILE PLACE
    if [ "$1" = link ]; then
        mkdir -p "$root/$(dirname "$3")"
        ln -sfn "$2" "$root/$3"
    else
        install -D -T -m "$1" "$2" "$root/$3"
    fi
    echo "install $root/$3"
}

remove_one() { # PLACE
    local top=${destdir:-$prefix} below=$1
    [ -z "$destdir" ] || below=${prefix#/}/$1
    rm -f "$root/$1"
    echo "remove $root/$1"
    case $root in /usr | /usr/local) return ;; esac
    below=$(dirname "$below")
    [ ! -d "$top/$below" ] || (cd "$top" && rmdir -p --ignore-fail-on-non-empty "$below")
}

for entry in "$@"; do
    IFS=: read -r what from place <<<"$entry"
    case $action in
    install) install_one "$what" "$from" "$place" ;;
    uninstall) remove_one "$place" ;;
    *) echo "install: there is no \"$action\"" >&2 && exit 2 ;;
    esac
done

if [ "$action" = install ] && [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ]; then
    echo "Run ldconfig once, so that programs find the shared library in a folder of the system's."
fi
