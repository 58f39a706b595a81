#!/usr/bin/env bash
# Installs the package into a fresh environment with the command of README.md, and runs its tests there. Then installs
# and tests it without zstd and xxHash, and so without Database, and at last from the source archive. All three use the
# same environment, because making an environment takes longer than compiling the package. The last line is
# "N passed, N failed", which is also written to FOLDER_FOR_LOGS/total for tests/all.sh.
#
#   bindings/python/tests/run.sh FOLDER_FOR_LOGS PROGRAM LIBRARY
#
# PYTHON is the interpreter (python3).
set -u -o pipefail
logs=$1
WARI=$(realpath "$2") && WARI_LIBRARY=$(realpath "$3") || exit 1
export WARI WARI_LIBRARY WARI_PROGRAM=$WARI
rm -rf "$logs"
mkdir -p "$logs" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=bindings/python/tests/check.sh
. bindings/python/tests/check.sh

# Fixed bug: the command in README.md worked only in an environment that this test had prepared. With
# --check-build-dependencies pip reports packages that `requires` does not list.
the_package_is_installed() {
    local command
    rm -rf bindings/python/build "$work/environment"
    command=$(sed -n '/^\$ .*venv .*pip install /s/^\$ //p' bindings/python/README.md)
    [ -n "$command" ] && grep -q '"wheel"' bindings/python/pyproject.toml || return 1
    in_environment "$command"
}

# Runs a command, but with the interpreter that is tested, and with the environment in a folder of this test.
in_environment() { # COMMAND
    sed "s|\bpython3\b|${PYTHON:-python3}|; s|build/env\b|$work/environment|g; s|pip install|& --check-build-dependencies|" \
        <<<"$1" >"$work/install" && bash -e "$work/install"
}

# Compiles the package in the current folder or in FOLDER, and replaces the installed package by it.
reinstall() { # [FOLDER]
    in_environment "build/env/bin/pip install --no-index --no-build-isolation --no-deps --force-reinstall ${1:-.}"
}

# Here and below, -O0 makes the compiler faster.
the_package_is_installed_without_compressors() {
    unset WARI_LIBRARY
    rm -rf bindings/python/build
    CFLAGS=-O0 PKG_CONFIG_LIBDIR=$work/none reinstall ./bindings/python && "$WARI" build --db "$work/tables" --rules awari --seeds 6 &&
        "$WARI" book --db "$work/tables" -o "$work/book"
}

# The value 3 is published.
books_are_read_without_compressors() {
    (cd "$work" && environment/bin/python -c '
import wari
assert wari.Book("book").value("0 1 0 0 1 0 / 0 0 0 0 0 1") == 3
for ask in (lambda: wari.Database("tables"), lambda: wari.level_size(1), lambda: wari.Position([1] * 12).number):
    try:
        ask()
    except wari.Error as refusal:
        assert "zstd" in str(refusal)
    else:
        raise SystemExit("expected a refusal")')
}

tests() {
    (cd "$work" && environment/bin/python -m pytest -q -p no:cacheprovider "$OLDPWD/bindings/python/tests")
}

# The archive is installed outside of this tree, so it must contain everything that the package needs.
the_source_archive_is_installed_elsewhere() (
    archive=$work/archive
    unset WARI_LIBRARY WARI_PROGRAM
    (cd bindings/python && "${PYTHON:-python3}" -m build --sdist --no-isolation --outdir "$archive" .) &&
        tar -C "$archive" -xf "$archive"/wari-*.tar.gz && cmp "$archive"/wari-*/LICENSE LICENSE &&
        cd "$archive"/wari-*/ && CFLAGS=-O0 reinstall
)

# The value 3 is published.
the_installed_archive_builds_and_proves() (
    unset WARI_LIBRARY WARI_PROGRAM
    cd "$work" && PATH=/usr/bin:/bin environment/bin/python -c '
import wari
with wari.build("built", 6, rules="awari") as database:
    assert database.value("0 1 0 0 1 0 / 0 0 0 0 0 1") == 3 and database.verify() == (6, 18563, -1)'
)

check the_package_is_installed
check tests
tail -n 1 "$logs/tests.log"
check the_package_is_installed_without_compressors
check books_are_read_without_compressors
check the_source_archive_is_installed_elsewhere
check the_installed_archive_builds_and_proves
rm -rf bindings/python/build bindings/python/wari.egg-info
echo "$passed passed, $failed failed" | tee "$logs/total"
[ "$failed" -eq 0 ]
