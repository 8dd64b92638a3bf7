"""`make drawings`: draws docs/methods/NAME.png, the sample article as each method sees it.

Each picture is what `tearsheet inspect --method NAME` draws of the sample site, cropped and
reduced; for the two density methods it is the density graph of the parsed page.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for the sample site, which is not in the package

from PIL import Image  # noqa: E402
from samples.serve import serving  # noqa: E402

from tearsheet.cli import main as tearsheet  # noqa: E402

PAGE = "news/last-ferry.html"
WIDTH, TALLEST = 720, 1000  # pixels
COLOURS = 200
GRAPHS = ("density", "density_wide")
DRAWN = (
    *GRAPHS, "tag_ratio", "boilerpipe", "mss", "readability", "clipper", "vips", "clg", "forest",
)  # fmt: skip
"""Methods that have a page in docs/methods; their variants look similar."""


def main(names: list[str]) -> None:
    """Draws the named methods, or all that have a page."""
    with serving() as site, tempfile.TemporaryDirectory() as folder:
        for name in names or DRAWN:
            drawn = Path(folder) / f"{name}.png"
            render = "never" if name in GRAPHS else "always"
            argv = ["inspect", f"{site}/{PAGE}", "--method", name, "--render", render]
            if tearsheet([*argv, "--allow-private", "-q", "-o", str(drawn)]):
                raise SystemExit(f"no picture of {name}")
            shrink(Image.open(drawn)).save(ROOT / f"docs/methods/{name}.png", optimize=True)
            print(name)


def shrink(drawn: Image.Image) -> Image.Image:
    """The upper part of a picture, scaled to the width of a page of documentation."""
    height = drawn.height * WIDTH // drawn.width
    scaled = drawn.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    return scaled.crop((0, 0, WIDTH, min(height, TALLEST))).quantize(COLOURS)


if __name__ == "__main__":
    main(sys.argv[1:])
