"""A document → trafilatura's output formats, with their keys."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any, Final

from lxml import etree

from tearsheet import __version__
from tearsheet.compat.trafilatura.settings import Document, Extractor

_XML_META: Final = (
    "sitename", "title", "author", "date", "url", "hostname", "description", "categories", "tags",
    "license", "id", "fingerprint", "language",
)  # fmt: skip
_YAML: Final = (
    "title", "author", "url", "hostname", "description", "sitename", "date", "categories", "tags",
    "fingerprint", "id", "license",
)  # fmt: skip
_BLOCKS: Final = ("p", "head", "list", "quote", "table", "graphic")
_APART: Final = (*_BLOCKS, "item", "row", "cell")
"""Elements with spaces around them, if they are inside a line."""
_SIGNS: Final = {"#b": "**", "#i": "*", "#t": "`"}
_HTML: Final = {
    "list": "ul", "item": "li", "row": "tr", "cell": "td", "quote": "blockquote", "lb": "br",
    "#b": "strong", "#i": "em", "#t": "kbd", "#sub": "sub", "#sup": "sup", "#u": "u",
}  # fmt: skip


def write(document: Document, options: Extractor) -> str:
    """The document in the format of the options."""
    if options.format == "csv":
        return _write_csv(document, options.formatting)
    if options.format == "json":
        return _write_json(document, options.with_metadata)
    if options.format == "html":
        return _write_html(document, options.with_metadata)
    if options.format == "xml":
        return _serialise(_build_xml(document))
    if options.format == "xmltei":
        return _serialise(_build_tei(document))
    head = _write_head(document) if options.with_metadata else ""
    parts = (body_text(document.body, options.formatting),
             body_text(document.commentsbody, options.formatting))  # fmt: skip
    return head + "\n".join(part for part in parts if part)


def body_text(body: etree._Element, formatting: bool) -> str:
    """The blocks as text: a line each, or as Markdown with a blank line between them."""
    return _join_blocks(((block.tag, _block_text(block, formatting)) for block in body), formatting)


def _join_blocks(blocks: Iterable[tuple[object, str]], formatting: bool) -> str:
    """One below the other; nothing but a line's end comes after a listing."""
    parts: list[str] = []
    before: object = None
    for tag, text in blocks:
        if text:
            is_near = not formatting or (before == "code" and parts[-1].endswith("```"))
            parts += [("\n" if is_near else "\n\n") if parts else "", text]
            before = tag
    return "".join(parts)


def _block_text(block: etree._Element, formatting: bool) -> str:
    if block.tag == "list":
        return "\n".join(_list_lines(block, formatting))
    if block.tag == "table":
        return "\n".join(_table_lines(block, formatting)).rstrip()
    if block.tag == "quote":  # without a sign before its lines, as there
        return _join_blocks(_split_blocks(block, formatting), formatting)
    if block.tag == "code":
        text = (block.text or "").removesuffix("\n")
        return f"```\n{text}\n```" if formatting else text
    text = _line_text(block, formatting)
    if block.tag == "head" and formatting and text:
        return f"{'#' * int((block.get('rend') or 'h2')[1:])} {text}"
    return text


def _line_text(element: etree._Element, formatting: bool) -> str:
    return _inline(element, formatting).strip()


def _split_blocks(element: etree._Element, formatting: bool) -> Iterator[tuple[object, str]]:
    """The blocks inside an element, and the lines of text between them."""
    line = etree.Element("p")
    line.text = element.text
    for child in deepcopy(element):
        if child.tag in _BLOCKS:
            yield "p", _line_text(line, formatting)
            yield child.tag, _block_text(child, formatting)
            line = etree.Element("p")
            line.text = child.tail
        else:
            line.append(child)
    yield "p", _line_text(line, formatting)


def _list_lines(block: etree._Element, formatting: bool) -> Iterator[str]:
    for number, item in enumerate(block, 1):
        sign = f"{number}. " if block.get("rend") == "ol" else "- "
        yield from _item_lines(item, sign, formatting)


def _item_lines(item: etree._Element, sign: str, formatting: bool) -> Iterator[str]:
    """The lines of an item: its own text in one, lists and listings inside it below."""
    indent = " " * len(sign)
    line = etree.Element("p")
    line.text = item.text
    is_first = True
    for child in (*deepcopy(item), None):
        is_apart = child is not None and (
            child.tag == "list" or (child.tag == "code" and "\n" in (child.text or ""))
        )
        if child is not None and not is_apart:
            line.append(child)
            continue
        if text := _line_text(line, formatting):
            if is_first:
                yield sign + text
            else:
                yield from ("", indent + text) if formatting else (text,)
        is_first = False
        if child is not None:
            for inner in _block_text(child, formatting).split("\n"):
                yield indent + inner
            line = etree.Element("p")
            line.text = child.tail


def _table_lines(block: etree._Element, formatting: bool) -> Iterator[str]:
    for row in block:
        cells = [" ".join(_inline(cell, formatting).split()).replace("|", "\\|") for cell in row]
        yield "| " + " | ".join(cells) + " | "  # the space at the end is theirs
        if any(cell.get("role") == "head" for cell in row) and row.getprevious() is None:
            yield "|" + "---|" * len(cells)


def _inline(element: etree._Element, formatting: bool) -> str:
    """The text of an element and its content, with the signs of links, marks and pictures."""
    if element.tag == "graphic":
        label = " ".join(filter(None, (element.get("title"), element.get("alt"))))
        return f"![{label}]({element.get('src')})"
    text = element.text or ""
    for child in element:
        inner, tail = _child_text(child, formatting), child.tail or ""
        if child.tag in _APART:
            text += " " if text and inner and not text[-1].isspace() else ""
            tail = f" {tail}" if tail and not tail[0].isspace() else tail
        text = _join_texts(_join_texts(text, inner, formatting), tail, formatting)
    return text


def _join_texts(before: str, after: str, formatting: bool) -> str:
    """With one space between them at most; Markdown keeps those on both sides of a mark."""
    is_doubled = not formatting and before[-1:].isspace() and after[:1] == " "
    return before + (after.lstrip(" ") if is_doubled else after)


def _child_text(child: etree._Element, formatting: bool) -> str:
    inner = _inline(child, formatting)
    if child.tag == "lb":
        parent = child.getparent()
        is_bare = formatting and not child.tail and child.getnext() is not None
        return "\n\n" if is_bare and parent is not None and parent.tag == "p" else "\n"
    if child.tag == "ref" and inner.strip():
        target = child.get("target")
        return _enclose(inner, "[", f"]({target})" if target else "]")
    if child.tag == "code" and "\n" in inner and not formatting:
        return f"\n{inner}"
    if child.tag in _BLOCKS or not formatting or not inner.strip():
        return inner
    if child.tag in ("hi", "del"):
        inner = inner.replace("\n", " ")
    if child.tag == "code":
        listing = inner.removesuffix("\n")
        return f"\n```\n{listing}\n```" if "\n" in inner else _enclose(inner, "`", "`")
    if child.tag == "del":
        return _enclose(inner, "~~", "~~")
    return _mark(child.get("rend") or "", inner) if child.tag == "hi" else inner


def _mark(rend: str, text: str) -> str:
    """Marks that Markdown has no sign for are HTML, as there."""
    if rend in _SIGNS:
        return _enclose(text, _SIGNS[rend], _SIGNS[rend])
    tag = _HTML.get(rend)
    return _enclose(text, f"<{tag}>", f"</{tag}>") if tag else text


def _enclose(text: str, before: str, after: str) -> str:
    """The text between two signs; white space at its ends stays outside, or they are no signs.

    >>> _enclose("a ", "**", "**")
    '**a** '
    """
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    return f"{text[:start]}{before}{text[start:end]}{after}{text[end:]}"


def _write_head(document: Document) -> str:
    fields = [(name, getattr(document, name)) for name in _YAML]
    lines = [f"{name}: {_yaml(value)}\n" for name, value in fields if value]
    return f"---\n{''.join(lines)}---\n"


def _yaml(value: Any) -> str:
    if not isinstance(value, str):
        return str(value)
    is_plain = value[0].isalpha() and ": " not in value and " #" not in value
    words = ("true", "false", "yes", "no", "on", "off", "y", "n", "null", "none")
    is_plain = is_plain and not value.endswith(":") and value.lower() not in words
    return value if is_plain and value.isprintable() else json.dumps(value, ensure_ascii=False)


def _write_csv(document: Document, formatting: bool) -> str:
    out = io.StringIO()
    values = (
        document.url, document.id, document.fingerprint, document.hostname, document.title,
        document.image, document.date, body_text(document.body, formatting),
        body_text(document.commentsbody, formatting), document.license, document.pagetype,
    )  # fmt: skip
    csv.writer(out, delimiter="\t").writerow([value or "null" for value in values])
    return out.getvalue()


def _write_json(document: Document, with_metadata: bool) -> str:
    text = body_text(document.body, formatting=False)
    comments = body_text(document.commentsbody, formatting=False)
    if not with_metadata:
        return json.dumps({"text": text, "comments": comments}, ensure_ascii=False)
    values = document.as_dict()
    del values["body"], values["commentsbody"]
    values |= {
        "source": values.pop("url"),
        "source-hostname": values.pop("sitename"),
        "excerpt": values.pop("description"),
        "categories": ";".join(values["categories"] or ()),
        "tags": ";".join(values["tags"] or ()),
        "text": text,
        "comments": comments,
    }
    return json.dumps(values, ensure_ascii=False)


def _metadata(document: Document) -> Iterator[tuple[str, str]]:
    for name in _XML_META:
        value = getattr(document, name)
        if value:
            yield name, value if isinstance(value, str) else ";".join(value)


def _build_xml(document: Document) -> etree._Element:
    made = etree.Element("doc", dict(_metadata(document)))
    for body, tag in ((document.body, "main"), (document.commentsbody, "comments")):
        part = deepcopy(body)
        part.tag = tag
        made.append(part)
    return made


def _serialise(tree: etree._Element) -> str:
    return etree.tostring(tree, pretty_print=True, encoding="unicode").strip()


def _build_tei(document: Document) -> etree._Element:
    made = etree.Element("TEI", xmlns="http://www.tei-c.org/ns/1.0")
    _add_tei_header(made, document)
    body = etree.SubElement(etree.SubElement(made, "text"), "body")
    for source, kind in ((document.body, "entry"), (document.commentsbody, "comments")):
        part = deepcopy(source)
        part.tag = "div"
        part.set("type", kind)
        for head in part.iter("head"):
            head.tag = "ab"
            head.attrib.update({"type": "header", "rend": head.get("rend") or "h2"})
        body.append(part)
    return made


def _add_tei_header(tei: etree._Element, document: Document) -> None:
    add = etree.SubElement
    header = add(tei, "teiHeader")
    file = add(header, "fileDesc")
    _add_tei_title(file, document)
    host, site = document.hostname, document.sitename
    publisher = f"{site} ({host})" if host and site else host or site or "N/A"
    published = add(file, "publicationStmt")
    if document.license:
        add(published, "publisher").text = publisher
        add(add(published, "availability"), "p").text = document.license
    else:
        add(published, "p")
    notes = add(file, "notesStmt")
    if document.id:
        add(notes, "note", type="id").text = document.id
    add(notes, "note", type="fingerprint").text = document.fingerprint
    source = add(file, "sourceDesc")
    sigle = ", ".join(filter(None, (site, document.date)))
    add(source, "bibl").text = ", ".join(filter(None, (document.title, sigle)))
    add(source, "bibl", type="sigle").text = sigle
    full = add(source, "biblFull")
    _add_tei_title(full, document)
    statement = add(full, "publicationStmt")
    add(statement, "publisher").text = publisher
    if document.url:
        add(statement, "ptr", type="URL", target=document.url)
    add(statement, "date").text = document.date
    _add_tei_profile(header, document)


def _add_tei_title(parent: etree._Element, document: Document) -> None:
    statement = etree.SubElement(parent, "titleStmt")
    etree.SubElement(statement, "title", type="main").text = document.title
    if document.author:
        etree.SubElement(statement, "author").text = document.author


def _add_tei_profile(header: etree._Element, document: Document) -> None:
    add = etree.SubElement
    profile = add(header, "profileDesc")
    add(add(profile, "abstract"), "p").text = document.description
    if document.categories or document.tags:
        words = add(add(profile, "textClass"), "keywords")
        for kind in ("categories", "tags"):
            if getattr(document, kind):
                add(words, "term", type=kind).text = ",".join(getattr(document, kind))
    add(add(profile, "creation"), "date", type="download").text = document.filedate
    program = add(add(header, "encodingDesc"), "appInfo")
    application = add(program, "application", version=__version__, ident="Tearsheet")
    add(application, "label").text = "Tearsheet"


def _write_html(document: Document, with_metadata: bool) -> str:
    made = etree.Element("html")
    if with_metadata:
        head = etree.SubElement(made, "head")
        for name, value in _metadata(document):
            etree.SubElement(head, "meta", name=name, content=value)
    body = deepcopy(document.body)
    for element in body.iter("*"):
        _rename_html(element)
    made.append(body)
    return _serialise(made)


def _rename_html(element: etree._Element) -> None:
    rend = element.get("rend") or ""
    if element.tag == "head":
        element.tag = rend or "h2"
    elif element.tag == "list":
        element.tag = "ol" if rend == "ol" else "ul"
    elif element.tag == "cell":
        element.tag = "th" if element.get("role") == "head" else "td"
    elif element.tag == "hi":
        element.tag = _HTML.get(rend, "span")
    elif element.tag == "ref":
        element.tag = "a"
        element.set("href", element.attrib.pop("target", ""))
    elif element.tag == "graphic":
        element.tag = "img"
    else:
        element.tag = _HTML.get(str(element.tag), element.tag)
    for name in ("rend", "role"):
        element.attrib.pop(name, "")
