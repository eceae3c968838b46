"""Learning while a person clicks: a cluster's pages, lessons and results, kept in this process.

A click must show its effect within half a second on pages of 1 MB, so everything that can be kept is kept. A `Workspace` composes what
is kept of one cluster: its pages (`page_cache`), what its labels teach (`lessons`) and what its rules give (`rule_results`). The process
keeps the workspaces that were used last, within VERTEX_WORKSPACE_MAX_BYTES in all. Results never depend on what is kept: another
process, or this one after it forgot, comes to the same rules.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.conf import settings
from lxml import etree

from extraction.algorithms.dom.page_language import primary_language
from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.committee import Committee
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.rules.rule import AttributeRule, ListRule
from extraction.models import Attribute, Cluster, RecordList
from extraction.services.core.coverage import MAX_LISTED, Coverage
from extraction.services.core.stored_pages import StoredPage
from extraction.services.labels import list_offers
from extraction.services.learning.learning_set import LoadedPage, RowLabels, read_labels, read_row_labels
from extraction.services.learning.lessons import (
    AttributeLabels,
    AttributeLesson,
    AttributeTask,
    LessonProblem,
    Lessons,
    ListLesson,
    ListTask,
    list_row_attributes,
)
from extraction.services.learning.page_cache import PageCache
from extraction.services.learning.rule_results import Rows, RuleResults, Values, forget_counts, name_rule

__all__ = [
    "MAX_LISTED",
    "AttributeLabels",
    "AttributeLesson",
    "Coverage",
    "Filling",
    "LessonProblem",
    "LoadedPage",
    "Workspace",
    "count_hits",
    "find_loaded_page",
    "forget_workspaces",
    "open_workspace",
    "read_labels",
    "read_row_labels",
]


@dataclass(frozen=True, slots=True)
class Filling:
    """How much of the learning set is in memory."""

    loaded: int
    wanted: int

    @property
    def complete(self) -> bool:
        return self.loaded == self.wanted


class Workspace:
    """A cluster's learning set in memory. Get it by `open_workspace`; each method takes its lock."""

    def __init__(self, cluster_id: int) -> None:
        self.cluster_id = cluster_id
        self._lock = threading.RLock()
        self._cache = PageCache(cluster_id)
        self._lessons = Lessons()
        self._results = RuleResults()

    @property
    def pages(self) -> dict[int, LoadedPage]:
        """{snapshot id: page} of the pages loaded so far, in the order of the learning set; `fill` loads more."""
        return self._cache.pages

    @property
    def left_out(self) -> dict[int, str]:
        """{snapshot id: why it cannot be read} of pages of the learning set."""
        return self._cache.left_out

    @property
    def sources(self) -> list[StoredPage]:
        """All pages of the cluster, in the order of their ids."""
        return self._cache.sources

    @property
    def memory_bytes(self) -> int:
        """The estimated memory that it uses."""
        return self._cache.memory_bytes

    @property
    def filling(self) -> Filling:
        """How much of the learning set is in memory."""
        return Filling(len(self._cache.pages), self._cache.wanted)

    def refresh(self) -> None:
        """Updates the workspace from the database: pages that came or went, and samples and labels that were added."""
        state = self._cache.read_state()
        with self._lock:
            if self._cache.follow(state):
                self._results.forget_surveys()

    def fill(self, budget_s: float | None = 0.3) -> Filling:
        """Loads pages of the learning set, labelled pages first, for about `budget_s` seconds but at least one page; None loads all."""
        until = None if budget_s is None else time.monotonic() + budget_s
        with self._lock:
            while pending := self._cache.list_pending():
                self._load(pending[0])
                if until is not None and time.monotonic() >= until:
                    break
            return self.filling

    def load_page(self, snapshot_id: int) -> LoadedPage | None:
        """Return a page of the learning set, and loads it if needed; None if it is not in the set or cannot be read."""
        with self._lock:
            if snapshot_id not in self._cache.pages:
                for source in self._cache.list_pending():
                    if source.snapshot_id == snapshot_id:
                        self._load(source)
            return self._cache.pages.get(snapshot_id)

    def learn_rule(self, attribute: Attribute, labels: AttributeLabels) -> AttributeRule | LessonProblem:
        """Return the attribute's rule, learned from its labels and the loaded pages."""
        lesson = self.learn_attribute(attribute, labels)
        return lesson.rule if isinstance(lesson, AttributeLesson) else lesson

    def learn_attribute(self, attribute: Attribute, labels: AttributeLabels) -> AttributeLesson | LessonProblem:
        """Return the attribute's rule with what the learner said about each XPath."""
        with self._lock:
            task = self._make_task(attribute, labels)
            return self._lessons.find_attribute(task) or self._lessons.learn_attribute(task, self._read_corpus())

    def train_committee(self, attribute: Attribute, labels: AttributeLabels) -> Committee:
        """The rules that fit the attribute's labels about as well; none where nothing can be learned. Votes are in the order of `pages`."""
        with self._lock:
            task = self._make_task(attribute, labels)
            return self._lessons.find_committee(task) or self._lessons.train_committee(task, self._read_corpus())

    def learn_list(self, record_list: RecordList, labels: RowLabels) -> ListLesson | LessonProblem:
        """Learns a list's rule from its marked rows."""
        attributes = list_row_attributes(record_list)
        with self._lock:
            for snapshot_id in labels:
                self.load_page(snapshot_id)
            whole = list_offers.find_whole_pages(self.cluster_id, record_list)
            task = ListTask.make(record_list, attributes, labels, self._cache.pages, whole)
            return self._lessons.find_list(task) or self._lessons.learn_list(task, self._read_corpus())

    def read_rows(self, rule: ListRule, *, only: Iterable[int] | None = None) -> Mapping[int, Rows]:
        """Return {snapshot id: rows of the list} for the loaded pages, or for those of `only`.

        Of `only`, labelled pages and samples are loaded first. Other pages count only if they are loaded already.
        """
        name = name_rule(rule)
        with self._lock:
            for pk in set(only or ()) & self._cache.first:
                self.load_page(pk)
            pages = self._cache.pages
            found = {}
            for page in pages.values() if only is None else [pages[pk] for pk in only if pk in pages]:
                known = self._results.find_rows(name, page.sha256)
                rows = self._results.read_rows(name, rule, page.sha256, page.root, page.index) if known is None else known
                found[page.snapshot_id] = rows
            return found

    def read_values(self, rule: AttributeRule, *, only: Iterable[int] | None = None) -> Mapping[int, Values]:
        """{snapshot id: [(place, value), …]} of an attribute's rule on the loaded pages, or on those of `only`.

        Of `only`, pages that are neither labelled nor samples are read for it; labelled pages and samples come as the set fills.
        """
        name = name_rule(rule)
        with self._lock:
            pages = self._cache.pages
            wanted = pages if only is None else [pk for pk in only if pk in pages]
            found: dict[int, Values] = {}
            for pk in wanted:
                known = self._results.find_values(name, pages[pk].sha256)
                page = pages[pk]
                found[pk] = self._results.read_values(name, rule, page.sha256, page.root, page.index) if known is None else known
            others = set(only or ()) - pages.keys() - self._cache.first
            for source in self._cache.sources if others else ():
                if source.snapshot_id in others:
                    values = self._read_values_outside(name, rule, source)
                    found |= {} if values is None else {source.snapshot_id: values}
            return found

    def count_hits(self, rule: AttributeRule, *, budget_s: float = 0.4) -> Coverage:
        """See the function `count_hits`."""
        name, until = name_rule(rule), time.monotonic() + budget_s
        with self._lock:
            survey = self._results.find_survey(name) or self._results.begin_survey(name, self._cache.order_by_cost())
            while (source := survey.next_source) is not None:
                known = self._results.find_count(name, source.sha256)
                survey.note(self._results.count_values(name, rule, source.sha256, self._find_root(source)) if known is None else known)
                if time.monotonic() >= until:
                    break
            return survey.summary()

    def read_root(self, source: StoredPage) -> etree._Element:
        """The tree of any page of the cluster. Raises PageError."""
        with self._lock:
            root = self._cache.find_tree(source)
            return root if root is not None else self._cache.load_tree(source, room_bytes=_free_bytes())

    def read_language(self, snapshot_id: int) -> str:
        """Return the language that a page says it is in; "" if it does not say it or cannot be read."""
        loaded = self.pages.get(snapshot_id)
        if loaded is not None:
            return primary_language(loaded.root)
        source = next((each for each in self.sources if each.snapshot_id == snapshot_id), None)
        try:
            return primary_language(self.read_root(source)) if source else ""
        except PageError:
            return ""

    def drop_spare(self) -> None:
        """Drops what is only kept for speed."""
        with self._lock:
            self._cache.drop_spare()

    def _load(self, source: StoredPage) -> None:
        if self._cache.load(source):
            _make_room(self)

    def _make_task(self, attribute: Attribute, labels: AttributeLabels) -> AttributeTask:
        for snapshot_id in labels:
            self.load_page(snapshot_id)
        return AttributeTask.make(attribute, labels, self._cache.pages)

    def _read_corpus(self) -> Corpus:
        self._cache.drop_stale_corpus()
        return self._cache.corpus or self._cache.make_corpus(room_bytes=_free_bytes())

    def _find_root(self, source: StoredPage) -> etree._Element | None:
        try:
            return self.read_root(source)
        except PageError:
            return None

    def _read_values_outside(self, name: str, rule: AttributeRule, source: StoredPage) -> Values | None:
        """Return the values on a page outside the learning set, or None if the page cannot be read."""
        known = self._results.find_values(name, source.sha256)
        root = self._find_root(source) if known is None else None
        return self._results.read_values(name, rule, source.sha256, root) if root is not None else known


def open_workspace(cluster: Cluster) -> Workspace:
    """The cluster's workspace, up to date with the database. `fill` loads its pages, and so does everything that needs them."""
    with _LOCK:
        found = _WORKSPACES.pop(cluster.pk, None) or Workspace(cluster.pk)
        _WORKSPACES[cluster.pk] = found
    found.refresh()
    return found


def find_loaded_page(cluster: Cluster, snapshot_id: int) -> LoadedPage | None:
    """Return a page if the cluster's workspace already holds it, without waiting for learning that is under way."""
    with _LOCK:
        found = _WORKSPACES.get(cluster.pk)
    return found.pages.get(snapshot_id) if found else None


def count_hits(cluster: Cluster, rule: AttributeRule, *, budget_s: float = 0.4) -> Coverage:
    """Counts a rule's hits on more pages of the cluster, for about `budget_s` seconds but at least one page. A page counts once per rule.

    The figures cover all pages that this process has counted with this rule. A client shows the latest figures and calls again until
    they are complete.
    """
    return open_workspace(cluster).count_hits(rule, budget_s=budget_s)


def forget_workspaces() -> None:
    """Drops everything kept in this process."""
    with _LOCK:
        _WORKSPACES.clear()
    forget_counts()


_LOCK = threading.Lock()
_WORKSPACES: OrderedDict[int, Workspace] = OrderedDict()


def _free_bytes() -> int:
    """The memory that is left for all workspaces."""
    return int(settings.VERTEX_WORKSPACE_MAX_BYTES) - _held_bytes()


def _held_bytes() -> int:
    with _LOCK:
        return sum(each.memory_bytes for each in _WORKSPACES.values())


def _make_room(for_: Workspace) -> None:
    """Drops the least recently used workspaces, then what this one only keeps for speed, until memory use is within the bound."""
    while _free_bytes() < 0:
        with _LOCK:
            others = [pk for pk, each in _WORKSPACES.items() if each is not for_]
            if not others:
                break
            del _WORKSPACES[others[0]]
    if _free_bytes() < 0:
        for_.drop_spare()
