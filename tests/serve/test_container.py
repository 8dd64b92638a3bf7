"""What the Dockerfile and the compose file name is there; they are not built by the tests."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from pathlib import Path

import pytest

from tearsheet.serve import command

DOCKERFILE = Path("Dockerfile").read_text("utf-8")
COMPOSE = Path("compose.yaml").read_text("utf-8")


@pytest.mark.parametrize("line", re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE))
def test_what_is_copied_exists(line: str) -> None:
    *sources, _ = line.split()
    assert [source for source in sources if not Path(source).exists()] == []


@pytest.mark.parametrize("text", [DOCKERFILE, COMPOSE])
def test_the_command_is_one_of_ours_and_needs_a_token(text: str) -> None:
    found = re.search(r'\["tearsheet", "serve".*\]', text)
    assert found is not None
    parser = ArgumentParser()
    command.add_arguments(parser)
    args = parser.parse_args(json.loads(found[0])[2:])
    assert args.host == "0.0.0.0"
    assert "TEARSHEET_TOKEN" in text


def test_the_container_does_not_run_as_root_and_its_packages_have_hashes() -> None:
    assert DOCKERFILE.index("USER tearsheet") < DOCKERFILE.index("CMD")
    locked = Path("requirements/service.lock").read_text("utf-8")
    assert {"fastapi", "uvicorn", "mcp", "psycopg"} <= set(re.findall(r"^([\w-]+)==", locked, re.M))
    assert "--hash=sha256:" in locked
