"""`make languages`: writes docs/reference/languages.md, which languages have which parts."""

from __future__ import annotations

from pathlib import Path

from tearsheet.languages import PARTS, read_languages

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reference/languages.md"
OPENING = """# Languages

Which words of which languages does Tearsheet know? `make languages` writes this page from the files
in `src/tearsheet/languages/`, one per language, and a test checks that it is up to date.

To add a language, add a file such as `eo.toml` with any of the parts below, and run `make
languages`. No code has to be changed. The words of all languages apply to every page, because many
pages declare a wrong language or none.

## Parts

| part | what its texts are |
|---|---|
"""


def main() -> None:
    """Writes the page."""
    PAGE.write_text(write_page(), "utf-8")


def write_page() -> str:
    """The page as it should be: the meaning of each part, and its texts per language."""
    known = read_languages()
    page = OPENING + "".join(f"| `{part}` | {meaning} |\n" for part, meaning in PARTS.items())
    page += (
        "\n## Texts per language\n\n| part | languages and numbers of their texts |\n|---|---|\n"
    )
    for part in PARTS:
        counts = [f"{code} {len(parts[part])}" for code, parts in known.items() if part in parts]
        page += f"| `{part}` | {', '.join(counts)} |\n"
    return page


if __name__ == "__main__":
    main()
