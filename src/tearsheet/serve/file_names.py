"""Names of clips as files of a folder."""

from __future__ import annotations

import re


def file_name(title: str, taken: set[str]) -> str:
    """A file name that is not taken yet; adds it to `taken`.

    >>> file_name('What is "a/b"?', {"What is a b"})
    'What is a b 2'
    """
    plain = " ".join(re.sub(r'[\\/:*?"<>|#^\[\]\x00-\x1f]+', " ", title).split())[:80].strip(" .")
    name = plain = plain or "Untitled"
    number = 2
    while name in taken:
        name, number = f"{plain} {number}", number + 1
    taken.add(name)
    return name
