"""All files that the Dockerfile and the compose file name exist; they are not built by the
tests."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from argparse import ArgumentParser
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from scripts import pin_images
from tests.acquire.site import answer, serving

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


def test_compose_takes_every_privilege_away() -> None:
    """And its profile of system calls refuses what no page should make us do."""
    services = yaml.safe_load(COMPOSE)["services"]
    for service in services.values():
        assert service["cap_drop"] == ["ALL"]
        assert service["read_only"] is True
        assert "no-new-privileges:true" in service["security_opt"]
        assert service["mem_limit"]
        assert service["pids_limit"]
        assert not {"privileged", "ports", "network_mode", "pid", "ipc"} & service.keys()
    assert "cap_add" not in services["web"]
    assert services["database"]["networks"] == ["store"]
    assert yaml.safe_load(COMPOSE)["networks"]["store"] == {"internal": True}
    profile = re.search(r"seccomp=([\w.]+)", COMPOSE)
    assert profile is not None
    (refused,) = json.loads(Path(profile[1]).read_text("utf-8"))["syscalls"]
    assert refused["action"] == "SCMP_ACT_ERRNO"
    assert {"mount", "bpf", "ptrace", "init_module", "io_uring_setup"} <= set(refused["names"])
    assert not {"clone", "unshare", "chroot"} & set(refused["names"])  # of Chromium's sandbox


def test_how_to_report_a_hole_is_said_and_a_release_checks_its_packages() -> None:
    assert "private vulnerability report" in Path("SECURITY.md").read_text("utf-8")
    workflow = Path(".github/workflows/wheels.yml").read_text("utf-8")
    assert "pip-audit --strict" in workflow  # else what it cannot look up passes
    for lock in ("clip", "browser", "service"):
        assert f" requirements/{lock}.lock" in workflow.partition("pip-audit")[0]
    assert "cyclonedx-py requirements" in workflow
    publish = yaml.safe_load(workflow)["jobs"]["publish"]
    assert "dependencies" in publish["needs"]  # nothing is published that was not checked


@pytest.mark.skipif(os.name == "nt", reason="the workflow runs on Linux")
def test_a_release_is_not_made_with_images_that_may_change(tmp_path: Path) -> None:
    """The step of the workflow, run on a file with a digest and on one without."""
    workflow = yaml.safe_load(Path(".github/workflows/wheels.yml").read_text("utf-8"))
    steps = workflow["jobs"]["dependencies"]["steps"]
    (step,) = (one for one in steps if "by digest" in one.get("name", ""))
    (tmp_path / "compose.yaml").write_text(f"    image: postgres:17@sha256:{'0' * 64}\n")
    for name, code in (("python:3.13", 1), (f"python:3.13@sha256:{'0' * 64}", 0)):
        (tmp_path / "Dockerfile").write_text(f"FROM {name} AS build\n")
        assert subprocess.run(["bash", "-c", step["run"]], cwd=tmp_path).returncode == code


def test_images_are_pinned_to_what_their_registry_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a registry on loopback that wants a token; what it says of itself is not believed."""
    manifest = b'{"schemaVersion": 2}'

    def send_manifest(handler: BaseHTTPRequestHandler) -> None:
        if handler.headers.get("Authorization") == "Bearer open":
            answer(manifest, docker_content_digest=f"sha256:{'0' * 64}")(handler)
            return
        place = f'Bearer realm="{site.url}/token",service="here",scope="pull"'
        answer("", status=401, www_authenticate=place)(handler)

    with serving() as site:
        site.page("/token", '{"token": "open"}', "application/json")
        site.routes["/v2/tools/python/manifests/3.13"] = send_manifest
        name = f"127.0.0.1:{site.port}/tools/python:3.13"
        before = f"FROM {name} AS build\nRUN true\nFROM {name}@sha256:{'1' * 64}\n"
        (tmp_path / "Dockerfile").write_text(before)
        (tmp_path / "compose.yaml").write_text(f"services:\n  web:\n    image: {name}\n")
        pin_images.main(tmp_path)
    pinned = f"{name}@sha256:{hashlib.sha256(manifest).hexdigest()}"
    assert (tmp_path / "Dockerfile").read_text() == (
        f"FROM {pinned} AS build\nRUN true\nFROM {pinned}\n"
    )
    assert (tmp_path / "compose.yaml").read_text() == f"services:\n  web:\n    image: {pinned}\n"
    assert pinned in capsys.readouterr().out
