"""Which elements and attributes of a page an editor's browser may see. Pure values; `sanitize` says how they are used.

Everything is a list of what is allowed. What is on no list is still shown, under a name that means nothing to a browser
(`v-form` for `form`), so that its text stays readable and its place can be named.
"""

import re


def _words(text: str) -> list[str]:
    return text.split()


ELEMENTS = frozenset(
    _words("""
    html head body title address article aside footer header h1 h2 h3 h4 h5 h6 hgroup main nav section search
    blockquote dd div dl dt figcaption figure hr li menu ol p pre ul
    a abbr acronym b bdi bdo big br cite code data dfn em font i kbd mark q rp rt ruby s samp small span strike strong
    sub sup time tt u var wbr center dir nobr del ins
    caption col colgroup table tbody td tfoot th thead tr
    details summary fieldset legend label picture img style
    """)
)
"""HTML elements that do nothing but show."""

GONE = frozenset({"script", "meta", "link", "base", "source", "track", "param", "embed", "bgsound", "keygen", "basefont", "noembed"})
"""Elements that show nothing: an empty hidden element stands in, so that the texts before and after stay two."""

SHAPES = frozenset(_words("svg g path rect circle ellipse line polyline polygon text tspan title desc defs"))
"""SVG elements that draw and load nothing. `use`, `image`, `foreignObject`, animation and filters are not among them."""

ATTRIBUTES = frozenset(
    _words("""
    class id title lang dir align valign width height bgcolor border cellpadding cellspacing colspan rowspan color face
    size nowrap hspace vspace alt abbr scope span start reversed datetime clear noshade frame rules char compact
    """)
)
"""HTML attributes that neither load nor do anything."""

SHAPE_ATTRIBUTES = {
    name.lower(): name
    for name in _words("""
    class id d x y x1 x2 y1 y2 cx cy r rx ry width height points viewBox preserveAspectRatio transform fill fill-rule fill-opacity
    stroke stroke-width stroke-linecap stroke-linejoin stroke-opacity opacity clip-rule font-size text-anchor dx dy
    """)
}
"""SVG attributes that only draw, by their lower-case name: SVG's names are case-sensitive and our parser lowers them."""

RASTER = tuple(f"data:image/{kind};" for kind in _words("png jpeg jpg gif webp avif bmp"))
"""Images that are in the page itself and cannot hold anything but pixels."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def get_shown_tag(tag: str, known: frozenset[str] = ELEMENTS) -> str:
    """The name under which an element is shown. known: the names that stay, those of SVG inside a drawing."""
    if tag in known:
        return tag
    # A custom element (recipe-card) does nothing without a script, and the page's styles may name it.
    if known is not SHAPES and "-" in tag and not tag.startswith("v-") and _NAME.fullmatch(tag):
        return tag
    return "v-" + (re.sub(r"[^a-z0-9]+", "-", tag.lower()).strip("-") or "x")
