"""Which pages need a browser, and whether the rendered page is used."""

from collections import Counter
from dataclasses import dataclass

from extraction.fetching.crawl.messages import RenderMode
from extraction.fetching.crawl.pages import ParsedView
from extraction.fetching.crawl.shapes import Shape

FEW_WORDS = 60
"""A plain page with a script and fewer words may be a shell: a header, a footer, "please enable JavaScript"."""

MORE = 1.5
MORE_WORDS = 50
"""A rendered page is used if it has at least `MORE` times the words of the plain page, and at least `MORE_WORDS` more."""

TRIALS = 3
MAX_TRIALS = 60
"""How many pages of a shape (`TRIALS`) and of a site (`MAX_TRIALS`) are rendered to find out whether rendering is useful."""


class RenderError(Exception):
    """A browser could not show a page; the message says why."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A rendered page.

    content: the tree as UTF-8 HTML.
    url: the address after the page's scripts have run.
    screenshot: a JPEG; None if none was wanted or could be taken.
    screenshot_note: why none could be taken, or what is missing in it, in words.
    notices: what of the page is missing, in words.
    """

    content: bytes
    url: str
    screenshot: bytes | None = None
    screenshot_note: str = ""
    notices: tuple[str, ...] = ()


class Needs:
    """Decides which pages are rendered in a browser.

    In the mode `when_needed` these are the pages whose plain page is a shell: it has a script, and either few words or an empty element in
    which a script framework builds the page. Pages with a script are also rendered if at least two of the first three pages of their
    shape showed much more in a browser.
    """

    def __init__(self, mode: RenderMode) -> None:
        self._mode = mode
        self._tried: Counter[Shape] = Counter()
        self._gained: Counter[Shape] = Counter()

    def rendering(self, page: ParsedView, shape: Shape) -> bool:
        """Return whether to render a page."""
        if self._mode is not RenderMode.WHEN_NEEDED or is_shell(page):
            return self._mode is not RenderMode.NEVER
        if self._tried[shape] >= TRIALS:
            return 2 * self._gained[shape] > TRIALS
        return page.has_script and self._tried.total() < MAX_TRIALS

    def compare(self, plain: ParsedView, seen: ParsedView, shape: Shape) -> bool:
        """Return whether to use the rendered page. The result is remembered for the shape."""
        if self._mode is RenderMode.ALWAYS or is_shell(plain):
            return True
        gain = len(seen.words) >= max(MORE * len(plain.words), len(plain.words) + MORE_WORDS)
        if self._tried[shape] < TRIALS:
            self._tried[shape] += 1
            self._gained[shape] += gain
        return gain


def is_shell(page: ParsedView) -> bool:
    """Return whether a plain page only serves to load its scripts."""
    return page.has_script and (page.has_empty_root or len(page.words) < FEW_WORDS)
