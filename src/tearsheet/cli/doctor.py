"""`tearsheet doctor`: installed parts, missing parts, and how to get them."""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tearsheet import plugins
from tearsheet.exit_codes import NOT_RENDERED, OK
from tearsheet.installation import install_command

_EXTRA: Final = re.compile(r"""([\w.-]+).*extra == ['"]([\w-]+)['"]""")
_SYSTEM: Final = {
    "pdftotext": "tests read PDF with it: apt install poppler-utils",
    "epubcheck": "tests check EPUB with it: apt install epubcheck",
}
_FONTS: Final = {
    "ja": ("Chinese, Japanese and Korean", "fonts-noto-cjk"),
    "ar": ("Arabic", "fonts-noto-core"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    ok: bool
    name: str
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--browser", action="store_true", help="only say which browser would be used; fail if none"
    )


def run(args: argparse.Namespace) -> int:
    if args.browser:
        found = _check_browser()
        print(found.text)
        return OK if found.ok else NOT_RENDERED
    for finding in report():
        print(f"{'ok' if finding.ok else '--'}  {finding.name:12} {finding.text}")
    return OK


def report() -> Iterator[Finding]:
    """All findings, the most important ones first."""
    version = importlib.metadata.version("tearsheet")
    yield Finding(True, "tearsheet", f"{version} on Python {platform.python_version()}")
    yield _core()
    yield Finding(True, "methods", ", ".join(plugins.names("methods")))
    yield Finding(True, "formats", ", ".join(plugins.names("layout")))
    browser = _check_browser()
    yield browser
    if browser.ok:
        yield _check_protection()
    yield from (_check_extra(name, packages) for name, packages in extras().items())
    yield from (_check_font(language) for language in _FONTS)
    yield from (_check_program(name) for name in _SYSTEM)


def _core() -> Finding:
    import selectolax

    from tearsheet import _core
    from tearsheet.errors import CoreUnusable

    try:
        _core.check()
    except CoreUnusable as problem:
        return Finding(False, "core", str(problem))
    return Finding(True, "core", f"compiled, reads pages with selectolax {selectolax.__version__}")


def _check_browser() -> Finding:
    from tearsheet.acquire.browser import find_browser

    path = find_browser()
    if path is None:
        text = "none, so pages are not rendered; get one with: apt install chromium-headless-shell"
        return Finding(False, "browser", text)
    return Finding(True, "browser", f"{path} ({_ask_version(path)})")


def _check_protection() -> Finding:
    from tearsheet.acquire.protection import observe_protection
    from tearsheet.errors import TearsheetError

    try:
        found = observe_protection()
    except TearsheetError as error:
        return Finding(False, "sandbox", str(error))
    return Finding(found.is_complete, "sandbox", str(found))


def _ask_version(path: str) -> str:
    ask = [path, "--version"]
    try:
        answer = subprocess.run(ask, capture_output=True, text=True, timeout=20, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return "does not start"
    return answer.stdout.strip() or "of unknown version"


def extras() -> dict[str, list[str]]:
    """The packages of each of our extras, as the installation lists them."""
    found: dict[str, list[str]] = {}
    for requirement in importlib.metadata.requires("tearsheet") or ():
        match = _EXTRA.match(requirement)
        if match:
            found.setdefault(match[2], []).append(match[1])
    return {name: list(dict.fromkeys(packages)) for name, packages in found.items()}


def _check_extra(name: str, packages: list[str]) -> Finding:
    missing = [package for package in packages if not _is_installed(package)]
    if not missing:
        return Finding(True, f"[{name}]", ", ".join(packages))
    return Finding(False, f"[{name}]", f"{install_command(name)} (no {', '.join(missing)})")


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _check_font(language: str) -> Finding:
    name, package = _FONTS[language]
    if shutil.which("fc-list") is None:
        return Finding(False, "fonts", f"{name}: not known without fontconfig (apt install it)")
    ask = ["fc-list", f":lang={language}", "family"]
    listed = subprocess.run(ask, capture_output=True, text=True, check=False).stdout  # noqa: S603
    families = sorted({line.split(",")[0].strip() for line in listed.splitlines() if line})
    if not families:
        return Finding(False, "fonts", f"{name}: empty boxes on paper; apt install {package}")
    return Finding(True, "fonts", f"{name}: {families[0]}")


def _check_program(name: str) -> Finding:
    path = shutil.which(name)
    return Finding(path is not None, name, str(Path(path)) if path else _SYSTEM[name])
