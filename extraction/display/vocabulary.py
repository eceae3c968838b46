"""Which elements and attributes of a page an editor's browser may see. Pure values; see `sanitize` for their use.

The lists contain what is allowed. Other elements are still shown, but under a name that has no meaning for a browser (`v-form` for
`form`), so that their text stays readable and can be marked.
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
"""HTML elements that only display something."""

GONE = frozenset({"script", "meta", "link", "base", "source", "track", "param", "embed", "bgsound", "keygen", "basefont", "noembed"})
"""Elements that show nothing. An empty hidden element replaces each one, so that the texts before and after it stay separate."""

SHAPES = frozenset(_words("svg g path rect circle ellipse line polyline polygon text tspan title desc defs"))
"""SVG elements that only draw. They load nothing. `use`, `image`, `foreignObject`, animations and filters are left out."""

ATTRIBUTES = frozenset(
    _words("""
    class id title lang dir align valign width height bgcolor border cellpadding cellspacing colspan rowspan color face
    size nowrap hspace vspace alt abbr scope span start reversed datetime clear noshade frame rules char compact
    """)
)
"""HTML attributes that neither load nor run anything."""

SHAPE_ATTRIBUTES = {
    name.lower(): name
    for name in _words("""
    class id d x y x1 x2 y1 y2 cx cy r rx ry width height points viewBox preserveAspectRatio transform fill fill-rule fill-opacity
    stroke stroke-width stroke-linecap stroke-linejoin stroke-opacity opacity clip-rule font-size text-anchor dx dy
    """)
}
"""SVG attributes that only draw, by their lower-case name. SVG's names are case-sensitive, but the HTML parser makes them lower case."""

RASTER = tuple(f"data:image/{kind};" for kind in _words("png jpeg jpg gif webp avif bmp"))
"""Images that are embedded in the page and can contain only pixels."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def get_shown_tag(tag: str, known: frozenset[str] = ELEMENTS) -> str:
    """Return the name under which an element is shown. known: the names that do not change; `SHAPES` inside a drawing."""
    if tag in known:
        return tag
    # A custom element (recipe-card) does nothing without a script, and the page's styles may refer to it.
    if known is not SHAPES and "-" in tag and not tag.startswith("v-") and _NAME.fullmatch(tag):
        return tag
    return "v-" + (re.sub(r"[^a-z0-9]+", "-", tag.lower()).strip("-") or "x")
