"""Compiles the hot modules: each that has a `.pxd` beside it, which gives its numbers the machine's
types. They are ordinary Python and run as such where there is no C compiler, with the same results.
A `.pyx` is for what Python cannot say, and there is another way where it is not compiled.

Hatchling runs this for wheels and for `pip install -e .`; by hand: `python scripts/compile.py`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
SHARED = "tearsheet._compiled"
"""What all of them need of Cython, compiled once."""
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # the `.pxd` alone gives machine types
    "boundscheck": True,  # a mistake is an IndexError, never a crash
    "cdivision": False,  # as in Python: 1 / 2 is a half
    "initializedcheck": False,
}


class Compiled(BuildHookInterface[Any]):
    """Compiles before the wheel is packed, and goes on without where that fails."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or not _wanted():
            return
        try:
            compile_all()
        except Exception as problem:  # no compiler, no headers: whatever it is, Python will do
            self.app.display_warning(f"not compiled, so slower: {problem}")
            for old in _compiled():
                old.unlink()  # it would stand in front of a newer source
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"] += ["*.so", "*.pyd"]


def _wanted() -> bool:
    """TEARSHEET_COMPILE=no saves the half minute, unless it would leave older modules behind."""
    return os.environ.get("TEARSHEET_COMPILE") != "no" or any(_compiled())


def _compiled() -> list[Path]:
    return [*SOURCES.rglob("*.so"), *SOURCES.rglob("*.pyd")]


def compile_all() -> None:
    """Writes the compiled modules beside their sources."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    scratch = ROOT / "build" / str(sys.implementation.cache_tag)  # what is new is compiled
    scratch.mkdir(parents=True, exist_ok=True)
    modules = [declared.with_suffix(".py") for declared in sorted(SOURCES.rglob("*.pxd"))]
    modules += (it for it in sorted(SOURCES.rglob("*.pyx")) if _can_be_compiled(it))
    wanted = {_name(it) for it in modules}
    for old in _compiled():
        if _name(old.with_name(old.name.partition(".")[0])) not in wanted | {SHARED}:
            old.unlink()  # of a module that is compiled no longer
    extensions = cythonize(  # type: ignore[no-untyped-call]
        [
            Extension(SHARED, [str(scratch / "_compiled.c")], extra_compile_args=_flags()),
            *(Extension(_name(it), [str(it)], extra_compile_args=_flags()) for it in modules),
        ],
        compiler_directives=DIRECTIVES,
        include_path=[str(SOURCES)],
        build_dir=str(scratch),
        shared_utility_qualified_name=SHARED,
        quiet=True,
    )
    distribution = Distribution({"ext_modules": extensions, "package_dir": {"": str(SOURCES)}})
    command = distribution.get_command_obj("build_ext")
    command.inplace, command.parallel = True, 2
    command.build_temp = command.build_lib = str(scratch)
    command.ensure_finalized()
    command.run()


def _can_be_compiled(module: Path) -> bool:
    """Windows has another way to look up a library's functions."""
    return sys.platform != "win32" or b"dlfcn.h" not in module.read_bytes()


def _name(module: Path) -> str:
    return ".".join(module.relative_to(SOURCES).with_suffix("").parts)


def _flags() -> list[str]:
    # No contraction of a * b + c: the results are those of Python, to the last bit.
    return [] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-g0"]


if __name__ == "__main__":
    compile_all()
