"""Bar charts of a suite as SVG, without a library: one group of bars for each case, one bar for each contestant.

Bars are medians, whiskers p10 to p90 of the rate. Linear scale from zero, the ceiling as a line over its group.
"""
from html import escape

COLORS = ("#3b6fb6", "#d98032", "#5a9e5a", "#9467bd", "#8c564b", "#7f7f7f")
BAR, GAP, HEIGHT, LEFT, TOP = 14, 18, 260, 64, 46


def nice_step(largest):
    step = 1e-3
    while largest / step > 6:
        for factor in (2, 2.5, 2):
            step *= factor
            if largest / step <= 6:
                break
    return step


class Chart:
    def __init__(self, title, unit, groups, contestants):
        self.title, self.unit, self.groups = title, unit, groups
        self.contestants = [c for c in contestants if c != "ceiling"]
        rates = [r["rate"] for rows in groups.values() for r in rows.values()]
        self.largest = max(rates) * 1.08
        self.parts = []

    def y(self, rate):
        return TOP + HEIGHT * (1 - rate / self.largest)

    def text(self, x, y, words, anchor="middle", turn=None, size=11):
        rotate = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn is not None else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{rotate}>{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, color, width=1.0, dashes=""):
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
                          f'stroke-width="{width}"{dash}/>')

    def axes(self, width):
        step, rate = nice_step(self.largest), 0.0
        while rate <= self.largest:
            self.line(LEFT, self.y(rate), width - 10, self.y(rate), "#dddddd")
            self.text(LEFT - 6, self.y(rate) + 4, f"{rate:g}", "end")
            rate += step
        self.text(16, TOP + HEIGHT / 2, self.unit, turn=-90)

    def bars(self, x, rows):
        for k, contestant in enumerate(self.contestants):
            row = rows.get(contestant)
            if not row:
                continue
            left, work = x + k * BAR, row["rate"] * row["p50"]
            self.parts.append(f'<rect x="{left:.1f}" y="{self.y(row["rate"]):.1f}" width="{BAR - 2}" '
                              f'height="{TOP + HEIGHT - self.y(row["rate"]):.1f}" fill="{COLORS[k % len(COLORS)]}">'
                              f'<title>{escape(contestant)} {row["rate"]:.3g} {self.unit}</title></rect>')
            self.line(left + BAR / 2 - 1, self.y(work / row["p90"]), left + BAR / 2 - 1,
                      self.y(min(work / row["p10"], self.largest)), "#222222")
        if ceiling := rows.get("ceiling"):
            self.line(x - 3, self.y(ceiling["rate"]), x + len(self.contestants) * BAR + 1, self.y(ceiling["rate"]), "#222222", 1.5, "4 2")

    def svg(self):
        group = len(self.contestants) * BAR + GAP
        width = LEFT + len(self.groups) * group + 20
        self.axes(width)
        for g, (name, rows) in enumerate(self.groups.items()):
            x = LEFT + GAP / 2 + g * group
            self.bars(x, rows)
            self.text(x + group / 2 - GAP / 2, TOP + HEIGHT + 12, name, "end", -40, 10)
        self.text(LEFT, 18, self.title, "start", size=13)
        x = LEFT
        for k, contestant in enumerate(self.contestants + ["ceiling"]):
            color = COLORS[k % len(COLORS)] if contestant != "ceiling" else "#222222"
            self.parts.append(f'<rect x="{x}" y="26" width="10" height="10" fill="{color}"/>')
            self.text(x + 14, 35, contestant, "start")
            x += 30 + 7 * len(contestant)
        width, height = max(width, x), TOP + HEIGHT + 190
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" font-family="sans-serif">'
                f'<rect width="100%" height="100%" fill="white"/>' + "\n".join(self.parts) + "</svg>\n")


def write_plots(folder, rows):
    """One file for each suite, thread count and unit; returns their names."""
    charts = {}
    for row in rows:
        if "rate" not in row:
            continue
        sizes = list(row["sizes"].values())
        name = f"{row['case']} " + (str(sizes[0]) if len(set(sizes)) == 1 else "x".join(map(str, sizes)))
        groups = charts.setdefault((row["suite"], row["threads"], row["unit"]), {})
        groups.setdefault(name, {})[row["contestant"]] = row
    names = []
    for (suite, threads, unit), groups in charts.items():
        if not any(r["rate"] > 0 for rows in groups.values() for r in rows.values()):
            continue
        contestants = list(dict.fromkeys(c for rows in groups.values() for c in rows))
        names.append(f"{suite}-{threads}.svg")
        title = f"{suite}, {threads} thread{'s' if threads > 1 else ''}"
        with open(f"{folder}/{names[-1]}", "w", encoding="utf-8") as out:
            out.write(Chart(title, unit, groups, contestants).svg())
    return names
