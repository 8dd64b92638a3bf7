#!/usr/bin/env bash
# Pins every dependency with its hashes, in one file per purpose. No address of an index is written. What is pinned stays,
# unless pyproject.toml forbids it; `scripts/lock.sh --upgrade` takes the newest of everything.
set -euo pipefail
cd "$(dirname "$0")/.."

uv=${UV:-.venv/bin/uv}
upgrade=("$@")

main() {
  # shellcheck disable=SC2046  # a list of words
  compile test $(extras) --no-emit-package playwright --no-emit-package greenlet --no-emit-package pyee
  compile clip --extra pdf --constraint requirements/test.lock
  compile service --extra service --extra mcp --extra postgresql --constraint requirements/test.lock
  compile browser --extra browser --constraint requirements/test.lock
}

compile() { # purpose, then what goes in
  lock=requirements/$1.lock
  shift
  "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes "${upgrade[@]}" \
    --no-emit-index-url --no-header --no-annotate --output-file "$lock" \
    pyproject.toml requirements/build.in "$@"
}

# All but `browser`, which is for machines that have no other way to get one, and what is too heavy
# or too rarely built for every machine that runs the tests.
extras() {
  .venv/bin/python - <<'PYTHON'
import tomllib
with open("pyproject.toml", "rb") as file:
    extras = tomllib.load(file)["project"]["optional-dependencies"]
print(*(f"--extra={name}" for name in extras if name not in ("browser", "forest", "cluster", "fuzz", "adapters")))
PYTHON
}

main
