"""Pages as the tokens that are aligned (Crescenzi et al. 2001, section 3; docs/algorithms.md#roadrunner).

The parser's tree is well formed already. Invisible elements are left out (scripts, styles, options, …), and so are elements deeper than
`MAX_DEPTH`. Two things are decided from all pages together, so that they do not depend on which two pages are compared first:

- A tag's label has the classes and ids that at least half of the pages share.
- A string belongs to the template, and is *fixed*, if nearly all pages have it in the same kind of element, or if some have it and it looks
  like a label. The paper takes any two different strings for two values of a field. With optional lines "Director: …", "Writer: …", this
  aligns one line's label with the other's. A fixed string matches nothing but itself, like a tag.
- A string is a value if another page has another one in its place (`minority`). It is not fixed then.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from extraction.algorithms.alignment.roadrunner.minority import Occurrence, find_minority_values
from extraction.algorithms.alignment.roadrunner.wrapper import Element, Node, Text
from extraction.algorithms.dom.nodes import RAW_TEXT, Location, clean, is_xml, whole_text
from extraction.algorithms.dom.walk import walk_page
from extraction.algorithms.errors import AlignmentError

MAX_DEPTH = 60
"""The largest number of levels of a page that are aligned. Real pages have up to 40. The alignment recurses over them, with some ten calls
a level."""

MAX_TOKENS = 100_000
"""The largest number of tokens of a page that is aligned. The largest page of the 15 measured sites has some 3,000."""

SHARED = 0.5
"""Share of the pages on which a class or id must stand to become part of the label."""

ALWAYS, LABEL = 0.9, 0.25
"""Share of the pages that have a fixed string, and the share for one that ends with a colon or stands in dt, th or label."""

FEW = 5
"""The smallest number of pages on which a string is fixed although it does not look like a label. Four pages may share a value."""

MAX_LABEL = 60
"""Longest fixed string, in characters."""

PROSE = 200
"""A text of at least so many characters is one string even with inline elements in it. Aligning links in prose is of no use."""

_INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data dfn em font i kbd mark q s samp small span strong sub sup time tt u var
    wbr""".split()  # noqa: SIM905
)
_OUT = (RAW_TEXT - {"title"}) | {"link", "meta", "base", "svg", "iframe"}
_LABEL_TAGS = frozenset(("dt", "th", "label"))
_COLONS = (":", "：")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the pages of a template share.

    names: classes (".a") and ids ("#a").
    fixed: strings, each with the tag they stand in, that are nowhere a value.
    """

    names: frozenset[str]
    fixed: frozenset[tuple[str, str]]


@dataclass(slots=True)
class _Unfrozen:
    """An element of a page while the page is read.

    names: its classes and ids.
    length: characters of the text in it.
    flat: whether it holds inline elements only.
    """

    tag: str
    names: tuple[str, ...]
    node: int
    length: int = 0
    flat: bool = True
    children: list["_Unfrozen | Text"] = field(default_factory=list)


def read_pages(roots: Sequence[etree._Element]) -> tuple[list[Element], Vocabulary]:
    """Return the pages as wrappers of elements and strings, and what they share. Raises AlignmentError for a page with too many tokens."""
    opened = [_read_page(root, f"page {number}") for number, root in enumerate(roots, 1)]
    names: Counter[str] = Counter()
    strings: Counter[tuple[str, str]] = Counter()
    for page in opened:
        names.update({name for each in _all(page) for name in each.names})
        strings.update({(each.tag, child.text) for each in _all(page) for child in each.children if isinstance(child, Text)})
    positions: dict[tuple[int, str, int], int] = {}
    values = find_minority_values([list(_list_strings(page, positions)) for page in opened], is_label=_is_label)
    varying = {
        (each.tag, child.text)
        for page in opened
        for each in _all(page)
        for child in each.children
        if isinstance(child, Text) and child in values
    }
    vocabulary = Vocabulary(
        frozenset(name for name, count in names.items() if count >= max(2, SHARED * len(roots))),
        frozenset(each for each, count in strings.items() if each not in varying and _is_fixed(*each, count, len(roots))),
    )
    return [_frozen(page, vocabulary, values) for page in opened], vocabulary


def read_page(root: etree._Element, vocabulary: Vocabulary) -> Element:
    """Return a further page. Raises AlignmentError for one with too many tokens."""
    return _frozen(_read_page(root, "the page"), vocabulary)


def _is_fixed(tag: str, text: str, count: int, pages: int) -> bool:
    if len(text) > MAX_LABEL or count < 2:
        return False
    if _is_label(tag, text):
        return count >= LABEL * pages
    return pages >= FEW and count >= ALWAYS * pages


def _is_label(tag: str, text: str) -> bool:
    return tag in _LABEL_TAGS or text.endswith(_COLONS)


def _list_strings(page: _Unfrozen, positions: dict[tuple[int, str, int], int]) -> Iterator[Occurrence]:
    """Yield a page's strings in document order.

    positions: {(the element's position, a child's tag, its place among those): the child's position}, shared by all pages.
    """
    waiting: list[tuple[_Unfrozen | Text, str, int, bool]] = [(page, "", 0, True)]
    while waiting:
        each, tag, position, alone = waiting.pop()
        if isinstance(each, Text):
            yield Occurrence(tag, each, position, alone)
            continue
        below: list[tuple[_Unfrozen | Text, str, int, bool]] = []
        seen: Counter[str] = Counter()
        for child in each.children:
            name = child.tag if isinstance(child, _Unfrozen) else ""
            seen[name] += 1
            below.append((child, each.tag, positions.setdefault((position, name, seen[name]), len(positions) + 1), len(each.children) == 1))
        waiting += reversed(below)


def _read_page(root: etree._Element, name: str) -> _Unfrozen:
    """Return one page. name: how error messages refer to it."""
    top = _Unfrozen("", (), -1)
    chain, tokens = [top], 0
    for kind, element, text in walk_page(root, hidden=frozenset() if is_xml(root) else _OUT, max_depth=MAX_DEPTH):
        if element.hidden:
            continue
        if kind == "start":
            opened = _Unfrozen(element.tag, _names(element.element), element.node)
            chain[-1].children.append(opened)
            chain.append(opened)
            tokens += 2
        elif kind == "end":
            _close(chain.pop(), chain[-1], element.element)
        elif cleaned := clean(text):
            chain[-1].length += len(cleaned)
            chain[-1].children.append(Text(cleaned, place=Location(element.node, "text", element.texts)))
            tokens += 1
        if tokens > MAX_TOKENS:
            raise AlignmentError(f"{name} has more than {MAX_TOKENS:,} tags and strings")
    first = top.children[0]
    assert isinstance(first, _Unfrozen)  # noqa: S101 - the root is no text; the checker does not see it
    return first


def _close(closed: _Unfrozen, above: _Unfrozen, element: etree._Element) -> None:
    """Join running text into one string, and add this element's totals to the element above it."""
    above.length += closed.length
    above.flat = above.flat and closed.flat and closed.tag in _INLINE
    own = any(isinstance(child, Text) for child in closed.children)
    if closed.flat and own and len(closed.children) > 1 and closed.length >= PROSE:
        closed.children = [Text(clean(whole_text(element)), place=Location(closed.node))]


def _names(element: etree._Element) -> tuple[str, ...]:
    attributes = element.attrib
    if not attributes or element.tag in ("html", "body"):
        return ()
    return tuple(
        sorted({*(f".{name}" for name in attributes.get("class", "").split()), *(f"#{name}" for name in attributes.get("id", "").split())})
    )


def _all(page: _Unfrozen) -> Iterator[_Unfrozen]:
    waiting = [page]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(child for child in each.children if isinstance(child, _Unfrozen))


def _frozen(each: _Unfrozen, vocabulary: Vocabulary, values: Collection[Text] = ()) -> Element:
    """Return an element of a page. values: the strings that other pages have other ones in place of."""
    label = each.tag + "".join(name for name in each.names if name in vocabulary.names)
    children: list[Node] = []
    for child in each.children:
        if isinstance(child, Text):
            children.append(Text(child.text, (each.tag, child.text) in vocabulary.fixed, child.place, child in values))
        else:
            children.append(_frozen(child, vocabulary, values))
    return Element(label, tuple(children), each.node)
