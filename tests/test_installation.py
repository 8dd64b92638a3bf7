"""The command that adds an extra is the one for this environment and this source."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tearsheet import installation
from tearsheet.installation import install_command


def _install(monkeypatch: pytest.MonkeyPatch, origin: object, prefix: str = "/usr") -> None:
    """Pretends to be an installation."""

    class Known:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return None if origin is None else json.dumps(origin)

    monkeypatch.setattr(installation, "distribution", lambda _: Known())
    monkeypatch.setattr(installation, "_pip", lambda: "pip install")
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(Path, "exists", lambda path: not str(path).startswith("/gone"))


@pytest.mark.parametrize(
    ("origin", "prefix", "command"),
    [
        (None, "/usr", "pip install 'tearsheet[pdf]'"),
        ({"url": "file:///gone/a.whl", "archive_info": {}}, "/usr", "pip install 'tearsheet[pdf]'"),
        ({"url": "file:///a/b%20c", "dir_info": {}}, "/usr", "pip install '/a/b c[pdf]'"),
        (
            {"url": "file:///a", "dir_info": {"editable": True}},
            "/usr",
            "pip install -e '/a[pdf]'",
        ),
        (
            {"url": "file:///a", "dir_info": {}},
            "/x/pipx/venvs/tearsheet",
            "pipx install --force '/a[pdf]'",
        ),
        (None, "/x/uv/tools/tearsheet", "uv tool install --force 'tearsheet[pdf]'"),
    ],
)  # fmt: skip
def test_the_source_and_the_tool_that_installed_it(
    origin: object, prefix: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(monkeypatch, origin, prefix)
    assert install_command("pdf") == command


def test_a_pip_that_is_not_on_the_path_is_named_by_its_python(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert f"{sys.executable} -m pip install" in install_command("pdf")
