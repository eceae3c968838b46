"""Rules on pages that change: ``python -m tests.quality.mutation DATA [--annotated N] [--seed S]``.

Rules are learned as for `extraction`. Then pages that were not annotated, up to PAGES of a site, are changed as sites
change: blocks come in and go, others are wrapped in a div, generated class names get other endings, adverts and asides
are dropped. What the rules give on the changed pages is scored beside what they give on the pages as they are; no
change touches a true value, only what stands around it. The same seed makes the same changes in every process.
"""

import argparse
import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from hashlib import blake2b
from pathlib import Path
from statistics import fmean

from lxml import etree

from extraction.algorithms.dom.nodes import clean, elements, whole_text
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule
from tests.quality import scores
from tests.quality.absence import take_out
from tests.quality.extraction import compiled, learned
from tests.quality.sites import Site, folders, read_site, shown

PAGES = 8
"""Most pages changed of a site: some 110 of `extraction`, all of `modern`."""

INSERTED, REMOVED, WRAPPED = 4, 3, 3
"""Blocks that come in, go and are wrapped on a page."""

BLOCKS = frozenset(
    (
        "div",
        "section",
        "article",
        "main",
        "aside",
        "nav",
        "header",
        "footer",
        "ul",
        "ol",
        "dl",
        "table",
        "form",
        "p",
        "figure",
        "iframe",
        "ins",
    )
)
HOLDERS = frozenset(("body", "div", "section", "article", "main", "aside", "form", "center"))
"""What a template's author puts blocks into; nobody puts one between a label and its value."""

GENERATED = re.compile(r"(?P<stem>([A-Za-z_-]*[-_])?)(?=[A-Za-z0-9]*\d[A-Za-z])[A-Za-z0-9]{5,12}(?P<rest>(-[A-Za-z]+)?)")
"""Class names that a build gives: letters and digits mixed, alone, behind a stem (``css-1q2w3e``) or before a word."""

CHOSEN = re.compile(r".*?(\d+(x|by)\d+|\d+(px|cols?|columns?)|\d[A-Z][a-z]{3,}[A-Za-z]*)")
"""Names of that form that a person gave: sizes (``size-300x250``), counts, words in camel case (``h3Color``)."""

ADVERT = re.compile(
    r"(^|[-_ ])(ad|ads|adv|advert|advertisement|banner|sponsor|sponsored|promo|aside|adslot|adunit)([-_ ]|$)", re.IGNORECASE
)


def measure(site: Site, rules: Sequence[AttributeRule], annotated: int, *, seed: int = 1) -> dict[str, tuple[float, float]]:
    """{attribute: (F1 on some pages as they are, F1 on the same pages changed)}."""
    truth, sheet = site.truth, compiled(rules)
    before, after = {}, {}
    known = {page for values in truth.values() for page in scores.annotated(values, annotated)}
    pages = [page for page in site.pages if page not in known][:PAGES]
    for page in pages:
        true = [value for values in truth.values() for value in values.get(page, ())]
        before[page] = extract_values(sheet, site.pages[page].root).values
        after[page] = extract_values(sheet, changed(site.pages[page].root, true, seed=seed, site=site.name, page=page)).values

    def f1(name: str, given: Mapping[str, Mapping[str, Sequence[str]]]) -> float:
        return scores.f1({p: v for p, v in truth[name].items() if p in pages}, {p: given[p][name] for p in pages})

    return {
        rule.name: (f1(rule.name, before), f1(rule.name, after))
        for rule in rules
        if any(page in truth.get(rule.name, {}) for page in pages)
    }


def changed(root: etree._Element, values: Collection[str], *, seed: int, site: str, page: str) -> etree._Element:
    """Return a changed copy of a page. No node with one of the values in it is removed."""
    copy = deepcopy(root)
    draw = random.Random(f"{seed} {site} {page}")
    wanted = {shown(value) for value in values}
    kept = {above for element in elements(copy) if _holds(element, wanted) for above in (element, *element.iterancestors())}
    inside = {inner for element in elements(copy) if shown(whole_text(element)) in wanted for inner in element.iterdescendants()}
    _drop_adverts(copy, kept | inside)
    for _ in range(REMOVED):
        _remove(draw, [element for element in _blocks(copy) if element not in kept and element not in inside])
    for number in range(INSERTED):
        _insert(draw, [element for element in _blocks(copy) if element not in inside], number)
    for number in range(WRAPPED):
        _wrap(draw, copy, [element for element in _blocks(copy) if (element in kept) == (number == 0)])
    for element in elements(copy):
        if element.get("class"):
            element.set("class", " ".join(renamed(name, seed) for name in str(element.get("class")).split()))
    return copy


def renamed(name: str, seed: int) -> str:
    """The class name after another build: a generated one has another ending everywhere, others stay."""
    match = GENERATED.fullmatch(name)
    if not match or CHOSEN.fullmatch(name):
        return name
    return match["stem"] + "x" + blake2b(f"{seed} {name}".encode(), digest_size=3).hexdigest() + match["rest"]


def _holds(element: etree._Element, wanted: Collection[str]) -> bool:
    """Whether an element's own text, a text in it or its whole text is a true value."""
    texts = [element.text or "", *(child.tail or "" for child in element)]
    return any(text and shown(text) in wanted for text in texts) or shown(whole_text(element)) in wanted


def _blocks(root: etree._Element) -> Iterator[etree._Element]:
    """Blocks that stand among other blocks."""
    for element in elements(root):
        parent = element.getparent()
        if element.tag in BLOCKS and parent is not None and parent.tag in HOLDERS:
            yield element


def _drop_adverts(root: etree._Element, kept: Collection[etree._Element]) -> None:
    for element in [e for e in elements(root) if e.tag not in ("html", "head", "body", "link", "meta", "script")]:
        named = element.tag == "aside" or ADVERT.search(f"{element.get('class') or ''} {element.get('id') or ''}")
        if named and element not in kept:
            take_out(element)


def _remove(draw: random.Random, among: Sequence[etree._Element]) -> None:
    """Remove a block without true values, of at most a few elements, because a real change removes parts, not half of a template."""
    small = [element for element in among if len(elements(element)) <= 10 and not _labels(element)]
    if small:
        take_out(draw.choice(small))


def _labels(element: etree._Element) -> bool:
    """Whether a block may be a label: its text is short."""
    return 0 < len(clean(whole_text(element))) <= 40


def _insert(draw: random.Random, places: Sequence[etree._Element], number: int) -> None:
    """Puts an advert, a notice or an image before one of some blocks."""
    if places:
        new = etree.fromstring(draw.choice(_NEW).format(number=draw.randrange(10_000)))
        before = draw.choice(places)
        before.addprevious(new)


def _wrap(draw: random.Random, root: etree._Element, among: Sequence[etree._Element]) -> None:
    """Puts a div around a block: the first time around one that holds a true value."""
    if not among:
        return
    element = draw.choice(among)
    wrapper = etree.Element("div", {"class": "wrapper"})
    element.addprevious(wrapper)
    wrapper.tail, element.tail = element.tail, None
    wrapper.append(element)


_NEW = (
    '<div class="advert-{number}"><a href="#">Advertisement</a></div>',
    "<p>We have a newsletter now.</p>",
    '<div><img src="banner{number}.png" alt=""/></div>',
    '<section class="notice"><h2>Notice</h2><p>New terms apply from today.</p></section>',
    "<ul><li>Share</li><li>Print</li></ul>",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--annotated", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = {}
    for folder in folders(options.data):
        site = read_site(folder)
        for attribute, figures in measure(site, learned(site, options.annotated), options.annotated, seed=options.seed).items():
            found[folder.name, attribute] = figures
    for (name, attribute), (before, after) in sorted(found.items()):
        if after < before:
            print(f"{name:40} {attribute:20} {before:.3f} → {after:.3f}")
    print(f"macro F1 {fmean(b for b, _ in found.values()):.4f} as they are, {fmean(a for _, a in found.values()):.4f} changed")


if __name__ == "__main__":
    main()
