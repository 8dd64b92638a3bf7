"""Plots as inline SVG: bars, lines and regions of a page. They need no library, no other file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from tearsheet.types import Box

COLORS: Final = ("#3b6ea8", "#c8553d", "#5b8c5a", "#b08c2e", "#7d5ba6", "#4a9aa3", "#8a6a55")
_WIDTH, _HEIGHT = 760, 320
_LEFT, _BOTTOM, _TOP = 46, 84, 12
_ROOM_FOR_A_NUMBER: Final = 12
_LONGEST_LABEL: Final = 24
"""Characters of the label of a group of bars: longer ones would reach into the legend."""
_PANEL, _TALLEST = 180.0, 420.0
"""Most of one page in a plot of regions, across and down."""


def bars(values: Mapping[str, Mapping[str, float]], most: float | None = None) -> str:
    """Groups of bars: the series of each name side by side, with the value above each bar.

    >>> bars({"density": {"precision": 0.8, "recall": 0.5}}).count("<rect")
    5
    """
    series = list(dict.fromkeys(key for group in values.values() for key in group))
    top = most or _round_up(
        max((v for group in values.values() for v in group.values()), default=1)
    )
    room = (_WIDTH - _LEFT) / max(len(values), 1)
    width = min(room * 0.8 / max(len(series), 1), 40)
    drawn = [_grid(top)]
    for i, (name, group) in enumerate(values.items()):
        left = _LEFT + room * i + (room - width * len(series)) / 2
        for j, key in enumerate(series):
            if key in group:
                drawn.append(_bar(left + j * width, width, group[key], top, COLORS[j]))
        drawn.append(_slanted_label(_LEFT + room * (i + 0.5), name))
    return _svg(drawn, series)


def lines(
    values: Mapping[str, Sequence[tuple[float, float]]], across: str, most: float = 1.0
) -> str:
    """Curves: the points of each name."""
    points = [point for own in values.values() for point in own]
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    span = (high - low) or 1.0
    drawn = [_grid(most), *_ticks(low, high)]
    for j, own in enumerate(values.values()):
        places = " ".join(
            f"{_LEFT + (_WIDTH - _LEFT - 10) * (x - low) / span:.1f},{_y(y, most):.1f}"
            for x, y in own
        )
        color = COLORS[j % len(COLORS)]
        drawn.append(f'<polyline points="{places}" fill="none" stroke="{color}" stroke-width="2"/>')
    drawn.append(_text(_WIDTH / 2, _HEIGHT - _BOTTOM + 32, across, "middle"))
    return _svg(drawn, values)


def regions(chosen: Mapping[str, Sequence[Box]], text: Sequence[Box]) -> str:
    """A page several times side by side: its text in grey, and what each name chose in red."""
    boxes = [*text, *(box for own in chosen.values() for box in own)]
    right = max((box[2] for box in boxes), default=1.0)
    bottom = max((box[3] for box in boxes), default=1.0)
    scale = min(_PANEL / right, _TALLEST / bottom)
    width, height = right * scale, bottom * scale
    drawn = []
    for i, (name, own) in enumerate(chosen.items()):
        inner = [_region(box, scale, "#ccc") for box in text]
        inner += [_region(box, scale, COLORS[1], 0.45) for box in own]
        frame = f'<rect width="{width:.1f}" height="{height:.1f}" fill="#fff" stroke="#999"/>'
        label = _text(width / 2, -6, name, "middle", 12)
        place = f"translate({i * (width + 14) + 4:.1f} 22)"
        drawn.append(f'<g transform="{place}">{frame}{"".join(inner)}{label}</g>')
    whole = len(chosen) * (width + 14), height + 28
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole[0]:.0f} {whole[1]:.0f}" '
        f'width="{whole[0]:.0f}" font-family="sans-serif">{"".join(drawn)}</svg>'
    )


def _region(box: Box, scale: float, color: str, opacity: float = 1.0) -> str:
    left, top, right, bottom = (edge * scale for edge in box)
    size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
    return f'<rect x="{left:.1f}" y="{top:.1f}" {size} fill="{color}" fill-opacity="{opacity}"/>'


def _bar(x: float, width: float, value: float, top: float, color: str) -> str:
    y = _y(value, top)
    height = _HEIGHT - _BOTTOM - y
    box = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width * 0.92:.1f}" height="{height:.1f}"'
    is_count = value >= 10 or (top > 1 and float(value).is_integer())
    label = f"{value:.0f}" if is_count else f"{value:.2f}".removeprefix("0")
    if width < _ROOM_FOR_A_NUMBER:
        return f'{box} fill="{color}"><title>{label}</title></rect>'
    size = 9 if width > 18 else 7
    return f'{box} fill="{color}"/>{_text(x + width * 0.46, y - 3, label, "middle", size)}'


def _y(value: float, top: float) -> float:
    return _TOP + (_HEIGHT - _BOTTOM - _TOP) * (1 - min(value / top, 1.0))


def _grid(top: float) -> str:
    drawn = [f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>']
    for step in range(6):
        y = _y(top * step / 5, top)
        drawn.append(f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        drawn.append(_text(_LEFT - 6, y + 3, f"{top * step / 5:.3g}", "end"))
    return "".join(drawn)


def _ticks(low: float, high: float) -> Iterable[str]:
    for step in range(6):
        x = _LEFT + (_WIDTH - _LEFT - 10) * step / 5
        value = low + (high - low) * step / 5
        label = f"{value:.0f}" if high > 20 else f"{value:.3g}"
        yield _text(x, _HEIGHT - _BOTTOM + 14, label, "middle")


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, … times a power of ten."""
    size = 10.0**-6
    while True:
        for step in (1, 2, 5):
            if size * step >= value:
                return size * step
        size *= 10


def _slanted_label(x: float, label: str) -> str:
    if len(label) > _LONGEST_LABEL:
        label = f"{label[: _LONGEST_LABEL - 1].rstrip()}…"
    y = _HEIGHT - _BOTTOM + 12
    return (
        f'<text x="{x:.1f}" y="{y}" font-size="10" text-anchor="end" '
        f'transform="rotate(-30 {x:.1f} {y})">{escape(label)}</text>'
    )


def _text(x: float, y: float, label: str, anchor: str, size: int = 10) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">'
        f"{escape(label)}</text>"
    )


def _svg(drawn: Iterable[str], series: Iterable[str]) -> str:
    legend, x = [], float(_LEFT)
    for j, name in enumerate(series):
        color = COLORS[j % len(COLORS)]
        legend.append(f'<rect x="{x}" y="{_HEIGHT - 10}" width="9" height="9" fill="{color}"/>')
        legend.append(_text(x + 13, _HEIGHT - 2, name, "start"))
        x += 26 + 6.2 * len(name)
    inner = "".join([*drawn, *legend])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT + 8}" '
        f'font-family="sans-serif">{inner}</svg>'
    )
