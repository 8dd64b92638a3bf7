"""Writes the sample site from its sources: `python samples/build.py`.

A source is a JSON head, a line `---`, and the HTML of the content column. Marks in that HTML:

    <!-- page -->                  the article goes on on its next page
    <!-- noise --> … <!-- end -->  advertisements, related stories: on the page, not in the truth
    <!-- figure --> … <!-- end --> pictures and captions: in the truth as images, not as text

What surrounds the content (menus, side columns, feet) is in `source/chrome/`, a part for each
line `[name]`, and is set into one of `source/templates/`.
"""

from __future__ import annotations

import json
import re
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from string import Template
from typing import Any

HERE = Path(__file__).parent
SOURCES, SITE, SAVED = HERE / "source", HERE / "site", HERE / "saved"
BESIDE = re.compile(r"\.\./(?:img|css)/([\w.-]+)")
MARKED = re.compile(r"<!-- (?:noise|figure) -->.*?<!-- end -->", re.DOTALL)
NOISE = re.compile(r"<!-- noise -->.*?<!-- end -->\s*", re.DOTALL)
MARK = re.compile(r"[ \t]*<!-- (?:noise|figure|end) -->\n?")

Head = dict[str, Any]


def main(site: Path = SITE) -> None:
    """Writes every page of every source, each with its truth beside it."""
    for source in sorted(SOURCES.glob("*.html")):
        head, content = read(source)
        for page, html in pages(head, content):
            target = site / page["path"].lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(fill(page, html), encoding="utf-8")
            truth = json.dumps(truth_of(page, html), ensure_ascii=False, indent=1)
            target.with_suffix(".truth.json").write_text(truth + "\n", encoding="utf-8")


def save_page(page: Path = SITE / "news" / "last-ferry.html", folder: Path = SAVED) -> None:
    """Saves a page with its files, as browsers do: they lie in a folder beside it."""
    files = folder / f"{page.stem}_files"
    files.mkdir(parents=True, exist_ok=True)
    html = page.read_text(encoding="utf-8")
    for found in BESIDE.finditer(html):
        (files / found[1]).write_bytes((page.parent / found[0]).read_bytes())
    saved = BESIDE.sub(rf"{files.name}/\1", html)
    (folder / page.name).write_text(saved, encoding="utf-8")


def read(source: Path) -> tuple[Head, str]:
    """The head of a source, completed by its site's chrome, and its content."""
    head, _, content = source.read_text(encoding="utf-8").partition("\n---\n")
    own: Head = json.loads(head)
    return {**chrome(own["chrome"]), **own}, content


def chrome(name: str) -> Head:
    """The parts that surround the content on all pages of one site."""
    text = (SOURCES / "chrome" / f"{name}.html").read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]\n", text, flags=re.MULTILINE)
    return {key: value.strip("\n") for key, value in zip(parts[1::2], parts[2::2])}


def pages(head: Head, content: str) -> list[tuple[Head, str]]:
    """The pages of one source: one for each part, and the print page when it has one."""
    parts = content.split("<!-- page -->")
    paths = [head["path"]] + [number_address(head["path"], n) for n in range(2, len(parts) + 1)]
    print_path = number_address(head["path"], "print") if head.get("print") else None
    made = []
    for number, (path, part) in enumerate(zip(paths, parts), start=1):
        after = paths[number] if number < len(parts) else None
        page = {**head, "path": path, "print_url": print_path, "next_url": after}
        page["pager"] = pager(paths, number, head) if len(parts) > 1 else ""
        page["pages"] = paths
        made.append((page, part))
    if print_path:
        page = {**head, "path": print_path, "template": "print", "first": head["path"]}
        made.append((page, NOISE.sub("", "\n".join(parts))))
    return made


def number_address(path: str, number: int | str) -> str:
    return path.replace(".html", f"-{number}.html")


def pager(paths: list[str], number: int, head: Head) -> str:
    """The line "1 2 3 Next" below the text."""
    items = []
    for other, path in enumerate(paths, start=1):
        name = Path(path).name
        here = f'<li class="current">{other}</li>'
        items.append(here if other == number else f'<li><a href="{name}">{other}</a></li>')
    if number < len(paths):
        word = head.get("next_word", "Next")
        items.append(f'<li class="next"><a href="{Path(paths[number]).name}">{word}</a></li>')
    return '<div class="pager">\n<ul>\n' + "\n".join(items) + "\n</ul>\n</div>"


def fill(page: Head, html: str) -> str:
    """The template of the page, filled."""
    template = (SOURCES / "templates" / f"{page['template']}.html").read_text(encoding="utf-8")
    root = "../" * (page["path"].count("/") - 1)
    first: str = page.get("first") or page["path"]
    values: Head = {
        **page,
        "root": root,
        "file": Path(page["path"]).name,
        "first": root + first.lstrip("/"),
        "content": MARK.sub("", html).strip().replace("%ROOT%", root),
        "title": escape(page["title"], quote=False),
        "author": " & ".join(page.get("authors", [])),
        "print_file": Path(page["print_url"]).name if page.get("print_url") else "",
        "pager": page.get("pager", ""),
    }
    # Chrome holds variables itself, so it is filled before it is set in.
    for name in chrome(page["chrome"]):
        if isinstance(values[name], str):
            values[name] = Template(values[name]).safe_substitute(values)
    return Template(template).substitute(values)


def truth_of(page: Head, html: str) -> Head:
    """The contents of a perfect clipping of the page."""
    return {
        "url": page["path"],
        "page_type": page["page_type"],
        "title": page["title"],
        "text": lines(MARKED.sub("", html)),
        "images": pictures(page, html),
        "authors": page.get("authors", []),
        "published": page.get("published"),
        "language": page["language"],
        "print_url": page.get("print_url"),
        "next_url": page.get("next_url"),
        "pages": page.get("pages", [page["path"]]),
    }


def pictures(page: Head, html: str) -> list[Head]:
    """The images of the article that are on this page, in order."""
    at = {image["url"]: html.find(f'%ROOT%{image["url"][1:]}"') for image in page["images"]}
    here = [image for image in page["images"] if at[image["url"]] >= 0]
    return sorted(here, key=lambda image: at[image["url"]])


def lines(html: str) -> list[str]:
    """The text between the line breaks of a piece of HTML, with white space collapsed."""
    reader = _Lines()
    reader.feed(html)
    reader.close()
    reader.end_line()
    return reader.found


class _Lines(HTMLParser):
    """Collects the text between block-level tags."""

    BLOCKS = frozenset(
        "article aside blockquote br caption dd div dl dt figcaption figure footer h1 h2 h3 h4 h5"
        " h6 header hr li main ol p pre section table tbody td th thead tr ul button".split()
    )

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.line = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.BLOCKS:
            self.end_line()

    def handle_endtag(self, tag: str) -> None:
        if tag in self.BLOCKS:
            self.end_line()

    def handle_data(self, data: str) -> None:
        self.line += data

    def end_line(self) -> None:
        if folded := " ".join(self.line.split()):
            self.found.append(folded)
        self.line = ""


if __name__ == "__main__":
    main()
    save_page()
