"""The report about the browser's sandbox agrees with what the system says about its processes."""

from __future__ import annotations

import os
import sys

import pytest

from tearsheet.acquire.browser import find_browser
from tearsheet.acquire.protection import Protection, observe_protection


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says it")
def test_what_is_in_force_is_seen() -> None:
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    found = observe_protection()
    assert found.filters_calls is (os.getuid() != 0)
    assert found.has_namespace is not None
    assert not found.is_complete or os.getuid() != 0


def test_what_is_missing_is_said() -> None:
    assert Protection(True, True, True).is_complete
    assert "network: the machine's" in str(Protection(True, True, False))
    assert "filter of system calls: no" in str(Protection(False, True, True))
    assert not Protection(None, None, True).is_complete
