"""Bars side by side, as SVG: for the page, without anything to be installed."""

import math

COLOURS = ["#2563eb", "#94a3b8", "#f59e0b", "#10b981", "#a855f7"]
WIDTH, HEIGHT, LEFT, TOP, BELOW = 720, 300, 64, 44, 44


def bars(title, groups, series, unit, logarithmic=False):
    """`series`: name → one figure for each group; none: there is none."""
    figures = [figure for all_ in series.values() for figure in all_ if figure]
    most, least = max(figures), min(figures)
    bottom = 10 ** math.floor(math.log10(least)) / 2 if logarithmic else 0
    room = HEIGHT - TOP - BELOW

    def height(figure):
        if logarithmic:
            return room * math.log(figure / bottom) / math.log(most / bottom)
        return room * figure / most

    parts = [text(WIDTH / 2, 18, title, "middle", 15)]
    for line in lines(bottom, most, logarithmic):
        y = HEIGHT - BELOW - height(line)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#cbd5e1"/>')
        parts.append(text(LEFT - 6, y + 4, short(line), "end"))
    step = (WIDTH - LEFT - 20) / len(groups)
    bar = step * 0.8 / len(series)
    for at, group in enumerate(groups):
        x = LEFT + 10 + at * step
        parts.append(text(x + step * 0.4, HEIGHT - BELOW + 16, group, "middle"))
        for number, all_ in enumerate(series.values()):
            if all_[at]:
                tall = height(all_[at])
                place = f'x="{x + number * bar:.1f}" y="{HEIGHT - BELOW - tall:.1f}" width="{bar - 2:.1f}" height="{tall:.1f}"'
                parts.append(f'<rect {place} fill="{COLOURS[number]}"><title>{short(all_[at])} {unit}</title></rect>')
    x = LEFT
    for number, name in enumerate(series):
        parts.append(f'<rect x="{x}" y="{HEIGHT - 18}" width="10" height="10" fill="{COLOURS[number]}"/>')
        parts.append(text(x + 14, HEIGHT - 9, name))
        x += 26 + 7 * len(name)
    parts.append(text(4, 36, unit))
    # A ground of its own: pages are read on dark ones as well.
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    return "\n".join([opening, ground, *parts, "</svg>\n"])


def text(x, y, words, anchor="start", size=12):
    words = str(words).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#0f172a">{words}</text>'


def lines(bottom, most, logarithmic):
    if logarithmic:
        first = math.ceil(math.log10(bottom))
        return [10.0**power for power in range(first, math.floor(math.log10(most)) + 1)]
    step = 10 ** math.floor(math.log10(most))
    step = step / 2 if most / step < 3 else step
    return [step * count for count in range(1, int(most / step) + 1)]


def short(figure):
    if figure >= 10_000:
        return f"{figure / 1000:.0f}k"
    return f"{figure:.0f}" if figure >= 100 else f"{figure:.3g}"
