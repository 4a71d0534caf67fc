"""Pictures of The Last Row: aubergine rooms, amber lamps, red cloth."""

import math

from canvas import curve, mix, wave

NIGHT, PLUM, WINE, RED = "#150c1e", "#2c1533", "#5b1a3a", "#b8303f"
AMBER, ROSE, CREAM, BLUE = "#f2a93b", "#e08a72", "#f8e8cd", "#22365c"


def _heads(c, base, radius, gap, color, shift=0):
    x = -gap + shift
    while x < c.width + gap:
        r = radius * (0.9 + 0.2 * c.random.random())
        c.disc(x, base - r * 0.6, r, color)
        c.box(x - r * 1.55, base, r * 3.1, 300, color, radius=r)
        x += gap


def curtain(c):
    c.gradient(CREAM, AMBER, ROSE)
    c.glow(480, 300, 420, CREAM, 0.9)
    for side in (-1, 1):
        for fold in range(26):
            t = fold / 26
            top = 480 + side * (60 + t * 470)
            low = 480 + side * (24 + (1 - math.cos(t * math.pi / 2)) * 210 + t * 300)
            width = 32
            shade = 0.5 + 0.5 * math.sin(fold * 2.1)
            color = mix(mix(WINE, NIGHT, 0.35), mix(RED, ROSE, 0.12), shade * (1 - 0.55 * t))
            left = [(top, -10), (top + side * width, -10)]
            drop = curve([(top, -10), (top + side * 8, 200), (low, 420), (low - side * 6, 560)])
            back = curve([(top + side * 60, -10), (top + side * 70, 200), (low + side * 64, 420), (low + side * 60, 560)])
            c.polygon([*left[:1], *drop, *reversed(back), left[1]], color)
    c.box(0, 0, 960, 46, NIGHT, 0.55, blur=20)
    c.polygon([(440, 540), (520, 540), (560, 470), (400, 470)], CREAM, 0.35, blur=14)
    c.box(-20, 498, 1000, 80, NIGHT)
    c.oval(480, 500, 150, 9, AMBER, 0.8, blur=6)


def rain(c):
    c.gradient(NIGHT, BLUE, "#5a4a5e", WINE)
    c.glow(640, 170, 430, AMBER, 0.75)
    c.disc(640, 170, 34, CREAM, 0.95, blur=5)
    for x, width, height in ((-10, 150, 330), (120, 95, 250), (205, 120, 380), (760, 110, 290), (850, 130, 400)):
        c.box(x, 460 - height, width, height + 10, NIGHT, 0.82)
    c.box(0, 455, 960, 90, NIGHT, 0.75)
    for i in range(26):
        y = 462 + i * 3.1
        spread = 14 + i * 4
        c.oval(640 + c.random.uniform(-8, 8), y, spread * c.random.uniform(0.6, 1.2), 1.3, AMBER, 0.55)
    for layer, (count, length, alpha) in enumerate(((140, 34, 0.22), (90, 60, 0.34), (38, 105, 0.5))):
        shapes = []
        for _ in range(count):
            x, y = c.random.uniform(-60, 1010), c.random.uniform(-80, 500)
            w = 0.6 + layer * 0.35
            shapes.append([(x, y), (x + w, y), (x + w - length * 0.16, y + length), (x - length * 0.16, y + length)])
        c.many(shapes, mix(AMBER, CREAM, 0.45), alpha)


def beams(c):
    c.gradient(NIGHT, PLUM, WINE, angle=60)
    for spread, alpha in ((150, 0.16), (105, 0.2), (60, 0.26), (22, 0.4)):
        c.polygon([(905, 92), (-40, 250 - spread), (-40, 250 + spread * 1.5)], AMBER, alpha, blur=5)
    for _ in range(110):
        t = c.random.random() ** 0.6
        x = 905 - t * 940
        y = 92 + t * (150 + c.random.uniform(-120, 170))
        c.disc(x, y, c.random.uniform(0.6, 2.4), CREAM, c.random.uniform(0.25, 0.8))
    c.box(880, 58, 120, 74, NIGHT, radius=10)
    c.disc(900, 94, 19, CREAM)
    c.glow(900, 94, 90, AMBER, 0.8)
    for row, (base, radius) in enumerate(((430, 19), (480, 25), (540, 33))):
        _heads(c, base, radius, radius * 4.1, mix(WINE, NIGHT, 0.45 + row * 0.27), shift=row * 37)


def stairs(c):
    c.gradient("#f3b86b", ROSE, RED, angle=70)
    c.disc(690, 205, 150, CREAM, 0.92)
    for flight, (color, shift) in enumerate(((WINE, -150), (PLUM, 60), (NIGHT, 285))):
        points = [(-20, 560)]
        x, y = shift - 130, 560
        while x < 990:
            points += [(x, y), (x, y - 37)]
            x, y = x + 62, y - 37
        points += [(990, y), (990, 560)]
        c.polygon(points, color, 0.97)
        for i in range(22):
            c.line([(shift - 100 + i * 62, 525 - i * 37), (shift - 100 + i * 62, 475 - i * 37)], 2.2, AMBER if flight == 2 else color, 0.85)
        c.line([(shift - 130, 492), (shift - 130 + 1200, 492 - 716)], 4.5, AMBER if flight == 2 else color, 0.95)
    c.disc(472, 226, 12, CREAM)
    c.polygon([(462, 238), (482, 238), (491, 302), (453, 302)], CREAM)


def iris(c):
    c.gradient("#efe0c4", "#d9b98c", "#8d6a55")
    for i in range(9):
        c.line(wave(960, 330 + i * 22, 6, 260, i), 7, mix(CREAM, WINE, 0.16 + i * 0.07), 0.5)
    c.disc(560, 215, 62, AMBER, 0.9)
    c.polygon([(300, 380), (400, 250), (470, 330), (560, 230), (700, 380)], PLUM, 0.75)
    c.polygon([(200, 385), (330, 300), (470, 385)], WINE, 0.85)
    outside = c.mask(lambda d: (d.rectangle([0, 0, *c.size], fill=255), d.ellipse([390, 20, 1490, 1060], fill=0)), blur=7)
    c.box(-5, -5, 970, 550, NIGHT, within=outside)
    for radius, alpha in ((292, 0.7), (316, 0.42), (344, 0.24), (380, 0.14), (424, 0.08)):
        c.ring(470, 270, radius, 3, AMBER, alpha)


def dots(c):
    c.gradient(RED, "#8f2338", angle=80)
    for i in range(0, 960, 96):
        c.box(i, 0, 48, 540, CREAM, 0.93)
    kernels = []
    for row in range(7):
        for column in range(23):
            x = column * 44 + (row % 2) * 22 + c.random.uniform(-9, 9)
            y = 285 - row * 42 + c.random.uniform(-9, 9) + abs(x - 480) * 0.16
            kernels.append((x, y + 40))
    for x, y in sorted(kernels, key=lambda k: k[1]):
        c.disc(x + 3, y + 7, 29, WINE, 0.35, blur=4)
        base = mix(CREAM, AMBER, c.random.uniform(0.05, 0.5))
        for _ in range(4):
            angle, reach = c.random.uniform(0, math.tau), c.random.uniform(8, 15)
            c.disc(x + reach * math.cos(angle), y + reach * math.sin(angle), c.random.uniform(12, 17), mix(base, CREAM, c.random.random()))
        c.disc(x + c.random.uniform(-5, 5), y + c.random.uniform(-5, 5), 5, AMBER, 0.75, blur=1)


def clock(c):
    c.gradient(PLUM, WINE, RED, AMBER, angle=115)
    c.disc(480, 270, 216, NIGHT, 0.5, blur=22)
    c.disc(480, 270, 206, CREAM)
    c.ring(480, 270, 206, 9, NIGHT)
    c.polygon([(480, 270), *[(480 + 186 * math.sin(math.radians(a)), 270 - 186 * math.cos(math.radians(a))) for a in range(-6, 68, 2)]], RED, 0.92)
    for hour in range(12):
        angle = math.radians(hour * 30)
        inner = 158 if hour % 3 else 144
        c.line([(480 + inner * math.sin(angle), 270 - inner * math.cos(angle)), (480 + 182 * math.sin(angle), 270 - 182 * math.cos(angle))], 7 if hour % 3 == 0 else 3.5, NIGHT)
    c.line([(480, 270), (480 + 96 * math.sin(-0.9), 270 - 96 * math.cos(-0.9))], 12, NIGHT)
    c.line([(480, 270), (480 + 152 * math.sin(0.02), 270 - 152 * math.cos(0.02))], 7, NIGHT)
    c.disc(480, 270, 15, AMBER)
    for i in range(7):
        for side in (-1, 1):
            x = 480 + side * (272 + i * 62)
            c.box(x - 9, 250 + i * 17, 18, 300, mix(CREAM, ROSE, i / 9), radius=3)
            c.oval(x, 232 + i * 17, 7, 17, AMBER)
            c.glow(x, 232 + i * 17, 58, AMBER, 0.6)


def bars(c):
    c.gradient("#3b2a57", "#a64a5e", ROSE, AMBER)
    c.disc(480, 322, 112, CREAM, 0.95)
    c.glow(480, 322, 300, AMBER, 0.5)
    for i in range(5):
        c.polygon([(-10, 560), *wave(960, 352 + i * 40, 9 + i * 3, 420 - i * 30, i * 1.9), (980, 560)], mix("#7c3350", NIGHT, i / 4), 0.94)
    for y, words in ((424, (70, 132, 48, 96, 60)), (468, (110, 56, 84, 40))):
        x = 480 - (sum(words) + 12 * (len(words) - 1)) / 2
        for width in words:
            c.box(x + 1.5, y + 2, width, 20, NIGHT, 0.6, radius=10)
            c.box(x, y, width, 20, CREAM, radius=10)
            x += width + 12


def window(c):
    c.gradient(NIGHT, "#24152f", PLUM)
    c.polygon([(270, 62), (690, 62), (706, 286), (254, 286)], CREAM, 0.97)
    c.polygon([(270, 62), (690, 62), (706, 286), (254, 286)], AMBER, 0.55, blur=46)
    c.polygon([(270, 62), (690, 62), (706, 286), (254, 286)], "#fdf4e2", 0.9)
    c.polygon([(255, 290), (705, 290), (1010, 560), (-50, 560)], AMBER, 0.13, blur=16)
    for row in range(6):
        y, size = 308 + row * row * 5 + row * 19, 21 + row * 8
        count = 16 - row
        for seat in range(count):
            x = 480 + (seat - (count - 1) / 2) * size * 2.05
            if abs(x - 480) < size * 0.95 and row > 0:
                continue
            c.box(x - size * 0.86, y, size * 1.72, size * 2.6, mix(RED, NIGHT, 0.36 + 0.07 * row), radius=size * 0.42)
            c.line([(x - size * 0.5, y + 1.5), (x + size * 0.5, y + 1.5)], 1.6, ROSE, 0.75 - row * 0.08)
    for x, color in ((60, "#7fd6a0"), (900, "#5cb78a")):
        c.box(x - 18, 150, 36, 13, color, radius=3)
        c.glow(x, 156, 60, color, 0.5)


def seats(c):
    c.gradient(PLUM, NIGHT)
    c.box(110, 40, 740, 330, AMBER, 0.5, blur=50)
    frame = c.mask(lambda d: d.rounded_rectangle([260, 110, 1660, 720], 10, fill=255))
    c.box(130, 55, 700, 305, ROSE, within=frame)
    c.box(130, 55, 700, 120, CREAM, 0.6, blur=60, within=frame)
    c.disc(600, 190, 88, AMBER, within=frame)
    c.polygon([(100, 380), (250, 210), (360, 300), (470, 230), (660, 380)], WINE, within=frame)
    c.polygon([(420, 380), (640, 262), (860, 380)], PLUM, within=frame)
    for row, (base, radius) in enumerate(((398, 22), (450, 29), (514, 38))):
        _heads(c, base, radius, radius * 3.75, mix(WINE, NIGHT, 0.5 + row * 0.25), shift=row * 51 + 12)


def ribbon(c):
    c.gradient("#f6dcb0", "#eeb07c", ROSE, angle=60)
    c.disc(742, 150, 78, RED, 0.85)
    center = curve([(-60, 420), (150, 300), (330, 420), (520, 250), (700, 370), (850, 240), (1020, 330)], 60)
    for depth in (10, 0):
        upper = [(x, y - 62 + depth * 2) for x, y in center]
        lower = [(x, y + 62 + depth * 2) for x, y in center]
        c.polygon([*upper, *reversed(lower)], WINE if depth else NIGHT, 0.35 if depth else 1, blur=depth)
    for index in range(0, len(center) - 1, 5):
        x, y = center[index]
        for offset in (-51, 51):
            c.box(x - 4.5, y + offset - 5, 9, 10, CREAM, 0.92, radius=2)
    for index in range(8, len(center) - 40, 42):
        piece = center[index : index + 36]
        t = index / len(center)
        c.polygon([*[(x, y - 36) for x, y in piece], *[(x, y + 36) for x, y in reversed(piece)]], mix(AMBER, RED, t), 0.96)
        x, y = piece[int(5 + 22 * t)]
        c.disc(x, y, 14, CREAM, 0.95)


def hills(c):
    c.gradient("#f9d9a4", "#f0a878", "#c8616a")
    c.disc(255, 205, 82, CREAM)
    tones = ["#d97f6c", "#b65a64", "#8c3f5c", "#5f2c50", PLUM, NIGHT]
    for i, tone in enumerate(tones):
        points = [(x, 250 + i * 50 + 46 * math.sin(x / (250 - i * 14) + i * 2.2) + 20 * math.sin(x / 90 + i)) for x in range(-10, 980, 10)]
        c.polygon([(-10, 560), *points, (980, 560)], tone)
    road = curve([(820, 560), (640, 500), (720, 452), (560, 410), (618, 372), (520, 342)])
    for index in range(len(road) - 1):
        c.line(road[index : index + 2], 1.5 + 9 * (1 - index / len(road)) ** 1.6, AMBER, 0.9)


def frames(c):
    c.gradient("#10222f", "#1f4a55", "#3e7f80", angle=75)
    for column in range(-1, 4):
        for row in range(-1, 4):
            x = column * 296 + row * 62
            y = row * 208 - column * 46
            c.polygon([(x, y), (x + 270, y - 40), (x + 312, y + 146), (x + 42, y + 186)], NIGHT, 0.9)
            inner = [(x + 18, y + 18), (x + 256, y - 17), (x + 292, y + 130), (x + 52, y + 166)]
            t = (column * 3 + row * 5) % 7 / 6
            c.polygon(inner, mix("#cfe3d4", "#4c9a96", t))
            for i in range(4):
                dy = 62 + i * 25
                c.line([(x + 34 + dy * 0.22, y + dy), (x + 130, y + dy - 22 + (i % 2) * 8), (x + 268 + dy * 0.14, y + dy - 34)], 3, CREAM, 0.6)
            c.disc(x + 108 + 58 * t, y + 62 - 10 * t, 11, RED if (column, row) == (1, 1) else WINE, 0.95)
    for _ in range(46):
        c.disc(c.random.uniform(0, 960), c.random.uniform(0, 540), c.random.uniform(1, 5), CREAM, 0.25)
    c.glow(890, 40, 330, AMBER, 0.35)


def map(c):
    c.gradient("#efdcb2", "#e3c58e", angle=100)
    for center in ((250, 190), (640, 330), (820, 120)):
        for ring in range(9):
            radius = 26 + ring * 23
            points = []
            for step in range(73):
                angle = step / 72 * math.tau
                bump = 1 + 0.16 * math.sin(angle * 3 + center[0]) + 0.09 * math.sin(angle * 5 + ring * 0.3)
                points.append((center[0] + radius * bump * 1.25 * math.cos(angle), center[1] + radius * bump * math.sin(angle)))
            c.line(points, 1.4, WINE, 0.42 - ring * 0.03)
    river = curve([(-20, 470), (170, 400), (300, 455), (430, 350), (520, 210), (600, 170), (700, 40), (720, -20)])
    c.line(river, 19, "#5f8d9c", 0.95)
    c.line(river, 6, "#9cc0c4", 0.9)
    route = curve([(110, 120), (260, 260), (420, 240), (560, 400), (760, 420), (860, 300)])
    for index in range(0, len(route) - 4, 8):
        c.line(route[index : index + 5], 5, RED)
    for x, y in ((110, 120), (420, 240), (860, 300)):
        c.polygon([(x, y), (x - 15, y - 32), (x + 15, y - 32)], RED)
        c.disc(x, y - 38, 18, RED)
        c.disc(x, y - 38, 7, CREAM)
    for x in (240, 480, 720):
        c.box(x - 1, 0, 2, 540, CREAM, 0.55)
        c.box(x + 1, 0, 5, 540, WINE, 0.10, blur=3)
    c.line([(930, 560), (640, 330)], 11, "#6b4326")
    c.disc(640, 330, 9, NIGHT)
