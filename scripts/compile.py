"""Compiles the core, `src/tearsheet/_core/*.pyx`; nothing else of Tearsheet is ever compiled.

Hatchling runs this as its build hook. A wheel is built in a temporary folder, so the source tree
stays as it is. An editable install and `python scripts/compile.py` (`make compiled`) write the
modules beside their sources, and remove every compiled module that does not belong there.

The core looks up lexbor's functions in selectolax's library. For Windows, whose library does not
export them, lexbor is linked into the core: `TEARSHEET_LEXBOR` names the unpacked sdist of the
version of selectolax that Tearsheet will run with (`pip download --no-binary :all: selectolax==…`).
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import sys
import sysconfig
import tempfile
from importlib.util import source_hash
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Hatchling imports this file where it is, and a build leaves nothing in the source tree.
shutil.rmtree(Path(__file__).parent / "__pycache__", ignore_errors=True)
ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
CORE = SOURCES / "tearsheet" / "_core"
SHARED = "tearsheet._core._shared"
"""Cython's own code that all modules need, compiled once."""
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,
    "boundscheck": True,  # a module that turns this off says so in its first line
    "cdivision": False,  # as in Python: 1 / 2 is a half
    "initializedcheck": False,
}
NO_COMPILER = (
    "Tearsheet's core needs a C compiler and Python's headers, and they are missing: install them "
    "(Debian, Ubuntu: apt install gcc libc6-dev python3-dev; macOS: xcode-select --install; "
    "Windows: Visual Studio Build Tools), or install Tearsheet from a wheel."
)


NOT_EXPORTED = (
    "selectolax's library for Windows does not export lexbor's functions: install Tearsheet from a "
    "wheel, or set TEARSHEET_LEXBOR to the unpacked sdist of the installed version of selectolax."
)


class CannotBuild(Exception):
    """Why the core cannot be compiled here, in one sentence."""


class CompileCore(BuildHookInterface[Any]):
    """Compiles the core before a wheel is packed or an editable install is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        try:
            if version == "editable":
                compile_in_place()
            else:
                self._temporary = tempfile.TemporaryDirectory()
                built = compile_core(Path(self._temporary.name))
                build_data["force_include"].update(
                    {str(path): name for name, path in built.items()}
                )
        except CannotBuild as problem:
            self.app.abort(str(problem))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.target_name == "wheel" and version != "editable":
            self._temporary.cleanup()


def compile_in_place() -> None:
    """Writes the compiled modules beside their sources, and removes all others from the tree."""
    kind = "linked-" if os.environ.get("TEARSHEET_LEXBOR") else ""
    scratch = ROOT / "build" / f"{kind}{sys.implementation.cache_tag}"  # compiles what changed
    built = compile_core(scratch)
    for old in (*SOURCES.rglob("*.so"), *SOURCES.rglob("*.pyd")):
        if old.relative_to(SOURCES).as_posix() not in built and _is_ours(old):
            old.unlink()  # it would be imported instead of the source beside it
    for name, path in built.items():
        target = SOURCES / name
        if not target.exists() or target.stat().st_mtime_ns != path.stat().st_mtime_ns:
            new = target.with_suffix(".new")  # a process may have the old one loaded
            shutil.copy2(path, new)
            new.replace(target)


def _is_ours(compiled: Path) -> bool:
    """Whether a compiled module is for this Python, or beside a plain module that it would hide."""
    stem = compiled.with_name(compiled.name.partition(".")[0])
    return (
        compiled.parent != CORE
        or f".{sys.implementation.cache_tag}" in compiled.name
        or not stem.with_suffix(".pyx").exists()
    )


def compile_core(scratch: Path) -> dict[str, Path]:
    """Compiles the modules in a folder; each by its path in a wheel."""
    _check_compiler()
    sdist = _find_sdist()
    check_signatures(_read_declarations(sdist))
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    staged, made = scratch / "staged", scratch / "made"
    modules = {_name(source): _stage(source, staged) for source in sorted(CORE.glob("*.pyx"))}
    staged.mkdir(parents=True, exist_ok=True)
    extensions = cythonize(  # type: ignore[no-untyped-call]
        [
            Extension(name, [str(source), *more.pop("sources", ())], **more)
            for name, source in {SHARED: staged / "_shared.c", **modules}.items()
            for more in [_options(name, sdist)]
        ],
        compiler_directives=DIRECTIVES,
        build_dir=str(scratch / "c"),
        shared_utility_qualified_name=SHARED,
        quiet=True,
    )
    distribution = Distribution({"ext_modules": extensions})
    command = distribution.get_command_obj("build_ext")
    command.parallel = 2
    command.build_temp, command.build_lib = str(scratch / "objects"), str(made)
    command.ensure_finalized()
    command.run()
    outputs = (Path(path) for path in command.get_outputs())
    return {path.relative_to(made).as_posix(): path for path in outputs}


def _stage(source: Path, staged: Path) -> Path:
    """A copy of a module that refuses to be imported once its source has changed.

    The call replaces the empty line behind the docstring, so that lines keep their numbers.
    """
    text = source.read_bytes()
    digest, version = source_hash(text).hex(), _version()
    check = (
        f"import tearsheet._core; tearsheet._core.refuse_stale(__name__, {digest!r}, {version!r})\n"
    )
    begin, docstring, rest = re.split(r'(?s)("""(?:.*?)"""\n)\n', text.decode(), maxsplit=1)
    copy, new = staged / source.relative_to(SOURCES), begin + docstring + check + rest
    if not copy.exists() or copy.read_text(encoding="utf-8") != new:
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(new, encoding="utf-8")
    return copy


def _version() -> str:
    """The version of Tearsheet, from its source."""
    text = (SOURCES / "tearsheet" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"', text, re.M)
    assert found
    return found[1]


def _name(module: Path) -> str:
    return ".".join(module.relative_to(SOURCES).with_suffix("").parts)


def _options(name: str, sdist: Path | None) -> dict[str, Any]:
    """How a module is compiled, and what is linked into it."""
    # No contraction of a * b + c: the results are the same to the last bit on every machine.
    flags = [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-g0"]
    if sdist is None or name != "tearsheet._core.tree":
        return {"extra_compile_args": flags}
    functions = " ".join(f"TAKE({function})" for function in _read_signatures())
    return {
        "sources": _find_lexbor(sdist),
        "include_dirs": [str(sdist / "lexbor" / "source")],
        "define_macros": [
            ("LEXBOR_STATIC", "1"),
            ("LINKED_LEXBOR", f'"{_read_version(sdist)}"'),
            ("LEXBOR_FUNCTIONS", functions),
        ],
        "extra_compile_args": flags if sys.platform == "win32" else [*flags, "-fvisibility=hidden"],
    }


def _find_sdist() -> Path | None:
    """The sdist of selectolax whose lexbor is to be linked; None if lexbor is looked up."""
    named = os.environ.get("TEARSHEET_LEXBOR")
    if not named:
        if sys.platform == "win32":
            raise CannotBuild(NOT_EXPORTED)
        return None
    sdist = ROOT / named
    if not (sdist / "lexbor" / "source").is_dir() or not (sdist / "PKG-INFO").is_file():
        raise CannotBuild(f"TEARSHEET_LEXBOR={named} is not an unpacked sdist of selectolax")
    return sdist


def _find_lexbor(sdist: Path) -> list[str]:
    """The sources of lexbor's tree, with all that they call."""
    system = "windows_nt" if sys.platform == "win32" else "posix"
    source = sdist / "lexbor" / "source" / "lexbor"
    parts = [path for part in ("core", "dom", "ns", "tag") for path in (source / part).rglob("*.c")]
    memory = source / "ports" / system / "lexbor" / "core" / "memory.c"
    return [str(path) for path in (*sorted(parts), memory)]


def _read_version(sdist: Path) -> str:
    found = re.search(r"^Version: (\S+)", (sdist / "PKG-INFO").read_text(encoding="utf-8"), re.M)
    assert found
    return found[1]


def _check_compiler() -> None:
    """Raises `CannotBuild` where there is no C compiler, or Python's headers are missing."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if not header.exists() or (sys.platform != "win32" and not shutil.which(compiler)):
        raise CannotBuild(NO_COMPILER)


def check_signatures(declarations: str) -> None:
    """Raises `CannotBuild` if selectolax declares a function of lexbor in another way than we do.

    Four of ours that only lead from a node to another, and the one that gives its type, are not
    declared there; the bounds of selectolax's version stand for them.
    """
    checked = 0
    for name, signature in _read_signatures().items():
        declared = re.search(rf"^ *([\w* ]*\b{name}\([^)]*\))", declarations, re.M)
        if declared:
            checked += 1
            if _without_spaces(declared[1]) != _without_spaces(signature):
                raise CannotBuild(
                    f"selectolax declares lexbor's {name} as `{declared[1].strip()}`, and "
                    f"Tearsheet expects `{signature}`: this version of selectolax does not fit."
                )
    if checked < 5:
        raise CannotBuild(
            "selectolax does not declare the functions of lexbor that Tearsheet calls: "
            "this version of selectolax does not fit."
        )


def _read_signatures() -> dict[str, str]:
    """The functions of lexbor that the core calls: name → C signature."""
    source = (CORE / "tree.pyx").read_text(encoding="utf-8")
    block = re.search(r"^SIGNATURES = \(.*?^\)", source, re.M | re.S)
    assert block
    return {name: whole for whole, name in re.findall(r'"(.+?(\w+)\(.+?\))"', block[0])}


def _read_declarations(sdist: Path | None = None) -> str:
    """selectolax's declarations of lexbor, from its sdist or from the environment that builds."""
    if sdist is not None:
        return (sdist / "selectolax" / "lexbor.pxd").read_text(encoding="utf-8")
    spec = importlib.util.find_spec("selectolax")
    if spec is None or spec.origin is None:
        raise CannotBuild("Tearsheet's core is built with selectolax: pip install selectolax")
    return Path(spec.origin).with_name("lexbor.pxd").read_text(encoding="utf-8")


def _without_spaces(signature: str) -> str:
    return re.sub(r"\s+", "", signature)


if __name__ == "__main__":
    try:
        compile_in_place()
    except CannotBuild as problem:
        sys.exit(str(problem))
