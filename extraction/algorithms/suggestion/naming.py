"""Names for columns: from labels, from the names that the template's author gave to elements, and from what the values are."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from extraction.algorithms.suggestion.kinds import find_kind
from extraction.algorithms.suggestion.labels import TemplateLabels
from extraction.algorithms.suggestion.ranking import ColumnCandidate
from extraction.algorithms.suggestion.units import PageUnits, UnitPaths

MAX_WORDS, MAX_NAME = 3, 40
TITLE_AMONG = 10
"""How many of the first columns may be the title."""

ONLY_LABELS = 0.9
"""The share of the texts in elements of one kind that must be labels for the elements to be there for labels."""

ITSELF = 0.5
"""A name is not used if more than this share of the values consist of the same words: a value is not its own name."""

HEADINGS = ("h1", "h2", "h3", "h4")
CELLS = frozenset(("td", "dd", "li"))
"""Elements that the text before them names, even if it does not look like a label."""

VOCABULARY = {
    "fn": "name",
    "tel": "phone",
    "adr": "address",
    "url": "website",
    "bday": "birth date",
    "telephone": "phone",
    "geo": "location",
}
"""Class names of microformats and properties of schema.org whose words say little."""

GENERIC = frozenset(
    """a an the of and or to in for by on at is this that your our with from see more all here click view
    value val text txt content data info item items field label title-block block box wrap wrapper container inner outer main body
    left right top bottom center middle first last odd even row col column cell td tr th ul li div span p b font link links list
    section module mod bd hd ft hdr header head page site layout grid panel tab tabs standard default common widget textline required
    small big large bold normal inline clear clearfix fix style class new old active current selected hidden visible none no js
    image images img icon btn button quiet detail details desc ctl lbl lnk hyp rpt ctl00 muted full half see canwrap entry post
    rows lines line tile tiles card cards cols columns alt alternate sprite""".split()  # noqa: SIM905
)
"""Words of class names that say how something looks or where it stands, not what it is."""

_GLUED = re.compile(r"(?:odd|even|alt|first|last)(?:row|line|item|cell|col)s?|(?:row|line|item|cell|col)(?:odd|even|alt|first|last)")
"""Words of class names that join two of GENERIC."""

VAGUE = frozenset(("id", "name", "value", "text", "type", "code", "lang", "href", "url", "key", "item", "unit"))
"""Names of XML elements that say something only together with the element around them."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W_a-zA-Z\d]+|\d+")
PLAIN = re.compile(r"[^\W_]+")
_PREFIX = re.compile(r"([^\W\d_][^:：]{0,30})[:：]\s*\S")


class Namer:
    """Names the columns that were found on pages."""

    def __init__(self, pages: Sequence[PageUnits], keys: Sequence[Sequence[str]], labels: TemplateLabels, paths: UnitPaths) -> None:
        self.labels, self.paths = labels, paths
        written: dict[str, Counter[str]] = {}
        for page, row in zip(pages, keys, strict=True):
            for unit, key in zip(page.texts, row, strict=True):
                if key in labels:
                    written.setdefault(key, Counter())[" ".join(PLAIN.findall(unit.text.casefold()))] += 1
        self.beside = _find_labels_beside(pages, keys, labels, paths)
        self.no_names = _find_no_names(pages, keys, labels, paths)
        self.written = {key: min(counts, key=lambda text: (-counts[text], text)) for key, counts in written.items()}

    def name_columns(self, columns: Sequence[ColumnCandidate], headers: Mapping[int, str]) -> list[str]:
        """Return an identifier for each column, no two of them equal. headers: {number of a column: the head of its table column}."""
        title, taken, names = self._title(columns), Counter[str](), []
        for number, each in enumerate(columns):
            head = content_words(PLAIN.findall(headers.get(number, "")))
            ideas = filter(None, map(make_identifier, (head, *self._list_ideas(each))))
            own = "title" if each is title else next((idea for idea in ideas if not _is_its_values(idea, each)), "field")
            taken[own] += 1
            name = own
            while taken[own] > 1 and (name := f"{own}_{taken[own]}") in taken:
                taken[own] += 1
            taken[name] = max(1, taken[name])
            names.append(name)
        return names

    def _title(self, columns: Sequence[ColumnCandidate]) -> ColumnCandidate | None:
        """Return the column that is most likely the page's title: of the first ones that the pages' titles contain, a heading or
        else the first."""
        first = [each for each in columns[:TITLE_AMONG] if each.titled > 0.5 and each.single and not each.constant]
        rows = [each for each in first if not 0 < len(self._label(each)) <= MAX_WORDS]
        return next((each for each in rows if self.paths.tags[_path(each)] in HEADINGS), rows[0] if rows else None)

    def _label(self, each: ColumnCandidate) -> Sequence[str]:
        """Return the words of the label before a column, if it looks like a label."""
        return (
            PLAIN.findall(self.written.get(each.key.label, ""))
            if each.key.label in self.labels.marked and self._is_near_label(each)
            else ()
        )

    def _list_ideas(self, each: ColumnCandidate) -> Iterable[Sequence[str]]:
        """Yield words for a name, the best first."""
        path, kind = _path(each), find_kind([found.unit.text for row in each.group.values() for found in row])
        marked, near = each.key.label in self.labels.marked, self._is_near_label(each)
        written = PLAIN.findall(self.written.get(each.key.label, "")) if marked or not each.constant else []
        label = [] if each.key.label in self.no_names else content_words(written)
        if self.paths.named:
            yield from self._element_words(path)
        own = self._author_words(path)
        above = self._author_words(self.paths.above[path]) if self.paths.above[path] >= 0 else ()
        if each.key.shape:
            yield [kind]
        in_cell = self.paths.tags[path] in CELLS and len(label) <= MAX_WORDS + 1
        if near and (marked or each.key.label in self.beside or set(label) <= {*own, *above} or in_cell):
            yield label
        yield _find_prefix(each)
        yield own
        if kind in ("email", "website", "phone"):
            yield [kind]
        if near and len(label) <= MAX_WORDS:
            yield label
        yield above
        yield [kind]
        yield ["heading"] if self.paths.tags[path] in HEADINGS else []
        yield label
        yield written if marked and near and len(written) <= MAX_WORDS else []

    def _is_near_label(self, each: ColumnCandidate) -> bool:
        gaps = [row[0].gap for row in each.group.values()]
        return sum(gaps) <= 0.5 * len(gaps)

    def _element_words(self, path: int) -> Iterable[Sequence[str]]:
        """Yield, on pages of XML, the name of the element or attribute, after that of the element around it if it says little on its
        own."""
        around = self.paths.above[path]
        own, above = (self._tag_words(each) for each in (path, around))
        vague = self.paths.tags[path].startswith("@") or set(own) <= VAGUE
        yield [*above, *own] if vague and above and above != own else own

    def _tag_words(self, path: int) -> list[str]:
        if path < 0:
            return []
        said = [value for name, value in self.paths.names[path] if name in ("name", "key")]
        return [word.lower() for word in WORD.findall(said[0] if said else self.paths.tags[path])]

    def _author_words(self, path: int) -> Sequence[str]:
        """Return the words of the first of the step's itemprop, classes and id that says something."""
        names = sorted(self.paths.names[path], key=lambda pair: ("itemprop", "class", "id").index(pair[0]))
        rows = (content_words(WORD.findall(VOCABULARY.get(value, value))) for _, value in names)
        return next((words for words in rows if words), ())


def _find_labels_beside(
    pages: Sequence[PageUnits], keys: Sequence[Sequence[str]], labels: TemplateLabels, paths: UnitPaths
) -> frozenset[str]:
    """Return the labels that do not look like any but stand beside their values, as in `<span>Colour</span><span>red</span>`.

    Label and value have one parent, or the value is the parent's own text. Elements like that of the label hold several labels, each once
    on a page, and hardly anything else.
    """
    held: dict[int, set[str]] = {}
    all_texts, of_labels = Counter[int](), Counter[int]()
    twice: set[str] = set()
    for page, row in zip(pages, keys, strict=True):
        twice |= {key for key, count in Counter(row).items() if count > 1}
        all_texts.update(unit.path for unit in page.texts)
        of_labels.update(unit.path for unit, key in zip(page.texts, row, strict=True) if key in labels)
        for (unit, key), (after, value) in pairwise(zip(page.texts, row, strict=True)):
            around = paths.above[unit.path]
            beside = around == after.path or (around == paths.above[after.path] and unit.path != after.path)
            if key in labels.constant and value not in labels and beside:
                held.setdefault(unit.path, set()).add(key)
    several = ((path, found) for path, found in held.items() if len(found) > 1 and not found & twice)
    return frozenset(key for path, found in several if of_labels[path] >= ONLY_LABELS * all_texts[path] for key in found)


def _find_no_names(pages: Sequence[PageUnits], keys: Sequence[Sequence[str]], labels: TemplateLabels, paths: UnitPaths) -> frozenset[str]:
    """Return the texts of the template that name no value: those on buttons, and those with figures that do not look like labels."""
    found = set[str]()
    for page, row in zip(pages, keys, strict=True):
        for unit, key in zip(page.texts, row, strict=True):
            figures = key in labels.constant and any(map(str.isdigit, key))
            if key in labels and (figures or "button" in (paths.tags[unit.path], paths.tags[paths.above[unit.path]])):
                found.add(key)
    return frozenset(found)


def _path(each: ColumnCandidate) -> int:
    """Return the path that the column is named by: that of the values, or of the element around them."""
    return each.key.path if each.key.kind.endswith("around") else each.group[min(each.group)][0].unit.path


def content_words(words: Iterable[str]) -> list[str]:
    """Return the words that say what something is, in lower case; none if only numbers are left."""
    lower = [VOCABULARY.get(word.lower(), word.lower()) for word in words]
    kept = [word for word in lower if word not in GENERIC and not _GLUED.fullmatch(word) and (len(word) > 1 or word.isdigit())]
    return kept if any(not word.isdigit() for word in kept) else []


def make_identifier(words: Sequence[str]) -> str:
    """Return an identifier built from the words; "" if none can be built."""
    plain = "_".join(part for word in words[: MAX_WORDS + 1] for part in word.split())[:MAX_NAME].strip("_")
    while plain and plain[0].isdigit():
        plain = plain.lstrip("0123456789").lstrip("_")
    return plain if plain.isidentifier() else ""


def _is_its_values(name: str, each: ColumnCandidate) -> bool:
    """Return whether most values of a column consist of the words of a name."""
    texts = [found.unit.text for row in each.group.values() for found in row]
    return sum("_".join(PLAIN.findall(text.lower())) == name for text in texts) > ITSELF * len(texts)


def _find_prefix(each: ColumnCandidate) -> Sequence[str]:
    """Return the words before a colon that most values begin with."""
    matches = [_PREFIX.match(found.unit.text) for row in each.group.values() for found in row]
    counts = Counter(match[1] for match in matches if match)
    if not counts:
        return ()
    best = min(counts, key=lambda text: (-counts[text], text))
    return content_words(PLAIN.findall(best)) if counts[best] > 0.7 * len(matches) else ()
