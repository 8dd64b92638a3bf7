#!/usr/bin/env bash
# Sets everything up for one purpose: `scripts/setup.sh clip`, `service`, `test` or `lock`. Safe to run again:
# what is done is not done twice. It says what it does, and goes on without what can be done without.
set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:?"usage: scripts/setup.sh clip|service|test|lock"}
venv=.venv
lock=requirements/$purpose.lock
stamp=$venv/.ready-$purpose

main() {
  if [ "$purpose" != lock ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ]; then
    exit 0
  fi
  virtual_environment
  if [ "$purpose" = lock ]; then
    "$venv/bin/python" -m pip install --quiet uv
    exit 0
  fi
  say "installing Python packages ($lock)"
  install --require-hashes -r "$lock" # it names everything, so there is nothing to resolve
  compiler
  install --no-build-isolation --editable . # compiles the core
  browser
  if [ "$purpose" = test ]; then test_tools; fi
  fingerprint >"$stamp"
}

install() { "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$@"; }

say() { echo "set-up: $*" >&2; }

# What the stamp stands for: the locked versions, the package's own declaration, this script, and
# the sources of the core.
fingerprint() {
  cat "$lock" pyproject.toml scripts/setup.sh scripts/compile.py "$venv/pyvenv.cfg" \
    src/tearsheet/_core/*.pyx | cksum
}

# The core is compiled, which needs a C compiler and Python's headers.
compiler() {
  can_compile && return
  version=$("$venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  system_packages gcc libc6-dev "python$version-dev" || system_packages gcc libc6-dev python3-dev || true
  can_compile && return
  say "no C compiler with Python's headers, which Tearsheet's core needs. On Debian and Ubuntu:"
  say "apt install gcc libc6-dev python3-dev; on macOS: xcode-select --install."
  exit 1
}

can_compile() {
  command -v "${CC:-cc}" >/dev/null && printf '#include <Python.h>\n' | "${CC:-cc}" -fsyntax-only -x c \
    -I "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')" - 2>/dev/null
}

virtual_environment() {
  if [ -x "$venv/bin/python" ] && "$venv/bin/python" -m pip --version >/dev/null 2>&1; then return; fi
  python=$(suitable_python) || {
    say "Tearsheet needs Python 3.11 or newer. On Debian and Ubuntu: apt install python3 python3-venv;"
    say "on macOS: brew install python. PYTHON=/path/to/python make … names one."
    exit 1
  }
  say "making $venv with $python"
  rm -rf "$venv"
  if "$python" -m venv "$venv" >/dev/null 2>&1; then return; fi
  rm -rf "$venv"
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  system_packages "python$version-venv" || system_packages python3-venv || true
  "$python" -m venv "$venv" >/dev/null 2>&1 || {
    rm -rf "$venv"
    say "$python cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv"
    exit 1
  }
}

suitable_python() {
  for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# Installs Debian or Ubuntu packages: without asking for the tests and where nobody could be asked
# (CI=true), else only if the person at the terminal agrees.
system_packages() {
  command -v apt-get >/dev/null || return 1
  may_install "$@" || return 1
  as_root=""
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || return 1
    as_root="sudo -n"
  fi
  say "installing system packages: $*"
  export DEBIAN_FRONTEND=noninteractive
  $as_root apt-get install -qq -y --no-install-recommends "$@" >/dev/null 2>&1 && return
  $as_root apt-get update -qq >/dev/null 2>&1 || true
  $as_root apt-get install -qq -y --no-install-recommends "$@" >/dev/null 2>&1
}

may_install() {
  if [ "$purpose" = test ] || [ "${CI:-}" = true ]; then return; fi
  if ! [ -t 0 ] || ! [ -t 2 ]; then
    say "system packages are missing, and are not installed without asking: apt install $*"
    return 1
  fi
  read -r -p "set-up: install system packages with apt-get: $*? [y/N] " reply
  [ "$reply" = y ] || [ "$reply" = Y ] || [ "$reply" = yes ]
}

# Any Chrome, Chromium or Edge; else the system's package; else Playwright's download; else none.
browser() {
  has_browser && return
  system_packages chromium-headless-shell || system_packages chromium || true
  has_browser && return
  say "downloading a browser with Playwright"
  install --require-hashes -r requirements/browser.lock &&
    "$venv/bin/python" -m playwright install --only-shell chromium >/dev/null 2>&1 || true
  has_browser && return
  say "no browser could be had: going on without rendering pages. To have one later: install Chrome, Chromium or"
  say "Edge (on Debian and Ubuntu: sudo apt install chromium); $venv/bin/tearsheet doctor shows whether it is found."
}

has_browser() { "$venv/bin/python" -m tearsheet doctor --browser >/dev/null 2>&1; }

# What some tests look at results with; a test whose tool is missing is skipped and says so.
test_tools() {
  missing=""
  command -v pdftotext >/dev/null || missing="$missing poppler-utils"
  command -v epubcheck >/dev/null || missing="$missing epubcheck"
  { command -v initdb || ls /usr/lib/postgresql/*/bin/initdb; } >/dev/null 2>&1 || missing="$missing postgresql"
  if command -v fc-list >/dev/null; then
    fc-list | grep -i "NotoNaskhArabic\|Noto Naskh Arabic" >/dev/null || missing="$missing fonts-noto-core"
    fc-list | grep -i "NotoSansCJK\|Noto Sans CJK" >/dev/null || missing="$missing fonts-noto-cjk"
  else
    missing="$missing fontconfig fonts-noto-core fonts-noto-cjk"
  fi
  [ -z "$missing" ] && return
  # shellcheck disable=SC2086  # a list of words
  system_packages $missing || say "not installed, so the tests that use them are skipped:$missing"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then main; fi # not when a test reads the functions
