"""A rule as a file that runs without Vertex: its stylesheet, a Scrapy spider, a web-poet page object (docs/algorithms.md#rule-learning).

The Python files begin with the rule as plain data. They end with the code that reads a page by it, which is Vertex's own source
(`outside`, the readers of values and the few functions they need), so the values are the same. Everything that comes from pages or
people is written as a Python literal.

To add a format: name it in `Form`, give its file ending in `SUFFIXES` and its writer in `write_export`, its content type in
`services/rules/export_rule.py`, and a link on the rule page in `templates/extraction/rules/rule.html`.
"""

import ast
import inspect
import keyword
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Literal, get_args

from extraction.algorithms import errors
from extraction.algorithms.dom import alphabets, attribute_limit, browser_tree, encoding, nodes, page_language, parse, urls, whole_text, xml
from extraction.algorithms.rules import outside
from extraction.algorithms.rules.cleanup_xslt import write_cleaned_stylesheet
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.values import (
    addresses,
    amounts,
    base_prices,
    currencies,
    date_words,
    dates,
    digits,
    eras,
    evidence,
    found_amounts,
    locales,
    numbers,
    numerals,
    price_words,
    prices,
    read,
    reading,
    yes_no,
)
from extraction.algorithms.values.cleanup import chain, patterns

Form = Literal["xslt", "scrapy", "web-poet"]

FORMS: tuple[Form, ...] = get_args(Form)

SUFFIXES: dict[Form, str] = {"xslt": ".xsl", "scrapy": "_spider.py", "web-poet": "_page.py"}

LINE = 120
"""Longest line of the rule's data, unless a single value is longer."""

PACKAGES = "ada-url babel google-re2 lxml numpy parsel turbohtml webencodings"
"""What an exported Python file needs besides its framework."""


_PARSED = """It fits pages as libxml2 (lxml, xsltproc) reads them. Vertex reads a few pages otherwise, because libxml2 loses text of them:
pages with content behind their end tag, or nested very deep. For those, use an exported spider or page object."""


_NEEDS = {
    (False, False): "Plain XSLT 1.0: any processor that reads HTML can run it,\nfor example xsltproc with its option html."
    " For pages of XML, omit that option; the names in this file have no namespaces.",
    (True, False): "Needs EXSLT regular expressions (http://exslt.org/regular-expressions) for parts of texts."
    " lxml has them, xsltproc does not.",
    (False, True): "Needs EXSLT node sets and strings (http://exslt.org/common, http://exslt.org/strings) for the clean-up.\n"
    "lxml and xsltproc have them.",
    (True, True): "Needs EXSLT node sets, strings and regular expressions (http://exslt.org) for the clean-up and for parts of texts.\n"
    "lxml has them, xsltproc has no regular expressions.",
}
"""{(regular expressions, clean-up): what the stylesheet needs}."""


def write_export(rule: RuleDefinition, form: Form, *, name: str) -> str:
    """Return the text of the file. name: what the records are, for names and headings in it."""
    writers: dict[Form, Callable[[RuleDefinition, str], str]] = {"xslt": _xslt, "scrapy": _scrapy, "web-poet": _web_poet}
    return writers[form](rule, name)


def name_file(form: Form, *, name: str) -> str:
    """Return a name for the file: ``book_spider.py``."""
    return _identifier(name.lower()).strip("_") + SUFFIXES[form]


def _xslt(rule: RuleDefinition, name: str) -> str:
    """Return the stylesheet, with a comment at its top that says how to run it and what it lacks."""
    del name  # not every name may be in a comment
    written = write_cleaned_stylesheet(rule)
    regexp = written.regexp or any(selector.part and selector.part.needs_regexp for each in rule.every for selector in each.alternatives)
    cleaned = any(each.cleanup for each in rule.every)
    needs = _NEEDS[regexp, cleaned]
    gives = "values of a page, cleaned up but not read as types" if cleaned else "raw values of a page, white space cleaned"
    lacks = "".join(f"\nMissing: {sentence.replace('-', '‐')}" for sentence in written.missing)
    head, rest = written.text.split("\n", 1)
    return f"{head}\n<!-- Gives the {gives}. {needs}\n{_PARSED}{lacks} -->\n{rest}"


def _scrapy(rule: RuleDefinition, name: str) -> str:
    return f'''"""A spider that reads pages of one template by a rule from Vertex.

    scrapy runspider this_file.py -a urls=addresses.txt -O records.jsonl

addresses.txt has one address on each line. Needs: pip install scrapy {PACKAGES}
"""

{_imports("import scrapy")}

{_data(rule)}

class RecordSpider(scrapy.Spider):
    """Gives one item for each page: its values by attribute name, and the page's address."""

    name = {_identifier(name.lower())!r}

    def __init__(self, urls="", **options):
        super().__init__(**options)
        if urls:
            self.start_urls = [line.strip() for line in Path(urls).read_text().splitlines() if line.strip()]

    def parse(self, response):
        content_type = response.headers.get("Content-Type", b"").decode("latin-1") or None
        record = read_record(response.body, url=response.url, content_type=content_type, attributes=ATTRIBUTES, lists=LISTS)
        yield {{{_url_key(rule)!r}: response.url, **record}}


{_reader()}'''


def _web_poet(rule: RuleDefinition, name: str) -> str:
    fields = "\n".join(
        f"    @field\n    def {method}(self):\n        return self.record.get({each!r})\n" for each, method in _methods(rule).items()
    )
    return f'''"""A web-poet page object that reads pages of one template by a rule from Vertex.

`await page.to_item()` gives all values by attribute name. Needs: pip install web-poet {PACKAGES}
"""

{_imports("from web_poet import WebPage, field")}

{_data(rule)}

class {_class_name(name)}(WebPage[dict]):
    """The page's values, with a field for each attribute."""

    @cached_property
    def record(self):
        response = self.response
        content_type = response.headers.get("Content-Type")
        return read_record(response.body, url=str(response.url), content_type=content_type, attributes=ATTRIBUTES, lists=LISTS)

    async def to_item(self):
        return dict(self.record)

{fields}

{_reader()}'''


def _data(rule: RuleDefinition) -> str:
    """Return the rule as plain data."""
    attributes = [_attribute(each) for each in rule.attributes]
    lists = [_list(each) for each in rule.lists]
    return f"ATTRIBUTES = {_literal(attributes)}\n\nLISTS = {_literal(lists)}\n"


def _literal(value: Any, indent: str = "") -> str:
    """Return a value as Python source. Each entry of a long list or dictionary has a line of its own."""
    if not isinstance(value, list | dict) or not value:
        return repr(value)
    inner = f"{indent}    "
    if isinstance(value, list):
        entries, brackets = [_literal(each, inner) for each in value], "[]"
    else:
        entries, brackets = [f"{key!r}: {_literal(each, inner)}" for key, each in value.items()], "{}"
    short = f"{brackets[0]}{', '.join(entries)}{brackets[1]}"
    if len(indent) + len(short) <= LINE and "\n" not in short:
        return short
    return f"{brackets[0]}\n" + "".join(f"{inner}{entry},\n" for entry in entries) + f"{indent}{brackets[1]}"


def _attribute(each: AttributeRule) -> dict[str, Any]:
    places = [_place(selector) for selector in each.alternatives]
    column, steps = each.column.as_json(), [step.as_json() for step in each.cleanup]
    known = ({"column": column} if column else {}) | ({"cleanup": steps} if steps else {})
    return {"name": each.name, "type": each.type, "several": each.multiple} | known | {"places": places}


def _place(selector: Selector) -> dict[str, str]:
    part = selector.part
    cut = {"after": part.prefix, "before": part.suffix, "pattern": part.pattern, "between": part.separator} if part else {}
    return {"xpath": selector.xpath} | {key: text for key, text in cut.items() if text}


def _list(each: ListRule) -> dict[str, Any]:
    rows = [selector.xpath for selector in each.rows]
    return {"name": each.name, "rows": rows, "attributes": [_attribute(attribute) for attribute in each.attributes]}


def _members(rule: RuleDefinition) -> tuple[AttributeRule | ListRule, ...]:
    return (*rule.attributes, *rule.lists)


def _url_key(rule: RuleDefinition) -> str:
    """Return the item's key for the page's address. No attribute has this name."""
    names = {each.name for each in _members(rule)}
    key = "url"
    while key in names:
        key = f"page_{key}"
    return key


_TAKEN = frozenset(
    """
    record response url html css xpath jmespath selector base_url urljoin to_item from_item item_cls skip_nonitem_fields validate_input
    validates_input field cached_property dict WebPage read_record ATTRIBUTES LISTS
    """.split()  # noqa: SIM905
)
"""Names that a page object already has, and names that the code of its class uses."""


def _methods(rule: RuleDefinition) -> dict[str, str]:
    """Return {attribute or list: the name of its field}. It is the same name if it can be one, else one that is similar."""
    found: dict[str, str] = {}
    for each in _members(rule):
        name = _identifier(each.name)
        while name in _TAKEN or name in found.values() or name.startswith("_"):
            name = f"{name.strip('_') or 'field'}_{len(found) + 1}"
        found[each.name] = name
    return found


def _identifier(text: str) -> str:
    """Return the text as a Python name: everything but ASCII letters and digits becomes an underscore."""
    name = re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_") or "record"
    return f"x_{name}" if name[0].isdigit() else f"{name}_" if keyword.iskeyword(name) else name


def _class_name(text: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in _identifier(text).split("_")) + "Page"


_READING = (xml, attribute_limit, alphabets, encoding, browser_tree, parse, whole_text, urls)
"""The modules that read a page. They are copied as they are."""

_COPIED = (errors.VertexError, errors.PageError, nodes.clean)
"""What they, `outside` and the readers of values take from modules of which no more is needed."""

READERS = (
    reading,
    evidence,
    digits,
    numerals,
    locales,
    amounts,
    currencies,
    numbers,
    price_words,
    found_amounts,
    base_prices,
    prices,
    date_words,
    eras,
    dates,
    yes_no,
    addresses,
    read,
    patterns,
    chain,
)
"""The modules that read values, each after those that it uses. The file holds all their names side by side, so no two may be alike."""


def _imports(own: str) -> str:
    """Return the imports of the copied source, without those of Vertex's own modules, and the framework's import."""
    whole, parts = set[str](), defaultdict[str, set[str]](set)
    first = ast.parse(f"from functools import cached_property\nfrom pathlib import Path\n{own}").body
    for body in (first, *(_parse(module) for module in (nodes, *_READING, page_language, *READERS, outside))):
        for node in body:
            if isinstance(node, ast.Import):
                whole |= {f"{alias.name} as {alias.asname}" if alias.asname else alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not str(node.module).startswith("extraction."):
                parts[str(node.module)] |= {alias.name for alias in node.names}
    lines = [f"import {name}" for name in sorted(whole)]
    return "\n".join(lines + [f"from {name} import {', '.join(sorted(parts[name]))}" for name in sorted(parts)])


@cache
def _parse(module: ModuleType) -> list[ast.stmt]:
    return ast.parse(inspect.getsource(module)).body


@cache
def _reader() -> str:
    """Return the source that reads a page by the rule: `outside`, the readers of values and what they import."""
    constants = f"_UNSEEN = {nodes._UNSEEN!r}\n"
    functions = "\n\n".join(inspect.getsource(function) for function in _COPIED)
    reading_pages = "\n\n".join(map(_body, _READING))
    reading_values = "\n\n".join(map(_body, READERS))
    return (
        f"# How a page is read, as Vertex does.\n\n{constants}\n\n{functions}\n\n{reading_pages}\n\n"
        f"{_body(page_language)}\n\n{reading_values}\n\n{_body(outside)}\n"
    )


def _body(module: ModuleType) -> str:
    """Return a module's source after its docstring and imports."""
    source = inspect.getsource(module)
    first = next(
        node
        for node in _parse(module)
        if not isinstance(node, ast.Import | ast.ImportFrom) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    )
    return "\n".join(source.splitlines()[first.lineno - 1 :])
