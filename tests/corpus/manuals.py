"""Made-up manuals as documentation generators write them: every page has the same header, tabs and footer, and the types share most parts.

A class, a file, a group and a namespace are all tables of members with their descriptions; they differ in a few elements and in what can
occur. The address of a page tells its type.
"""

from collections.abc import Callable
from random import Random

from tests.corpus.page_types import Pages
from tests.corpus.sites import WORDS, sentence


def manual(seed: int) -> Pages:
    """Return the pages of a manual. The first part of an address is the type."""
    own = Random(f"manual {seed}")
    site = _Manual(own)
    makers: dict[str, Callable[[Random], str]] = {
        "class": site.class_page,
        "members": site.members,
        "file": site.file,
        "source": site.source,
        "group": site.group,
        "namespace": site.namespace,
        "index": site.index,
        "directory": site.directory,
    }
    counts = {name: own.choice((8, 15, 30, 60)) for name in makers}
    return {
        f"/{name}/{number}": site.page(make(Random(f"{seed} {name} {number}")))
        for name, make in makers.items()
        for number in range(counts[name])
    }


class _Manual:
    """The markup of one manual: which version of the generator wrote it, with which options."""

    def __init__(self, own: Random) -> None:
        self._tabs = "".join(f"<li><a><span>{word}</span></a></li>" for word in own.sample(WORDS, 6))
        self._second = own.random() < 0.5
        self._tree = own.random() < 0.4
        self._diagram = own.choice(("dynsection", "center", ""))
        self._lined = own.random() < 0.5

    def page(self, content: str) -> bytes:
        name = "<table><tbody><tr><td><div>N<span>1</span></div><div>brief</div></td></tr></tbody></table>"
        head = f'<div id="top"><div id="titlearea">{name}</div>'
        tabs = f'<div class="tabs"><ul class="tablist">{self._tabs}</ul></div>' * (1 + self._second)
        tree = '<div class="side"><div class="tree"><div class="sync"><img></div></div></div>' if self._tree else ""
        foot = '<hr class="footer"><address class="footer"><small>by <a><img></a></small></address>'
        return f"<html><head><meta><link><script></script></head><body>{head}{tabs}</div>{tree}{content}{foot}</body></html>".encode()

    def class_page(self, rng: Random) -> str:
        parts = []
        if self._diagram and rng.random() < 0.5:
            parts.append(f'<div class="{self._diagram}"><div class="center"><img><map><area></map></div></div>')
        parts += [self._table(rng, kind) for kind in range(5) if rng.random() < 0.5] or [self._table(rng, 0)]
        parts.append(self._description(rng, 0.6))
        if rng.random() < 0.8:
            parts.append(self._details(rng, "Member functions"))
        parts.append("<hr>The documentation was made from:<ul><li>src/<a>x.h</a></li></ul>")
        return self._head(rng, ["List of all members"]) + self._contents(parts)

    def file(self, rng: Random) -> str:
        parts = ["<code>#include &lt;x&gt;</code><br>" * rng.randint(0, 4)]
        if self._diagram and rng.random() < 0.6:
            parts.append(f'<div class="{self._diagram}"><div class="center"><img><map><area></map></div></div>')
        parts.append("<p><a>Go to the source code of this file.</a></p>" if rng.random() < 0.8 else "")
        parts += [self._table(rng, kind) for kind in range(4) if rng.random() < 0.5]
        parts.append(self._description(rng, 0.3))
        parts.append(self._details(rng, "Functions") if rng.random() < 0.5 else "")
        return self._head(rng, ["Classes", "Functions"]) + self._contents(parts)

    def group(self, rng: Random) -> str:
        parts = [self._table(rng, kind) for kind in range(3) if rng.random() < 0.6]
        parts.append(self._description(rng, 0.7))
        parts.append(self._details(rng, "Functions") if rng.random() < 0.6 else "")
        inside = '<div class="ingroups"><a>Parent</a></div>' if rng.random() < 0.7 else ""
        return self._head(rng, ["Functions"], inside) + self._contents(parts)

    def namespace(self, rng: Random) -> str:
        parts = [self._table(rng, kind) for kind in range(2) if rng.random() < 0.7]
        parts.append(self._description(rng, 0.4))
        return self._head(rng, ["Classes"]) + self._contents(parts)

    def members(self, rng: Random) -> str:
        rows = "".join(
            f'<tr class="{"even" if number % 2 else "odd"}"><td class="entry"><a>m</a></td><td class="entry"><a>C</a></td>'
            f'<td class="entry">{"<span class=mlabel>inline</span>" * (rng.random() < 0.4)}</td></tr>'
            for number in range(rng.randint(1, 40))
        )
        return self._head(rng, []) + self._contents([f'<p>All members of <a>C</a>.</p><table class="directory">{rows}</table>'])

    def source(self, rng: Random) -> str:
        kinds = ("comment", "keyword", "preprocessor", "stringliteral", "keywordtype", "keywordflow")
        lines = []
        for _ in range(rng.randint(5, 80)):
            words = "".join(f'<span class="{rng.choice(kinds)}">x</span>' for _ in range(rng.randint(0, 3)))
            words += '<a class="code">y</a>' * (rng.random() < 0.3)
            lines.append(f'<div class="line"><a></a><span class="lineno">1</span>{words}</div>' if self._lined else f"{words}\n")
        code = "".join(lines)
        return self._head(rng, []) + self._contents(
            [
                "<a>Go to the documentation.</a>" * (rng.random() < 0.8),
                f'<div class="fragment">{code}</div>' if self._lined else f"<pre class=fragment>{code}</pre>",
            ]
        )

    def index(self, rng: Random) -> str:
        items = "".join(
            f'<li>f() : <a class="el">C</a>{", <a class=el>D</a>" * (rng.random() < 0.3)}</li>' for _ in range(rng.randint(1, 60))
        )
        return self._contents([f'<div class="textblock">Here is a list</div><h3><a id="i"></a>- a -</h3><ul>{items}</ul>'])

    def directory(self, rng: Random) -> str:
        parts = [self._table(rng, kind) for kind in (0, 1) if rng.random() < 0.7] or [self._table(rng, 0)]
        return self._head(rng, []) + self._contents(parts)

    def _head(self, rng: Random, sections: list[str], inside: str = "") -> str:
        links = " | ".join(f"<a>{name}</a>" for name in sections if rng.random() < 0.8)
        summary = f'<div class="summary">{links}</div>' if links else ""
        return f'<div class="header">{summary}<div class="headertitle"><div class="title">T{inside}</div></div></div>'

    def _contents(self, parts: list[str]) -> str:
        return f'<div class="contents">{"".join(parts)}</div>'

    def _table(self, rng: Random, kind: int) -> str:
        rows = ""
        for _ in range(rng.randint(1, 12)):
            left, right = ('<a class="el">T</a>' * (rng.random() < 0.4) for _ in range(2))
            rows += f'<tr class="memitem"><td class="memItemLeft">{left}</td><td class="memItemRight"><a class="el">n</a>{right}</td></tr>'
            if rng.random() < 0.6:
                more = "<a>More</a><br>" * (rng.random() < 0.7)
                rows += f'<tr class="memdesc"><td class="mdescLeft"></td><td class="mdescRight">b {more}</td></tr>'
            rows += '<tr class="separator"><td class="memSeparator"></td></tr>'
        return f'<table class="memberdecls"><tr class="heading"><td><h2 class="groupheader"><a></a>Part {kind}</h2></td></tr>{rows}</table>'

    def _description(self, rng: Random, share: float) -> str:
        if rng.random() >= share:
            return ""
        more = [
            f"<p>{sentence(rng)} <a class=el>x</a></p>",
            "<dl class='section see'><dt>See</dt><dd><a>y</a></dd></dl>",
            "<pre class=fragment>z</pre>",
            "<ul><li>w</li></ul>",
        ]
        chosen = "".join(part for part in more if rng.random() < 0.35)
        return f'<a></a><h2 class="groupheader">Detailed description</h2><div class="textblock"><p>{sentence(rng)}</p>{chosen}</div>'

    def _details(self, rng: Random, name: str) -> str:
        items = ""
        for _ in range(rng.randint(1, 8)):
            rows = '<tr><td class="paramtype"><a class="el">T</a></td><td class="paramname"><em>x</em></td></tr>' * rng.randint(0, 3)
            proto = f'<table class="memname"><tr><td class="memname">f</td><td>(</td></tr>{rows}</table>'
            if rng.random() < 0.4:
                marks = '<span class="mlabels"><span class="mlabel">inline</span></span>'
                cells = f'<td class="mlabels-left">{proto}</td><td class="mlabels-right">{marks}</td>'
                proto = f'<table class="mlabels"><tr>{cells}</tr></table>'
            doc = f"<p>{sentence(rng)}</p>" * (rng.random() < 0.8)
            row = '<table class="params"><tr><td class="paramname">x</td><td>y</td></tr></table>'
            doc += f'<dl class="params"><dt>Parameters</dt><dd>{row}</dd></dl>' * (rng.random() < 0.5)
            doc += '<dl class="section return"><dt>Returns</dt><dd>z</dd></dl>' * (rng.random() < 0.4)
            items += f'<div class="memitem"><div class="memproto">{proto}</div><div class="memdoc">{doc}</div></div>'
        return f'<h2 class="groupheader">{name}</h2>{items}'
