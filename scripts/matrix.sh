#!/usr/bin/env bash
# Builds wheel and sdist and tests them in empty environments: every Python that is here, the wheel
# with the newest and the sdist with the lowest versions of the dependencies. `scripts/matrix.sh 3.12` takes one.
set -euo pipefail
cd "$(dirname "$0")/.."

uv=${UV:-.venv/bin/uv}
out=${OUT:-$PWD/out/matrix}
core=${CORE:-tests/core tests/page tests/article tests/features tests/methods/forest tests/test_segments.py tests/test_join.py tests/store/test_archive.py}
pythons=${*:-3.11 3.12 3.13 3.14}

main() {
  rm -rf "$out" && mkdir -p "$out"
  "$uv" build --quiet --sdist --out-dir "$out/dist" .
  failed=0
  for python in $pythons; do
    at=$(found "$python") || { say "$python" "not on this machine"; continue; }
    # From the sdist, for this Python: a wheel holds the compiled core.
    "$uv" build --quiet --wheel --python "$at" --out-dir "$out/dist/$python" "$out"/dist/*.tar.gz
    checked "$python" highest "$at" "$out/dist/$python"/*.whl || failed=1
    checked "$python" lowest-direct "$at" "$out"/dist/*.tar.gz || failed=1
  done
  return $failed
}

# The path of a Python of that version, from the search path, uv or pyenv.
found() {
  for each in "python$1" "$HOME/.pyenv/versions/$1".*/bin/python; do
    if command -v "$each" >/dev/null && "$each" -c "import sys; assert '%d.%d' % sys.version_info[:2] == '$1'" 2>/dev/null; then
      command -v "$each"
      return
    fi
  done
  "$uv" python find "$1" 2>/dev/null
}

checked() { # version, resolution, path, the package
  venv=$out/$1-$2
  "$uv" venv --quiet --python "$3" "$venv"
  # Resolved from the declaration: a package's own dependencies are no direct ones of a file.
  "$uv" pip compile --quiet --python "$venv/bin/python" --resolution "$2" --extra pdf \
    pyproject.toml --output-file "$venv.txt"
  "$uv" pip install --quiet --python "$venv/bin/python" -r "$venv.txt"
  "$uv" pip install --quiet --python "$venv/bin/python" --no-deps "$4"
  said=$(cd "$out" && echo "<h1>Tides</h1><p>They rise and fall, all day long, and nobody minds." |
    "$venv/bin/tearsheet" clip - --render never -f txt) || said="the command fails"
  "$uv" pip install --quiet --python "$venv/bin/python" pytest hypothesis html5lib lxml pikepdf
  result=0
  # shellcheck disable=SC2086  # a list of words
  "$venv/bin/python" -m pytest -p no:cacheprovider $core >"$venv.log" 2>&1 || result=$?
  case $said in *"rise and fall"*) ;; *) result=1 ;; esac
  paged "$venv" || result=1
  say "$1 $2" "exit $result, $(digest "$venv"), $(parser "$venv")"
  return $result
}

# Whether these versions make a PDF that another program can open.
paged() {
  "$1/bin/tearsheet" clip samples/site/ar/market.html --render never --images off -q -o "$1.pdf" &&
    "$1/bin/python" -c "import pikepdf, sys; assert pikepdf.open(sys.argv[1]).pages" "$1.pdf"
}

# What the default engine and the formats make of the sample site, as one number: it must be the
# same for every Python, every seed of the hashes, every version of the dependencies.
digest() {
  for seed in 0 1; do
    PYTHONHASHSEED=$seed "$1/bin/python" -m benchmarks.same
  done | sort -u | tr '\n' ' '
}

# Which selectolax reads pages there: the lowest and the newest that fit are both tested.
parser() {
  "$1/bin/python" -c "from importlib.metadata import version; print('selectolax', version('selectolax'))"
}

say() { printf '%-22s %s\n' "$1" "$2"; }

main
