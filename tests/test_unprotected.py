"""Switches that take a protection away stay true to the code and to docs/security.md. What the
tests do without the protection, `python -m benchmarks.unprotected` shows: it takes an hour."""

from benchmarks.unprotected import ROOT, apply_change, find_attack, read_rows, read_switches


def test_each_switch_is_of_one_attack_and_each_change_of_one_place() -> None:
    rows = read_rows()
    for switch in read_switches():
        find_attack(switch, rows)
        for change in switch.changes:
            text = (ROOT / change.file).read_text("utf-8")
            assert apply_change(text, change) != text


def test_each_attack_has_a_switch() -> None:
    rows, switches = read_rows(), read_switches()
    missing = set(rows) - {find_attack(switch, rows) for switch in switches}
    assert not missing
