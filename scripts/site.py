"""What the site's pages hold beyond their own text (hooks of MkDocs).

- `<!-- help: clip -->` becomes the help of that command, as this version prints it;
- `<!-- schema -->` becomes the JSON schema of an article;
- a page in `docs/methods/` is in the menu as soon as it is there;
- what stands behind a block's language (`sh test`) is for the tests, and is taken off.
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
    markdown = HELP.sub(lambda found: f"```text\n{help_of(found[1])}\n```", markdown)
    return markdown.replace("<!-- schema -->", f"```json\n{schema()}\n```")


def help_of(command: str) -> str:
    """What `tearsheet COMMAND --help` prints."""
    from tearsheet.cli import main

    os.environ["COLUMNS"] = "90"
    shown = io.StringIO()
    with redirect_stdout(shown), suppress(SystemExit):
        main([command, "--help"] if command else ["--help"])
    return shown.getvalue().strip()


def schema() -> str:
    from tearsheet.layout import json as article

    return json.dumps(article.schema(), indent=2, ensure_ascii=False)
