"""The report about the browser's sandbox agrees with what the system says about its processes."""

from __future__ import annotations

import os
import subprocess
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


IN_A_CONTAINER = """
import ctypes, struct
from tearsheet.acquire.protection import observe_protection

code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))  # allow every call
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(code)))
prctl = ctypes.CDLL(None).prctl
assert prctl(38, 1, 0, 0, 0) == 0  # no new privileges
assert prctl(22, 2, program) == 0  # the filter
print(observe_protection().filters_calls)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says it")
def test_a_container_filter_is_not_taken_for_that_of_the_browser() -> None:
    """Docker filters the calls of all processes: root's browser has no filter of its own there."""
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    asked = subprocess.run(
        [sys.executable, "-c", IN_A_CONTAINER], capture_output=True, text=True, check=True
    )
    assert asked.stdout.strip() == str(os.getuid() != 0)


def test_what_is_missing_is_said() -> None:
    assert Protection(True, True, True).is_complete
    assert "network: the machine's" in str(Protection(True, True, False))
    assert "filter of system calls: no" in str(Protection(False, True, True))
    assert not Protection(None, None, True).is_complete
