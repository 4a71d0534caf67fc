"""What draw-pictures.py draws on: a sheet with shapes in pixels of the finished picture, drawn at twice its size."""

import math
import random

from PIL import Image, ImageChops, ImageDraw, ImageFilter

SCALE = 2


def rgb(color):
    """`#RRGGBB` as three numbers."""
    return tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))


def mix(a, b, share):
    """The color between two others: `a` at 0, `b` at 1."""
    return "#%02x%02x%02x" % tuple(round(x + (y - x) * share) for x, y in zip(rgb(a), rgb(b)))


class Canvas:
    def __init__(self, width, height, seed):
        self.width, self.height = width, height
        self.random = random.Random(seed)
        self.size = (width * SCALE, height * SCALE)
        self.image = Image.new("RGB", self.size)

    # Grounds

    def gradient(self, *colors, angle=90):
        """Fills the sheet from the first color to the last; 90 degrees is downwards."""
        width, height = self.size
        side = int(math.hypot(width, height)) + 2
        ramp = Image.new("RGB", (1, 256))
        for y in range(256):
            place = y / 255 * (len(colors) - 1)
            index = min(int(place), len(colors) - 2)
            ramp.putpixel((0, y), rgb(mix(colors[index], colors[index + 1], place - index)))
        reach = abs(math.sin(math.radians(angle))) * height + abs(math.cos(math.radians(angle))) * width
        ramp = ramp.resize((side, int(reach)), Image.Resampling.BICUBIC)
        sheet = Image.new("RGB", (side, side), rgb(colors[-1]))
        sheet.paste(Image.new("RGB", (side, side // 2), rgb(colors[0])), (0, 0))
        sheet.paste(ramp, (0, (side - ramp.height) // 2))
        sheet = sheet.rotate(90 - angle, Image.Resampling.BICUBIC)
        self.image.paste(sheet, ((width - side) // 2, (height - side) // 2))

    # Shapes

    def _paint(self, draw, color, alpha, blur, within=None):
        mask = Image.new("L", self.size, 0)
        draw(ImageDraw.Draw(mask))
        if blur:
            mask = mask.filter(ImageFilter.GaussianBlur(blur * SCALE))
        if within is not None:
            mask = ImageChops.multiply(mask, within)
        if alpha < 1:
            mask = mask.point(lambda value: round(value * alpha))
        self.image.paste(Image.new("RGB", self.size, rgb(color)), (0, 0), mask)

    def mask(self, draw, blur=0):
        """A mask for `within`: what `draw` paints on an ImageDraw, in pixels of the sheet."""
        mask = Image.new("L", self.size, 0)
        draw(ImageDraw.Draw(mask))
        return mask.filter(ImageFilter.GaussianBlur(blur * SCALE)) if blur else mask

    def polygon(self, points, color, alpha=1, blur=0, within=None):
        points = [(x * SCALE, y * SCALE) for x, y in points]
        self._paint(lambda d: d.polygon(points, fill=255), color, alpha, blur, within)

    def box(self, x, y, width, height, color, alpha=1, blur=0, radius=0, within=None):
        corners = [x * SCALE, y * SCALE, (x + width) * SCALE, (y + height) * SCALE]
        self._paint(lambda d: d.rounded_rectangle(corners, radius * SCALE, fill=255), color, alpha, blur, within)

    def oval(self, x, y, rx, ry, color, alpha=1, blur=0, turn=0, within=None):
        points = []
        for step in range(72):
            angle = step / 72 * math.tau
            px, py = rx * math.cos(angle), ry * math.sin(angle)
            c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
            points.append((x + px * c - py * s, y + px * s + py * c))
        self.polygon(points, color, alpha, blur, within)

    def disc(self, x, y, radius, color, alpha=1, blur=0, within=None):
        corners = [(x - radius) * SCALE, (y - radius) * SCALE, (x + radius) * SCALE, (y + radius) * SCALE]
        self._paint(lambda d: d.ellipse(corners, fill=255), color, alpha, blur, within)

    def ring(self, x, y, radius, width, color, alpha=1, blur=0, start=0, end=360, within=None):
        corners = [(x - radius) * SCALE, (y - radius) * SCALE, (x + radius) * SCALE, (y + radius) * SCALE]
        self._paint(lambda d: d.arc(corners, start, end, fill=255, width=round(width * SCALE)), color, alpha, blur, within)

    def line(self, points, width, color, alpha=1, blur=0, within=None):
        points = [(x * SCALE, y * SCALE) for x, y in points]
        thick = max(round(width * SCALE), 1)

        def draw(d):
            d.line(points, fill=255, width=thick, joint="curve")
            if thick > 3:
                for x, y in (points[0], points[-1]):
                    d.ellipse([x - thick / 2, y - thick / 2, x + thick / 2, y + thick / 2], fill=255)

        self._paint(draw, color, alpha, blur, within)

    def many(self, shapes, color, alpha=1, blur=0, within=None):
        """Several polygons of one color, painted at once."""

        def draw(d):
            for points in shapes:
                d.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=255)

        self._paint(draw, color, alpha, blur, within)

    def glow(self, x, y, radius, color, alpha=0.8):
        self.disc(x, y, radius * 0.55, color, alpha, blur=radius * 0.3)

    # Finish

    def finished(self, grain=5):
        """The picture at its own size, with the grain of paper and a darker edge."""
        image = self.image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        edge = Image.new("L", image.size, 0)
        inset = round(min(image.size) * 0.08)
        ImageDraw.Draw(edge).rounded_rectangle(
            [-inset, -inset, self.width + inset, self.height + inset], inset * 3, fill=255
        )
        edge = edge.filter(ImageFilter.GaussianBlur(inset * 2)).point(lambda value: 200 + value * 55 // 255)
        image = ImageChops.multiply(image, Image.merge("RGB", [edge] * 3))
        noise = Image.frombytes("L", image.size, self.random.randbytes(self.width * self.height))
        noise = noise.filter(ImageFilter.GaussianBlur(0.6)).point(lambda value: 128 + (value - 128) * grain // 64)
        noise = Image.merge("RGB", [noise] * 3)
        return ImageChops.add(image, noise, 1, -128)


def wave(width, base, height, length, phase=0.0, step=8):
    """Points along a wave across the sheet."""
    return [(x, base + height * math.sin(x / length * math.tau + phase)) for x in range(-step, width + step * 2, step)]


def leaf(x, y, length, breadth, turn):
    """The outline of a leaf that grows from a point; 0 degrees is to the right."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    outline = []
    for step in range(21):
        t = step / 20
        outline.append((t * length, breadth * math.sin(t * math.pi) ** 0.8 * (1 - 0.35 * t)))
    for step in range(20, -1, -1):
        t = step / 20
        outline.append((t * length, -breadth * math.sin(t * math.pi) ** 0.8 * (1 - 0.35 * t)))
    return [(x + px * c - py * s, y + px * s + py * c) for px, py in outline]


def curve(points, steps=24):
    """A smooth line through points (Catmull and Rom)."""
    padded = [points[0], *points, points[-1]]
    result = []
    for p0, p1, p2, p3 in zip(padded, padded[1:], padded[2:], padded[3:]):
        for step in range(steps):
            t = step / steps
            result.append(
                tuple(
                    0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t**3)
                    for a, b, c, d in zip(p0, p1, p2, p3)
                )
            )
    return result + [points[-1]]
