"""An adapter whose library is missing says how to get it."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from tearsheet.errors import MissingExtra
from tearsheet.installation import install_command


@pytest.mark.parametrize(
    ("library", "adapter", "extra"),
    [
        ("langchain_core", "tearsheet.compat.langchain", "adapters"),
        ("llama_index", "tearsheet.compat.llama_index", "adapters"),
        ("itemadapter", "tearsheet.compat.scrapy", "adapters"),
        ("haystack", "haystack_integrations.components.converters.tearsheet", "adapters"),
        ("datatrove", "tearsheet.bulk.datatrove", "cluster"),
    ],
)
def test_it_is_one_sentence_with_the_command(
    library: str, adapter: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name == adapter or name.startswith(f"{library}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra) as missing:
        importlib.import_module(adapter)
    assert str(missing.value).endswith(f"get it with: {install_command(extra)}")


@pytest.mark.parametrize("adapter", ["tearsheet.compat.langchain", "tearsheet.compat.scrapy"])
def test_a_library_of_another_version_is_not_called_missing(
    adapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("langchain_core", "langchain_core.document_loaders", "itemadapter"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))  # it has none of the names
    monkeypatch.delitem(sys.modules, adapter, raising=False)
    with pytest.raises(ImportError, match="cannot import name") as error:
        importlib.import_module(adapter)
    assert not isinstance(error.value, MissingExtra)
