#!/usr/bin/env bash
# Downloads source packages of Debian and unpacks them, with Debian's patches. They are for systems whose
# libraries Debian does not have in compiled form. They come from the mirrors that this machine uses, and
# apt verifies their signatures. apt keeps its lists of packages in FOLDER, too, so that nothing outside
# of FOLDER changes.
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

# Prints the settings that name the mirrors of this machine. They have two formats: files with the suffix "list" have a
# line for each mirror, and files with the suffix "sources" have a paragraph.
print_lists() { # SUFFIX
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

# Runs a command, and prints its messages only if it fails.
quietly() { # COMMAND...
    "$@" >"$folder/apt/messages" 2>&1 || { cat "$folder/apt/messages" >&2; return 1; }
}

# This call fails if any mirror has no source packages. The failure is ignored, because other mirrors may have them.
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
