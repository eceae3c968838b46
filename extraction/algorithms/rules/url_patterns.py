"""URL patterns tell by the address alone which pages a rule may be for (Gulhane et al. 2011, section 3.2.1; docs/algorithms.md#matching).

The paper gives each rule "the most specific" regular expressions that match all URLs of its cluster, with size restrictions
against overfitting. Here a pattern is written like an address: host, path segments, query keys. A host, a segment or a query value may have
one ``*``, which stands for any characters. One segment may be ``**``, which stands for any number of segments. The query keys of a pattern
must be there. Other query keys, the scheme, a default port, the fragment and a trailing slash do not matter. No regular
expressions: matching is linear, and no address can make it slow.

Learning: addresses of one host and one number of segments share a pattern. Constant parts stay. Any other part becomes ``*``, together with
the beginning and end that all of its values share (``item-*.html``). A pattern is split at a part that has few values, each in many
addresses (``/book/*`` and ``/film/*`` rather than ``/*/*``), as long as there are few patterns. If there are too many, those of different
path lengths are joined by ``**``, then those of different hosts by ``*``. So patterns never list the addresses of a site.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

MAX_PATTERNS = 6
"""The largest number of patterns of a cluster: enough for the sections of a site with one template. More would begin to list addresses."""

MAX_TEXT = 200
"""The largest number of characters of a pattern. In a longer one, the longest constant parts become ``*``."""

MIN_SHARE = 0.1
"""A part is split only if each of its values has at least this share of the pattern's addresses and at least `MIN_ADDRESSES` of them. So a
part with many rare values (brands, years) stays open for values not seen yet."""

MIN_ADDRESSES = 5
"""As many as the pages that a cluster must have. A common beginning counts only if at least so many values share it."""


@dataclass(frozen=True, slots=True, order=True)
class SplitAddress:
    """A URL in the form that patterns compare. host: in lower case, with the port unless it is the scheme's default; empty for a file name.

    segments: those of the path, without empty ones.
    query: sorted (key, value) pairs, with the first value
    of each key. A literal ``*`` is ``%2A``.
    """

    host: str
    segments: tuple[str, ...]
    query: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, url: str) -> "SplitAddress":
        """Return the address of a URL or of a relative path. Any string has one."""
        try:
            parts = urlsplit(url.strip().replace("*", "%2A"))
            host, port = parts.hostname or "", parts.port
        except ValueError:  # a bad port or IPv6 address: kept as a name that is only compared for equality
            return cls("", tuple(s for s in url.replace("*", "%2A").replace("?", "%3F").split("/") if s), ())
        host = f"[{host}]" if ":" in host else host
        if port and port != {"http": 80, "https": 443}.get(parts.scheme):
            host += f":{port}"
        query: dict[str, str] = {}
        for pair in parts.query.split("&"):
            key, _, value = pair.partition("=")
            if key:
                query.setdefault(key, value)
        return cls(host, tuple(s for s in parts.path.split("/") if s), tuple(sorted(query.items())))


@dataclass(frozen=True, slots=True, order=True)
class UrlPattern:
    """A pattern of addresses; the module's docstring says what it matches. query: sorted (key, value) pairs that must be there."""

    host: str
    segments: tuple[str, ...]
    query: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_text(cls, text: str) -> "UrlPattern":
        """Return the pattern that `text` wrote or a person typed. Raises ValueError if it has too many stars."""
        path, _, query = text.strip().partition("?")
        host, _, rest = path.rpartition("://")[2].partition("/")
        pairs = dict(reversed([(key, value) for key, _, value in (pair.partition("=") for pair in query.split("&")) if key]))
        pattern = cls(host.lower(), tuple(s for s in rest.split("/") if s), tuple(sorted(pairs.items())))
        parts = [pattern.host, *(s for s in pattern.segments if s != "**"), *(value for _, value in pattern.query)]
        if any(part.count("*") > 1 for part in parts) or any("*" in key for key in pairs) or pattern.segments.count("**") > 1:
            raise ValueError(f"more than one * in a part, or in a query key, or more than one **: {text!r}")
        if not (pattern.host or pattern.segments or pattern.query or path):
            raise ValueError("the URL pattern is empty")
        return pattern

    @property
    def specificity(self) -> tuple[int, int, int]:
        """The key by which patterns are compared; the larger, the more specific: the number of constant characters, then no ``**``, then
        the number of segments."""
        parts = [self.host, *self.segments, *(part for pair in self.query for part in pair)]
        return sum(len(part.replace("*", "")) for part in parts), int("**" not in self.segments), len(self.segments)

    def text(self) -> str:
        """The pattern as people read it: ``example.com/book/*?id=*``."""
        query = "&".join(f"{key}={value}" for key, value in self.query)
        return f"{self.host}/{'/'.join(self.segments)}" + (f"?{query}" if query else "")

    def matches(self, url: str | SplitAddress) -> bool:
        """Return whether the URL matches. Give a `SplitAddress` to try many patterns on one URL."""
        address = SplitAddress.parse(url) if isinstance(url, str) else url
        return _fits(self.host, address.host) and self._path_fits(address.segments) and self._query_fits(dict(address.query))

    def _path_fits(self, segments: tuple[str, ...]) -> bool:
        if "**" not in self.segments:
            return len(segments) == len(self.segments) and all(map(_fits, self.segments, segments))
        place = self.segments.index("**")
        head, tail = self.segments[:place], self.segments[place + 1 :]
        if len(segments) < len(head) + len(tail):
            return False
        return all(map(_fits, head, segments)) and all(map(_fits, reversed(tail), reversed(segments)))

    def _query_fits(self, query: dict[str, str]) -> bool:
        return all(key in query and _fits(value, query[key]) for key, value in self.query)


def learn_patterns(urls: Iterable[str], *, max_patterns: int = MAX_PATTERNS, max_text: int = MAX_TEXT) -> tuple[UrlPattern, ...]:
    """Return patterns of a cluster such that each URL matches one. The most specific come first; the order of the URLs does not matter.

    Blank URLs are ignored; if there are no others, there is no pattern. Raises ValueError for max_patterns under 1.
    """
    if max_patterns < 1:
        raise ValueError(f"at least 1 pattern is needed, not {max_patterns}")
    addresses = sorted({SplitAddress.parse(url) for url in urls if url.strip()})
    groups = _joined(addresses, max_patterns)
    while parts := _best_split(groups, max_patterns):
        groups = parts
    patterns = {_shortened(_pattern(group), max_text) for group in groups}
    return tuple(sorted(patterns, key=lambda pattern: (tuple(-n for n in pattern.specificity), pattern)))


Group = list[SplitAddress]
Part = Callable[[SplitAddress], str | None]


def _fits(pattern: str, text: str) -> bool:
    head, star, tail = pattern.partition("*")
    if not star:
        return pattern == text
    return len(text) >= len(head) + len(tail) and text.startswith(head) and text.endswith(tail)


def _joined(addresses: Group, most: int) -> list[Group]:
    """Return groups of one host and one path length. If they are too many, they are joined by host, and if that is not enough, into one."""
    groups: list[Group] = []
    for shared in (2, 1, 0):
        found: dict[tuple[object, ...], Group] = defaultdict(list)
        for address in addresses:
            found[(address.host, len(address.segments))[:shared]].append(address)
        groups = list(found.values())
        if len(groups) <= most:
            break
    return groups


def _best_split(groups: Sequence[Group], most: int) -> list[Group] | None:
    """Return the groups with one of them split, None if no split is allowed.

    The split into the fewest parts is taken, then that of the largest group, then that at the leftmost part of the address.
    """
    best: tuple[int, int, int, int] | None = None
    chosen: list[Group] = []
    for place, group in enumerate(groups):
        least = max(MIN_ADDRESSES, MIN_SHARE * len(group))
        for number, part in enumerate(_parts(group)):
            counts = Counter(map(part, group))
            allowed = 1 < len(counts) <= most - len(groups) + 1 and min(counts.values()) >= least
            rank = (len(counts), -len(group), number, place)
            if allowed and (best is None or rank < best):
                best = rank
                split = [[address for address in group if part(address) == value] for value in counts]
                chosen = [*groups[:place], *split, *groups[place + 1 :]]
    return chosen or None


def _parts(group: Group) -> list[Part]:
    """Yield what a group may be split by, from the left: its segments, its query values, whether it has a query key."""
    same_length = len({len(address.segments) for address in group}) == 1
    parts: list[Part] = [partial(_segment, place=place) for place in range(len(group[0].segments) if same_length else 0)]
    keys = sorted({key for address in group for key, _ in address.query})
    return [*parts, *(partial(_value, key=key) for key in keys), *(partial(_presence, key=key) for key in keys)]


def _segment(address: SplitAddress, *, place: int) -> str:
    return address.segments[place]


def _value(address: SplitAddress, *, key: str) -> str | None:
    return dict(address.query).get(key)


def _presence(address: SplitAddress, *, key: str) -> str | None:
    return key if key in dict(address.query) else None


def _pattern(group: Group) -> UrlPattern:
    """Return the most specific pattern of all addresses of a group."""
    queries = [dict(address.query) for address in group]
    keys = sorted(set(queries[0]).intersection(*queries[1:]))
    query = tuple((key, _generalised([values[key] for values in queries])) for key in keys)
    return UrlPattern(_generalised([address.host for address in group]), _path([address.segments for address in group]), query)


def _path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    shortest = min(map(len, paths))
    if shortest == max(map(len, paths)):
        return tuple(_generalised(column) for column in zip(*paths, strict=True))
    head = _constant_end(paths, shortest)
    tail = _constant_end([path[::-1] for path in paths], shortest - len(head))
    return (*head, "**", *tail[::-1])


def _constant_end(paths: Sequence[tuple[str, ...]], most: int) -> list[str]:
    """Return the leading segments of paths of different lengths, up to the first that may be anything."""
    found: list[str] = []
    for column in zip(*(path[:most] for path in paths), strict=True):
        segment = _generalised(column)
        if segment == "*":
            break
        found.append(segment)
    return found


def _generalised(values: Sequence[str]) -> str:
    """Return the value if it is constant, else ``*`` between the beginning and the end that all values share.

    A few values may agree by chance, so of those only a file's extension is kept. Shared beginnings and ends stop at the end of a word or
    number.
    """
    distinct = sorted(set(values))
    if len(distinct) == 1:
        return distinct[0]
    if len(distinct) < MIN_ADDRESSES:
        endings = {value[value.rfind(".") :] if 0 < len(value) - value.rfind(".") <= 6 else "" for value in distinct}
        return "*" + (endings.pop() if len(endings) == 1 else "")
    head = _common_start(distinct)
    tail = _common_start([value[len(head) :][::-1] for value in distinct])[::-1]
    return f"{head}*{tail}"


def _common_start(values: Sequence[str]) -> str:
    first, last = min(values), max(values)  # the beginning that these two share is shared by all between them
    same = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    for end in range(same, 0, -1):
        if all(_is_edge(value, end) for value in values):
            return first[:end]
    return ""


def _is_edge(text: str, place: int) -> bool:
    """Return whether a word or a number ends before `place`."""
    if place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    return not (before.isalnum() and after.isalnum()) or before.isalpha() != after.isalpha()


def _shortened(pattern: UrlPattern, most: int) -> UrlPattern:
    """Return the pattern with its longest constant parts replaced by ``*`` until its text is short enough; at worst it matches any page of
    any host."""
    segments, query = list(pattern.segments), list(pattern.query)
    while len(UrlPattern(pattern.host, tuple(segments), tuple(query)).text()) > most:
        lengths = [len(segment) for segment in segments] + [len(key) + len(value) for key, value in query]
        place = max(range(len(lengths)), key=lengths.__getitem__, default=-1)
        if place < 0:
            return UrlPattern("*", ("**",))
        if place >= len(segments):
            key, value = query[place - len(segments)]
            query[place - len(segments) : place - len(segments) + 1] = [(key, "*")] if len(value) > 1 else []
        elif len(segments[place]) > 2:
            segments[place] = "*"
        else:
            segments, query = ["**"], []
            if len(pattern.host) + 3 > most:
                return UrlPattern("*", ("**",))
    return UrlPattern(pattern.host, tuple(segments), tuple(query))
