#!/usr/bin/env bash
# Installs or removes a list of files. The list is in the Makefile, once for both actions.
#
#   packaging/install.sh install|uninstall DESTDIR PREFIX ENTRY...
#
# ENTRY is MODE:FILE:PATH, where PATH is relative to PREFIX, or link:TARGET:PATH for a symbolic link. DESTDIR may be
# empty; otherwise it is put in front of PREFIX. Uninstalling also removes folders that have become empty, up to DESTDIR
# or else PREFIX, but keeps all folders if PREFIX is /usr or /usr/local.
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
            "and colons; with this LIBDIR an entry is \"$entry\"" >&2
        exit 2
    }
done

# Collects the modes, files and paths of all entries, and each folder once. With this umask, everybody can enter the
# folders that are made.
umask 022
modes=() files=() paths=() installed=()
declare -A seen=()
for entry in "$@"; do
    IFS=: read -r mode file path <<<"$entry"
    modes+=("$mode") files+=("$file") paths+=("$path")
    case $path in */*) seen[${path%/*}]=1 ;; esac
done
folders=("${!seen[@]}")

# Installs the files of one folder that have the same mode and keep their names, with one process.
install_group() { # MODE FOLDER
    local i group=()
    for i in "${!paths[@]}"; do
        [ "${modes[i]}:${paths[i]}" = "$1:$2/${files[i]##*/}" ] || continue
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
    for i in "${!paths[@]}"; do
        if [ "${modes[i]}" = link ]; then
            ln -sfn "${files[i]}" "$root/${paths[i]}"
        elif [ -z "${installed[i]:-}" ]; then
            install -T -m "${modes[i]}" "${files[i]}" "$root/${paths[i]}"
        fi
        echo "install $root/${paths[i]}"
    done
}

# Removes the files, then the folders that have become empty. A folder is listed before the folders in it, so that each
# exists when rmdir comes to it.
remove_all() {
    local top=${destdir:-$prefix} below='' left=() folder
    rm -f "${paths[@]/#/$root/}"
    printf 'remove %s\n' "${paths[@]/#/$root/}"
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
*) echo "install: unknown action \"$action\"" >&2 && exit 2 ;;
esac

if [ "$action" = install ] && [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ]; then
    echo "Run ldconfig once, so that programs find the shared library in a system folder."
fi
