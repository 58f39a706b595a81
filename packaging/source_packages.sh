#!/usr/bin/env bash
# Downloads and unpacks Debian's source packages, with Debian's patches, for systems whose libraries
# Debian does not package. The packages come from the same mirrors as those that are installed here, and
# apt verifies their signatures. apt keeps its lists of packages in the folder, too, so that nothing
# outside of the folder changes.
#
#   packaging/source_packages.sh FOLDER NAME=VERSION...
#
# Each package is unpacked as FOLDER/NAME. Exits with status 2 and a message if a package is not
# available in exactly this version.
set -u
folder=$1
shift

if [ -e "$folder/packages" ] && [ "$(cat "$folder/packages")" = "$*" ]; then
    exit 0
fi

give_up() { # REASON
    echo "No source packages: $1" >&2
    exit 2
}

# Prints the files in which this machine's sources of packages are listed.
print_lists() { # SUFFIX ; "list" (one line for each source) or "sources" (paragraphs)
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*."$1"; do
        if [[ -r $file && $file == *."$1" ]]; then
            cat "$file" && echo
        fi
    done
}

rm -rf "$folder" && mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/apt/sources" || exit 1
folder=$(realpath "$folder") || exit 1
print_lists list | sed -nE 's/^[[:space:]]*deb[[:space:]]/deb-src /p' >"$folder/apt/sources/all.list" || exit 1
print_lists sources | sed -E 's/^Types:.*/Types: deb-src/' >"$folder/apt/sources/all.sources" || exit 1
cat >"$folder/apt/conf" <<END_OF_SETTINGS || exit 1
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$folder/apt/sources";
Dir::State::lists "$folder/apt/lists";
Dir::Cache "$folder/apt";
END_OF_SETTINGS
export APT_CONFIG=$folder/apt/conf

quietly() { # COMMAND... ; its messages go into a file, and to the reader if it fails
    "$@" >"$folder/apt/messages" 2>&1 || { cat "$folder/apt/messages" >&2; return 1; }
}

# A mirror without source packages makes this call fail; the others may have what is needed.
apt-get update >"$folder/apt/update" 2>&1
for package in "$@"; do
    if ! (cd "$folder/apt/archives" && quietly apt-get source "$package"); then
        cat "$folder/apt/update" >&2
        give_up "apt-get source $package failed. If Debian has another version, write it into the Makefile."
    fi
    rm -rf "${folder:?}/${package%%=*}"
    mv "$folder/apt/archives"/"${package%%=*}"-*/ "$folder/${package%%=*}" || exit 1
done
rm -rf "$folder/apt" && echo "$*" >"$folder/packages"
