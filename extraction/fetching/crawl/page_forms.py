"""The forms of a page: their fields as people see them, and what a browser sends when they are filled in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit, urlunsplit

from lxml import etree

from extraction.algorithms.dom.parse import ParsedPage, parse
from extraction.algorithms.dom.urls import find_base_address, join_address
from extraction.fetching.crawl.form_selectors import list_selectors
from extraction.fetching.crawl.scope import tidy
from extraction.fetching.crawl.shown_forms import TEXT_KINDS

MAX_FORMS = 50
MAX_FIELDS = 200
"""How many forms of a page are read, and how many fields of one. A page with more is no page for a person to fill in."""

MAX_LABEL = 80

MARK = "data-vertex-shown"
"""The attribute with a number that controls get which a browser shows (`form_reading.py`)."""

_BUTTON_KINDS = frozenset({"submit", "image"})
_SENT_IF_CHECKED = frozenset({"checkbox", "radio"})
_NEVER_SENT = frozenset({"reset", "file"})
_CONTROLS = ("input", "select", "textarea", "button")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A field or a button of a form.

    kind: the type of an input, or select, textarea.
    label: what people see beside it.
    value: what the page fills in.
    is_sent: whether it is sent as it is; a box that is not ticked is not.
    options: {value: what people see} of a select.
    number: that of its mark (`MARK`); "" if it has none.
    """

    name: str
    kind: str
    label: str = ""
    value: str = ""
    is_sent: bool = True
    options: Mapping[str, str] = field(default_factory=dict)
    number: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageForm:
    """A form.

    action: the absolute address that it is sent to.
    method: GET, POST or DIALOG.
    encoding: of what is sent.
    is_search: whether the page marks it as a search.
    fields: in the order of the page, without buttons.
    button: the button that Enter presses or, if there is none, the first that a script may listen to; None without any.
    """

    action: str
    method: str
    encoding: str
    is_search: bool
    fields: tuple[FormField, ...]
    button: FormField | None = None

    @property
    def texts(self) -> list[FormField]:
        """The fields that people type into."""
        return [each for each in self.fields if each.kind in TEXT_KINDS and each.name]

    @property
    def has_password(self) -> bool:
        """Whether it asks for a password."""
        return any(each.kind == "password" for each in self.fields)

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the address to which a form with the method GET leads with these values by name. Raises ValueError."""
        pairs = self._list_pairs(values)
        query = urlencode(pairs, encoding=self.encoding, errors="xmlcharrefreplace")
        return tidy(urlunsplit(urlsplit(self.action)._replace(query=query, fragment="")))

    def _list_pairs(self, values: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return what is sent. A value is entered once, into the first field of its name that can have it."""
        if missing := next((name for name in values if name not in {each.name for each in self.fields}), ""):
            raise ValueError(f"it has no field {missing}")
        left, pairs = dict(values), list[tuple[str, str]]()
        for each in self.fields:
            if each.name in values:
                if each.name in left and (each.kind != "radio" or each.value == left[each.name]):
                    pairs.append((each.name, _choose(each, left.pop(each.name))))
            elif each.is_sent and each.name:
                pairs.append((each.name, each.value))
        if left:
            name, value = next(iter(left.items()))
            raise ValueError(f"its field {name} does not offer “{value[:60]}”")
        if self.button is not None and self.button.is_sent and self.button.name:
            pairs.append((self.button.name, self.button.value))
        return pairs


def read_forms(content: bytes, *, url: str, content_type: str = "") -> tuple[PageForm, ...]:
    """Return the forms of a page, in their order. Raises PageError if it is not a page."""
    page = parse(content, content_type=content_type or None)
    return tuple(_FormReader(page, form, url).read() for form in _list_forms(page.root))


class MarkedPage:
    """A page as a browser shows it: only controls with a mark (`MARK`) count. Raises PageError if the content is not a page.

    forms: in their order. Fields that are in no form make one, too, if a person could send them: scripts do that.
    """

    def __init__(self, content: bytes, *, url: str) -> None:
        page = parse(content, content_type="text/html; charset=utf-8")
        self._root = page.root
        found = [_FormReader(page, form, url, marked=True).read() for form in _list_forms(page.root)]
        rest = _FormReader(page, page.root, url, marked=True).read()
        if rest.has_password or (rest.button and any(each.kind in TEXT_KINDS for each in rest.fields)):
            found.append(rest)
        self.forms = tuple(form for form in found if form.fields)

    def list_selectors(self, each: FormField) -> Iterator[str]:
        """Yield CSS selectors that find a field or a button alone in this tree, the shortest of those that people write first."""
        elements = [element for element in self._root.iter(*_CONTROLS) if each.number and element.get(MARK) == each.number]
        return (selector for element in elements[:1] for selector in list_selectors(self._root, element))


def _list_forms(root: etree._Element) -> list[etree._Element]:
    return [form for form, _ in zip(root.iter("form"), range(MAX_FORMS), strict=False)]


class _FormReader:
    """Reads one form. form: the root for the fields that are in no form. url: the address of the page. marked: as `read_marked_forms`."""

    def __init__(self, page: ParsedPage, form: etree._Element, url: str, *, marked: bool = False) -> None:
        self._root, self._form, self._url, self._encoding, self._marked = page.root, form, url, page.encoding, marked

    def read(self) -> PageForm:
        fields, buttons = list[FormField](), list[FormField]()
        for element in self._list_controls():
            kind = _kind(element)
            if kind in _BUTTON_KINDS or kind == "button":
                buttons.append(self._read_field(element, kind))
            elif kind not in _NEVER_SENT and len(fields) < MAX_FIELDS:
                fields.append(self._read_field(element, kind))
                if self._form is self._root and kind in (*TEXT_KINDS, "password"):
                    buttons.clear()  # what stands before a field that is in no form belongs to something else
        action = (self._form.get("action") or "").strip()
        target = join_address(find_base_address(self._root, self._url), action) if action else self._url
        method = (self._form.get("method") or "get").strip().upper()
        return PageForm(
            action=tidy(target) if target else "",
            method=method if method in {"POST", "DIALOG"} else "GET",
            encoding=_choose_encoding(self._form.get("accept-charset") or self._encoding),
            is_search=self._is_search(fields),
            fields=tuple(fields),
            button=next((each for each in buttons if each.kind in _BUTTON_KINDS), buttons[0] if buttons else None),
        )

    def _list_controls(self) -> Iterator[etree._Element]:
        """Yield the controls inside the form, and those elsewhere that name it."""
        name, is_rest = self._form.get("id"), self._form is self._root
        for element in self._root.iter(*_CONTROLS) if name else self._form.iter(*_CONTROLS):
            owner, around = element.get("form"), next(element.iterancestors("form"), None)
            inside = owner == name and not is_rest if owner is not None else around is (None if is_rest else self._form)
            if inside and (element.get(MARK) is not None if self._marked else _is_enabled(element)):
                yield element

    def _read_field(self, element: etree._Element, kind: str) -> FormField:
        options = _read_options(element) if kind == "select" else {}
        checked = element.get("checked") is not None
        return FormField(
            name=element.get("name") or "",
            kind=kind,
            label=self._find_label(element, kind),
            value=_read_value(element, kind),
            is_sent=checked if kind in _SENT_IF_CHECKED else kind != "button" and (kind != "select" or bool(options)),
            options=options,
            number=element.get(MARK, "") if self._marked else "",
        )

    def _find_label(self, element: etree._Element, kind: str) -> str:
        """Return what people see beside a control: its label, what stands on a button, or else its hint or name."""
        if kind in _BUTTON_KINDS or kind == "button":
            own = _text(element) or element.get("value") or element.get("alt") or element.get("aria-label") or ""
            return own[:MAX_LABEL]
        labels = [each for each in self._root.iter("label") if element.get("id") and each.get("for") == element.get("id")]
        labels += [each for each in element.iterancestors("label") if each.get("for") in (None, element.get("id"))]
        hints = (element.get(name) for name in ("aria-label", "placeholder", "title", "name"))
        return next((text for text in (*map(_text, labels), *hints) if text), "")[:MAX_LABEL]

    def _is_search(self, fields: list[FormField]) -> bool:
        roles = {self._form.get("role"), *(each.get("role") for each in self._form.iterancestors())}
        inside = any(each.tag == "search" for each in self._form.iterancestors())
        return inside or "search" in roles or any(each.kind == "search" for each in fields)


def _kind(element: etree._Element) -> str:
    if element.tag == "button":
        return (element.get("type") or "submit").lower()
    return (element.get("type") or "text").strip().lower() if element.tag == "input" else str(element.tag)


def _is_enabled(element: etree._Element) -> bool:
    return all(each.get("disabled") is None for each in (element, *element.iterancestors("fieldset")))


def _read_value(element: etree._Element, kind: str) -> str:
    if kind == "select":
        options = [each for each in element.iter("option") if each.get("disabled") is None]
        chosen = next((each for each in options if each.get("selected") is not None), options[0] if options else None)
        return "" if chosen is None else chosen.get("value", _read_words(chosen))
    if kind == "textarea":
        return "".join(element.itertext())
    return element.get("value") or ("on" if kind in _SENT_IF_CHECKED else "")


def _read_options(element: etree._Element) -> dict[str, str]:
    found = ((each, _read_words(each)) for each in element.iter("option") if each.get("disabled") is None)
    return {each.get("value", words): words[:MAX_LABEL] for each, words in found}


def _choose(each: FormField, value: str) -> str:
    """Return what is sent for a value that a person named. Of a select, that may be what people see. Raises ValueError."""
    if each.kind != "select" or value in each.options:
        return value
    found = [sent for sent, seen in each.options.items() if seen.casefold() == value.casefold()]
    if len(found) != 1:
        raise ValueError(f"its field {each.name} does not offer “{value[:60]}”")
    return found[0]


def _choose_encoding(given: str) -> str:
    """Return the encoding of what is sent. Browsers send UTF-8 where a form names none that they know, and in place of UTF-16."""
    name = (given.replace(",", " ").split() or ["utf-8"])[0]
    try:
        "".encode(name)
    except LookupError:
        return "utf-8"
    return "utf-8" if name.lower().startswith("utf") else name


def _read_words(element: etree._Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _text(element: etree._Element) -> str:
    """Return the text of an element without that of the fields in it."""
    pieces = element.xpath(".//text()[not(ancestor::select or ancestor::textarea or ancestor::script or ancestor::style)]")
    return " ".join("".join(str(each) for each in pieces).split()) if isinstance(pieces, list) else ""
