#!/usr/bin/env bash
# Finds out which of the packages that are named at the top of the Makefile are missing.
#
#   tests/setup.sh --check NEED...     says what is missing, and that `make setup` installs it
#                                      (SETUP: another target than setup); status 2
#   tests/setup.sh --install NEED...   installs it with apt-get (sudo if not root), or prints the
#                                      one line to run and stops with status 2
#   tests/setup.sh --without WHAT NEED...
#                                      says that WHAT is left out if something is missing, status 0
#
# NEED is PACKAGE=command:NAME, PACKAGE=module:NAME or PACKAGE=file:PATTERN.
set -u

present() { # PROBE
    case $1 in
    command:*) command -v "${1#*:}" >/dev/null 2>&1 ;;
    module:*) pkg-config --exists "${1#*:}" >/dev/null 2>&1 ;;
    file:*) compgen -G "${1#*:}" >/dev/null ;;
    *) echo "setup: unknown kind of probe: $1" >&2 && exit 2 ;;
    esac
}

missing() { # NEED... ; prints packages
    local need
    for need in "$@"; do
        present "${need#*=}" || printf '%s\n' "${need%%=*}"
    done | sort -u
}

mode=$1
shift
what=
if [ "$mode" = --without ]; then
    what=$1
    shift
fi
packages=$(missing "$@" | tr '\n' ' ')
packages=${packages% }
[ -n "$packages" ] || exit 0

as_root=
[ "$(id -u)" -eq 0 ] || as_root="sudo "
line="${as_root}apt-get update && ${as_root}apt-get install -y --no-install-recommends $packages"

if [ "$mode" = --without ]; then
    printf 'Building without %s, which needs %s. To have it:\n    %s\n' "$what" "$packages" "$line" >&2
    exit 0
fi
if [ "$mode" = --check ]; then
    printf 'Missing: %s\nRun `make %s`, or on Debian and Ubuntu:\n    %s\n' "$packages" "${SETUP:-setup}" "$line" >&2
    exit 2
fi

give_up() { # REASON
    printf 'Missing: %s\n%s Please run:\n    %s\n' "$packages" "$1" "$line" >&2
    exit 2
}

command -v apt-get >/dev/null 2>&1 || give_up "There is no apt-get here; the names are Debian's."
[ -z "$as_root" ] || command -v sudo >/dev/null 2>&1 || give_up "Installing needs root and there is no sudo."

echo "Installing: $packages"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # lists of words
${as_root}apt-get update -q >/dev/null || give_up "apt-get update failed."
# shellcheck disable=SC2086
${as_root}env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages ||
    give_up "apt-get install failed."

packages=$(missing "$@" | tr '\n' ' ')
[ -z "$packages" ] || give_up "Still not found after installing."
