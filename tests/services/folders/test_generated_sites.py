"""Sites with odd names, other scripts and empty things come back as the same bytes."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import clean
from extraction.models import Label
from extraction.services.core import stored_bytes
from extraction.services.folders import layout
from extraction.services.folders.documents import (
    AttributeDocument,
    ChecksDocument,
    ContentDocument,
    JoinDocument,
    ListDocument,
    MarkDocument,
    MarkedPageDocument,
    PageDocument,
    QualityDocument,
    RecordTypeDocument,
    RefreshDocument,
    SiteDocument,
    SiteFiles,
    SourceDocument,
    TemplateDocument,
    TemplateFiles,
)
from extraction.services.folders.entries import digest_entries
from tests.services import factory
from tests.services.folders import folders

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

EXAMPLES = 25

LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
ODD = st.sampled_from(
    ["no", " x ", "12:30", "null", "a: b #c", "../up", "日本語", "ağ\u0307", "\u202eabc", "👩‍💻", "#1", '"', "'", "- -", "\ttab", "C:\\x"]
)
NAMES = st.text(LETTERS, min_size=1, max_size=30) | ODD
WORDS = st.text(LETTERS, max_size=40) | ODD
IDENTIFIERS = st.sampled_from(["title", "größe", "名前", "x1", "_y", "No", "цена", "null_", "e5"])
MASKS = st.builds(".".join, st.lists(st.sampled_from(["**", "00", "1e", "ff"]), min_size=8, max_size=8))


@st.composite
def record_types(draw: st.DrawFn, slug: str, name: str) -> RecordTypeDocument:
    names = draw(st.lists(IDENTIFIERS, max_size=5, unique_by=str.lower))
    types = st.sampled_from(["text", "number", "price", "date", "url", "image", "boolean"])
    attributes = tuple(
        AttributeDocument(
            name=each,
            type=draw(types),
            multiple=draw(st.booleans()),
            mandatory=draw(st.booleans()),
            hotkey=hotkey if draw(st.booleans()) else "",
            list=draw(st.sampled_from(["", "", "rows", "angebote"])),
            key=draw(st.booleans()),
        )
        for each, hotkey in zip(names, "abcde", strict=False)
    )
    used = list(dict.fromkeys(each.list for each in attributes if each.list))
    lists = tuple(ListDocument(name=each, key_per_page=True) for each in used if draw(st.booleans()))
    rules = [QualityDocument(kind="required", attribute=each.name, weight="note") for each in attributes if draw(st.booleans())]
    return RecordTypeDocument(
        slug=slug, name=name, description=draw(WORDS), gone_after=draw(st.integers(1, 9)), attributes=attributes, lists=lists,
        quality_rules=tuple(rules),
    )  # fmt: skip


@st.composite
def refreshes(draw: st.DrawFn) -> RefreshDocument:
    mode = draw(st.sampled_from(["interval", "times", "cron", "checks"]))
    return RefreshDocument(
        mode=mode,
        every_hours=draw(st.integers(1, 99)),
        times=("06:30", "Mon 16:00") if mode == "times" else (),
        cron="5 4 * * *" if mode == "cron" else "",
        zone=draw(st.sampled_from(["UTC", "Asia/Tokyo"])),
        max_pages=draw(st.none() | st.integers(1, 10**6)),
        paused=draw(st.booleans()),
    )


@st.composite
def sites(draw: st.DrawFn) -> tuple[SiteFiles, dict[str, bytes]]:
    type_names = draw(st.lists(NAMES, max_size=2, unique_by=str.casefold))
    types = tuple(draw(record_types(f"type-{number}", name)) for number, name in enumerate(type_names))
    templates = [
        TemplateDocument(
            number=number,
            name=draw(WORDS),
            record_type=types[number].slug if number < len(types) else "",
            ignored=draw(st.booleans()),
            merged=draw(st.booleans()),
            masks=tuple(draw(st.lists(MASKS, max_size=2))),
            url_patterns=tuple(draw(st.lists(st.sampled_from(["a.example/*", "a.example/x/*?q=*", "*/é"]), max_size=2))),
            refresh=draw(st.none() | refreshes()),
        )
        for number in range(1, draw(st.integers(0, 3)) + 1)
    ]
    # Each record type is used by a template: others are no part of the site.
    numbers = [template.number for template in templates]
    for number, kind in enumerate(types, max(numbers, default=0) + 1):
        templates.append(TemplateDocument(number=number, record_type=kind.slug))
    kinds = {kind.slug: kind for kind in types}
    pages, contents, made = [], {}, []
    for template in templates:
        marked = []
        for place in range(draw(st.integers(0, 2))):
            page, content, marks = draw(marked_pages(template, kinds.get(template.record_type), place))
            pages.append(page)
            if content is not None:
                contents[stored_bytes.digest_bytes(content)] = content
            marked += marks
        made.append(TemplateFiles(template=template, labels=tuple(marked)))
    joins = sorted(draw(st.lists(NAMES, max_size=2)))
    files = SiteFiles(
        site=SiteDocument(
            format=1,
            name=draw(NAMES),
            slug="site",
            source=draw(st.none() | st.builds(SourceDocument, whole=st.booleans(), contact=WORDS, delay_s=st.floats(0, 600))),
            checks=draw(st.builds(ChecksDocument, enabled=st.booleans(), every_hours=st.integers(1, 99), auto_repair=st.booleans())),
            refresh=draw(st.none() | refreshes()),
        ),
        record_types=types,
        templates=tuple(made),
        pages=tuple(pages),
        joins=tuple(JoinDocument(name=name, winner=draw(st.sampled_from(["page", "listing"]))) for name in joins),
    )
    return replace(files, base=digest_entries(files)), contents


@st.composite
def marked_pages(draw: st.DrawFn, template: TemplateDocument, kind: RecordTypeDocument | None, place: int) -> Any:
    """A page with marks of the attributes that are not in a list; without any, with the template that a person chose."""
    url = f"https://a.example/{template.number}/{place}/{draw(WORDS)}"
    own = [each for each in kind.attributes if not each.list] if kind else []
    if not own:
        return PageDocument(url=url, belongs_to=template.number), None, []
    text = draw(st.text(st.characters(codec="utf-8", categories=("L", "N", "S")), min_size=1).filter(clean))
    content = f"<!DOCTYPE html><html><head><meta charset=utf-8></head><body><h1>{text.replace('<', '&lt;')} é</h1></body></html>".encode()
    try:
        at = factory.text_at(content, clean(f"{text} é")).as_json()
    except IndexError:  # a text that a page does not give back as it is, such as an entity
        at = None
    here = {each.name: bool(at) and draw(st.booleans()) for each in own}
    marks = tuple(
        MarkDocument(attribute=name, at=at, value=clean(f"{text} é")) if found else MarkDocument(attribute=name, absent=True)
        for name, found in here.items()
    )
    sha256 = stored_bytes.digest_bytes(content)
    page = PageDocument(url=url, contents=(ContentDocument(sha256=sha256, template=template.number),))
    return page, content, [MarkedPageDocument(url=url, content=sha256, marks=marks)]


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(sites())
def test_a_generated_site_comes_back_as_the_same_bytes(site: tuple[SiteFiles, dict[str, bytes]]) -> None:
    files, contents = site
    written = layout.write_files(files) | {layout.name_content(sha256): content for sha256, content in contents.items()}
    with transaction.atomic():
        done = folders.load(written)
        for label in Label.objects.exclude(location=None):  # PostgreSQL does so by itself
            Label.objects.filter(pk=label.pk).update(location=dict(reversed((label.location or {}).items())))
        assert folders.export(done.site) == written
        again = folders.plan(written)
        assert again.empty and not again.changes
        transaction.set_rollback(True)
