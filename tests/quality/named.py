"""Attributes filled without a mark: ``python -m tests.quality.named DATA --predictions OUT [--others]``.

DATA is a folder of sites, each with pages/NNNN.html and truth.json, of which only the attributes' names are read for the proposals.
With ``--others`` the values of the other sites of the vertical (what comes before the first hyphen of a site's name) tell what values
look like. Written is ``{site: {attribute: {page: [values]}}}`` for all pages, the format of the extraction task; score it with
``--annotated 0``. Printed are the macro F1, and for what is proposed with confidence the share of columns (F1 of at least 0.8) and of
values that are right. With ``--ceiling`` the best F1 that any column would have is printed as well.
"""

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from lxml import etree

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.markup.items import Item
from extraction.algorithms.proposals.candidates import list_candidates, read_template_pages
from extraction.algorithms.proposals.learned_forms import LearnedForm, learn_form
from extraction.algorithms.proposals.propose import Proposal, SoughtAttribute, propose_values
from extraction.algorithms.values.reading import ValueType
from extraction.services.suggestions.markup_process import read_embedded_data
from tests.quality.scores import f1, sites

RIGHT = 0.8
"""F1 from which a column is right."""

OTHER_SITES, OTHER_PAGES, OTHER_TEXTS = 20, 10, 400
"""Sites, pages of each and texts of each that forms are learned from at most."""

TYPES: Mapping[str, ValueType] = {"price": "price", "date": "date", "website": "url", "image": "image"}
"""Types that a person would give an attribute with this word in its name; text otherwise."""


@dataclass(frozen=True)
class NamedSite:
    """A site's pages. truth: {attribute: {page: values}}."""

    name: str
    pages: Sequence[str]
    roots: Sequence[etree._Element]
    items: Sequence[Sequence[Item]]
    truth: Mapping[str, Mapping[str, Sequence[str]]]

    @property
    def vertical(self) -> str:
        """What its records are."""
        return self.name.split("-")[0]


@dataclass(frozen=True)
class Examples:
    """What one site tells about others: its values by attribute, and texts of its pages."""

    site: str
    vertical: str
    values: Mapping[str, Sequence[str]]
    texts: Sequence[str]


def read_site(folder: Path, *, most: int | None = None, items: bool = True) -> NamedSite:
    """A site with at most `most` pages. items: whether the pages' own data is read."""
    files = sorted((folder / "pages").glob("*.html"))[:most]
    contents = [file.read_bytes() for file in files]
    found = [each.items for each in read_embedded_data([(content, "") for content in contents])] if items else []
    truth = json.loads((folder / "truth.json").read_text())
    return NamedSite(folder.name, [file.stem for file in files], [parse(content).root for content in contents], found, truth)


def read_examples(folder: Path) -> Examples:
    """What a site tells about others."""
    site = read_site(folder, most=OTHER_PAGES, items=False)
    pages = read_template_pages(site.roots)
    texts = sorted({unit.text for page in pages.units for unit in (*page.texts, *page.wholes)})
    values = {name: [value for page in site.pages for value in truth.get(page, ())] for name, truth in site.truth.items()}
    return Examples(site.name, site.vertical, values, random.Random(site.name).sample(texts, min(OTHER_TEXTS, len(texts))))


def learn_forms(site: NamedSite, examples: Sequence[Examples]) -> dict[str, LearnedForm]:
    """{attribute: what its values look like on the other sites of the vertical}."""
    others = [each for each in examples if each.vertical == site.vertical and each.site != site.name]
    others = random.Random(site.name).sample(others, min(OTHER_SITES, len(others)))
    forms = {}
    for name in site.truth:
        rows = [each.values.get(name, ()) for each in others]
        values = {clean(value) for row in rows for value in row}
        form = learn_form(rows, [text for each in others for text in each.texts if text not in values])
        if form is not None:
            forms[name] = form
    return forms


def list_attributes(site: NamedSite, forms: Mapping[str, LearnedForm]) -> list[SoughtAttribute]:
    """The attributes of a site's records."""
    return [
        SoughtAttribute(name, next((TYPES[word] for word in name.split("_") if word in TYPES), "text"), None, forms.get(name))
        for name in site.truth
    ]


def write_values(site: NamedSite, proposal: Proposal) -> dict[str, list[str]]:
    """{page: values} as the scorer takes them."""
    return {site.pages[page]: [value.text for value in row] for page, row in proposal.values.items()}


@dataclass(frozen=True)
class Outcome:
    """How right a proposal is. right, said: values with confidence, of pages that the truth knows. ceiling: the best F1 of any column."""

    site: str
    attribute: str
    f1: float
    confident: bool
    confidence: float
    right: int
    said: int
    ceiling: float | None


def judge(site: NamedSite, proposal: Proposal, ceiling: float | None) -> Outcome:
    """Compare a proposal with the truth."""
    truth, given = site.truth[proposal.name], write_values(site, proposal)
    said = [(page, clean(value)) for page, row in given.items() if page in truth for value in row]
    right = sum(value in {clean(true) for true in truth[page]} for page, value in said)
    return Outcome(site.name, proposal.name, f1(truth, given), proposal.confident, proposal.confidence, right, len(said), ceiling)


def find_ceilings(site: NamedSite) -> dict[str, float]:
    """{attribute: the best F1 that any column has}."""
    columns = [{site.pages[page]: list(row) for page, row in each.values} for each in list_candidates(read_template_pages(site.roots))]
    return {name: max((f1(truth, column) for column in columns), default=0.0) for name, truth in site.truth.items()}


def run_site(folder: Path, examples: Sequence[Examples], *, ceiling: bool = False) -> tuple[list[Outcome], dict[str, dict[str, list[str]]]]:
    """The outcomes of a site's attributes and the predictions."""
    site = read_site(folder)
    proposals = propose_values(site.roots, list_attributes(site, learn_forms(site, examples)), items=site.items)
    best = find_ceilings(site) if ceiling else {}
    outcomes = [judge(site, each, best.get(each.name)) for each in proposals if site.truth[each.name]]
    return outcomes, {each.name: write_values(site, each) for each in proposals}


def summarise(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The figures of all outcomes."""
    sure = [each for each in outcomes if each.confident]
    figures = {
        "macro F1": fmean(each.f1 for each in outcomes),
        "columns right": fmean(each.f1 >= RIGHT for each in outcomes),
        "proposed with confidence": len(sure) / len(outcomes),
        "confident columns right": fmean(each.f1 >= RIGHT for each in sure) if sure else 1.0,
        "confident values right": fmean(each.right / max(1, each.said) for each in sure) if sure else 1.0,
    }
    if all(each.ceiling is not None for each in outcomes):
        figures["ceiling of macro F1"] = fmean(each.ceiling or 0.0 for each in outcomes)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--others", action="store_true", help="learn what values look like on the other sites of the vertical")
    parser.add_argument("--ceiling", action="store_true", help="print the best F1 that any column would have")
    parser.add_argument("--each", action="store_true", help="print every attribute")
    options = parser.parse_args()
    examples = [read_examples(folder) for folder in sites(options.data)] if options.others else []
    outcomes, predictions = [], {}
    for folder in sites(options.data):
        found, predictions[folder.name] = run_site(folder, examples, ceiling=options.ceiling)
        outcomes += found
        for each in found if options.each else ():
            print(
                f"{each.site} {each.attribute}: F1 {each.f1:.2f}, confidence {each.confidence:.2f}{' *' if each.confident else ''}",
                flush=True,
            )
    options.predictions.write_text(json.dumps(predictions, ensure_ascii=False, indent=1))
    for name, value in summarise(outcomes).items():
        print(f"{name}: {value:.3f}")


if __name__ == "__main__":
    main()
