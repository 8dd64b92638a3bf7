"""Switches that take a protection away stay true to the code and to docs/security.md. What the
tests do without the protection, `python -m benchmarks.unprotected` shows: it takes an hour."""

from benchmarks.unprotected import ROOT, find_attack, read_rows, read_switches, switch_off


def test_each_switch_is_of_one_attack_and_changes_one_place() -> None:
    rows = read_rows()
    for switch in read_switches():
        find_attack(switch, rows)
        text = (ROOT / switch.file).read_text("utf-8")
        assert switch_off(text, switch) != text


def test_each_attack_has_a_switch() -> None:
    rows, switches = read_rows(), read_switches()
    missing = set(rows) - {find_attack(switch, rows) for switch in switches}
    assert not missing
