"""The pages of the shops: a few dozen different contents for each template, which very many addresses share."""

import json
import random
from dataclasses import dataclass

from extraction.algorithms.records.keys import Key
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.sketches import shingles
from extraction.models import Attribute, RecordType
from extraction.services.core import stored_bytes
from extraction.services.schema.record_types import AttributeDraft, create_record_type

CONTENTS = 60
"""Different contents of a template's pages."""

DESIGNS = ("book", "film", "toy", "tool", "note")
"""The templates of a site, the largest first. The last one has no record type."""

SHARES = (0.70, 0.15, 0.08, 0.05, 0.02)
"""The shares of a site's pages that they have."""

_WORDS = [
    "amber",
    "anchor",
    "apple",
    "autumn",
    "basket",
    "beacon",
    "birch",
    "bridge",
    "brook",
    "candle",
    "canyon",
    "castle",
    "cedar",
    "cherry",
    "cliff",
    "cloud",
    "copper",
    "coral",
    "cotton",
    "creek",
    "crystal",
    "dawn",
    "desert",
    "dream",
    "eagle",
    "ember",
    "falcon",
    "feather",
    "fern",
    "field",
    "flint",
    "forest",
    "fountain",
    "fox",
    "frost",
    "garden",
    "glacier",
    "glass",
    "gold",
    "grove",
    "harbour",
    "hazel",
    "heron",
    "hill",
    "honey",
    "horizon",
    "island",
    "ivory",
    "jade",
    "juniper",
    "lagoon",
    "lantern",
    "leaf",
    "lemon",
    "lily",
    "maple",
    "marble",
    "meadow",
    "mist",
    "moon",
    "moss",
    "mountain",
    "oak",
    "ocean",
    "olive",
    "orchard",
    "otter",
    "owl",
    "pearl",
    "pebble",
    "pine",
    "prairie",
    "quartz",
    "raven",
    "reed",
    "ridge",
    "river",
    "robin",
    "rose",
    "saffron",
    "sage",
    "sand",
    "shadow",
    "shell",
    "silver",
    "sky",
    "snow",
    "spark",
    "spring",
    "star",
    "stone",
    "storm",
    "summer",
    "swan",
    "thistle",
    "thunder",
    "tide",
    "timber",
    "valley",
    "velvet",
    "violet",
    "walnut",
    "water",
    "willow",
    "wind",
    "winter",
    "wolf",
    "wood",
    "wren",
]


@dataclass(frozen=True, slots=True)
class Content:
    """One content, and what its record is.

    values, text: of the record, as the database takes them.
    """

    sha256: str
    size_bytes: int
    title: str
    vector: str
    values: str
    text: str


def make_record_type() -> RecordType:
    """Return the type of the shops' records. It is made if it is not there."""
    known = RecordType.objects.filter(name="Article of a shop").first()
    if known:
        return known
    types = Attribute.Type
    drafts = [
        AttributeDraft(None, "title", types.TEXT, mandatory=True),
        AttributeDraft(None, "price", types.PRICE, mandatory=True),
        AttributeDraft(None, "maker", types.TEXT, multiple=True),
        AttributeDraft(None, "stock", types.NUMBER),
    ]
    return create_record_type("Article of a shop", "Made to see how quick the dashboard is.", drafts)


def make_rule(design: str) -> RuleDefinition:
    """Return the rule for the pages of a design."""
    xpaths = {
        "title": f"//h1[@class='{design}-name']/text()",
        "price": f"//p[@class='{design}-price']/b/text()",
        "maker": f"//ul[@class='{design}-makers']/li/text()",
        "stock": f"//span[@class='{design}-stock']/text()",
    }
    mandatory, types = {"title", "price"}, {"price": Attribute.Type.PRICE, "stock": Attribute.Type.NUMBER}
    return RuleDefinition(
        tuple(
            AttributeRule(
                name,
                type=types.get(name, Attribute.Type.TEXT).value,  # type: ignore[arg-type]
                multiple=name == "maker",
                mandatory=name in mandatory,
                alternatives=(Selector(xpath),),
            )
            for name, xpath in xpaths.items()
        )
    )


def make_contents(design: str, chance: random.Random) -> list[Content]:
    """Store the contents of a design and return them."""
    drawn = [_draw_content(design, chance) for _ in range(CONTENTS)]
    vectors = shingles.compute_vectors([html for html, _, _ in drawn])
    found = []
    for (html, title, values), vector in zip(drawn, vectors, strict=True):
        text = "\n".join(str(each["raw"]) for many in values.values() for each in many).casefold()
        found.append(Content(stored_bytes.put_bytes(html), len(html), title, f"{vector:016x}", json.dumps(values), text))
    return found


def draw_slug(chance: random.Random, number: int) -> str:
    """Return the end of an address, such as `silver-otter-173`."""
    return f"{chance.choice(_WORDS)}-{chance.choice(_WORDS)}-{number}"


def make_digest(url: str) -> tuple[str, str, str]:
    """Return the key, the digest and the search text of a record that its address tells apart."""
    return json.dumps([url]), Key((url,), by_address=True).digest, url.casefold()


def _draw_content(design: str, chance: random.Random) -> tuple[bytes, str, dict[str, list[dict[str, object]]]]:
    title = " ".join(word.capitalize() for word in chance.sample(_WORDS, 3))
    pounds, makers, stock = f"{chance.randint(1, 90)}.{chance.choice(('00', '50', '99'))}", chance.randint(1, 3), chance.randint(0, 400)
    names = [f"{chance.choice(_WORDS).capitalize()} {chance.choice(_WORDS).capitalize()}" for _ in range(makers)]
    people = "".join(f"<li>{name}</li>" for name in names)
    words = " ".join(chance.choices(_WORDS, k=chance.randint(40, 160)))
    html = (
        f'<html lang="en"><head><title>{title} | {design} shop</title></head><body class="{design}"><div id="head"><a href="/">Home</a>'
        f'<a href="/{design}s/">All</a></div><div id="main-{design}"><h1 class="{design}-name">{title}</h1>'
        f'<p class="{design}-price">Price: <b>£{pounds}</b></p><ul class="{design}-makers">{people}</ul>'
        f'<p>In stock: <span class="{design}-stock">{stock}</span></p><div class="{design}-text"><p>{words}</p></div></div>'
        f'<div id="foot"><p>Shop since 1999</p></div></body></html>'
    ).encode()
    values: dict[str, list[dict[str, object]]] = {
        "title": [_value(title, title)],
        "price": [_value(f"£{pounds}", f"{pounds} GBP")],
        "maker": [_value(name, name) for name in names],
        "stock": [_value(str(stock), str(stock))],
    }
    return html, title, values


def _value(raw: str, value: str) -> dict[str, object]:
    return {"raw": raw, "value": value, "problem": ""}
