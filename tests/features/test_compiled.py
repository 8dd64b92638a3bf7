"""The hot modules are ordinary Python: compiled or not, they say the same of a page."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tearsheet
from tearsheet import Options
from tearsheet.clip import judge
from tearsheet.features import trees
from tearsheet.page.parsed import parse

SITE = Path(__file__).parents[2] / "samples" / "site"
PAGES = sorted(path.with_name(path.name[:-11] + ".html") for path in SITE.rglob("*.truth.json"))
INTERPRETED = """
import json, sys
from pathlib import Path
from tearsheet import Options
from tearsheet.clip import judge
from tearsheet.features import trees
from tearsheet.page.parsed import parse

assert not trees.COMPILED
for path in sys.argv[1:]:
    found = judge(parse(Path(path).read_bytes()), "forest", Options()).verdict
    print(json.dumps([found.keep.tolist(), found.score.tolist(), found.confidence]))
"""


@pytest.mark.skipif(not trees.COMPILED, reason="the modules are not compiled: make compiled")
def test_interpreted_modules_give_the_verdicts_of_the_compiled_ones(tmp_path: Path) -> None:
    """A copy of the sources without what was compiled, run by itself on all sample pages."""
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(Path(tearsheet.__file__).parent, tmp_path / "tearsheet", ignore=compiled)
    command = [sys.executable, "-c", INTERPRETED, *map(str, PAGES)]
    lines = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, check=True, capture_output=True
    ).stdout.splitlines()
    for path, line in zip(PAGES, lines, strict=True):
        keep, score, confidence = json.loads(line)
        found = judge(parse(path.read_bytes()), "forest", Options()).verdict
        assert found.keep.tolist() == keep
        assert np.allclose(found.score, score, atol=1e-5)
        assert found.confidence == pytest.approx(confidence, abs=1e-5)
