"""The OpenAPI document against the service: whatever it allows is answered as it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given
from hypothesis import settings as bounded

from tearsheet.acquire import live_tab
from tearsheet.serve.api import application
from tearsheet.serve.settings import ServiceSettings

from .conftest import running, settings
from .test_api import make_clip

PAGE = "<h1>Tides</h1>" + "<p>They rise and fall, all day long, and nobody minds.</p>" * 20
EXAMPLES = 12
LEFT_OUT = {
    "/v1/clips/{name}/selection": ["positive_data_acceptance"],
    "/v1/extract": ["positive_data_acceptance", "not_a_server_error"],
    "/v1/rules": ["positive_data_acceptance"],
    "/v1/rules/preview": ["positive_data_acceptance"],
    "/v1/import": ["positive_data_acceptance"],
    "/v1/book": ["positive_data_acceptance"],
    "/v1/mail": ["positive_data_acceptance", "not_a_server_error"],
    "/v1/batch": ["positive_data_acceptance"],
    "/v1/clips/{name}/print": ["positive_data_acceptance"],
    "/v1/clips/{name}/print/{number}": ["positive_data_acceptance"],
}
"""Where the answer also depends on more than shapes: missing nodes, clips and pages, clips that did
not fail, evidence of a rule, addresses in a file, servers that are down (502), fonts of the
machine."""

schema = schemathesis.openapi.from_dict(application(ServiceSettings()).openapi())
operations: list[Any] = [found.ok() for found in schema.get_all_operations()]  # type: ignore[union-attr]


@schemathesis.serializer("text/html", "multipart/related", "application/zip", live_tab.MEDIA_TYPE)
def upload(context: Any, value: Any) -> Any:
    return value if isinstance(value, bytes) else getattr(value, "data", str(value).encode())


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service that reaches no private address and has no browser."""
    config = settings(tmp_path_factory.mktemp("schema"), allow_private=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TEARSHEET_BROWSER", "none")
        with running(config) as found:
            yield found


@pytest.fixture(scope="module")
def clip(address: str) -> str:
    """The clip that most requests are about."""
    with httpx.Client(base_url=address, timeout=60) as client:
        return str(make_clip(client, html=PAGE, render="never")["id"])


@pytest.mark.parametrize("operation", operations, ids=lambda one: f"{one.method} {one.path}")
def test_every_route_answers_as_it_says(operation: Any, address: str, clip: str) -> None:
    """Allowed requests and forbidden ones: statuses, types and shapes are those of the document."""
    names = [*LEFT_OUT.get(operation.path, []), "ignored_auth"]  # this service asks for no token
    left_out = [schemathesis.checks.CHECKS.get_one(name) for name in names]

    @given(case=operation.as_strategy())
    @bounded(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    def ask(case: Any) -> None:
        known = case.path_parameters or {}
        if operation.method != "delete" and len(str(known.get("name", ""))) % 4:
            known["name"] = clip
        if case.meta.generation.mode.is_positive:
            case.query = drop_line_ends(case.query)
            if isinstance(case.body, dict):
                case.body = drop_line_ends(case.body)
        answer = case.call_and_validate(base_url=address, excluded_checks=left_out)
        assert answer.status_code != 500

    ask()


def drop_line_ends(value: Any) -> Any:
    """The values without line breaks at their ends: `$` of Python's patterns, by which they are
    generated, is true before one, and `$` of JSON Schema is not."""
    if isinstance(value, dict):
        return {name: drop_line_ends(one) for name, one in value.items()}
    if isinstance(value, list):
        return [drop_line_ends(one) for one in value]
    return value.rstrip("\n") if isinstance(value, str) else value
