"""`make picture`: draws docs/before-after.png: the sample article on its site, with frames around
what was kept, beside the first page of the PDF."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for the sample site, which is not in the package

from PIL import Image  # noqa: E402
from samples.serve import serving  # noqa: E402

from tearsheet import Options, pictures  # noqa: E402
from tearsheet.acquire.sources import acquire  # noqa: E402
from tearsheet.clip import DEFAULT_METHOD, clip, clip_snapshot  # noqa: E402
from tearsheet.inspect import draw  # noqa: E402

HEIGHT, GAP = 1100, 40  # pixels
ADDRESS = "https://courier.example/news/last-ferry.html"  # instead of this machine's


def main() -> None:
    """Clips, draws both sides at the same height, and puts them on one picture."""
    options = Options(allow_private=True)
    with serving() as site:
        address = f"{site}/news/last-ferry.html"
        shown = acquire(address, render=True, options=options, picture="now")
        kept = clip_snapshot(shown, DEFAULT_METHOD, options).clippings[0]
        article = pictures.ready(clip(address, options=options), "pdf", options)
    article = article.replace(url=ADDRESS)
    drawn = Image.open(io.BytesIO(draw(kept, shown.picture)))
    page = drawn.crop((0, 0, drawn.width, min(drawn.height, drawn.width * 7 // 5)))
    both = [_scale(image) for image in (page, _first_page(article.to("pdf", options)))]
    whole = Image.new("RGB", (sum(i.width for i in both) + 3 * GAP, HEIGHT + 2 * GAP), "#d8d8d4")
    whole.paste(both[0], (GAP, GAP))
    whole.paste(both[1], (2 * GAP + both[0].width, GAP))
    whole.quantize(200).save(ROOT / "docs/before-after.png", optimize=True)


def _first_page(document: bytes) -> Image.Image:
    command = ["pdftoppm", "-png", "-r", "130", "-singlefile", "-"]
    done = subprocess.run(command, input=document, capture_output=True, check=True)
    return Image.open(io.BytesIO(done.stdout))


def _scale(image: Image.Image) -> Image.Image:
    return image.convert("RGB").resize((image.width * HEIGHT // image.height, HEIGHT))


if __name__ == "__main__":
    main()
