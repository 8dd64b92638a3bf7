"""Hooks for MkDocs: what the pages of the site get beyond their own text.

- `<!-- help: clip -->` becomes the help of that command, as this version prints it;
- `<!-- schema -->` becomes the JSON schema of an article;
- every page in `docs/methods/` is in the menu;
- a note after the language of a block (`sh test`) is for the tests and is removed.
"""

from __future__ import annotations

import io
import json
import os
import re
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

HELP = re.compile(r"^<!-- help: ?(\w*) -->$", re.M)
MARK = re.compile(r"^(```\w+) (?:test|no test: .*)$", re.M)


def on_config(config: Any) -> Any:
    """The menu, with a page per method."""
    pages = sorted(Path(config["docs_dir"], "methods").glob("*.md"))
    if pages:
        config["nav"].insert(4, {"Methods, one by one": [f"methods/{page.name}" for page in pages]})
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page as it is shown."""
    markdown = MARK.sub(r"\1", markdown)
    markdown = HELP.sub(lambda found: f"```text\n{command_help(found[1])}\n```", markdown)
    return markdown.replace("<!-- schema -->", f"```json\n{schema()}\n```")


def command_help(command: str) -> str:
    """The text that `tearsheet COMMAND --help` prints."""
    from tearsheet.cli import main

    os.environ["COLUMNS"] = "90"
    shown = io.StringIO()
    with redirect_stdout(shown), suppress(SystemExit):
        main([command, "--help"] if command else ["--help"])
    return shown.getvalue().strip()


def schema() -> str:
    from tearsheet.layout import json as article

    return json.dumps(article.schema(), indent=2, ensure_ascii=False)
