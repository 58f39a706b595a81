#!/usr/bin/env bash
# Unpacks Debian packages for arm64 into a folder, including those that only the linker or the
# loader needs. They come from the same mirrors as the packages of this machine, but apt's lists for
# them are in the folder, and dpkg is not told of a second architecture: nothing else on this
# machine changes.
#
#   tests/arm/libraries.sh FOLDER PACKAGE...
#
# Exits with status 2 and a message if they cannot be had: no network, no apt-get, no such package.
set -u
folder=$1
shift

if [ -e "$folder/packages" ] && [ "$(cat "$folder/packages")" = "$*" ]; then
    exit 0
fi

give_up() { # WHAT
    echo "No packages for arm64: $1 failed. Without them there is no \`make test-arm\`." >&2
    exit 2
}

rm -rf "$folder" && mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" || exit 1
folder=$(realpath "$folder") || exit 1
: >"$folder/apt/status" || exit 1
cat >"$folder/apt/conf" <<END || exit 1
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
Dir::State "$folder/apt";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt";
END
export APT_CONFIG=$folder/apt/conf

# Runs a command, and prints its messages only if it fails.
quietly() { # COMMAND...
    "$@" >"$folder/apt/messages" 2>&1 || { cat "$folder/apt/messages" >&2; return 1; }
}

quietly apt-get update || give_up "apt-get update"
(cd "$folder/apt" && quietly apt-get download "$@") || give_up "apt-get download $*"
for package in "$folder"/apt/*.deb; do
    quietly dpkg-deb --extract "$package" "$folder" || give_up "dpkg-deb --extract $package"
done
rm -rf "$folder/apt" && echo "$*" >"$folder/packages"
