"""`make picture`: draws pages before and after: as their site shows them, with frames around what
was kept, and as the first page of the PDF.

docs/before-after.png is the sample article; docs/pages/before-after-KIND.png are ten kinds of page,
all of them our own (`samples/`). Needs a browser, and pdftoppm.
"""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for the samples, which are not in the package

from PIL import Image  # noqa: E402
from samples.serve import SITE, serving  # noqa: E402

from tearsheet import Options, pictures  # noqa: E402
from tearsheet.acquire.sources import acquire  # noqa: E402
from tearsheet.clip import DEFAULT_METHOD, clip, clip_snapshot  # noqa: E402
from tearsheet.inspect import draw  # noqa: E402

GAP = 40  # pixels
HOST = "courier.example"  # instead of this machine's
KINDS = {
    "article": "site/news/last-ferry.html",
    "blog": "site/blog/nets.html",
    "documentation": "site/docs/tidecast.html",
    "recipe": "site/recipes/mackerel-pie.html",
    "questions": "kinds/questions.html",
    "thread": "kinds/thread.html",
    "product": "kinds/product.html",
    "listing": "site/index.html",
    "arabic": "site/ar/market.html",
    "chinese": "site/zh/lighthouse.html",
}


class Look(NamedTuple):
    """How large and how fine a picture is."""

    height: int
    colours: int


def main() -> None:
    """Draws the article for the first page of the docs, and all kinds."""
    wanted = sys.argv[1:] or KINDS
    with serving(folder=SITE.parent) as site:
        if not sys.argv[1:]:
            draw_both(site, KINDS["article"], ROOT / "docs/before-after.png", Look(1000, 96))
        for kind in wanted:
            target = ROOT / f"docs/pages/before-after-{kind}.png"
            draw_both(site, KINDS[kind], target, Look(820, 96))


def draw_both(site: str, path: str, target: Path, look: Look) -> None:
    """Clips a page, draws both sides at the same height, and puts them on one picture."""
    options = Options(allow_private=True)
    address = f"{site}/{path}"
    shown = acquire(address, render=True, options=options, picture="now")
    kept = clip_snapshot(shown, DEFAULT_METHOD, options).clippings[0]
    article = pictures.ready(clip(address, options=options), "pdf", options)
    article = article.replace(
        url=f"https://{HOST}/{path.partition('/')[2]}",
        metadata=replace(article.metadata, site=article.metadata.site.replace("127.0.0.1", HOST)),
    )
    drawn = Image.open(io.BytesIO(draw(kept, shown.picture)))
    page = drawn.crop((0, 0, drawn.width, min(drawn.height, drawn.width * 7 // 5)))
    both = [page, draw_first_page(article.to("pdf", options))]
    scaled = [image.convert("RGB") for image in both]
    scaled = [i.resize((i.width * look.height // i.height, look.height)) for i in scaled]
    wide = sum(image.width for image in scaled) + 3 * GAP
    whole = Image.new("RGB", (wide, look.height + 2 * GAP), "#d8d8d4")
    whole.paste(scaled[0], (GAP, GAP))
    whole.paste(scaled[1], (2 * GAP + scaled[0].width, GAP))
    whole.quantize(look.colours).save(target, optimize=True)


def draw_first_page(document: bytes) -> Image.Image:
    command = ["pdftoppm", "-png", "-r", "130", "-singlefile", "-"]
    done = subprocess.run(command, input=document, capture_output=True, check=True)
    return Image.open(io.BytesIO(done.stdout))


if __name__ == "__main__":
    main()
