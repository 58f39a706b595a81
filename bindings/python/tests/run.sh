#!/usr/bin/env bash
# Installs the package into a fresh environment with the commands of README.md, and runs its tests there. Then
# does so without zstd and xxHash, that is, without Database. The last line is "N passed, N failed", which is also
# written to FOLDER_FOR_LOGS/total for tests/all.sh.
#
#   bindings/python/tests/run.sh FOLDER_FOR_LOGS PROGRAM LIBRARY
#
# PYTHON is the interpreter (python3).
set -u -o pipefail
logs=$1
WARI=$(realpath "$2") && WARI_LIBRARY=$(realpath "$3") || exit 1
export WARI WARI_LIBRARY
rm -rf "$logs"
mkdir -p "$logs" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

check() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$logs/$name.log" 2>&1; then
        echo "ok - $name"
        passed=$((passed + 1))
    else
        echo "not ok - $name"
        sed 's/^/    /' "$logs/$name.log"
        failed=$((failed + 1))
    fi
}

# Fixed bug: the command in README.md worked only in an environment that this test had prepared. With
# --check-build-dependencies pip reports packages that `requires` does not list.
install() {
    rm -rf bindings/python/build "$work/environment"
    sed -n '/^\$ .*\(venv\|pip\) /s/^\$ //p' bindings/python/README.md |
        sed "s|\bpython3\b|${PYTHON:-python3}|; s|build/env\b|$work/environment|; s|pip install|& --check-build-dependencies|" >"$work/install"
    [ "$(wc -l <"$work/install")" -eq 2 ] && grep -q '"wheel"' bindings/python/pyproject.toml && bash -e "$work/install"
}

install_without_compressors() {
    unset WARI_LIBRARY
    PKG_CONFIG_LIBDIR=$work/none install && "$WARI" build --db "$work/tables" --rules awari --seeds 6 &&
        "$WARI" book --db "$work/tables" -o "$work/book"
}

# Published: 3.
books_alone() {
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

check the_package_is_installed install
check tests tests
tail -n 1 "$logs/tests.log"
check the_package_is_installed_without_compressors install_without_compressors
check books_are_read_without_compressors books_alone
rm -rf bindings/python/build bindings/python/wari.egg-info
echo "$passed passed, $failed failed" | tee "$logs/total"
[ "$failed" -eq 0 ]
