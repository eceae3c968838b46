"""A cluster's pages in memory: its learning set with tables, and trees of its other pages while there is room.

A click must show its effect within half a second on pages of 1 MB, and reading a page takes nine tenths of checking a rule on it.
"""

from collections.abc import Iterable

from django.conf import settings
from lxml import etree

from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.corpus import Corpus
from extraction.services.core.stored_pages import StoredPage
from extraction.services.learning import learning_set
from extraction.services.learning.learning_set import LoadedPage


class PageCache:
    """The pages of one cluster. Used under the lock of its workspace.

    pages: the loaded pages of the learning set, in its order. The whole dict is replaced at each change, so readers need no lock.
    left_out: {snapshot id: why it cannot be read}.
    sources: all pages of the cluster, in the order of their ids.
    first: ids of the labelled pages and the samples, which are loaded however much memory they need.
    """

    def __init__(self, cluster_id: int) -> None:
        self.cluster_id = cluster_id
        self.pages: dict[int, LoadedPage] = {}
        self.left_out: dict[int, str] = {}
        self.sources: list[StoredPage] = []
        self.first: frozenset[int] = frozenset()
        self.corpus: Corpus | None = None
        self._state: learning_set.LearningSetState | None = None
        self._wanted: list[StoredPage] = []
        self._trees: dict[str, tuple[etree._Element, int]] = {}
        self._trees_bytes = 0

    @property
    def wanted(self) -> int:
        """How many pages the learning set has, without those that cannot be read."""
        return len(self._wanted) - len(self.left_out)

    @property
    def memory_bytes(self) -> int:
        """The estimated memory that it uses."""
        corpus = self.corpus  # another thread may drop it meanwhile
        return self._pages_bytes() + self._trees_bytes + (corpus.size_bytes if corpus else 0)

    def read_state(self) -> learning_set.LearningSetState:
        """Reads the data in the database that the learning set depends on now. Needs no lock."""
        return learning_set.read_state(self.cluster_id)

    def follow(self, state: learning_set.LearningSetState) -> bool:
        """Updates the cache to a new state of the learning set. Returns whether anything changed."""
        if state == self._state:
            return False
        if self._state is None or state.pages != self._state.pages:
            self.sources = learning_set.list_sources(self.cluster_id)
        self._state, self.first = state, frozenset(state.first)
        self._wanted = learning_set.choose_learning_set(state, self.sources, max_bytes=settings.VERTEX_WORKSPACE_MAX_BYTES)
        kept = {(source.snapshot_id, source.sha256) for source in self._wanted}
        self.pages = {pk: page for pk, page in self.pages.items() if (pk, page.sha256) in kept}
        self.left_out = {}
        self.drop_stale_corpus()
        return True

    def list_pending(self) -> list[StoredPage]:
        """The pages of the learning set that are not loaded yet."""
        return [source for source in self._wanted if source.snapshot_id not in self.pages and source.snapshot_id not in self.left_out]

    def load(self, source: StoredPage) -> bool:
        """Loads a page of the learning set. Returns whether it is in memory now.

        Once the memory for pages is full, only labelled pages and samples are loaded, and other pages are dropped from the learning set.
        """
        try:
            page = learning_set.load_page(source)
        except PageError as error:
            self.left_out[source.snapshot_id] = str(error)
            return False
        self._trees_bytes -= self._trees.pop(source.sha256, (None, 0))[1]
        full = self._pages_bytes() + page.memory_bytes > settings.VERTEX_WORKSPACE_MAX_BYTES
        if full and source.snapshot_id not in self.first:
            self._wanted = [each for each in self._wanted if each.snapshot_id in self.pages or each.snapshot_id in self.first]
            return False
        self.corpus = None
        loaded = {**self.pages, source.snapshot_id: page}
        self.pages = {each.snapshot_id: loaded[each.snapshot_id] for each in self._wanted if each.snapshot_id in loaded}
        return True

    def drop_stale_corpus(self) -> None:
        """Drops the corpus if it was not made from the pages that are loaded now."""
        if self.corpus is not None and self.corpus.pages != [page.table for page in self.pages.values()]:
            self.corpus = None

    def make_corpus(self, *, room_bytes: int) -> Corpus:
        """The tables end to end, kept while the pages stay the same if it fits: making it takes a third of a lesson on large pages."""
        corpus = Corpus([page.table for page in self.pages.values()])
        if corpus.size_bytes <= room_bytes:
            self.corpus = corpus
        return corpus

    def find_tree(self, source: StoredPage) -> etree._Element | None:
        """Return the tree of any page of the cluster, or None if it is not in memory."""
        if source.snapshot_id in self.pages:
            return self.pages[source.snapshot_id].root
        return self._trees[source.sha256][0] if source.sha256 in self._trees else None

    def load_tree(self, source: StoredPage, *, room_bytes: int) -> etree._Element:
        """Return the tree of any page of the cluster, and keeps it in memory if it fits. Raises PageError."""
        root, size_bytes = learning_set.load_tree(source)
        if size_bytes <= room_bytes:
            self._trees[source.sha256] = (root, size_bytes)
            self._trees_bytes += size_bytes
        return root

    def order_by_cost(self) -> Iterable[StoredPage]:
        """The cluster's pages, those in memory first."""
        held = {page.sha256 for page in self.pages.values()} | self._trees.keys()
        return sorted(self.sources, key=lambda source: source.sha256 not in held)

    def drop_spare(self) -> None:
        """Drops what is only kept for speed: trees of pages outside the learning set, and the corpus."""
        self.corpus = None
        self._trees = {}
        self._trees_bytes = 0

    def _pages_bytes(self) -> int:
        return sum(page.memory_bytes for page in self.pages.values())
