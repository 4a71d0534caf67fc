"""Pictures of Static & Candlelight: petrol nights, brass and one flame."""

import math

from canvas import curve, mix, wave

INK, NIGHT, PETROL, TEAL = "#07171d", "#0c2a33", "#14505a", "#3a9a92"
BRASS, CORAL, CREAM, MIST = "#dca545", "#e9745a", "#f5ead6", "#a9cfc8"


def grains(c):
    c.gradient(INK, NIGHT, PETROL)
    c.glow(480, 60, 360, TEAL, 0.45)
    c.polygon([(370, -20), (590, -20), (494, 150), (466, 150)], CREAM)
    c.polygon([(480, -20), (590, -20), (494, 150), (480, 150)], MIST)
    c.polygon([(-20, 470), (480, 392), (980, 470), (980, 560), (-20, 560)], BRASS)
    for i in range(17):
        x = -20 + i * 62
        c.line([(480 + (x - 480) * 0.92, 402 + abs(x - 480) * 0.15), (480 + (x - 480) * 1.3, 560)], 3.5, mix(BRASS, INK, 0.38), 0.8)
    for _ in range(210):
        t = c.random.random() ** 0.8
        x = 480 + c.random.gauss(0, 10 + 105 * t)
        y = 150 + t * 245
        c.oval(x, y, 9, 3, mix(CREAM, BRASS, c.random.random() * 0.4), 0.95, turn=c.random.uniform(40, 140))
    for _ in range(70):
        x = 480 + c.random.gauss(0, 190)
        c.oval(x, 398 + abs(x - 480) * 0.155 - c.random.uniform(0, 46) * c.random.random(), 9, 3, CREAM, 0.92, turn=c.random.uniform(0, 180))


def _waveform(c, base, color, gap, height):
    for i in range(64):
        x = 22 + i * 14.6
        distance = abs(x - gap[0])
        size = 5 if distance < gap[1] else height * (0.25 + 0.75 * abs(math.sin(i * 0.7) * math.cos(i * 0.23 + 1))) * min(1, (distance - gap[1]) / 130 + 0.25)
        c.box(x - 4, base - size, 8, size * 2, color, radius=4)


def pause(c):
    c.gradient("#f4dcae", "#eeb47f", CORAL, angle=70)
    c.box(592, 70, 190, 480, PETROL)
    c.box(606, 84, 162, 470, NIGHT)
    c.disc(748, 312, 8, BRASS)
    c.polygon([(592, 540), (782, 540), (900, 600), (500, 600)], INK, 0.4, blur=12)
    c.glow(687, 540, 230, BRASS, 0.55)
    _waveform(c, 290, INK, (640, 74), 120)


def rails(c):
    c.gradient("#101f3a", "#2b4a66", "#d08560", "#f1bf7c")
    c.disc(480, 318, 66, CREAM)
    c.polygon([(-10, 330), (150, 262), (300, 322), (430, 326), (560, 324), (720, 250), (970, 330)], "#2a4053")
    c.polygon([(-10, 560), (-10, 330), (970, 330), (970, 560)], INK)
    for i in range(15):
        t = (i / 14) ** 2.3
        y, half = 334 + t * 220, 10 + t * 330
        c.box(480 - half, y, half * 2, 2 + t * 22, mix("#6b4a38", INK, 0.25), radius=1 + t * 4)
    for side in (-1, 1):
        c.polygon([(480 + side * 4, 330), (480 + side * 6, 330), (480 + side * 262, 560), (480 + side * 236, 560)], BRASS)
    for i, x in enumerate((70, 205, 300, 360)):
        height = 250 - i * 58
        for mirror in (x, 960 - x):
            c.line([(mirror, 335 + (3 - i) * 16), (mirror, 335 - height)], 6 - i * 1.2, INK)
            c.line([(mirror - 26 + i * 5, 335 - height + 16), (mirror + 26 - i * 5, 335 - height + 16)], 4 - i * 0.8, INK)
    for offset in (0, 9):
        for side in (1, -1):
            line = [(480 + side * (x - 480), y + offset) for x, y in curve([(-20, 60), (70, 101), (205, 159), (300, 217), (360, 275), (470, 322)])]
            c.line(line, 1.3, INK, 0.9)


def kettle(c):
    c.gradient(CORAL, "#f0a070", "#f6d7a4", angle=100)
    for i in range(6):
        c.box(i * 172 - 36, 0, 86, 420, CREAM, 0.17)
    c.box(-10, 420, 980, 140, PETROL)
    c.box(-10, 420, 980, 9, TEAL)
    c.ring(480, 205, 104, 17, INK, start=180, end=360)
    c.polygon([(350, 236), (610, 236), (668, 420), (292, 420)], NIGHT)
    c.disc(480, 250, 130, NIGHT)
    c.polygon([(612, 300), (742, 236), (758, 258), (640, 372)], NIGHT)
    c.oval(480, 226, 66, 13, BRASS)
    c.disc(480, 206, 13, BRASS)
    c.ring(480, 300, 98, 7, TEAL, 0.85, start=110, end=232)
    for i, (x, height) in enumerate(((756, 210), (782, 170), (730, 180))):
        steam = curve([(x, 232), (x + 22 - i * 6, 232 - height * 0.3), (x - 20, 232 - height * 0.62), (x + 16, 232 - height)])
        c.line(steam, 12 - i * 2.4, CREAM, 0.75, blur=2)
    for x, height, tone in ((120, 92, CREAM), (206, 70, BRASS), (850, 84, CREAM)):
        c.box(x, 420 - height, 66, height, tone, radius=9)
        c.ring(x + 70, 420 - height * 0.52, 21, 8, tone, start=270, end=90)


def rings(c):
    c.gradient("#f6ead2", "#efd3a2", angle=60)
    voices = [(285, 290, CORAL), (425, 205, PETROL), (560, 330, BRASS), (690, 225, TEAL), (480, 400, INK)]
    for x, y, color in voices:
        for step in range(9):
            c.ring(x, y, 24 + step * 24, 9 - step * 0.72, color, 0.9 - step * 0.085)
        c.disc(x, y, 12, color)


def moon(c):
    c.gradient(INK, "#0a222b", NIGHT)
    c.box(560, 60, 250, 330, PETROL)
    c.box(572, 72, 226, 306, "#1d3f5c")
    c.disc(720, 150, 40, CREAM, 0.96)
    c.disc(704, 142, 36, "#1d3f5c")
    for _ in range(30):
        c.disc(c.random.uniform(580, 790), c.random.uniform(80, 300), c.random.uniform(0.7, 1.7), CREAM, 0.8)
    c.box(680, 60, 9, 330, PETROL)
    c.box(560, 218, 250, 9, PETROL)
    c.glow(290, 210, 440, BRASS, 0.5)
    c.glow(290, 200, 210, CORAL, 0.5)
    c.box(-10, 440, 980, 120, INK)
    c.oval(290, 442, 240, 20, BRASS, 0.4, blur=10)
    c.box(262, 262, 56, 184, CREAM, radius=5)
    c.box(296, 262, 22, 184, MIST, 0.55, radius=5)
    c.polygon(curve([(262, 268), (276, 300), (284, 330), (292, 290), (318, 268), (318, 258), (262, 258)]), CREAM)
    c.line([(290, 262), (290, 240)], 3, INK)
    c.polygon(curve([(290, 120), (316, 190), (312, 232), (290, 246), (268, 232), (264, 190), (290, 120)]), BRASS)
    c.polygon(curve([(290, 168), (303, 208), (300, 232), (290, 240), (280, 232), (277, 208), (290, 168)]), CREAM)
    c.box(196, 438, 188, 18, BRASS, radius=9)


def line(c):
    c.gradient("#0b2029", NIGHT, PETROL, angle=80)
    c.disc(480, 262, 196, BRASS, 0.97)
    c.disc(480, 262, 196, CORAL, 0.55, within=c.mask(lambda d: d.rectangle([0, 524, 1920, 1080], fill=255)))
    c.box(-10, 262, 980, 290, NIGHT, 0.62)
    points = [(-10, 262), (396, 262), *[(400 + i * 4, 262 - 30 * math.exp(-((i - 20) / 7) ** 2) * math.cos((i - 20) * 0.62)) for i in range(41)], (566, 262), (970, 262)]
    c.line(points, 4.5, CREAM)
    for i in range(9):
        c.box(480 - 150 + i * 8, 300 + i * 25, 300 - i * 16, 6, BRASS, 0.6 - i * 0.055, radius=3)


def horizon(c):
    c.gradient("#e8b77e", "#e4907a", "#7f6a86", "#2d4c63")
    c.disc(300, 212, 60, CREAM, 0.95)
    c.polygon([(560, 240), (600, 196), (660, 190), (700, 150), (745, 192), (830, 200), (900, 240)], NIGHT)
    for x, width, height in ((640, 16, 34), (690, 24, 62), (726, 16, 30), (770, 30, 26)):
        c.box(x, 196 - height, width, height + 30, NIGHT)
    c.box(697, 146, 6, 8, BRASS)
    for i in range(9):
        top = 238 + i * i * 3.6
        c.polygon([(-10, 560), *wave(960, top, 1.5 + i * 0.9, 210 + i * 36, i * 2.0), (980, 560)], mix("#4b7f8b", INK, i / 9))
    c.polygon([(705, 240), (716, 240), (560, 560), (250, 560)], mix(BRASS, INK, 0.25), 0.9)
    c.polygon([(705, 240), (711, 240), (420, 560), (392, 560)], CREAM, 0.4)
    c.box(-10, 402, 980, 10, CREAM, 0.92)
    c.box(-10, 412, 980, 3, INK, 0.3)


def isobars(c):
    c.gradient("#dfeae2", "#b7d5cf", "#7fb3b0", angle=110)
    c.polygon(curve([(-20, 130), (120, 190), (80, 300), (230, 350), (190, 470), (300, 570), (-20, 570)], 12), "#ecd9ae")
    c.polygon(curve([(990, 20), (850, 60), (880, 150), (770, 190), (830, 290), (990, 330)], 12), "#ecd9ae")
    for i in range(8):
        radius = 34 + i * 44
        points = []
        for step in range(97):
            angle = step / 96 * math.tau
            bump = 1 + 0.12 * math.sin(angle * 2 + 0.6) + 0.06 * math.sin(angle * 3 + i * 0.5)
            points.append((500 + radius * 1.4 * bump * math.cos(angle), 262 + radius * bump * math.sin(angle)))
        c.line(points, 3, NIGHT, 0.85)
    front = curve([(60, 60), (250, 130), (420, 250), (520, 400), (560, 560)])
    c.line(front, 6, CORAL)
    for index in range(8, len(front) - 4, 15):
        (x, y), (nx, ny) = front[index], front[index + 3]
        angle = math.atan2(ny - y, nx - x)
        c.polygon([(x, y), (nx + 8 * math.cos(angle), ny + 8 * math.sin(angle)), ((x + nx) / 2 + 20 * math.sin(angle), (y + ny) / 2 - 20 * math.cos(angle))], CORAL)
    for _ in range(34):
        x, y = c.random.uniform(40, 920), c.random.uniform(30, 510)
        c.line([(x, y), (x + 20, y - 9)], 2.2, PETROL, 0.8)
        c.disc(x, y, 4, PETROL, 0.9)
    c.disc(500, 262, 19, CORAL)
    c.disc(500, 262, 8, CREAM)


def fan(c):
    c.gradient(NIGHT, PETROL, "#1c6a6b", angle=75)
    colors = [CORAL, BRASS, CREAM, MIST, TEAL]
    for i, color in enumerate(colors):
        angle = math.radians(200 + i * 35)
        spread = math.radians(13.5)
        points = [(480, 520)] + [(480 + 560 * math.cos(angle + spread * k / 6), 520 + 560 * math.sin(angle + spread * k / 6)) for k in range(-6, 7)]
        c.polygon(points, color, 0.9)
        x, y = 480 + 372 * math.cos(angle), 520 + 372 * math.sin(angle)
        c.disc(x, y, 31, INK)
        c.disc(x, y, 31, color, 0.25)
    c.disc(480, 470, 116, INK)
    c.box(444, 372, 72, 128, BRASS, radius=36)
    for i in range(6):
        c.box(450, 396 + i * 15, 60, 4.5, INK, radius=2)
    c.ring(480, 452, 62, 7, CREAM, start=0, end=180)
    c.line([(480, 514), (480, 560)], 8, CREAM)


def feather(c):
    c.gradient("#f4e5cc", "#e6c3a0", "#cf9683", angle=60)
    spine = curve([(180, 486), (330, 400), (520, 270), (720, 120), (800, 70)], 30)
    for index in range(6, len(spine) - 2):
        x, y = spine[index]
        nx, ny = spine[index + 1]
        angle = math.atan2(ny - y, nx - x)
        t = index / len(spine)
        reach = 150 * math.sin(math.pi * min(1, t * 1.06)) ** 0.7
        for side in (-1, 1):
            lean = angle + side * math.radians(42)
            size = reach * (0.8 + 0.3 * abs(math.sin(index * 0.61)))
            tip = (x + size * math.cos(lean), y + size * math.sin(lean))
            middle = (x + size * 0.55 * math.cos(lean + side * 0.12), y + size * 0.55 * math.sin(lean + side * 0.12))
            c.line(curve([(x, y), middle, tip], 6), 2.2, mix(PETROL if side < 0 else TEAL, CORAL, t * 0.55), 0.85)
    c.line(spine, 5, NIGHT)
    c.line([(120, 520), (180, 486)], 6, NIGHT)
    for i in range(5):
        c.ring(120, 520, 46 + i * 30, 2.4, CORAL, 0.7 - i * 0.12, start=250, end=350)


def steps(c):
    tones = [PETROL, BRASS, "#e7d6b4", CORAL, NIGHT, TEAL]
    c.gradient(NIGHT, PETROL)
    for i in range(6):
        c.polygon([(i * 190 - 130, 560), (i * 190 + 60, 560), (i * 190 + 190, -20), (i * 190, -20)], tones[i])
    for i in range(3):
        c.polygon([(60 + i * 24, 560), (70 + i * 24, 560), (200 + i * 24, -20), (190 + i * 24, -20)], mix(BRASS, INK, 0.3), 0.5)
    for _ in range(170):
        t = c.random.random()
        c.disc(440 + c.random.uniform(0, 180) - 130 * t, 540 * t, c.random.uniform(1.5, 4), mix("#b29a74", CORAL, c.random.random()), 0.6)
    for i in range(9):
        x, y = 60 + i * 108, 420 - i * 37
        side = 1 if i % 2 else -1
        x, y = x + side * 12, y + side * 27
        for dx, dy, color, alpha in ((4, 6, INK, 0.35), (0, 0, CREAM if i in (0, 7, 8) else INK, 0.95)):
            c.oval(x + dx, y + dy, 33, 13.5, color, alpha, turn=-19)
            c.oval(x - 46 + dx, y + 16 + dy, 14, 11.5, color, alpha, turn=-19)


def envelope(c):
    c.gradient(TEAL, PETROL, NIGHT, angle=60)
    for i in range(7):
        c.line(wave(960, 60 + i * 74, 12, 190, i * 0.9), 2.5, MIST, 0.28)
    c.box(236, 128, 500, 306, INK, 0.5, blur=18, radius=10)
    c.box(230, 116, 500, 306, CREAM, radius=9)
    c.polygon([(230, 122), (480, 300), (730, 122), (724, 116), (236, 116)], mix(CREAM, BRASS, 0.24))
    c.line([(232, 120), (480, 298), (728, 120)], 3, mix(BRASS, INK, 0.3), 0.8)
    c.line([(232, 420), (412, 254)], 2.4, mix(BRASS, INK, 0.3), 0.5)
    c.line([(728, 420), (548, 254)], 2.4, mix(BRASS, INK, 0.3), 0.5)
    c.disc(480, 292, 44, CORAL)
    c.ring(480, 292, 33, 3, CREAM, 0.9)
    for i, size in enumerate((9, 19, 12, 22, 8)):
        c.box(457 + i * 10.2, 292 - size, 5, size * 2, CREAM, radius=2.5)
    for x, y, turn in ((118, 132, -14), (846, 400, 12), (838, 132, 8), (120, 410, -6)):
        c.oval(x, y, 60, 40, BRASS, 0.92, turn=turn)
        c.oval(x, y, 47, 29, mix(BRASS, INK, 0.22), 0.9, turn=turn)


