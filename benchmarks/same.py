"""`python -m benchmarks.same`: one hash of all documents of the sample site. It is the same for
every run, every hash seed and every version of Python."""

from __future__ import annotations

import hashlib

from samples.serve import SITE

from benchmarks.together import digest


def main() -> str:
    """The hash of all documents of all pages."""
    found = hashlib.sha256()
    for path in sorted(SITE.rglob("*.html")):
        name = path.relative_to(SITE).as_posix()
        found.update(digest(path.read_text("utf-8"), f"https://press.example/{name}").encode())
    return found.hexdigest()[:16]


if __name__ == "__main__":
    print(main())
