"""The page that the package index shows: the README, and links to the repository.

The index shows the README without the repository, so its links become whole addresses. The address
of the repository is known where a release is built: GitHub's workflows have it in
`GITHUB_SERVER_URL` and `GITHUB_REPOSITORY`; elsewhere `TEARSHEET_REPOSITORY` names it. A package
that is built without one has the README as it is, and no links.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# Hatchling imports this file where it is, and a build leaves nothing in the source tree.
shutil.rmtree(Path(__file__).parent / "__pycache__", ignore_errors=True)

_LINK = re.compile(r"(!?)\[([^][]*)\]\((?!\w+:|#)([^)\s]+)\)")


class PackagePage(MetadataHookInterface):
    """Adds the README and the links to the package's metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text("utf-8")
        repository = repository_address()
        if repository:
            text = make_links_whole(text, repository, f"v{metadata['version']}")
            metadata["urls"] = {
                "Homepage": repository,
                "Documentation": f"{repository}/tree/v{metadata['version']}/docs",
                "Changelog": f"{repository}/blob/v{metadata['version']}/CHANGELOG.md",
                "Issues": f"{repository}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def repository_address() -> str:
    """Where the repository is, without a slash at the end; "" where nothing says it."""
    given = os.environ.get("TEARSHEET_REPOSITORY", "")
    if not given and os.environ.get("GITHUB_REPOSITORY"):
        server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
        given = f"{server}/{os.environ['GITHUB_REPOSITORY']}"
    return given.rstrip("/")


def make_links_whole(text: str, repository: str, version: str) -> str:
    """The text with addresses instead of paths: of pages, and of the pictures' own bytes.

    >>> make_links_whole("[a](b.md#c) ![d](e.png) [f](https://g.h/)", "https://x.y/z", "v1")
    '[a](https://x.y/z/blob/v1/b.md#c) ![d](https://x.y/z/raw/v1/e.png) [f](https://g.h/)'
    """

    def whole(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        kind = "raw" if picture else "blob"
        return f"{picture}[{words}]({repository}/{kind}/{version}/{path})"

    return _LINK.sub(whole, text)
