"""Learning while a person clicks: the pages of a cluster kept parsed, rules learned from labels, what they give.

A click must show its effect within half a second on pages of 1 MB, so everything that can be kept is kept: trees and
tables of the learning set, rules by their labels, values by rule and page, hits by rule and content. A `Workspace` is
one cluster's share of that; the process keeps the workspaces used last, within VERTEX_WORKSPACE_MAX_BYTES in all.
Nothing here is needed to be right: another process, or this one after it forgot, comes to the same rules.
"""

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cachetools import LRUCache
from django.conf import settings
from lxml import etree

from extraction.algorithms.dom.nodes import Location, elements
from extraction.algorithms.errors import PageError
from extraction.algorithms.learning import apriori
from extraction.algorithms.learning.committee import Committee, convene
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.models import Attribute, Cluster, RecordList
from extraction.services.core import stored_pages
from extraction.services.core.coverage import MAX_LISTED, Coverage, Survey
from extraction.services.core.stored_pages import StoredPage
from extraction.services.labels import designs, list_offers
from extraction.services.learning import learning_set, list_lessons
from extraction.services.learning.learning_set import LoadedPage, RowLabels, labels_of, row_labels_of
from extraction.services.learning.list_lessons import ListLesson
from extraction.services.rules.definitions import build_attribute_rule

__all__ = [
    "MAX_LISTED",
    "Coverage",
    "Filling",
    "Lesson",
    "LoadedPage",
    "NotLearned",
    "Workspace",
    "coverage",
    "digest",
    "labels_of",
    "open_workspace",
    "page_in_memory",
    "row_labels_of",
]

Labels = Mapping[int, Sequence[Location]]
"""{snapshot id: places of one attribute}; () says that it is not on that page."""

Values = list[tuple[Location, str]]

_LESSONS, _COMMITTEES, _SURVEYS, _VALUES, _COUNTS = 500, 100, 50, 10_000, 300_000
"""Kept at most: lessons, committees, surveys and values of pages a workspace, hits (an integer each) a process."""

_COUNTED: LRUCache[tuple[str, str], int] = LRUCache(_COUNTS)
_COUNTED_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Filling:
    """How much of the learning set is in memory."""

    loaded: int
    wanted: int

    @property
    def complete(self) -> bool:
        return self.loaded == self.wanted


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was learned of an attribute: the rule and, for its report, what the learner said of each XPath."""

    rule: AttributeRule
    learned: apriori.Learned


@dataclass(frozen=True, slots=True)
class NotLearned:
    """Why nothing could be learned of an attribute. `message` names the attribute and, where one page is to blame, its URL.

    places: (snapshot id, place) of what does not go together.
    """

    attribute: str
    message: str
    snapshot_id: int | None = None
    places: tuple[tuple[int, Location], ...] = ()


class Workspace:
    """A cluster's learning set in memory. Get it by `workspace(cluster)`; each method takes its lock.

    `pages` holds what is loaded so far, in the order of the learning set; `fill` loads on.
    """

    def __init__(self, cluster_id: int) -> None:
        self.cluster_id = cluster_id
        self.pages: dict[int, LoadedPage] = {}
        self.left_out: dict[int, str] = {}
        self._lock = threading.RLock()
        self._state: learning_set.State | None = None
        self._first: frozenset[int] = frozenset()
        self._wanted: list[StoredPage] = []
        self._all: list[StoredPage] = []
        self._trees: dict[str, tuple[etree._Element, int]] = {}
        self._trees_bytes = 0
        self._corpus: Corpus | None = None
        self._surveys: LRUCache[str, Survey] = LRUCache(_SURVEYS)
        self._lessons: LRUCache[object, Lesson | NotLearned] = LRUCache(_LESSONS)
        self._lists: LRUCache[object, ListLesson | list_lessons.Problem] = LRUCache(_LESSONS)
        self._rows: LRUCache[tuple[str, str], list_lessons.Rows] = LRUCache(_SURVEYS * 10)
        self._committees: LRUCache[object, Committee] = LRUCache(_COMMITTEES)
        self._values: LRUCache[tuple[str, str], tuple[tuple[Location, str], ...]] = LRUCache(_VALUES)

    @property
    def memory_bytes(self) -> int:
        """What it holds, estimated."""
        corpus = self._corpus  # another thread may let it go meanwhile
        return sum(page.memory_bytes for page in self.pages.values()) + self._trees_bytes + (corpus.size_bytes if corpus else 0)

    def refresh(self) -> None:
        """Follows the database: pages that came or went, samples and labels that were added."""
        now = learning_set.state(self.cluster_id)
        with self._lock:
            if now == self._state:
                return
            if self._state is None or now.pages != self._state.pages:
                self._all = designs.learnable_pages(self.cluster_id)
            self._surveys.clear()
            self._state, self._first = now, frozenset(now.first)
            self._wanted = stored_pages.choose_pages(now.first, self._all, max_bytes=settings.VERTEX_WORKSPACE_MAX_BYTES)
            kept = {(source.snapshot_id, source.sha256) for source in self._wanted}
            self.pages = {pk: page for pk, page in self.pages.items() if (pk, page.sha256) in kept}
            self.left_out = {}
            if self._corpus is not None and self._corpus.pages != [page.table for page in self.pages.values()]:
                self._corpus = None

    def fill(self, budget_s: float | None = 0.3) -> Filling:
        """Loads pages of the learning set, labelled ones first, for about `budget_s`; None loads all. At least one."""
        until = None if budget_s is None else time.monotonic() + budget_s
        with self._lock:
            while pending := self._pending():
                self._load(pending[0])
                if until is not None and time.monotonic() >= until:
                    break
            return self.filling

    @property
    def filling(self) -> Filling:
        """How much of the learning set is in memory; what cannot be read is not wanted."""
        return Filling(len(self.pages), len(self._wanted) - len(self.left_out))

    def page(self, snapshot_id: int) -> LoadedPage | None:
        """A page of the learning set, loaded now if it was not; None when it is not in the set or cannot be read."""
        with self._lock:
            if snapshot_id not in self.pages:
                for source in self._pending():
                    if source.snapshot_id == snapshot_id:
                        self._load(source)
            return self.pages.get(snapshot_id)

    def learn(self, attribute: Attribute, labels: Labels) -> AttributeRule | NotLearned:
        """The attribute's rule by its labels and what is loaded; kept by both, so asking again costs nothing."""
        lesson = self.lesson(attribute, labels)
        return lesson.rule if isinstance(lesson, Lesson) else lesson

    def lesson(self, attribute: Attribute, labels: Labels) -> Lesson | NotLearned:
        """As `learn`, with what the learner said of each XPath."""
        with self._lock:
            for snapshot_id in labels:
                self.page(snapshot_id)
            said = tuple(sorted((pk, tuple(places)) for pk, places in labels.items()))
            kind = (attribute.name, attribute.type, attribute.multiple, attribute.mandatory)
            key = (kind, said, tuple(self.pages))
            if key not in self._lessons:
                self._lessons[key] = self._learn(attribute, dict(said))
            return self._lessons[key]

    def list_lesson(self, record_list: RecordList, labels: RowLabels) -> ListLesson | list_lessons.Problem:
        """What the marked rows of a list teach; kept by them and by what is loaded."""
        attributes = list_lessons.attributes_of(record_list)
        with self._lock:
            for snapshot_id in labels:
                self.page(snapshot_id)
            kinds = tuple((each.pk, each.name, each.type, each.multiple, each.mandatory) for each in attributes)
            whole = list_offers.whole(self.cluster_id, record_list)
            key = (record_list.name, kinds, repr(labels), whole, tuple(self.pages))
            if key not in self._lists:
                pages = list(self.pages.values())
                self._lists[key] = list_lessons.learn(record_list, attributes, labels, pages, self._pages_as_one(), whole=whole)
            return self._lists[key]

    def rows(self, rule: ListRule, *, only: Iterable[int] | None = None) -> Mapping[int, list_lessons.Rows]:
        """{snapshot id: rows of the list} on the loaded pages, or on those of `only` in the learning set, which are loaded for it."""
        mark = repr(rule)
        with self._lock:
            found = {}
            for pk in set(only or ()) & self._first:
                self.page(pk)
            for pk in self.pages if only is None else [pk for pk in only if pk in self.pages]:
                page = self.pages[pk]
                if (mark, page.sha256) not in self._rows:
                    self._rows[mark, page.sha256] = list_lessons.rows_on(rule, page)
                found[pk] = self._rows[mark, page.sha256]
            return found

    def committee(self, attribute: Attribute, labels: Labels) -> Committee:
        """The rules that fit the attribute's labels about as well; none where nothing can be learned. Votes are in the order of `pages`."""
        with self._lock:
            for snapshot_id in labels:
                self.page(snapshot_id)
            said = tuple(sorted((pk, tuple(places)) for pk, places in labels.items()))
            key = ((attribute.pk, attribute.multiple, attribute.mandatory), said, tuple(self.pages))
            if key not in self._committees:
                self._committees[key] = self._convene(attribute, dict(said))
            return self._committees[key]

    @property
    def sources(self) -> list[StoredPage]:
        """All pages of the cluster, in the order of their ids."""
        return self._all

    def root(self, source: StoredPage) -> etree._Element:
        """The tree of any page of the cluster. Raises PageError."""
        with self._lock:
            page = self.pages.get(source.snapshot_id)
            return page.root if page else self._tree(source)

    def values(self, rule: AttributeRule, *, only: Iterable[int] | None = None) -> Mapping[int, Values]:
        """{snapshot id: [(place, value), …]} of an attribute's rule on the loaded pages, or on those of `only`.

        Of `only`, pages that are neither labelled nor samples are read for it; those come as the learning set fills.
        """
        mark = digest(rule)
        with self._lock:
            wanted = self.pages if only is None else [pk for pk in only if pk in self.pages]
            found = {pk: list(self._page_values(mark, rule, self.pages[pk])) for pk in wanted}
            others = set(only or ()) - self.pages.keys() - self._first  # those are loaded soon
            for source in self._all if others else ():
                if source.snapshot_id in others:
                    found |= self._values_outside(mark, rule, source)
            return found

    def coverage(self, rule: AttributeRule, *, budget_s: float = 0.4) -> Coverage:
        """See `coverage`."""
        mark = digest(rule)
        until = time.monotonic() + budget_s
        with self._lock:
            if mark not in self._surveys:
                self._surveys[mark] = Survey(self._in_memory_first())
            survey = self._surveys[mark]
            while (source := survey.next_source) is not None:
                survey.note(self._count(mark, rule, source))
                if time.monotonic() >= until:
                    break
            return survey.summary()

    def _pending(self) -> list[StoredPage]:
        return [source for source in self._wanted if source.snapshot_id not in self.pages and source.snapshot_id not in self.left_out]

    def _load(self, source: StoredPage) -> None:
        try:
            page = learning_set.load(source)
        except PageError as error:
            self.left_out[source.snapshot_id] = str(error)
            return
        self._trees_bytes -= self._trees.pop(source.sha256, (None, 0))[1]
        full = _held_bytes(self) + page.memory_bytes > settings.VERTEX_WORKSPACE_MAX_BYTES
        if full and source.snapshot_id not in self._first:
            self._wanted = [each for each in self._wanted if each.snapshot_id in self.pages or each.snapshot_id in self._first]
            return
        self._corpus = None
        loaded = {**self.pages, source.snapshot_id: page}
        self.pages = {source.snapshot_id: loaded[source.snapshot_id] for source in self._wanted if source.snapshot_id in loaded}
        _make_room(self)

    def _learn(self, attribute: Attribute, labels: Labels) -> Lesson | NotLearned:
        ids, examples = list(self.pages), self._examples(labels)
        if not any(example.locations for example in examples):
            return NotLearned(attribute.name, f"{attribute.name}: no value is marked on a readable page")
        found = apriori.learn(self._pages_as_one(), examples, multiple=attribute.multiple, mandatory=attribute.mandatory)
        if isinstance(found, apriori.NotLearned):
            page = None if found.page is None else self.pages[ids[found.page]]
            where = f" ({page.url})" if page else ""
            places = tuple((ids[number], location) for number, location in found.places)
            return NotLearned(attribute.name, f"{attribute.name}: {found.reason}{where}", page.snapshot_id if page else None, places)
        selectors = tuple(Selector(each.xpath, each.part) for each in found.alternatives)
        return Lesson(build_attribute_rule(attribute, selectors), found)

    def _examples(self, labels: Labels) -> list[apriori.Example]:
        ids = list(self.pages)
        return [apriori.Example(ids.index(pk), tuple(places)) for pk, places in labels.items() if pk in self.pages]

    def _convene(self, attribute: Attribute, labels: Labels) -> Committee:
        examples = self._examples(labels)
        if not any(example.locations for example in examples):
            return Committee(())
        found = convene(self._pages_as_one(), examples, multiple=attribute.multiple, mandatory=attribute.mandatory)
        return found if isinstance(found, Committee) else Committee(())

    def _pages_as_one(self) -> Corpus:
        """The tables end to end, kept while the pages stay the same and there is room: a third of a lesson on large pages."""
        tables = [page.table for page in self.pages.values()]
        if self._corpus is None or self._corpus.pages != tables:
            self._corpus = None
            made = Corpus(tables)
            if _held_bytes() + made.size_bytes > settings.VERTEX_WORKSPACE_MAX_BYTES:
                return made
            self._corpus = made
        return self._corpus

    def _page_values(self, mark: str, rule: AttributeRule, page: LoadedPage) -> tuple[tuple[Location, str], ...]:
        if (mark, page.sha256) not in self._values:
            self._values[mark, page.sha256] = apply.attribute_places(rule, page.root, page.index)
        return self._values[mark, page.sha256]

    def _values_outside(self, mark: str, rule: AttributeRule, source: StoredPage) -> dict[int, Values]:
        """The values on a page beside the learning set; {} for one that cannot be read."""
        known = self._values.get((mark, source.sha256))
        if known is None:
            try:
                root = self._tree(source)
            except PageError:
                return {}
            index = {element: n for n, element in enumerate(elements(root))}
            known = self._values[mark, source.sha256] = apply.attribute_places(rule, root, index)
        return {source.snapshot_id: list(known)}

    def _in_memory_first(self) -> list[StoredPage]:
        """The cluster's pages, those that cost no reading first: the first slice then says the most."""
        held = {page.sha256 for page in self.pages.values()} | self._trees.keys()
        return sorted(self._all, key=lambda source: source.sha256 not in held)

    def _count(self, mark: str, rule: AttributeRule, source: StoredPage) -> int:
        """Different values on a page, counted once a rule and content."""
        key = (mark, source.sha256)
        with _COUNTED_LOCK:
            known = _COUNTED.get(key)
        if known is None:
            known = self._count_values(rule, source)
            with _COUNTED_LOCK:
                _COUNTED[key] = known
        return known

    def _count_values(self, rule: AttributeRule, source: StoredPage) -> int:
        """Different values on a page; a page that cannot be read has none."""
        page = self.pages.get(source.snapshot_id)
        try:
            root = page.root if page else self._tree(source)
        except PageError:
            return 0
        return len(set(apply.attribute_values(rule, root)))

    def _tree(self, source: StoredPage) -> etree._Element:
        """The page's tree, kept while there is room: reading it is nine tenths of what a check costs."""
        kept = self._trees.get(source.sha256)
        if kept is not None:
            return kept[0]
        root = stored_pages.read_root(source)
        need = learning_set.tree_bytes(source, root)
        if _held_bytes() + need <= settings.VERTEX_WORKSPACE_MAX_BYTES:
            self._trees[source.sha256] = (root, need)
            self._trees_bytes += need
        return root

    def drop_trees(self) -> None:
        """Gives back what is only kept for speed: trees beside the learning set, its tables end to end."""
        with self._lock:
            self._corpus = None
            self._trees = {}
            self._trees_bytes = 0


def open_workspace(cluster: Cluster) -> Workspace:
    """The cluster's workspace, up to date with the database. Its pages are loaded by `fill` and by what needs them."""
    with _LOCK:
        found = _WORKSPACES.pop(cluster.pk, None) or Workspace(cluster.pk)
        _WORKSPACES[cluster.pk] = found
    found.refresh()
    return found


def page_in_memory(cluster: Cluster, snapshot_id: int) -> LoadedPage | None:
    """A page that the cluster's workspace holds already, without waiting for whoever is learning in it."""
    with _LOCK:
        found = _WORKSPACES.get(cluster.pk)
    return found.pages.get(snapshot_id) if found else None  # `pages` is only ever replaced as a whole


def coverage(cluster: Cluster, rule: AttributeRule, *, budget_s: float = 0.4) -> Coverage:
    """Looks at more pages of the cluster for about `budget_s`; each page once per rule.

    The figures are of all pages that this process has looked at with this rule, not of this call alone: a client
    shows what it got last and calls again until it is complete. Each call looks at one page
    at least.
    """
    return open_workspace(cluster).coverage(rule, budget_s=budget_s)


def digest(rule: AttributeRule) -> str:
    """Names what a rule selects: equal for rules with the same XPaths, whatever their attribute is called."""
    row = RuleDefinition((AttributeRule("x", alternatives=rule.alternatives),)).as_json()
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()


def forget() -> None:
    """Drops everything kept in this process."""
    with _LOCK:
        _WORKSPACES.clear()
    with _COUNTED_LOCK:
        _COUNTED.clear()


_LOCK = threading.Lock()
_WORKSPACES: OrderedDict[int, Workspace] = OrderedDict()


def _held_bytes(only: Workspace | None = None) -> int:
    """Memory of all workspaces, or of the pages alone that one of them learns from."""
    if only is not None:
        return sum(page.memory_bytes for page in only.pages.values())
    with _LOCK:
        return sum(each.memory_bytes for each in _WORKSPACES.values())


def _make_room(for_: Workspace) -> None:
    """Lets the workspaces go that were used longest ago, then the spare trees of this one, until the bound holds."""
    while _held_bytes() > settings.VERTEX_WORKSPACE_MAX_BYTES:
        with _LOCK:
            others = [pk for pk, each in _WORKSPACES.items() if each is not for_]
            if not others:
                break
            del _WORKSPACES[others[0]]
    if _held_bytes() > settings.VERTEX_WORKSPACE_MAX_BYTES:
        for_.drop_trees()
