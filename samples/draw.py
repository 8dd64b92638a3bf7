"""Draws the sample site's pictures: `python samples/draw.py` (needs Pillow)."""

from __future__ import annotations

import math
import random
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFilter

TARGET = Path(__file__).parent / "site" / "img"
SCALE = 2  # drawn at twice the size, for smooth edges

Colour = tuple[int, int, int]

DUSK = ((247, 196, 140), (92, 112, 158), (44, 62, 96))
DAY = ((226, 238, 244), (126, 170, 194), (58, 98, 122))
MIST = ((238, 236, 228), (158, 170, 172), (84, 98, 104))
NIGHT = ((66, 82, 126), (20, 28, 58), (12, 18, 38))


def main() -> None:
    """Writes all pictures into the site."""
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, (width, height, palette, subject) in PICTURES.items():
        photo(name, width, height, palette, subject)


def photo(name: str, width: int, height: int, palette: tuple[Colour, ...], subject: str) -> None:
    """One picture: sky, hills, water and its subject, with a little grain."""
    draw_from = random.Random(name)
    image = sky(width * SCALE, height * SCALE, palette)
    if subject not in INDOORS:
        landscape(image, palette, draw_from)
    SUBJECTS[subject](image, palette, draw_from)
    image = grain(image.resize((width, height), Image.Resampling.LANCZOS), draw_from)
    if name.endswith(".png"):
        image.quantize(64).save(TARGET / name, optimize=True)
    else:
        image.save(TARGET / name, quality=72, optimize=True)


def sky(width: int, height: int, palette: tuple[Colour, ...]) -> Image.Image:
    """A vertical change from the second colour to the first."""
    ramp = Image.linear_gradient("L").resize((width, height))
    return Image.composite(
        Image.new("RGB", (width, height), palette[0]),
        Image.new("RGB", (width, height), palette[1]),
        ramp,
    )


def landscape(image: Image.Image, palette: tuple[Colour, ...], draw_from: random.Random) -> None:
    """Three chains of hills and the water before them."""
    draw = ImageDraw.Draw(image)
    width, height = image.size
    for layer in range(3):
        base = height * (0.42 + 0.07 * layer)
        shade = mix(palette[1], palette[2], 0.3 + 0.3 * layer)
        wave = [draw_from.uniform(0, 6.3) for _ in range(3)]
        ridge = [(x, base - hill(x / width, wave) * height * 0.12) for x in range(0, width, 4)]
        draw.polygon([(0, height), *ridge, (width, height)], fill=shade)
    water = int(height * 0.62)
    draw.rectangle((0, water, width, height), fill=mix(palette[0], palette[2], 0.55))
    for _ in range(140):
        x, y = draw_from.uniform(0, width), draw_from.uniform(water, height)
        length = draw_from.uniform(10, 90) * (y / height)
        draw.line((x, y, x + length, y), fill=mix(palette[0], palette[1], 0.4), width=SCALE)


def hill(x: float, wave: list[float]) -> float:
    return (
        math.sin(3 * x + wave[0])
        + 0.5 * math.sin(9 * x + wave[1])
        + 0.2 * math.sin(31 * x + wave[2])
    )


def mix(one: Colour, other: Colour, share: float) -> Colour:
    """The first colour with a share of the other."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other))
    return red, green, blue


def grain(image: Image.Image, draw_from: random.Random) -> Image.Image:
    """The picture with the noise of a photograph."""
    size = (image.width // 2, image.height // 2)
    noise = Image.frombytes("L", size, draw_from.randbytes(size[0] * size[1])).resize(image.size)
    noise = noise.filter(ImageFilter.GaussianBlur(1)).point(lambda value: value // 14)
    return ImageChops.subtract(image, Image.merge("RGB", (noise, noise, noise)))


def ferry(image: Image.Image, palette: tuple[Colour, ...], _: random.Random) -> None:
    draw, (w, h) = ImageDraw.Draw(image), image.size
    dark, light = mix(palette[2], (0, 0, 0), 0.4), (244, 238, 224)
    draw.line((0, h * 0.70, w * 0.22, h * 0.74), fill=dark, width=3 * SCALE)
    draw.line((w * 0.8, h * 0.74, w, h * 0.66), fill=dark, width=3 * SCALE)
    draw.polygon(
        [(w * 0.2, h * 0.70), (w * 0.82, h * 0.70), (w * 0.77, h * 0.82), (w * 0.25, h * 0.82)],
        fill=(150, 52, 44),
    )
    draw.rectangle((w * 0.33, h * 0.55, w * 0.68, h * 0.70), fill=light)
    draw.rectangle((w * 0.44, h * 0.44, w * 0.57, h * 0.55), fill=light)
    draw.rectangle((w * 0.62, h * 0.38, w * 0.65, h * 0.55), fill=dark)
    for i in range(6):
        x = w * (0.35 + 0.053 * i)
        draw.rectangle(
            (x, h * 0.59, x + w * 0.035, h * 0.65), fill=mix(palette[1], palette[2], 0.5)
        )


def bridge(image: Image.Image, palette: tuple[Colour, ...], _: random.Random) -> None:
    draw, (w, h) = ImageDraw.Draw(image), image.size
    steel = mix(palette[2], (230, 230, 230), 0.75)
    deck = h * 0.58
    for tower in (0.32, 0.7):
        draw.rectangle((w * tower - 6, h * 0.12, w * tower + 6, h * 0.8), fill=steel)
        for i in range(1, 9):
            for side in (-1, 1):
                end = w * tower + side * i * w * 0.021
                draw.line((w * tower, h * (0.12 + i * 0.015), end, deck), fill=steel, width=SCALE)
    draw.rectangle((0, deck, w, deck + h * 0.025), fill=mix(steel, (0, 0, 0), 0.3))


def lighthouse(image: Image.Image, palette: tuple[Colour, ...], _: random.Random) -> None:
    w, h = image.size
    beam = Image.new("L", image.size, 0)
    ImageDraw.Draw(beam).polygon([(w * 0.6, h * 0.2), (0, h * 0.02), (0, h * 0.34)], fill=120)
    beam = beam.filter(ImageFilter.GaussianBlur(14))
    image.paste((255, 240, 190), mask=beam)
    draw = ImageDraw.Draw(image)
    rock = mix(palette[2], (0, 0, 0), 0.4)
    draw.ellipse((w * 0.4, h * 0.7, w * 0.85, h * 1.1), fill=rock)
    draw.polygon(
        [(w * 0.57, h * 0.24), (w * 0.63, h * 0.24), (w * 0.66, h * 0.76), (w * 0.54, h * 0.76)],
        fill=(240, 236, 228),
    )
    for i in range(3):
        y = h * (0.32 + 0.15 * i)
        spread = 0.035 + 0.008 * i
        draw.rectangle(
            (w * (0.6 - spread), y, w * (0.6 + spread), y + h * 0.06), fill=(176, 52, 44)
        )
    draw.rectangle((w * 0.575, h * 0.16, w * 0.625, h * 0.24), fill=(255, 236, 160))
    draw.polygon([(w * 0.565, h * 0.16), (w * 0.635, h * 0.16), (w * 0.6, h * 0.1)], fill=rock)


def market(image: Image.Image, palette: tuple[Colour, ...], draw_from: random.Random) -> None:
    draw, (w, h) = ImageDraw.Draw(image), image.size
    draw.rectangle((0, h * 0.62, w, h), fill=mix((190, 172, 150), palette[2], 0.3))
    canvas = ((188, 72, 58), (236, 226, 206), (54, 110, 120), (222, 166, 70))
    for i in range(5):
        left, colour = w * (0.02 + 0.2 * i), canvas[i % 4]
        top, foot = h * (0.3 + 0.03 * (i % 2)), h * 0.82
        draw.polygon(
            [(left + w * 0.02, top), (left + w * 0.15, top), (left + w * 0.18, top + h * 0.12),
             (left - w * 0.01, top + h * 0.12)], fill=colour,
        )  # fmt: skip
        draw.rectangle(
            (left, foot - h * 0.16, left + w * 0.17, foot), fill=mix(colour, (60, 50, 40), 0.6)
        )
        for _ in range(26):
            x, y = (
                draw_from.uniform(left, left + w * 0.16),
                draw_from.uniform(foot - h * 0.2, foot - h * 0.13),
            )
            shade = draw_from.choice(((196, 206, 212), (150, 166, 176), (224, 140, 90)))
            draw.ellipse((x, y, x + w * 0.022, y + h * 0.018), fill=shade)


def bus(image: Image.Image, palette: tuple[Colour, ...], draw_from: random.Random) -> None:
    draw, (w, h) = ImageDraw.Draw(image), image.size
    draw.rectangle((0, h * 0.76, w, h), fill=(222, 226, 230))
    draw.rounded_rectangle((w * 0.2, h * 0.36, w * 0.84, h * 0.8), 24, fill=(60, 120, 104))
    draw.rectangle((w * 0.2, h * 0.62, w * 0.84, h * 0.66), fill=(240, 232, 210))
    for i in range(5):
        x = w * (0.24 + 0.115 * i)
        draw.rounded_rectangle((x, h * 0.41, x + w * 0.095, h * 0.58), 8, fill=(250, 236, 190))
        for book in range(7):
            left = x + book * w * 0.0125 + 4
            top = h * draw_from.uniform(0.47, 0.51)
            colour = draw_from.choice(((170, 60, 50), (60, 80, 130), (120, 90, 50), (70, 110, 70)))
            draw.rectangle((left, top, left + w * 0.009, h * 0.58), fill=colour)
    for x in (0.33, 0.7):
        draw.ellipse((w * x - 38, h * 0.75, w * x + 38, h * 0.75 + 76), fill=(40, 40, 44))
        draw.ellipse((w * x - 16, h * 0.75 + 22, w * x + 16, h * 0.75 + 54), fill=(170, 170, 170))


def pie(image: Image.Image, _: tuple[Colour, ...], draw_from: random.Random) -> None:
    w, h = image.size
    table(image, (148, 108, 76))
    draw = ImageDraw.Draw(image)
    draw.ellipse((w * 0.18, h * 0.14, w * 0.84, h * 0.94), fill=(88, 96, 104))
    draw.ellipse((w * 0.22, h * 0.19, w * 0.80, h * 0.89), fill=(206, 146, 74))
    for _i in range(900):
        angle, reach = draw_from.uniform(0, 6.3), math.sqrt(draw_from.random()) * 0.27
        x, y = w * (0.51 + reach * math.cos(angle)), h * (0.54 + reach * 1.2 * math.sin(angle))
        shade = mix((238, 196, 120), (150, 84, 34), draw_from.random())
        draw.ellipse((x, y, x + draw_from.uniform(6, 22), y + draw_from.uniform(4, 12)), fill=shade)
    for _i in range(24):
        x, y = w * draw_from.uniform(0.32, 0.7), h * draw_from.uniform(0.32, 0.76)
        draw.ellipse((x, y, x + 16, y + 9), fill=(84, 128, 66))


def net(image: Image.Image, _: tuple[Colour, ...], draw_from: random.Random) -> None:
    w, h = image.size
    table(image, (120, 126, 118))
    draw = ImageDraw.Draw(image)
    for i in range(-30, 60):
        for slope in (-1, 1):
            points = [
                (x, i * 44 + slope * x * 0.5 + 14 * math.sin(x / 90 + i)) for x in range(0, w, 12)
            ]
            draw.line(points, fill=(32, 74, 84), width=3)
    for _i in range(9):
        x, y = draw_from.uniform(0, w), draw_from.uniform(h * 0.1, h * 0.9)
        draw.ellipse((x, y, x + 64, y + 40), fill=(214, 112, 48), outline=(120, 60, 30), width=4)


def lantern(image: Image.Image, _: tuple[Colour, ...], __: random.Random) -> None:
    w, h = image.size
    image.paste((240, 238, 232), (0, 0, w, h))
    glow = Image.new("L", image.size, 0)
    ImageDraw.Draw(glow).ellipse((w * 0.15, h * 0.18, w * 0.85, h * 0.86), fill=200)
    image.paste((255, 232, 176), mask=glow.filter(ImageFilter.GaussianBlur(60)))
    draw, brass = ImageDraw.Draw(image), (168, 122, 52)
    draw.arc((w * 0.34, h * 0.04, w * 0.66, h * 0.34), 180, 360, fill=brass, width=12)
    draw.polygon(
        [(w * 0.36, h * 0.3), (w * 0.64, h * 0.3), (w * 0.56, h * 0.18), (w * 0.44, h * 0.18)],
        fill=brass,
    )
    draw.rounded_rectangle((w * 0.37, h * 0.3, w * 0.63, h * 0.74), 30, fill=(255, 246, 214))
    draw.ellipse((w * 0.46, h * 0.46, w * 0.54, h * 0.66), fill=(255, 184, 66))
    for x in (0.37, 0.46, 0.54, 0.63):
        draw.line((w * x, h * 0.3, w * x, h * 0.74), fill=brass, width=8)
    draw.rounded_rectangle(
        (w * 0.32, h * 0.74, w * 0.68, h * 0.86), 14, fill=mix(brass, (0, 0, 0), 0.2)
    )


def yard(image: Image.Image, palette: tuple[Colour, ...], draw_from: random.Random) -> None:
    draw, (w, h) = ImageDraw.Draw(image), image.size
    draw.rectangle((0, h * 0.72, w, h), fill=mix((150, 146, 138), palette[2], 0.2))
    for i in range(4):
        x, y = w * (0.06 + 0.24 * i), h * (0.68 + 0.05 * (i % 2))
        hull = draw_from.choice(((238, 234, 224), (50, 92, 130), (166, 60, 52)))
        draw.polygon(
            [(x, y), (x + w * 0.19, y), (x + w * 0.15, y + h * 0.11), (x + w * 0.04, y + h * 0.11)],
            fill=hull,
        )
        draw.line((x + w * 0.1, y, x + w * 0.1, h * 0.16), fill=(90, 84, 76), width=5)
        draw.line(
            (x + w * 0.05, y + h * 0.1, x + w * 0.03, y + h * 0.19), fill=(90, 70, 50), width=8
        )
        draw.line(
            (x + w * 0.14, y + h * 0.1, x + w * 0.16, y + h * 0.19), fill=(90, 70, 50), width=8
        )


def portrait(image: Image.Image, palette: tuple[Colour, ...], draw_from: random.Random) -> None:
    draw, (w, h) = ImageDraw.Draw(image), image.size
    skin = draw_from.choice(((226, 184, 152), (176, 124, 90), (120, 82, 60), (240, 204, 176)))
    coat = draw_from.choice(((54, 78, 104), (146, 62, 52), (70, 96, 70), (60, 58, 70)))
    hair = draw_from.choice(((60, 44, 34), (170, 166, 160), (120, 74, 40)))
    draw.ellipse((w * 0.12, h * 0.68, w * 0.88, h * 1.4), fill=coat)
    draw.rectangle((w * 0.43, h * 0.55, w * 0.57, h * 0.74), fill=mix(skin, (0, 0, 0), 0.15))
    draw.ellipse((w * 0.30, h * 0.13, w * 0.70, h * 0.52), fill=hair)
    draw.ellipse((w * 0.33, h * 0.18, w * 0.67, h * 0.64), fill=skin)
    for x in (0.43, 0.57):
        draw.ellipse((w * x - 5, h * 0.38, w * x + 5, h * 0.38 + 10), fill=(40, 34, 30))
    draw.arc((w * 0.43, h * 0.44, w * 0.57, h * 0.55), 20, 160, fill=(130, 70, 60), width=4)


def poster(image: Image.Image, palette: tuple[Colour, ...], draw_from: random.Random) -> None:
    """The picture of an advertisement: stripes and discs in loud colours."""
    draw, (w, h) = ImageDraw.Draw(image), image.size
    loud = ((236, 84, 62), (250, 196, 60), (36, 142, 150), (252, 244, 226))
    image.paste(draw_from.choice(loud[:3]), (0, 0, w, h))
    for i in range(7):
        x = w * i / 7
        draw.polygon(
            [(x, 0), (x + w * 0.06, 0), (x - w * 0.1, h), (x - w * 0.16, h)], fill=loud[i % 4]
        )
    draw.ellipse((w * 0.5 - h * 0.42, h * 0.08, w * 0.5 + h * 0.42, h * 0.92), fill=loud[3])
    draw.ellipse((w * 0.5 - h * 0.3, h * 0.2, w * 0.5 + h * 0.3, h * 0.8), fill=palette[2])


def table(image: Image.Image, wood: Colour) -> None:
    """A board seen from above."""
    draw, (w, h) = ImageDraw.Draw(image), image.size
    for i in range(8):
        shade = mix(wood, (0, 0, 0), 0.06 * (i % 3))
        draw.rectangle((0, h * i / 8, w, h * (i + 1) / 8 - 3), fill=shade)


INDOORS = {"pie", "net", "lantern", "portrait", "poster"}
SUBJECTS = {
    each.__name__: each
    for each in (
        ferry, bridge, lighthouse, market, bus, pie, net, lantern, yard, portrait, poster,
    )
}  # fmt: skip
PICTURES: dict[str, tuple[int, int, tuple[Colour, ...], str]] = {
    "ferry-dusk.jpg": (960, 540, DUSK, "ferry"),
    "ferry-crew.jpg": (420, 300, MIST, "ferry"),
    "bridge.jpg": (720, 420, DAY, "bridge"),
    "bridge-night.jpg": (420, 280, NIGHT, "bridge"),
    "farrow.jpg": (96, 96, MIST, "portrait"),
    "lamb.jpg": (300, 360, DAY, "portrait"),
    "quill.jpg": (96, 96, DAY, "portrait"),
    "reader-1.png": (48, 48, DUSK, "portrait"),
    "reader-2.png": (48, 48, DAY, "portrait"),
    "reader-3.png": (48, 48, MIST, "portrait"),
    "net.jpg": (800, 460, DAY, "net"),
    "pie.jpg": (800, 520, DAY, "pie"),
    "lantern.jpg": (560, 620, DAY, "lantern"),
    "lantern-small.jpg": (160, 180, DAY, "lantern"),
    "yard.jpg": (900, 440, DAY, "yard"),
    "yard-mist.jpg": (360, 240, MIST, "yard"),
    "lighthouse.jpg": (900, 520, NIGHT, "lighthouse"),
    "lighthouse-day.jpg": (420, 300, DAY, "lighthouse"),
    "market.jpg": (860, 480, DUSK, "market"),
    "market-morning.jpg": (420, 300, DAY, "market"),
    "bus.jpg": (860, 480, MIST, "bus"),
    "bus-evening.jpg": (420, 300, DUSK, "bus"),
    "advert-wide.png": (640, 120, DUSK, "poster"),
    "advert-box.png": (300, 250, DAY, "poster"),
    "advert-tall.png": (240, 400, NIGHT, "poster"),
}


if __name__ == "__main__":
    main()
