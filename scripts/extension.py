"""Packs the browser extension: `python scripts/extension.py [FOLDER]` (default: out).

It has the same collector as the bookmarklet. The zip is what Chromium's and Mozilla's shops take;
the folder beside it can be loaded as it is.
"""

from __future__ import annotations

import io
import shutil
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "src" / "tearsheet" / "serve" / "static"
SOURCES = ("manifest.json", "background.js", "options.html", "options.js")


def build_extension(folder: Path) -> Path:
    """The folder of the extension, made new."""
    target = folder / "extension"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in SOURCES:
        shutil.copy(ROOT / "extension" / name, target / name)
    shutil.copy(STATIC / "collector.js", target / "collector.js")
    (target / "icon.png").write_bytes(draw_icon())
    return target


def draw_icon() -> bytes:
    """A torn sheet with three lines, as on the web page."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGBA", (128, 128))
    draw = ImageDraw.Draw(picture)
    edge = [(27, 11), (101, 11), (101, 99), (89, 109), (76, 99), (64, 109), (52, 99), (39, 109)]
    draw.polygon([*edge, (27, 99)], fill="#8a3324")
    for y, right in ((37, 86), (56, 86), (75, 70)):
        draw.line([(43, y), (right, y)], fill="#fdfcf9", width=7)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out"
    target = build_extension(folder)
    with zipfile.ZipFile(folder / "tearsheet-extension.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(target.iterdir()):
            packed.write(file, file.name)
    print(folder / "tearsheet-extension.zip")


if __name__ == "__main__":
    main()
