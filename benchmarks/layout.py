"""How long documents take: `python -m benchmarks.layout` (with `src` and `.` on the Python path).

1. The sample article to PDF against the bare engine: the same text, table and pictures as Typst
   markup without any design, by the same compiler. It must take less than 1.6 times as
   long, or the command fails.
2. An article of 100 pages with 200 pictures to PDF: it must take less than 60 s and 1 GB.
3. All formats of the sample article.
"""

from __future__ import annotations

import io
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pikepdf
from PIL import Image as Picture
from samples.serve import SITE

from tearsheet import pictures, plugins
from tearsheet.article import Article
from tearsheet.clip import extract
from tearsheet.layout import pdf
from tearsheet.layout._typst import compiler
from tearsheet.types import Figure, Image, Metadata, Options, Paragraph, Resource, Run

STORY = "news/last-ferry-print.html"
MOST = 1.6
"""How many times the bare engine's CPU time our PDF may take."""
WORDS = "the ferry crossed twelve times a day in winter and came back with the light ".split()


def main() -> None:
    """Prints the figures. Each document is made in its own process, because Typst caches its
    results."""
    if len(sys.argv) > 1:
        print(json.dumps(TASKS[sys.argv[1]]()))
        return
    # In turn, so that a busy machine slows both.
    pairs = [(seconds("ours"), seconds("bare")) for _ in range(5)]
    ours, bare = map(statistics.median, zip(*pairs))
    print(
        f"sample article to PDF: {ours:.2f} s; bare engine: {bare:.2f} s; {ours / bare:.2f} times"
    )
    for form, took in run_apart("formats").items():
        print(f"sample article to {form}: {took * 1000:.1f} ms")
    print("large article: {pages} pages, 200 pictures, {wall:.1f} s ({cpu:.1f} s of CPU), "
          "{peak:.2f} GB at most, {size:.1f} MB".format(**run_apart("large")))  # fmt: skip
    if ours / bare > MOST:
        sys.exit(f"PDF takes more than {MOST} times the bare engine's time")


def seconds(name: str) -> float:
    return run_apart(name)["cpu"]


def run_apart(name: str) -> dict[str, float]:
    """The result of a task in a fresh process."""
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.layout", name], capture_output=True, check=True
    )
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def ours() -> dict[str, float]:
    article = sample()
    return {"cpu": cpu(lambda: article.to("pdf"))}


def bare() -> dict[str, float]:
    article = sample()
    return {"cpu": cpu(lambda: compile_bare(article))}


def formats() -> dict[str, float]:
    """Seconds of the second run of each format, without its imports."""
    article, found = sample(), {}
    for form in plugins.names("layout"):
        if form != "pdf":
            article.to(form)
            found[form] = cpu(partial(article.to, form))
    return found


def whole() -> dict[str, float]:
    article = large()
    before, cpu_before = time.perf_counter(), time.process_time()
    document = pdf.render(article, Options())
    wall, used = time.perf_counter() - before, time.process_time() - cpu_before
    with pikepdf.open(io.BytesIO(document)) as opened:
        pages = len(opened.pages)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    size = len(document) / 2**20
    return {"wall": wall, "cpu": used, "peak": peak, "pages": pages, "size": size}


TASKS = {"ours": ours, "bare": bare, "formats": formats, "large": whole}


def cpu(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def sample() -> Article:
    """The sample article with its pictures."""
    page = SITE / STORY
    made = extract(page.read_bytes(), f"https://sample.invalid/{STORY}", method="readability")

    def get(url: str) -> Resource:
        path = SITE / url.removeprefix("https://sample.invalid/")
        return Resource(url, "", path.read_bytes())

    return pictures.fetch(made, get=get)


def compile_bare(article: Article) -> bytes:
    """The same text and pictures, set by the bare engine."""
    with tempfile.TemporaryDirectory() as folder:
        parts = ["#set par(justify: true)"]
        for number, picture in enumerate(article.pictures.values()):
            suffix = {"image/png": "png", "image/svg+xml": "svg"}.get(picture.media_type, "jpg")
            name = f"{number}.{suffix}"
            Path(folder, name).write_bytes(picture.body)
            parts.append(f'#image("{name}")')
        for line in article.text.split("\n\n"):
            quoted = line.replace("\\", "\\\\").replace('"', '\\"')
            parts.append(f'#"{quoted}"')
        Path(folder, "main.typ").write_text("\n\n".join(parts))
        made: bytes = compiler().compile(input=f"{folder}/main.typ", root=folder)
        return made


def large() -> Article:
    """An article of about 100 pages with 200 different pictures."""
    blocks: list[Figure | Paragraph] = []
    files: dict[str, Resource] = {}
    for number in range(200):
        url = f"https://sample.invalid/{number}.jpg"
        picture = Picture.effect_noise((900, 560), 40).convert("RGB")
        picture.putpixel((0, 0), (number % 256, 0, 0))
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=80)
        files[url] = Resource(url, "image/jpeg", out.getvalue())
        blocks.append(Figure((Image(url, alt=f"Noise {number}"),), (Run(f"Picture {number}."),)))
        text = " ".join(WORDS[(i * 7 + number) % len(WORDS)] for i in range(130)).capitalize() + "."
        link = Run("a link", href=f"https://sample.invalid/page/{number}")
        blocks.append(Paragraph((Run(text + " "), link, Run("."))))
    made = Article(Metadata(title="A long story", language="en"), tuple(blocks))
    return made.replace(pictures=files)


if __name__ == "__main__":
    main()
