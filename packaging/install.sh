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

# The modes, files and places of all entries, and each folder once. The umask is that of `install -D`, which
# makes folders that everybody can enter.
umask 022
modes=() files=() places=() installed=()
declare -A seen=()
for entry in "$@"; do
    IFS=: read -r mode file place <<<"$entry"
    modes+=("$mode") files+=("$file") places+=("$place")
    case $place in */*) seen[${place%/*}]=1 ;; esac
done
folders=("${!seen[@]}")

# Installs the files of one folder that have the same mode and keep their names, by one process.
install_group() { # MODE FOLDER
    local i group=()
    for i in "${!places[@]}"; do
        [ "${modes[i]}:${places[i]}" = "$1:$2/${files[i]##*/}" ] || continue
        group+=("${files[i]}")
        installed[i]=1
    done
    [ ${#group[@]} -eq 0 ] || install -m "$1" -t "$root/$2" "${group[@]}"
}

install_all() {
    local folder i mode
    mkdir -p "${folders[@]/#/$root/}"
    for folder in "${folders[@]}"; do
        for mode in 644 755; do
            install_group "$mode" "$folder"
        done
    done
    for i in "${!places[@]}"; do
        if [ "${modes[i]}" = link ]; then
            ln -sfn "${files[i]}" "$root/${places[i]}"
        elif [ -z "${installed[i]:-}" ]; then
            install -T -m "${modes[i]}" "${files[i]}" "$root/${places[i]}"
        fi
        echo "install $root/${places[i]}"
    done
}

# Removes the files, then each folder that is left empty. A folder comes before the folders in it, so that
# none is gone when its turn comes.
remove_all() {
    local top=${destdir:-$prefix} below='' left=() folder
    rm -f "${places[@]/#/$root/}"
    printf 'remove %s\n' "${places[@]/#/$root/}"
    case $root in /usr | /usr/local) return ;; esac
    [ -z "$destdir" ] || below=${prefix#/}/
    while IFS= read -r folder; do
        [ ! -d "$top/$below$folder" ] || left+=("$below$folder")
    done < <(printf '%s\n' "${folders[@]}" | sort)
    [ ${#left[@]} -eq 0 ] || (cd "$top" && rmdir -p --ignore-fail-on-non-empty "${left[@]}")
}

case $action in
install) install_all ;;
uninstall) remove_all ;;
*) echo "install: there is no \"$action\"" >&2 && exit 2 ;;
esac

if [ "$action" = install ] && [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ]; then
    echo "Run ldconfig once, so that programs find the shared library in a folder of the system's."
fi
