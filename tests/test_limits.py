"""The limits hold for every method and every way in: library, command, bulk, service."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from tests.methods.drawn import draw_page
from tests.methods.pages import article
from tests.serve.conftest import running, settings

from tearsheet import Options, clip, exit_codes, extract, limits, plugins
from tearsheet.bulk import RawPage, Settings, extract_rows
from tearsheet.cli import main
from tearsheet.clip import judge, needs_layout
from tearsheet.errors import LimitExceeded
from tearsheet.serve.settings import ServiceSettings
from tearsheet.store import LEASE

PAGE = article()
LIMITS = {
    "timeout": Options(timeout=0.0),
    "max_bytes": Options(max_bytes=1000),
    "max_nodes": Options(max_nodes=20),
}
each_limit = pytest.mark.parametrize("options", LIMITS.values(), ids=LIMITS)
PARSED = [name for name in plugins.names("methods") if not needs_layout(name)]


@each_limit
@pytest.mark.parametrize("method", PARSED)
def test_html_at_hand(method: str, options: Options) -> None:
    for page in (PAGE, PAGE.encode()):
        with pytest.raises(LimitExceeded):
            extract(page, method=method, options=options)


DIGITS = "1" * 5000


@pytest.mark.parametrize(
    "part",
    [
        f"<img src=a.jpg width={DIGITS} height={DIGITS}>",
        f"<table><tr><td colspan={DIGITS} rowspan={DIGITS}>a<td>b<tr><td>c<td>d</table>",
        f"<pre>{DIGITS}\n{DIGITS}</pre>",
        f"<meta name=author content='&amp;#{DIGITS};'><p>",
        f"<meta name=description content='&amp;#{DIGITS};'><p>",
        f'<script type=application/ld+json>{{"@type":"Article","author":"&#{DIGITS};"}}</script>',
        f"<script type=math/tex>&#{DIGITS};</script>",
        f"<a rel=next href='?page={DIGITS}'>{DIGITS}</a>",
    ],
)
def test_a_number_of_very_many_digits_is_no_fault(part: str) -> None:
    """Python refuses to read one of more than 4,300 as a number."""
    made = extract(PAGE.replace("</h1>", f"</h1>{part}", 1)).complete()
    assert made.title
    for form in plugins.names("layout"):
        assert made.to(form)


@pytest.mark.parametrize("method", plugins.names("methods"))
def test_the_time_of_a_drawn_page(method: str) -> None:
    with pytest.raises(LimitExceeded, match="took longer than 0 s"):
        judge(draw_page(PAGE), method, LIMITS["timeout"])


@each_limit
def test_bytes_that_are_clipped(options: Options) -> None:
    with pytest.raises(LimitExceeded):
        clip(PAGE.encode(), render="never", options=options)


@pytest.mark.parametrize("limit", ["--timeout=0", "--max-bytes=1000", "--max-nodes=20"], ids=LIMITS)
def test_the_command_says_that_a_limit_was_reached(
    limit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    assert main(["clip", str(path), "--render", "never", limit]) == exit_codes.LIMIT
    assert capsys.readouterr().err.startswith("tearsheet: the page ")


@each_limit
def test_bulk_notes_it_in_the_row(options: Options) -> None:
    pages = [RawPage("in", 0, body=PAGE.encode())]
    (found,) = extract_rows(pages, Settings("density", options))
    assert found["error"].partition(":")[0] in ("limit", "too-large")


def test_the_figures_of_the_page_on_the_service_are_its_defaults() -> None:
    service = ServiceSettings()
    text = " ".join(Path("docs/service.md").read_text("utf-8").split())
    for sentence in (
        f"The head of a request must arrive within {service.head_seconds:g} s",
        f"body within {service.body_seconds:g} s and without pauses of {service.idle_seconds:g} s",
        f"at most {service.connections} connections, {service.client_connections} from one client",
        f"beyond {service.store_bytes >> 30} GB, or {service.client_bytes >> 30} GB for one client",
        f"{limits.DOCUMENTS_PER_CLIP} documents are kept with a clip",
        f"it and its browser together hold more than {service.worker_bytes >> 30} GB",
        f"or it ends after {LEASE:g} seconds",
    ):
        assert sentence in text


@pytest.mark.parametrize("limits", [{"page_bytes": 1000}, {"page_nodes": 20}, {"job_seconds": 0.0}])
def test_the_service_refuses_what_its_owner_does_not_allow(
    limits: dict[str, float], tmp_path: Path
) -> None:
    asked = {"html": PAGE, "method": "density", "render": "never", "format": "txt"}
    with running(settings(tmp_path, **limits)) as address:
        answer = httpx.post(
            f"{address}/v1/clips", json=asked, headers={"Prefer": "wait"}, timeout=90
        )
    assert answer.json()["code"] in ("limit", "too-large")
