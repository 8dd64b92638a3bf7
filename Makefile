# Two commands do everything on a fresh machine: `make clip` and `make test`.
# Each sets up what it needs by itself (scripts/setup.sh) and is quick when that is done.

PYTHON_BIN := .venv/bin
URL ?=
unexport URL
# As it was written, for the shell: an address that somebody pastes may have $(…), ; or & in it.
SOURCE = $(if $(value URL),'$(subst ','\'',$(value URL))')

SECONDS_OF_FUZZING ?= 60

.PHONY: help clip test lint serve compiled bench gallery fuzz benchbulk matrix docs lock picture drawings languages columns manual extension clean

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1	/' | expand -t 16

clip:  ## clip URL=https://… to out/ (without URL: the article of the sample site)
	@scripts/setup.sh clip
	@$(PYTHON_BIN)/python scripts/clip.py $(SOURCE)

test:  ## everything that decides: style, types, architecture, tests
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory lint
	$(PYTHON_BIN)/pytest -n 2 -rs

lint:  ## the part of `make test` that runs no tests
	@scripts/setup.sh test
	$(PYTHON_BIN)/ruff check .
	$(PYTHON_BIN)/ruff format --check .
	$(PYTHON_BIN)/mypy
	$(PYTHON_BIN)/lint-imports

serve:  ## run the web-printing service on this machine
	@scripts/setup.sh service
	@$(PYTHON_BIN)/tearsheet serve

compiled:  ## compile the core again after a change in a .pyx (`make test` does, too)
	@scripts/setup.sh test
	@$(PYTHON_BIN)/python scripts/compile.py

bench:  ## measure speed, as ratios
	@scripts/setup.sh test
	@$(PYTHON_BIN)/python -m benchmarks

gallery:  ## set pages of all kinds and scripts, look at each sheet, draw contact sheets (out/gallery)
	@scripts/setup.sh test
	@PYTHONPATH=. $(PYTHON_BIN)/python -m benchmarks.gallery

fuzz:  ## look for pages that break it, for SECONDS_OF_FUZZING (what broke: out/fuzz/found)
	@scripts/setup.sh test
	@PYTHONPATH=. $(PYTHON_BIN)/python -m fuzz --seconds $(SECONDS_OF_FUZZING)

benchbulk:  ## measure whole archives: 50,000 pages, about a quarter of an hour
	@scripts/setup.sh test
	@$(PYTHON_BIN)/python -m benchmarks.bulk

matrix:  ## test wheel and sdist in empty environments, with every Python that is here
	@scripts/setup.sh lock
	@scripts/matrix.sh

docs:  ## build the documentation site into out/site (search: python3 -m http.server -d out/site)
	@scripts/setup.sh test
	$(PYTHON_BIN)/mkdocs build --strict --quiet

lock:  ## pin all packages with their hashes; UPGRADE=--upgrade chooses the newest of each
	@scripts/setup.sh lock
	@scripts/lock.sh $(UPGRADE)

picture:  ## draw the pictures of README and docs again: pages before and after
	@scripts/setup.sh test
	@$(PYTHON_BIN)/python scripts/picture.py

drawings:  ## draw the pictures of docs/methods again
	@scripts/setup.sh test
	@$(PYTHON_BIN)/python scripts/methods.py

languages:  ## write docs/reference/languages.md again
	@scripts/setup.sh test
	@$(PYTHON_BIN)/python scripts/languages.py

columns:  ## write docs/reference/columns.md again
	@scripts/setup.sh test
	@$(PYTHON_BIN)/python scripts/columns.py

manual:  ## write the manual page docs/tearsheet.1 again
	@scripts/setup.sh test
	@$(PYTHON_BIN)/python scripts/manual.py

extension:  ## pack the browser extension into out/
	@scripts/setup.sh test
	@$(PYTHON_BIN)/python scripts/extension.py

clean:  ## remove what the other commands made
	rm -rf .venv out .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
