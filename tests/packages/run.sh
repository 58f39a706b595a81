#!/usr/bin/env bash
# Runs the tests of `make test-packages`. Ends with "N passed, N failed", which is also written
# where tests/all.sh expects it.
#
#   tests/packages/run.sh FOLDER_FOR_LOGS ARCHIVE FOLDER_OF_PACKAGES BASE_SYSTEM
#
# BASE_SYSTEM is made by debootstrap if it does not exist, which takes some minutes, a network and
# root. If one of these is missing, or with CHROOT=no, packages are unpacked into a folder instead.
set -u -o pipefail
logs=$1 base=$4
archive=$(realpath "$2") && packages=$(realpath "$3") || exit 1
top=$PWD
rm -rf "$logs"
mkdir -p "$logs" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mapfile -t debs < <(find "$packages" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' | sort)
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH) || exit 1
readonly ones="1 1 1 1 1 1 / 1 1 1 1 1 1"

# ---- The archive ------------------------------------------------------------------------------------

# Made in another clone, place, time zone, with another umask and another user's settings.
the_archive_has_the_same_bytes_whoever_makes_it() {
    git clone -q "$top" "$work/clone" && cd "$work/clone" && git checkout -q "$(git -C "$top" rev-parse HEAD)" &&
        (umask 077 && TZ=Asia/Kolkata GZIP=-1 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=tar.umask \
            GIT_CONFIG_VALUE_0=0077 make --no-print-directory BUILD=again dist) &&
        cmp "$archive" again/dist/"${archive##*/}"
}

the_archive_holds_what_git_has_and_makes_no_other() {
    mkdir "$work/source" && tar -C "$work/source" -xf "$archive" && cd "$work/source"/* || return 1
    diff <(git -C "$top" ls-tree -r --name-only HEAD | sort) <(find . ! -type d -printf '%P\n' | sort) || return 1
    ! make --no-print-directory dist 2>"$work/message" && grep "not a git clone" "$work/message"
}

# ---- The packages -----------------------------------------------------------------------------------

lintian_finds_no_error() {
    lintian --allow-root --fail-on error "$packages"/*.changes
}

# For tests that need no system of their own.
unpack() { # FOLDER
    for deb in "${debs[@]}"; do
        dpkg-deb -x "$deb" "$1" || return 1
    done
}

programs_are_compiled_with_what_the_developers_package_has() {
    local root=$work/unpacked
    local library=$root/usr/lib/$multiarch example=$root/usr/share/doc/libwari-dev/examples
    export PKG_CONFIG_PATH=$library/pkgconfig LD_LIBRARY_PATH=$library
    export CPATH=$root/usr/include LIBRARY_PATH=$library # wari.pc of a package counts on /usr
    # shellcheck disable=SC2046 # flags are lists of words
    cc -o "$work/probe" "$example/probe.c" $(pkg-config --cflags --libs wari) &&
        "$root/usr/bin/wari" build --db "$work/tables" --seeds 12 &&
        "$work/probe" "$work/tables" "$ones" | grep -x "value 0, best move F" &&
        python3 -I -S "$example/probe.py" "$work/tables" "$ones" | grep -x "$ones is worth 0"
}

python_finds_the_package() {
    local root=$work/unpacked
    "$root/usr/bin/wari" build --db "$work/python" --seeds 6 &&
        PYTHONPATH=$root/usr/lib/python3/dist-packages LD_LIBRARY_PATH=$root/usr/lib/$multiarch \
            /usr/bin/python3 -B "$root/usr/share/doc/python3-wari/examples/histogram.py" "$work/python" |
        grep -F "12,376 positions of 6 seeds, awari even" # C(17, 11)
}

# The tests of packaging/debian/tests, which autopkgtest runs in a system of its own.
the_tests_of_the_packages_pass_with_what_was_unpacked() {
    local root=$work/unpacked test
    local library=$root/usr/lib/$multiarch
    export PATH=$root/usr/bin:$PATH LD_LIBRARY_PATH=$library PKG_CONFIG_PATH=$library/pkgconfig
    export PYTHONPATH=$root/usr/lib/python3/dist-packages EXAMPLES=$root/usr/share/doc/libwari-dev/examples
    export CPATH=$root/usr/include LIBRARY_PATH=$library # wari.pc of a package counts on /usr
    for test in program library python; do
        mkdir -p "$work/autopkgtest/$test" && AUTOPKGTEST_TMP=$work/autopkgtest/$test packaging/debian/tests/$test || return 1
    done
}

# ---- As people get them -----------------------------------------------------------------------------

# Puts the files next to the README that tests/cli/readme.sh expects there.
lay_out_the_readme() { # FOLDER
    mkdir -p "$1/tests/cli" "$1/tools/examples" "$1/work" && cp README.md "$1" && cp -r data "$1" &&
        cp tests/cli/readme.sh "$1/tests/cli" && cp tools/examples/probe.c "$1/tools/examples"
}

make_base() {
    local mirror
    [ ! -e "$base/complete" ] || return 0
    # shellcheck source=/dev/null
    . /etc/os-release
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
        "Codename: $VERSION_CODENAME" 'Label: Debian' | head -n 1) && [ -n "$mirror" ] || return 1
    rm -rf "$base"
    mkdir -p "$base" && debootstrap --variant=minbase "$VERSION_CODENAME" "$base/system" "$mirror" >"$logs/debootstrap" 2>&1 &&
        touch "$base/complete"
}

# The system has its own /proc, which vanishes with the last process.
in_system() {
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$work/system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

a_new_system_takes_the_packages() {
    mkdir -p "$work/system/debs" && cp "${debs[@]}" "$work/system/debs" || return 1
    in_system apt-get update -q && in_system sh -c 'apt-get install -q -y --no-install-recommends /debs/*.deb'
}

the_readme_works_there() {
    lay_out_the_readme "$work/system/readme" || return 1
    in_system sh -c 'cd /readme && WARI=/usr/bin/wari WORK=/readme/work bash tests/cli/readme.sh'
}

python_there_answers() {
    in_system wari build --db /python --seeds 6 && # published: 3
        in_system python3 -c 'import wari; print(wari.Database("/python").value("0 1 0 0 1 0 / 0 0 0 0 0 1"))' | grep -x 3
}

they_go_away_without_a_trace() {
    local names=()
    for deb in "${debs[@]}"; do
        names+=("$(dpkg-deb -f "$deb" Package)")
    done
    in_system dpkg --listfiles "${names[@]}" | grep -E '/[^/]*wari[^/]*' | sort -u >"$work/files"
    [ -s "$work/files" ] && in_system dpkg --purge "${names[@]}" || return 1
    while read -r file; do
        [ ! -e "$work/system$file" ] || { echo "left: $file"; return 1; }
    done <"$work/files"
}

# Runs instead of these tests if no new system can be made.
the_readme_works_with_what_was_unpacked() {
    lay_out_the_readme "$work/readme" || return 1
    (cd "$work/readme" && LD_LIBRARY_PATH=$work/unpacked/usr/lib/$multiarch \
        WARI=$work/unpacked/usr/bin/wari WORK=$work/readme/work bash tests/cli/readme.sh)
}

# ---- All of it --------------------------------------------------------------------------------------

passed=0 failed=0
check() { # TEST
    local began=$SECONDS
    if ("$1") >"$logs/$1.log" 2>&1; then
        echo "ok - $1 ($((SECONDS - began)) s)"
        passed=$((passed + 1))
    else
        echo "not ok - $1"
        sed 's/^/    /' "$logs/$1.log"
        failed=$((failed + 1))
    fi
}

unpack "$work/unpacked" || exit 1
for test in the_archive_has_the_same_bytes_whoever_makes_it the_archive_holds_what_git_has_and_makes_no_other \
    lintian_finds_no_error programs_are_compiled_with_what_the_developers_package_has \
    python_finds_the_package the_tests_of_the_packages_pass_with_what_was_unpacked; do
    check "$test"
done
if [ "${CHROOT:-}" != no ] && [ "$(id -u)" -eq 0 ] && unshare --mount mount -t proc proc /proc && make_base &&
    cp -a "$base/system" "$work/system"; then
    for test in a_new_system_takes_the_packages the_readme_works_there python_there_answers \
        they_go_away_without_a_trace; do
        check "$test"
    done
else
    echo "No new system: packages are unpacked into a folder, and neither installed nor removed."
    check the_readme_works_with_what_was_unpacked
fi
echo "$passed passed, $failed failed" | tee "$logs/total"
[ "$failed" -eq 0 ]
