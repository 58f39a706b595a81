#!/usr/bin/env bash
# Runs the notebook examples/values.ipynb with the package, and writes it with its results to FOLDER/values.html. The
# notebook itself compares its values with published ones. The last line is "N passed, N failed".
#
#   bindings/python/tests/notebook.sh FOLDER PROGRAM LIBRARY
#
# PYTHON is the interpreter (python3).
set -u -o pipefail
folder=$1
mkdir -p "$folder" && folder=$(realpath "$folder") && WARI_PROGRAM=$(realpath "$2") && WARI_LIBRARY=$(realpath "$3") || exit 1
export WARI_PROGRAM WARI_LIBRARY
notebook=bindings/python/examples/values.ipynb html=$folder/values.html logs=$folder
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=bindings/python/tests/check.sh
. bindings/python/tests/check.sh

# The package is not installed into an environment, because Debian's Jupyter always runs the system's Python. PYTHONPATH
# makes that Python find the folder of the package.
the_package_is_installed() {
    rm -rf bindings/python/build
    "${PYTHON:-python3}" -m pip install --no-index --no-build-isolation --no-deps --no-warn-script-location \
        --target "$work/packages" ./bindings/python
}

the_notebook_in_the_tree_has_no_results() {
    ! grep -nE '"(output_type|image/png)"|"execution_count": [0-9]' "$notebook"
}

# The variables keep Jupyter from reading the settings of the user and from writing into the user's folders.
the_notebook_runs() {
    rm -f "$html"
    PYTHONPATH=$work/packages HOME=$work JUPYTER_PREFER_ENV_PATH=0 JUPYTER_CONFIG_DIR=$work/config JUPYTER_DATA_DIR=$work/data \
        JUPYTER_RUNTIME_DIR=$work/runtime IPYTHONDIR=$work/ipython MPLCONFIGDIR=$work/matplotlib \
        "${PYTHON:-python3}" -m nbconvert --to html --execute --output-dir "$folder" "$notebook"
}

# The notebook compares levels 0 to 14 with published counts, and draws four pictures.
its_page_has_the_results_and_the_pictures() {
    grep -q '15 levels agree with the published counts' "$html" &&
        [ "$(grep -o 'data:image/png;base64' "$html" | wc -l)" -ge 4 ] &&
        grep -q 'The largest difference: ' "$html"
}

check the_notebook_in_the_tree_has_no_results
check the_package_is_installed
check the_notebook_runs
check its_page_has_the_results_and_the_pictures
rm -rf bindings/python/build bindings/python/wari.egg-info
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
