"""Methods, components, formats and datasets by name.

Each plug-in is one module. The module's name is the plug-in's name everywhere, and the module is
imported only when it is needed.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from tearsheet.errors import UnknownName

_KIND = {"methods": "method", "layout": "format", "components": "component", "datasets": "dataset"}


@cache
def names(folder: str) -> tuple[str, ...]:
    """The names of the plug-ins in a folder of this package: `names("methods")`."""
    package = importlib.import_module(f"tearsheet.{folder}")
    found = (module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(sorted(name for name in found if not name.startswith("_")))


@cache
def load(folder: str, name: str) -> ModuleType:
    """Imports a plug-in; the error for an unknown name lists the known ones."""
    if name.startswith("_") or name not in names(folder):
        raise UnknownName(_KIND[folder], name, names(folder))
    return importlib.import_module(f"tearsheet.{folder}.{name}")
