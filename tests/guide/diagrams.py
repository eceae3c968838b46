"""The drawings of docs/how-it-works.md, as SVG. `python -m tests.guide.diagrams` writes them to docs/pictures/.

Each has a light background of its own, so that it is readable on a dark page, too.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
WIDTH = 720
INK, GREY, PALE, LINE = "#1c2030", "#5a6072", "#ffffff", "#b9bfcd"
ACCENT, GREEN, AMBER, RED = "#4640c4", "#14703c", "#8a5200", "#a3262a"
SOFT = {ACCENT: "#e8e7fb", GREEN: "#dff3e6", AMBER: "#fcefd5", RED: "#fbe3e3", LINE: PALE}


def box(x: float, y: float, width: float, height: float, *lines: str, colour: str = LINE) -> str:
    """Draw a box with lines of text in its middle."""
    shape = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{SOFT[colour]}" stroke="{colour}"/>'
    top = y + height / 2 - (len(lines) - 1) * 8 + 4
    return shape + "".join(text(x + width / 2, top + 16 * place, line, colour=INK) for place, line in enumerate(lines))


def text(x: float, y: float, words: str, *, colour: str = GREY, anchor: str = "middle", size: int = 12) -> str:
    """Draw a line of text."""
    return f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>'


def arrow(x: float, y: float, to_x: float, to_y: float, *, colour: str = GREY) -> str:
    """Draw an arrow."""
    return f'<path d="M{x} {y}L{to_x} {to_y}" stroke="{colour}" fill="none" marker-end="url(#tip)"/>'


def page(x: float, y: float, *, rows: Sequence[str], label: str = "") -> str:
    """Draw a small page with a coloured line for each row."""
    height = 16 + 12 * len(rows)
    lines = "".join(
        f'<rect x="{x + 8}" y="{y + 10 + 12 * place}" width="{56 - 9 * (place % 3)}" height="6" rx="2" fill="{colour}"/>'
        for place, colour in enumerate(rows)
    )
    return f'<rect x="{x}" y="{y}" width="72" height="{height}" rx="4" fill="{PALE}" stroke="{LINE}"/>{lines}' + (
        text(x + 36, y + height + 15, label) if label else ""
    )


def draw(height: int, title: str, *parts: str) -> str:
    """Return a drawing."""
    tip = f'<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="{GREY}"/></marker>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title><defs>{tip}</defs>"
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#f5f6fa"/>' + "".join(parts) + "</svg>\n"
    )


def draw_way() -> str:
    """From pages to records, and round again."""
    names = [
        ("Pages", "crawl or upload"),
        ("Templates", "clustering"),
        ("Marks", "by a person"),
        ("Rule", "learning"),
        ("Records", "extraction"),
    ]
    parts = [box(16 + 140 * place, 32, 116, 52, *name, colour=ACCENT if place == 2 else LINE) for place, name in enumerate(names)]
    parts += [arrow(134 + 140 * place, 58, 154 + 140 * place, 58) for place in range(4)]
    parts += [box(296, 128, 256, 44, "Monitoring: is the rule still right?", "if not: repair, learned from old values", colour=AMBER)]
    parts += [arrow(634, 86, 556, 146), arrow(494, 126, 494, 88)]
    return draw(196, "Pages become templates, people mark values, a rule is learned and gives records; monitoring repairs the rule", *parts)


def draw_vectors() -> str:
    """Masked shingle vectors."""
    vectors = [
        ("3f a2 91 10 c4 7e 77 01", "book 1"),
        ("3f a2 91 10 c4 18 77 01", "book 2"),
        ("3f a2 5b 10 c4 7e 77 01", "book 3"),
        ("90 11 d2 6a 03 44 b8 fe", "author"),
    ]
    parts = [text(24, 28, "each page: eight bytes that describe its tags", anchor="start")]
    for place, (vector, name) in enumerate(vectors):
        y = 44 + 34 * place
        colour = ACCENT if place < 3 else LINE
        parts += [text(24, y + 18, name, anchor="start", colour=INK), box(84, y, 220, 26, vector, colour=colour)]
        if place < 3:
            parts.append(arrow(308, y + 13, 396, 91))
    parts += [text(552, 28, "a mask that covers them: a template"), box(400, 76, 304, 30, "3f a2 ** 10 c4 ** 77 01", colour=GREEN)]
    parts += [text(552, 132, "** stands for any byte; at most two"), text(552, 160, "the author page fits no mask of the books")]
    return draw(190, "Pages whose vectors agree on six of eight bytes get one mask", *parts)


def draw_samples() -> str:
    """The greedy choice of sample pages."""
    sets = [
        (ACCENT, ACCENT, GREEN, LINE, LINE),
        (ACCENT, ACCENT, LINE, AMBER, LINE),
        (ACCENT, ACCENT, LINE, LINE, LINE),
        (ACCENT, LINE, LINE, LINE, RED),
    ]
    parts = [page(32 + 110 * place, 40, rows=rows, label=f"page {place + 1}") for place, rows in enumerate(sets)]
    parts += [text(232, 24, "what varies on the pages of a template (colours: parts of it)")]
    parts += [
        box(490, 34, 206, 36, "1st: page 1 shows the most", colour=GREEN),
        box(490, 78, 206, 36, "2nd: page 2 adds the amber part", colour=GREEN),
    ]
    parts += [
        box(490, 122, 206, 36, "3rd: page 4 adds the red part", colour=GREEN),
        text(232, 156, "page 3 shows nothing that the others do not show"),
    ]
    return draw(178, "Each sample page is the one that shows most of what the samples before it do not show", *parts)


def draw_learning() -> str:
    """The search for a rule."""
    parts = [box(16, 60, 150, 60, "marked: 2 prices", "everything else: wrong", colour=ACCENT)]
    rows = [("//span", "6 wrong too", RED), ("//*[@class='price']", "1 wrong: the old price", AMBER), ("label “Our price”", "exact", GREEN)]
    for place, (condition, verdict, colour) in enumerate(rows):
        y = 24 + 48 * place
        parts += [
            arrow(168, 90, 216, y + 18),
            box(220, y, 170, 36, condition, colour=colour),
            text(402, y + 22, verdict, anchor="start", colour=colour),
        ]
    parts += [
        box(560, 60, 144, 60, "cheapest set that is", "exact and has support", "on unmarked pages", colour=GREEN),
        arrow(440, 138, 556, 112),
    ]
    return draw(184, "Conditions are combined until only the marked values are selected; the cheapest combination wins", *parts)


def draw_matching() -> str:
    """Which template a new page belongs to."""
    steps = [("address fits", "/book/*/*"), ("vector fits", "a mask"), ("or a core fits", "shared steps")]
    parts = [box(16, 40, 100, 48, "a new page")]
    for place, step in enumerate(steps):
        x = 150 + 150 * place
        parts += [arrow(x - 32, 64, x - 4, 64), box(x, 40, 116, 48, *step, colour=ACCENT)]
    parts += [arrow(568, 64, 596, 64), box(600, 40, 104, 48, "the rule of", "its template", colour=GREEN)]
    parts += [arrow(508, 90, 508, 118), box(380, 120, 256, 32, "nothing fits: counted and shown", colour=AMBER)]
    return draw(172, "A page is matched by its address, then its vector, then its core; pages that match nothing are counted", *parts)


def draw_monitoring() -> str:
    """News or break."""
    parts = [
        box(16, 30, 150, 60, "watched page", "as it was: £12.90", colour=LINE),
        box(16, 110, 150, 60, "the same page", "now: In stock", colour=LINE),
    ]
    parts += [arrow(168, 60, 226, 92), arrow(168, 140, 226, 108)]
    parts += [box(230, 70, 196, 60, "does £12.90 still stand on it?", "does chance explain it?", colour=ACCENT)]
    parts += [arrow(428, 90, 480, 56), arrow(428, 112, 480, 146)]
    parts += [box(484, 28, 220, 52, "news: a price changed,", "the rule is right", colour=GREEN)]
    parts += [box(484, 120, 220, 52, "break: on many pages, and", "chance is below 1 in 100,000", colour=RED)]
    return draw(
        200, "A check compares watched pages with how they were and asks whether chance explains the signs of a broken rule", *parts
    )


def draw_repair() -> str:
    """Relearning from old values."""
    parts = [
        page(24, 36, rows=(ACCENT, LINE, GREEN, LINE), label="old page"),
        page(150, 36, rows=(LINE, GREEN, LINE, ACCENT), label="new page"),
    ]
    parts += [arrow(98, 64, 148, 64), text(123, 28, "where do the old values stand now?"), arrow(226, 64, 268, 64)]
    parts += [box(272, 40, 150, 48, "places of old values", "become marks", colour=ACCENT), arrow(424, 64, 460, 64)]
    parts += [box(464, 40, 108, 48, "a new rule", "is learned"), arrow(574, 64, 600, 64)]
    parts += [
        box(604, 40, 104, 48, "proven on", "other pages?", colour=GREEN),
        text(520, 122, "a person accepts it, or the site allows it by itself"),
    ]
    return draw(148, "Old values that stand on the new pages become marks from which a new rule is learned", *parts)


DRAWINGS: Mapping[str, Callable[[], str]] = {
    "way.svg": draw_way,
    "vectors.svg": draw_vectors,
    "samples.svg": draw_samples,
    "learning.svg": draw_learning,
    "matching.svg": draw_matching,
    "monitoring.svg": draw_monitoring,
    "repairing.svg": draw_repair,
}
"""Each drawing and the function that returns it."""

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw_it in DRAWINGS.items():
        (FOLDER / name).write_text(draw_it())
