"""`python -m tests.benchmarks.curves [--svg FILE]`: how the time of each step grows with its input, as one chart.

Each step runs on inputs of growing size. Its times are divided by that of the smallest input, so that the machine does not matter. A step
whose time grows linearly lies on the dashed line. The slope of a step is the exponent of its growth.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from extraction.algorithms.clustering.masked_shingles import cluster_vectors
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from extraction.algorithms.sampling.greedy import PagePaths, choose_pages
from extraction.algorithms.sketches.shingles import compute_vectors
from tests.benchmarks.clustering import cpu_time_s, drawn_vectors, written_pages
from tests.benchmarks.extraction import learn_work
from tests.benchmarks.learning import product_work

FACTORS = (1, 2, 4, 8, 16)
"""Sizes of the inputs, as multiples of the smallest."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The times of one step.

    unit: what its input is counted in.
    sizes: of the inputs.
    seconds: processor seconds for each.
    """

    name: str
    unit: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """The slope of the line of best fit through the logarithms: 1 for linear growth."""
        return float(np.polyfit(np.log(self.sizes), np.log(self.seconds), 1)[0])


def measure_curves() -> Iterator[Curve]:
    """Yield the curve of each step."""
    pages = written_pages(20)
    yield _measure("Shingle vectors", "pages", 20, lambda n: partial(compute_vectors, pages * (n // 20)))
    yield _measure("Algorithm 1", "pages", 50_000, _clustering)
    yield _measure("Sampling, K = 20", "pages", 250, _sampling)
    yield _measure("Parse and extract", "pages", 50, _extracting())


def _measure(name: str, unit: str, least: int, prepare: Callable[[int], Callable[[], object]]) -> Curve:
    sizes = tuple(least * factor for factor in FACTORS)
    return Curve(name, unit, sizes, tuple(cpu_time_s(prepare(size), repeat=3) for size in sizes))


def _clustering(size: int) -> Callable[[], object]:
    items = list(enumerate(drawn_vectors(size, templates=200, noise=0.05, outliers=0.05)))
    return partial(cluster_vectors, items)


def _sampling(size: int) -> Callable[[], object]:
    chance = np.random.default_rng(4)
    shares = chance.random(500)
    cluster = []
    for _ in range(size):
        there = np.flatnonzero(chance.random(500) < shares).astype(np.uint64)
        cluster.append(PagePaths(there, chance.integers(0, 40, len(there)).astype(np.uint64)))
    return lambda: choose_pages(cluster, k=20)


def _extracting() -> Callable[[int], Callable[[], object]]:
    _, texts, rules = learn_work(product_work())
    sheet, pages = Stylesheet.compile(write_stylesheet(RuleDefinition(tuple(rules)))), [text.encode() for text in texts]
    return lambda size: lambda: [extract_values(sheet, parse(pages[n % len(pages)]).root) for n in range(size)]


WIDTH, HEIGHT, LEFT, TOP, SIDE = 640, 380, 64, 24, 300
COLOURS = ("#1f77b4", "#d95f02", "#1b9e77", "#b5489a")
MARKS = ("circle", "square", "diamond", "cross")


def draw(curves: Sequence[Curve]) -> str:
    """Return the chart as SVG: both axes are logarithmic, in multiples of the smallest input and of its time."""
    most = max(max(FACTORS), *(max(each.seconds) / each.seconds[0] for each in curves))
    scale = SIDE / float(np.log2(most))

    def at(size: float, time: float) -> tuple[float, float]:
        return round(LEFT + float(np.log2(size)) * scale, 1), round(TOP + SIDE - float(np.log2(max(time, 0.5))) * scale, 1)

    ticks = []
    for factor in FACTORS:
        x, y = at(factor, factor)
        ticks.append(f'<path class="grid" d="M{x} {TOP}V{TOP + SIDE}M{LEFT} {y}H{LEFT + SIDE}"/>')
        ticks.append(f'<text x="{x}" y="{TOP + SIDE + 18}" text-anchor="middle">{factor}</text>')
        ticks.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{factor}</text>')
    (x1, y1), (x2, y2) = at(1, 1), at(max(FACTORS), max(FACTORS))
    parts = [*ticks, f'<path class="linear" d="M{x1} {y1}L{x2} {y2}"/>']
    for number, curve in enumerate(curves):
        points = [at(size / curve.sizes[0], time / curve.seconds[0]) for size, time in zip(curve.sizes, curve.seconds, strict=True)]
        colour, above = COLOURS[number], TOP + 28 + 44 * number
        parts.append(f'<path fill="none" stroke="{colour}" stroke-width="2" d="M{"L".join(f"{x} {y}" for x, y in points)}"/>')
        parts += [_mark(MARKS[number], x, y, colour) for x, y in points]
        parts.append(_mark(MARKS[number], LEFT + SIDE + 28, above - 4, colour))
        parts.append(f'<text x="{LEFT + SIDE + 42}" y="{above}">{escape(curve.name)}: exponent {curve.exponent:.2f}</text>')
        sizes = f"{curve.sizes[0]:,} to {curve.sizes[-1]:,} {curve.unit}"
        parts.append(f'<text class="small" x="{LEFT + SIDE + 42}" y="{above + 17}">{sizes}</text>')
    middle = LEFT + SIDE / 2
    parts.append(f'<text x="{middle}" y="{TOP + SIDE + 42}" text-anchor="middle">size of the input (smallest = 1)</text>')
    parts.append(
        f'<text transform="translate(18 {TOP + SIDE / 2}) rotate(-90)" text-anchor="middle">processor time (for the smallest = 1)</text>'
    )
    return _SVG.format(width=WIDTH, height=HEIGHT, body="\n".join(parts))


def _mark(kind: str, x: float, y: float, colour: str) -> str:
    shapes = {
        "circle": f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>',
        "square": f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"/>',
        "diamond": f'<path d="M{x} {y - 5.5:.1f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z" fill="{colour}"/>',
        "cross": f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8" stroke="{colour}" stroke-width="2.5"/>',
    }
    return shapes[kind]


_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title">
<title id="title">Growth of processor time with the size of the input, both in multiples of the smallest</title>
<style>
text {{ font: 13px system-ui, sans-serif; fill: #222 }} .small {{ font-size: 12px; fill: #555 }}
.grid {{ stroke: #8886; stroke-width: .5 }} .linear {{ stroke: #777; stroke-width: 1.5; stroke-dasharray: 6 4 }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #eee }} .small {{ fill: #bbb }} }}
</style>
{body}
</svg>
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the chart into this file")
    options = parser.parse_args()
    curves = []
    for curve in measure_curves():
        curves.append(curve)
        seconds = ", ".join(f"{size:,}: {time:.3f} s" for size, time in zip(curve.sizes, curve.seconds, strict=True))
        print(f"{curve.name}: exponent {curve.exponent:.2f} ({curve.unit}: {seconds})", flush=True)
    if options.svg:
        options.svg.write_text(draw(curves))


if __name__ == "__main__":
    main()
