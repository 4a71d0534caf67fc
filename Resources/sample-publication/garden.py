"""Pictures of Rooftop & Sill: paper skies, leaf greens, terracotta."""

import math

from canvas import curve, leaf, mix, wave

DEEP, GREEN, LEAF, LIME = "#123a2c", "#2f6d47", "#6a9f5b", "#b8cc78"
CLAY, BLUSH, SAND, SKY, SUN = "#c45f38", "#efbfa2", "#f4e8d0", "#bcdad9", "#f1b745"


def _pot(c, x, y, width, height, color):
    c.polygon([(x - width / 2, y), (x + width / 2, y), (x + width * 0.38, y + height), (x - width * 0.38, y + height)], color)
    c.polygon([(x, y), (x + width / 2, y), (x + width * 0.38, y + height), (x + width * 0.06, y + height)], mix(color, DEEP, 0.18))
    c.box(x - width * 0.56, y - height * 0.14, width * 1.12, height * 0.22, mix(color, SAND, 0.16), radius=3)


def hexagons(c):
    c.gradient("#f8dc9a", SUN, "#e08a3c", angle=70)
    for row in range(-1, 9):
        for column in range(-1, 13):
            x, y = column * 86 + (row % 2) * 43, row * 74.5
            t = 0.5 + 0.5 * math.sin(column * 0.9 + row * 1.7)
            shape = [(x + 44 * math.sin(a * math.pi / 3), y + 44 * math.cos(a * math.pi / 3)) for a in range(6)]
            inner = [(x + 37 * math.sin(a * math.pi / 3), y + 37 * math.cos(a * math.pi / 3)) for a in range(6)]
            c.polygon(shape, mix("#a9581f", SUN, 0.35), 0.75)
            c.polygon(inner, mix("#f9d67c", "#d9822b", t))
            if t > 0.75:
                c.oval(x - 9, y - 12, 13, 6, SAND, 0.6, turn=-30)
    for x, y, turn in ((300, 210, -20), (470, 330, 14), (655, 200, -38), (560, 130, 30)):
        for side in (-1, 1):
            angle = math.radians(turn - 90)
            c.oval(x + 18 * math.cos(angle) + side * 4, y + 18 * math.sin(angle), 27, 12, SAND, 0.85, turn=turn - 90 + side * 26)
        c.oval(x, y, 33, 19, DEEP, turn=turn)
        for offset in (-9, 6):
            c.oval(x + offset * math.cos(math.radians(turn)), y + offset * math.sin(math.radians(turn)), 5, 17.5, SUN, turn=turn)


def tomatoes(c):
    c.gradient(SKY, "#dfe9dc", SAND)
    for x, width, height in ((20, 120, 250), (170, 160, 330), (610, 130, 290), (760, 190, 380)):
        c.box(x, 420 - height, width, height, BLUSH, 0.55)
        for i in range(int(height / 62)):
            for j in range(int(width / 42)):
                c.box(x + 14 + j * 42, 436 - height + i * 62, 19, 30, SKY, 0.8)
    for x, base in ((300, 60), (480, 20), (668, 80)):
        stem = curve([(x, 560), (x + 16, 400), (x - 14, 240), (x + 6, base)])
        c.line(stem, 7, GREEN)
        for index in range(8, len(stem), 9):
            sx, sy = stem[index]
            for side in (-1, 1):
                c.polygon(leaf(sx, sy, 84, 22, 90 - side * 62 + c.random.uniform(-14, 14)), mix(GREEN, LEAF, c.random.random()))
    for x, y, r in ((256, 290, 39), (348, 345, 45), (300, 408, 40), (444, 212, 35), (528, 270, 44), (470, 342, 47), (622, 300, 41), (708, 244, 35), (700, 364, 46), (560, 402, 38)):
        c.disc(x + 4, y + 7, r, DEEP, 0.3, blur=6)
        c.disc(x, y, r, mix("#d2402c", SUN, c.random.uniform(0, 0.35)))
        c.oval(x - r * 0.34, y - r * 0.4, r * 0.3, r * 0.17, SAND, 0.75, turn=-35)
        for a in range(5):
            c.polygon(leaf(x, y - r * 0.86, r * 0.62, r * 0.13, 90 + (a - 2) * 46), DEEP)
    c.box(-10, 456, 980, 12, DEEP)
    for i in range(33):
        c.box(i * 31, 456, 6, 100, DEEP)


def leaves(c):
    c.gradient("#e9f0dc", "#cfe0bd", "#9dc08b")
    for row in range(5):
        for i in range(13):
            x = 168 + i * 52 + c.random.uniform(-22, 22)
            y = 300 - row * 46 + abs(x - 480) * 0.16 + c.random.uniform(-12, 12)
            for side in (-1, 1):
                tone = mix(mix(DEEP, GREEN, c.random.random()), LEAF, row / 5)
                turn = -90 + side * c.random.uniform(24, 66)
                c.polygon(leaf(x, y + 30, 92, 27, turn), tone)
                reach = math.radians(turn)
                c.line([(x, y + 30), (x + 78 * math.cos(reach), y + 30 + 78 * math.sin(reach))], 1.6, LIME, 0.55)
    tub = c.mask(lambda d: d.polygon([(192, 660), (1728, 660), (1600, 1000), (320, 1000)], fill=255))
    c.box(90, 330, 790, 175, SAND, within=tub)
    c.polygon([(480, 360), (852, 350), (800, 500), (160, 500), (150, 470)], "#d9c39c", 0.7, blur=26, within=tub)
    c.box(72, 316, 816, 34, "#fbf4e4", radius=17)
    for x in (210, 750):
        c.polygon([(x - 26, 498), (x + 26, 498), (x + 12, 548), (x - 12, 548)], CLAY)
    c.box(846, 250, 14, 80, CLAY, radius=6)
    c.box(818, 250, 42, 13, CLAY, radius=6)
    c.disc(120, 96, 52, SUN)


def night(c):
    c.gradient("#0d1f33", "#123a45", DEEP)
    c.disc(742, 112, 56, SAND, 0.96)
    c.glow(742, 112, 250, SKY, 0.35)
    for x, width, height, lit in ((0, 150, 250, 3), (140, 110, 180, 2), (560, 130, 150, 2), (680, 170, 210, 4), (840, 130, 280, 3)):
        c.box(x, 420 - height, width, height + 20, "#0a1b26", 0.8)
        for _ in range(lit):
            c.box(x + 16 + c.random.randrange(0, width - 40, 26), 440 - height + c.random.randrange(0, height - 60, 32), 11, 17, SUN, 0.9)
    for i in range(44):
        x = i * 23 + c.random.uniform(-8, 8)
        height = 90 + 110 * abs(math.sin(i * 0.7)) + c.random.uniform(-20, 20)
        stem = curve([(x, 560), (x + 6, 560 - height * 0.5), (x + c.random.uniform(-20, 20), 560 - height)], 10)
        c.line(stem, 3, mix(GREEN, DEEP, c.random.random()))
        for index in (6, 12):
            for side in (-1, 1):
                c.polygon(leaf(*stem[index], 46, 10, -90 + side * c.random.uniform(30, 62)), mix(GREEN, DEEP, c.random.uniform(0.2, 0.8)))
        if i % 2 == 0:
            fx, fy = stem[-1]
            c.glow(fx, fy, 46, SAND, 0.34)
            for petal in range(5):
                a = petal / 5 * math.tau + i
                c.disc(fx + 10 * math.cos(a), fy + 10 * math.sin(a), 9, mix("#ffffff", SKY, c.random.random() * 0.3))
            c.disc(fx, fy, 5, SUN)
    for x, y in ((250, 170), (395, 120), (470, 220)):
        for side in (-1, 1):
            c.oval(x + side * 10, y, 12, 7, SAND, 0.85, turn=side * -34)


def arches(c):
    c.gradient("#dfe3dc", "#c3cfca", "#a5b7b3", angle=80)
    for index, x in enumerate((80, 370, 660)):
        for inset, color in ((0, SAND), (14, mix(SKY, "#8fb0b6", 0.45))):
            c.disc(x + 110, 190, 110 - inset, color)
            c.box(x + inset, 190, 220 - inset * 2, 260, color)
        pane = c.mask(lambda d, x=x: (d.ellipse([(x + 14) * 2, 188, (x + 206) * 2, 572], fill=255), d.rectangle([(x + 14) * 2, 380, (x + 206) * 2, 900], fill=255)))
        c.polygon([(x + 150, 60), (x + 260, 60), (x + 90, 460), (x - 10, 460)], SAND, 0.28, within=pane)
        c.box(x + 106, 80, 8, 370, SAND)
        c.box(x + 4, 262, 212, 8, SAND)
        for frond in range(11):
            turn = -90 + (frond - 5) * 17
            reach = math.radians(turn)
            length = 150 - abs(frond - 5) * 9 + index * 8
            tip = (x + 110 + length * math.cos(reach), 412 + length * math.sin(reach) + abs(frond - 5) * 6)
            rib = curve([(x + 110, 420), ((x + 110 + tip[0]) / 2, (420 + tip[1]) / 2 - 16), tip], 12)
            tone = mix(mix(DEEP, GREEN, c.random.random()), LEAF, 0.18 * index)
            c.line(rib, 2.4, tone)
            for k in range(3, len(rib) - 1, 2):
                for side in (-1, 1):
                    c.polygon(leaf(*rib[k], 24 * (1 - k / len(rib)) + 7, 4.2, turn + side * 62), tone)
        _pot(c, x + 110, 416, 92, 62, (CLAY, "#5d7f86", BLUSH)[index])
    c.box(-10, 468, 980, 90, SAND)
    c.box(-10, 468, 980, 7, "#ffffff", 0.7)
    c.box(-10, 500, 980, 60, "#d6c9ae")


def layers(c):
    tones = ["#e9d7ae", LIME, SUN, CLAY, LEAF, "#8a5a3b", "#6d4330", GREEN, "#4a2f26", "#2c1c18"]
    c.gradient(SKY, SAND)
    for i, tone in enumerate(tones):
        top = 92 + i * 47
        points = [(x, top + 13 * math.sin(x / (120 + i * 13) + i * 1.7) + 6 * math.sin(x / 37 + i)) for x in range(-10, 980, 8)]
        c.polygon([(-10, 560), *points, (980, 560)], tone)
        for _ in range(15 - i):
            x, y = c.random.uniform(0, 960), top + c.random.uniform(20, 40)
            other = mix(tones[(i + 3) % 10], tone, 0.35)
            if i % 3 == 0:
                c.ring(x, y, c.random.uniform(6, 14), 3, other, 0.9, start=c.random.randrange(360), end=c.random.randrange(360))
            elif i % 3 == 1:
                c.oval(x, y, c.random.uniform(6, 15), c.random.uniform(2.5, 5), other, 0.9, turn=c.random.uniform(0, 180))
            else:
                c.disc(x, y, c.random.uniform(2, 6), other, 0.9)
    sprout = curve([(480, 108), (484, 78), (474, 46)])
    c.line(sprout, 5, GREEN)
    c.polygon(leaf(476, 54, 70, 18, -28), LEAF)
    c.polygon(leaf(476, 54, 64, 17, 206), GREEN)


def grid(c):
    c.gradient("#e7dcc4", "#dccdb0", angle=60)
    for row in range(-1, 6):
        for column in range(-1, 9):
            x, y = column * 128 + row * 26, row * 116 - column * 14
            block = [(x, y), (x + 102, y - 11), (x + 122, y + 80), (x + 20, y + 91)]
            c.polygon([(px + 5, py + 8) for px, py in block], "#9d8a6c", 0.4, blur=3)
            t = c.random.random()
            c.polygon(block, mix(BLUSH, "#f6ead6", t) if t < 0.72 else mix(CLAY, BLUSH, 0.45))
            c.polygon([(x + 32, y + 22), (x + 84, y + 16), (x + 95, y + 58), (x + 42, y + 64)], "#e7dcc4" if t < 0.5 else mix(LIME, SAND, 0.4))
    for row in range(-1, 6):
        for column in range(-1, 9):
            x, y = column * 128 + row * 26 - 10, row * 116 - column * 14 - 12
            if (row * 5 + column * 3) % 4:
                continue
            c.polygon([(x - 20, y - 17), (x + 22, y - 21), (x + 26, y + 18), (x - 15, y + 22)], DEEP)
            for _ in range(16):
                c.disc(x + 3 + c.random.gauss(0, 14), y + c.random.gauss(0, 13), c.random.uniform(4, 10), mix(GREEN, LIME, c.random.random()), 0.95)
            for _ in range(5):
                c.disc(x + 3 + c.random.gauss(0, 13), y + c.random.gauss(0, 12), 3.6, (SUN, CLAY, "#ffffff")[c.random.randrange(3)])


def sweep(c):
    c.gradient("#cfe2e2", "#e9ead9", SUN, angle=75)
    c.disc(770, 360, 92, "#fdf1d3", 0.95)
    for i in range(7):
        path = curve([(-40, 110 + i * 34), (240, 60 + i * 36), (520, 150 + i * 26), (760, 90 + i * 30), (1010, 140 + i * 24)])
        c.line(path, 7 - i * 0.7, "#ffffff", 0.55)
    for layer, (tone, height) in enumerate((("#a9b970", 250), (LEAF, 210), (GREEN, 170), (DEEP, 120))):
        for i in range(74):
            x = i * 14 - 60 + c.random.uniform(-6, 6)
            size = height * c.random.uniform(0.65, 1.15)
            bend = size * c.random.uniform(0.55, 0.95)
            blade = curve([(x, 560), (x + bend * 0.18, 560 - size * 0.55), (x + bend, 560 - size * 0.86)], 8)
            c.line(blade, 2.6 + layer * 0.5, mix(tone, LIME, c.random.random() * 0.3))
            if layer < 2 and i % 4 == 0:
                tx, ty = blade[-1]
                c.oval(tx + 13, ty + 3, 19, 4.6, mix(SUN, CLAY, c.random.random() * 0.5), turn=14)
    for x, y, turn in ((250, 150, 20), (390, 220, -30), (610, 120, 50), (700, 230, 10), (860, 170, -15)):
        c.polygon(leaf(x, y, 30, 9, turn), CLAY, 0.9)


def espalier(c):
    c.gradient("#d98b62", CLAY, "#a84d31", angle=80)
    for row in range(14):
        for column in range(-1, 13):
            x = column * 84 + (row % 2) * 42
            c.box(x, row * 40, 79, 35, mix("#cf7a52", "#b4553a", c.random.random()), 0.85, radius=2)
    c.polygon([(520, -10), (970, -10), (970, 330)], SUN, 0.22, blur=30)
    c.line([(480, 560), (480, 92)], 15, DEEP)
    for wire, y in enumerate((420, 300, 180)):
        c.line([(60, y + 4), (900, y + 4)], 1.3, SAND, 0.7)
        for side in (-1, 1):
            reach = 372 - wire * 28
            branch = curve([(480, y + 44), (480 + side * 46, y + 8), (480 + side * 120, y), (480 + side * reach, y)], 20)
            c.line(branch, 9 - wire, DEEP)
            for index in range(18, len(branch), 6):
                bx, by = branch[index]
                for up in (-1, 1):
                    c.polygon(leaf(bx, by, 36, 10.5, up * c.random.uniform(58, 118)), mix(GREEN, LIME, c.random.random() * 0.7))
    for x, y in ((250, 444), (352, 440), (640, 446), (742, 440), (300, 324), (590, 326), (700, 322), (390, 204), (580, 202)):
        c.disc(x, y + 22, 18, "#dcc04c")
        c.oval(x, y + 6, 10, 17, "#dcc04c")
        c.disc(x - 6, y + 18, 5, SAND, 0.7)
        c.line([(x, y - 12), (x + 3, y - 24)], 3, DEEP)


def suns(c):
    c.gradient("#efe3c8", "#e9d6b0")
    skies = ["#a9bfc9", "#b3ccd2", "#bfd9d2", "#cde3cd", "#dcebc0", "#f2e6a6", "#f6d88c", "#f4c57a", "#efb383", "#dca08a", "#b99a9d", "#9fa9b8"]
    for month, sky in enumerate(skies):
        x, y = 42 + month % 4 * 222, 26 + month // 4 * 166
        card = c.mask(lambda d, x=x, y=y: d.rounded_rectangle([x * 2, y * 2, (x + 210) * 2, (y + 154) * 2], 18, fill=255))
        c.box(x + 3, y + 5, 210, 154, "#8c7a58", 0.4, blur=4, radius=9)
        c.box(x, y, 210, 154, sky, within=card)
        height = math.sin((month + 0.5) / 12 * math.pi)
        c.disc(x + 40 + month % 4 * 42, y + 112 - height * 72, 17 + 9 * height, mix("#fdf3d8", SUN, height), within=card)
        ground = mix(mix("#8d8a80", GREEN, min(1, height * 1.25)), CLAY, 0.55 if month in (8, 9, 10) else 0)
        c.polygon([(x - 5, y + 160), *[(x + i * 15, y + 118 + 7 * math.sin(i * 0.7 + month)) for i in range(16)], (x + 225, y + 160)], ground, within=card)
        for i in range(7):
            sx = x + 22 + i * 28
            tall = 8 + 34 * height * (0.7 + 0.3 * math.sin(i * 2 + month))
            c.line([(sx, y + 128), (sx, y + 128 - tall)], 2.4, mix(DEEP, ground, 0.3), within=card)
            if 3 <= month <= 9:
                c.polygon(leaf(sx, y + 128 - tall * 0.5, 15, 4.5, -40), mix(LEAF, CLAY, 0.7 if month > 7 else 0), within=card)
                c.disc(sx, y + 126 - tall, 5, (SUN, CLAY, "#ffffff", BLUSH)[(i + month) % 4], within=card)


def branches(c):
    c.gradient("#dde6ea", "#eef0ec", "#f3dfc9")
    c.disc(675, 330, 120, "#f6c98e", 0.9)
    c.glow(675, 330, 330, SUN, 0.4)
    c.polygon([(-10, 560), *wave(960, 470, 10, 520, 1), (980, 560)], "#f8f6f1")
    c.polygon([(-10, 560), *wave(960, 500, 8, 400, 3), (980, 560)], "#dfe7ea")

    def grow(x, y, angle, length, width):
        end = (x + length * math.cos(angle), y + length * math.sin(angle))
        c.line([(x, y), end], width, mix(DEEP, "#3b2f2c", 0.5))
        if length < 17:
            if c.random.random() < 0.6:
                c.disc(*end, c.random.uniform(2, 4.2), CLAY if c.random.random() < 0.35 else "#ffffff", 0.95)
            return
        for turn in (-1, 1):
            grow(*end, angle + turn * c.random.uniform(0.2, 0.52), length * c.random.uniform(0.68, 0.84), max(width * 0.66, 1.2))

    grow(270, 560, -1.5, 116, 13)
    for x, height in ((560, 250), (620, 190), (780, 280), (850, 210)):
        c.line(curve([(x, 560), (x + 5, 560 - height * 0.5), (x - 4, 560 - height)]), 3.4, "#3b3a30")
        for ray in range(13):
            angle = math.radians(-90 + (ray - 6) * 15)
            tip = (x - 4 + 52 * math.cos(angle), 560 - height + 52 * math.sin(angle))
            c.line([(x - 4, 560 - height), tip], 1.5, "#3b3a30")
            c.disc(*tip, 4.4, "#ffffff")
            c.disc(tip[0], tip[1] + 1.4, 2.5, CLAY, 0.8)


def drops(c):
    c.gradient("#cfe5e6", "#a9d0d2", "#7fb2b8", angle=80)
    c.box(620, 70, 230, 150, "#5d7f86", radius=12)
    c.polygon([(640, 90), (830, 90), (812, 212), (658, 212)], "#89aab0")
    c.oval(735, 92, 112, 17, "#3f6a73")
    c.oval(735, 95, 98, 12, SKY)
    c.box(600, 216, 270, 16, "#8a5a3b", radius=4)
    for x in (622, 836):
        c.box(x, 230, 13, 330, "#6d4330")
    pots = ((120, 380, CLAY), (260, 400, BLUSH), (400, 386, SUN), (530, 406, CLAY))
    for x, y, color in pots:
        thread = curve([(700, 92), (640, 130), ((x + 640) / 2, 262 + (640 - x) * 0.06), (x, y - 6)], 30)
        c.line(thread, 3.2, "#b8303f")
        for index in range(34, len(thread) - 6, 15):
            tx, ty = thread[index]
            c.polygon(curve([(tx, ty + 2), (tx + 7, ty + 17), (tx, ty + 25), (tx - 7, ty + 17), (tx, ty + 2)], 8), "#f4fbfb", 0.95)
        for i in range(9):
            turn = -90 + (i - 4) * 19
            c.polygon(leaf(x, y, 104 - abs(i - 4) * 9, 15, turn), mix(mix(DEEP, GREEN, c.random.random()), LEAF, c.random.random() * 0.6))
        _pot(c, x, y, 108, 100, color)
    c.box(-10, 490, 980, 70, SAND)
    c.box(-10, 490, 980, 6, "#ffffff", 0.7)


def seeds(c):
    c.gradient("#f3e7cf", "#ecd6ad", "#dfb98a", angle=60)
    for x, y, turn, tone in ((190, 330, -9, "#fbf5e8"), (420, 384, 6, "#e8efe6"), (690, 338, -4, "#f8e2d2")):
        angle = math.radians(turn)

        def place(px, py, x=x, y=y, angle=angle):
            return (x + px * math.cos(angle) - py * math.sin(angle), y + px * math.sin(angle) + py * math.cos(angle))

        c.polygon([place(-86, -92), place(98, -92), place(98, 152), place(-86, 152)], "#8c6a45", 0.4, blur=9)
        c.polygon([place(-92, -100), place(92, -100), place(92, 144), place(-92, 144)], tone)
        c.polygon([place(-92, -100), place(92, -100), place(0, -28)], mix(tone, "#c9a676", 0.35))
        c.line([place(-52, 92), place(52, 92)], 3, mix(tone, DEEP, 0.55))
        c.line([place(-52, 110), place(22, 110)], 3, mix(tone, DEEP, 0.4))
        for i in range(5):
            c.polygon(leaf(*place(0, 66), 52 - abs(i - 2) * 7, 9, turn - 90 + (i - 2) * 32), (GREEN, CLAY, LEAF)[int(x / 260)])
    for _ in range(150):
        t = c.random.random()
        spread = 60 + 300 * t
        x, y = 480 + c.random.gauss(0, spread * 0.8), 40 + 190 * t + c.random.gauss(0, 20)
        color = (DEEP, "#6d4330", CLAY, "#2c1c18", SUN)[c.random.randrange(5)]
        c.oval(x, y, c.random.uniform(5, 10), c.random.uniform(2.6, 5), color, 0.95, turn=c.random.uniform(0, 180))
    for x, y in ((90, 90), (865, 110), (880, 470)):
        for ray in range(16):
            angle = ray / 16 * math.tau
            c.line([(x, y), (x + 34 * math.cos(angle), y + 34 * math.sin(angle))], 1.2, DEEP, 0.6)
            c.disc(x + 36 * math.cos(angle), y + 36 * math.sin(angle), 2.6, "#ffffff", 0.95)
