#!/usr/bin/env bash
# Pins every dependency with its hashes: one file per purpose, each a part of requirements/test.lock.
set -euo pipefail
cd "$(dirname "$0")/.."

compile() { # file, then what goes in
  lock=requirements/$1.lock
  shift
  .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --no-header --no-annotate --upgrade --output-file "$lock" "$@"
}

compile test pyproject.toml requirements/build.in --all-extras
compile clip pyproject.toml requirements/build.in --extra pdf --constraint requirements/test.lock
compile browser pyproject.toml --extra browser --constraint requirements/test.lock
