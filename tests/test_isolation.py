"""The time limit holds by the clock where nothing but the end of a process can hold it."""

from __future__ import annotations

import os
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tearsheet import Options, TearsheetError, extract, isolation, plugins
from tearsheet.acquire.browser import Browser, find_browser, shared_browser
from tearsheet.acquire.render import render_html
from tearsheet.deadline import Deadline
from tearsheet.errors import (
    FetchFailed,
    LimitExceeded,
    ModelMismatch,
    NeedsLayout,
    NoArticle,
    RenderFailed,
    UnknownName,
)

PAGE = "<h1>Tides</h1>" + "<p>They rise and fall, all day long, and nobody minds.</p>" * 30
ALONE = Options(isolate=True)


def test_an_isolated_article_is_the_same() -> None:
    alone, here = extract(PAGE, options=ALONE), extract(PAGE)
    assert alone == here
    assert alone.text == here.text
    assert alone.to("md", ALONE) == here.to("md")


def test_errors_come_back_as_they_are() -> None:
    with pytest.raises(NoArticle, match=r"^nothing to clip: the page has no visible text$"):
        extract("<p></p>", options=ALONE)
    with pytest.raises(UnknownName, match="no method 'none'"):
        extract(PAGE, method="none", options=ALONE)


def test_what_never_ends_is_ended_and_the_next_call_works() -> None:
    with pytest.raises(LimitExceeded, match=r"took longer than 0\.2 s"):
        isolation.run_isolated(time.sleep, 3600, seconds=0.2)
    assert extract(PAGE, options=ALONE).title == "Tides"


def test_without_a_process_of_its_own_a_stage_comes_to_its_end() -> None:
    """However long it takes: nothing in Python interrupts it."""
    ended: list[float] = []

    def stage() -> None:
        until = time.thread_time() + 0.01
        while time.thread_time() < until:
            pass
        ended.append(until)

    with pytest.raises(LimitExceeded, match=r"took longer than 0\.001 s"):
        Deadline(0.001).run(stage)
    assert ended


LONG = "<h1>Tides</h1>" + "<p>They rise and fall, <b>all day</b>, and nobody minds.</p>" * 3_000


class Endless(Options):
    """Options that another process never has in hand."""

    def __reduce__(self) -> tuple[Any, ...]:
        return time.sleep, (3600,)


@pytest.mark.parametrize("method", plugins.names("methods"))
def test_the_limit_holds_for_every_method(method: str) -> None:
    """It is the process that ends: a limit within it could not hold here."""
    with pytest.raises(LimitExceeded, match=r"took longer than 0\.001 s"):
        extract(LONG, method=method, options=Endless(isolate=True, timeout=0.001))
    assert [worker.pid for worker in isolation._idle[-1:]] == [None]


@pytest.mark.parametrize("form", plugins.names("layout"))
def test_the_limit_holds_for_every_format(form: str) -> None:
    article = extract(LONG)
    with pytest.raises(LimitExceeded, match=r"took longer than 0\.001 s"):
        article.to(form, Options(isolate=True, timeout=0.001))
    assert "blocks" not in vars(article), "what is lazy is computed in the other process, too"


@pytest.mark.parametrize("form", plugins.names("layout"))
def test_a_format_is_written_elsewhere_as_it_is_here(form: str) -> None:
    here, alone = extract(PAGE), extract(PAGE)
    lengths = len(alone.to(form, ALONE)), len(here.to(form))
    assert abs(lengths[0] - lengths[1]) <= 64  # some formats write the time of day


def test_threads_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """A call that takes long keeps no other from its own time."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(isolation.run_isolated, Path.read_text, pipe, seconds=600)
        with pipe.open("w") as end:  # opens when the slow call reads
            assert extract(PAGE, options=ALONE).title == "Tides"
            assert not slow.done()
            end.write("at last")
        assert slow.result() == "at last"


@pytest.mark.parametrize(
    "error",
    [
        FetchFailed("no", code="status", status=404),
        NoArticle("why"),
        NeedsLayout("vips"),
        UnknownName("method", "a", ["b"]),
        ModelMismatch("forest", "columns"),
        LimitExceeded("slow"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_can_be_pickled(error: TearsheetError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_an_article_can_be_pickled() -> None:
    article = extract(PAGE)
    copy = pickle.loads(pickle.dumps(article))
    assert copy == article
    assert (copy.text, copy.to("html")) == (article.text, article.to("html"))


def in_fork(folder: Path, job: object) -> str:
    """The value that a function returns in a forked child."""
    said = folder / "said"
    child = os.fork()
    if not child:
        try:
            said.write_text(job())  # type: ignore[operator]
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    return said.read_text()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_renders_with_a_browser_of_its_own(tmp_path: Path) -> None:
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    render_html("<p>Parent.")

    def job() -> str:
        drawn = render_html("<p>Child.")
        shared_browser().close()
        return drawn.body.decode()

    assert "Child." in in_fork(tmp_path, job)
    assert b"Parent." in render_html("<p>Parent.").body


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_cannot_use_or_end_the_browser_of_its_parent(
    browser: Browser, tmp_path: Path
) -> None:
    render_html("<p>Parent.", browser=browser)

    def job() -> str:
        browser.close()
        try:
            render_html("<p>Child.", browser=browser)
        except RenderFailed as error:
            return str(error)
        return "it rendered"

    assert "cannot use the browser of its parent" in in_fork(tmp_path, job)
    assert b"Parent." in render_html("<p>Parent.", browser=browser).body
