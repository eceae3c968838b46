"""Writes the evaluation corpus: ``python -m tests.corpus.write``. A test compares the committed files with the output of this module.

The corpus is ours: made-up sites of five kinds, in the layout of the real evaluation pages (docs/quality.md), small enough to be
committed. Its floors are checked by the suite, so a change that makes the learner worse is noticed even without the real pages.
"""

import json
from pathlib import Path

from tests.corpus.marks import Truth
from tests.corpus.sites import EXTRACTION, REDESIGN, CorpusSite

FOLDER = Path(__file__).parent / "pages"

ANNOTATED = 5
"""Pages of a site whose places are written down; more are never annotated."""


def files() -> dict[str, str]:
    """{path below `FOLDER`: text} of the whole corpus."""
    written: dict[str, str] = {}
    for site in EXTRACTION:
        truth = Truth()
        for number in range(site.pages):
            written[f"extraction/{site.name}/pages/{number:04}.html"] = truth.take(f"{number:04}", site.page(number))
        written |= _tables(f"extraction/{site.name}", site, truth)
    return written | _clustering("clustering/mixed") | _redesign("redesign/concert-night-hall")


def _tables(folder: str, site: CorpusSite, truth: Truth) -> dict[str, str]:
    first = {attribute: dict(sorted(pages.items())[:ANNOTATED]) for attribute, pages in sorted(truth.annotations.items())}
    urls = {f"{number:04}": f"https://{site.name}.example/{number}" for number in range(site.pages)}
    return {
        f"{folder}/truth.json": _json(truth.values),
        f"{folder}/annotations.json": _json(first),
        f"{folder}/urls.json": _json(urls),
    }


def _clustering(folder: str) -> dict[str, str]:
    """All pages of the corpus as one site; the sites' names are the labels."""
    written, lines = {}, []
    for site in EXTRACTION:
        for number in range(site.pages):
            name = f"{site.name}-{number:04}.html"
            written[f"{folder}/pages/{name}"] = Truth().take(name, site.page(number))
            lines.append(f"{name}\t{site.name}\thttps://mixed.example/{site.name}/{number}")
    return written | {f"{folder}/labels.tsv": "\n".join(lines) + "\n"}


def _redesign(folder: str) -> dict[str, str]:
    old, new = REDESIGN
    truths, written = {"old": Truth(), "new": Truth()}, {}
    for side, site in (("old", old), ("new", new)):
        for number in range(site.pages):
            written[f"{folder}/{side}/{number:04}.html"] = truths[side].take(f"{number:04}", site.page(number))
    urls = {f"{number:04}": f"https://{old.name}.example/{number}" for number in range(old.pages)}
    first = {attribute: dict(sorted(pages.items())[:3]) for attribute, pages in sorted(truths["old"].annotations.items())}
    return written | {
        f"{folder}/truth.json": _json({side: _by_page(truth) for side, truth in truths.items()} | {"urls": urls}),
        f"{folder}/annotations.json": _json(first),
        f"{folder}/kind.json": _json({"kind": "redesign"}),
    }


def _by_page(truth: Truth) -> dict[str, dict[str, list[str]]]:
    pages: dict[str, dict[str, list[str]]] = {}
    for attribute, found in truth.values.items():
        for page, values in found.items():
            pages.setdefault(page, {})[attribute] = values
    return pages


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def main() -> None:
    for name, text in files().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
