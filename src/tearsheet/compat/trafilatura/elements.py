"""Changes of XML elements that hold text between their children."""

from __future__ import annotations

from typing import Final

from lxml import etree

_WITHIN_LINES: Final = ("hi", "ref", "del", "code")


def append_text(element: etree._Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def trim(element: etree._Element) -> None:
    """Drops white space and line breaks at both ends of an element."""
    while len(element) and element[-1].tag == "lb" and not (element[-1].tail or "").strip():
        element.remove(element[-1])
    while len(element) and element[0].tag == "lb" and not (element.text or "").strip():
        element.text = element[0].tail
        element.remove(element[0])
    if element.text:
        element.text = element.text.lstrip()
    strip_end(element)


def divide_lines(element: etree._Element) -> bool:
    """Puts a line break in a quote, a space in an item or a cell, between texts of two lines;
    whether it did."""
    last = element[-1].tail if len(element) else element.text
    if len(element) and not last and element[-1].tag not in _WITHIN_LINES:
        return False
    if not last and not len(element):
        return False
    if element.tag == "quote":
        strip_end(element)
        etree.SubElement(element, "lb")
    elif not (last or "").endswith(" "):
        append_text(element, " ")
    return True


def strip_end(element: etree._Element) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "").rstrip() or None
    elif element.text:
        element.text = element.text.rstrip() or None


def is_empty(element: etree._Element) -> bool:
    return not len(element) and not (element.text or "").strip()


def remove_element(element: etree._Element) -> None:
    """Removes an element; the text after it stays."""
    parent = element.getparent()
    if parent is None or element.tag in ("cell", "row"):
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def is_followed(element: etree._Element) -> bool:
    return bool(element.tail) or element.getnext() is not None


def fill_table(table: etree._Element) -> None:
    """Fills up what spans, drops empty rows, and makes all rows equally wide."""
    hanging: dict[int, int] = {}  # column: rows that a cell above still reaches into
    for row in list(table):
        if row.tag != "row":
            continue
        cells = list(row)
        for cell in cells:
            row.remove(cell)
        is_blank = all(map(is_empty, cells))
        for cell in cells:
            _add_hanging(row, hanging)
            colspan, rowspan = (int(cell.attrib.pop(n, "1")) for n in ("colspan", "rowspan"))
            for number in range(colspan):
                hanging[len(row)] = rowspan - 1
                row.append(
                    etree.Element(
                        "cell", {str(name): str(value) for name, value in cell.attrib.items()}
                    )
                    if number
                    else cell
                )
        _add_hanging(row, hanging, to_end=is_blank)
        if is_blank:
            table.remove(row)
    rows = [row for row in table if row.tag == "row"]
    widest = max(map(len, rows), default=0)
    for row in rows:  # or Markdown has no table
        for _ in range(widest - len(row)):
            etree.SubElement(row, "cell", {})


def _add_hanging(row: etree._Element, hanging: dict[int, int], to_end: bool = False) -> None:
    """Empty cells where a cell of a row above reaches into this one."""
    while hanging.get(len(row), 0) > 0:
        hanging[len(row)] -= 1
        etree.SubElement(row, "cell")
    if to_end:
        for column in [at for at, rows in hanging.items() if at > len(row) and rows > 0]:
            hanging[column] -= 1
