#!/usr/bin/env python3
"""Draws the pictures of the sample publication, and lists them for the compiler.

    draw-pictures.py [NAME…]     all, or those of the posts or clubs with these ids
    draw-pictures.py --list      only the list

Needs Pillow (Debian: python3-pil). The same Pillow draws the same pictures: what is left to chance hangs on a post's id. Each post of
publication.json names a `motif`, a function in film.py, radio.py or garden.py. The list becomes files.inc beside CSamplePublication.c.
"""

import json
import math
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
PICTURES = FOLDER / "pictures"
LIST = FOLDER.parent.parent / "Sources" / "System" / "CSamplePublication" / "files.inc"


def emblem(c, club):
    """The square picture of a club."""
    from canvas import mix
    import film, garden, radio

    if club == "last-row":
        c.gradient(film.PLUM, film.NIGHT)
        c.glow(300, 220, 330, film.AMBER, 0.55)
        c.disc(300, 232, 150, film.AMBER)
        c.disc(300, 232, 112, film.CREAM)
        for row, (y, r) in enumerate(((330, 34), (412, 46), (520, 62))):
            for i in range(-4, 5):
                x = 300 + i * r * 2.5 + (r * 1.25 if row % 2 else 0)
                c.disc(x, y, r, mix(film.RED, film.NIGHT, 0.3 + row * 0.3))
                c.box(x - r * 1.15, y + r * 0.6, r * 2.3, 300, mix(film.RED, film.NIGHT, 0.3 + row * 0.3), radius=r * 0.5)
    elif club == "static-and-candlelight":
        c.gradient(radio.PETROL, radio.INK)
        for i in range(6):
            c.ring(300, 250, 96 + i * 46, 13 - i * 1.6, radio.BRASS, 0.9 - i * 0.13)
        c.glow(300, 240, 260, radio.CORAL, 0.6)
        c.polygon(radio.curve([(300, 84), (338, 176), (332, 250), (300, 282), (268, 250), (262, 176), (300, 84)]), radio.BRASS)
        c.polygon(radio.curve([(300, 168), (319, 218), (315, 252), (300, 266), (285, 252), (281, 218), (300, 168)]), radio.CREAM)
        c.line([(300, 306), (300, 262)], 4, radio.INK)
        c.box(256, 306, 88, 320, radio.CREAM, radius=10)
        c.box(312, 306, 32, 320, radio.MIST, 0.6, radius=10)
    else:
        c.gradient(garden.SKY, garden.SAND)
        c.disc(424, 176, 84, garden.SUN)
        c.polygon([(40, 430), (300, 200), (560, 430)], garden.CLAY)
        c.box(96, 420, 408, 200, garden.BLUSH)
        c.box(232, 396, 136, 214, garden.DEEP, radius=68)
        for i in range(7):
            turn = -90 + (i - 3) * 25
            c.polygon(garden.leaf(300, 560, 250 - abs(i - 3) * 32, 42, turn), mix(garden.GREEN, garden.LIME, abs(i - 3) / 4))
            reach = math.radians(turn)
            length = 210 - abs(i - 3) * 30
            c.line([(300, 560), (300 + length * math.cos(reach), 560 + length * math.sin(reach))], 3, garden.SAND, 0.6)
        c.box(196, 540, 208, 80, mix(garden.CLAY, garden.DEEP, 0.2), radius=8)


def save(canvas, name):
    """Writes a picture with quality 80, or less where it would weigh more than 60 KB."""
    image = canvas.finished()
    for quality in (80, 72, 64, 56, 48):
        image.save(PICTURES / name, quality=quality, optimize=True, progressive=False)
        if (PICTURES / name).stat().st_size <= 60_000:
            break


def draw(wanted):
    from canvas import Canvas
    import film, garden, radio

    styles = {"last-row": film, "static-and-candlelight": radio, "rooftop-and-sill": garden}
    publication = json.loads((FOLDER / "publication.json").read_text())
    PICTURES.mkdir(exist_ok=True)
    for club in publication["fanClubs"]:
        if not wanted or club["id"] in wanted:
            canvas = Canvas(600, 600, club["id"])
            emblem(canvas, club["id"])
            save(canvas, club["picture"])
    for post in publication["posts"]:
        if not wanted or post["id"] in wanted:
            canvas = Canvas(960, 540, post["id"])
            getattr(styles[post["fanClubID"]], post["motif"])(canvas)
            save(canvas, post["picture"])


def write_list():
    """One line a file, for the C target that embeds them: `FILE(number, name, path)`."""
    paths = [FOLDER / "publication.json", *sorted(PICTURES.glob("*.jpg"))]
    root = "../../../Resources/sample-publication"
    lines = ["// Written by Resources/sample-publication/draw-pictures.py.", ""]
    for number, path in enumerate(paths):
        lines += [f"static const unsigned char file_{number}[] = {{", f'#embed "{root}/{path.relative_to(FOLDER)}"', "};"]
    lines += ["", "static const struct matinee_sample_file files[] = {"]
    lines += [f'    {{"{path.name}", file_{number}, sizeof file_{number}}},' for number, path in enumerate(paths)]
    LIST.write_text("\n".join([*lines, "};", ""]))


if __name__ == "__main__":
    if sys.argv[1:] != ["--list"]:
        draw(set(sys.argv[1:]))
    write_list()
