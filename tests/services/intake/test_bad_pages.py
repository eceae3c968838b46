"""One bad page never ends an import: whatever is wrong with it, it is named, and the other pages are stored."""

import random
from typing import Any

import pytest
from django.core.files.base import ContentFile

from extraction.algorithms.dom import media
from extraction.algorithms.dom import parse as parsing
from extraction.algorithms.dom.attribute_limit import limit_attributes
from extraction.algorithms.dom.parse import parse, xml_as_written
from extraction.algorithms.dom.references import NeededResource, ResourceKind
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches import shingles
from extraction.display.drawings import make_drawing_inert
from extraction.models import Run, Snapshot
from extraction.pipeline import execute_run
from extraction.services.intake import assets, import_pages
from extraction.services.intake.import_assets import WantedAssets
from extraction.services.sites import page_store
from tests.fetching.archive_files import PAGE, make_zip
from tests.services import factory

PIECES = (
    *r"""&#1; &#xD800; &#xFFFE; &#x110000; &#9999999; &e; &é; <a:b> </a:b> <²> <x:²a/> <ª:b/> <a·b/> <_:_/> <:a/> <a:/> <a::b/> xmlns:a='u'
    xmlns='' <![CDATA[ ]]> <!-- --> <rdf:RDF> <svg:svg> <rss> <item> </item> <g> <x:rect/> <style> </style> <text> <a c:c='&#2;' > />
    <html> <body>""".split(),  # noqa: SIM905
    *("\ufffe", "\ufdd0", "\x0b", "\x85", "\ud800", "<a:b c:d='&#1;' d='x'/>", "<x:1 y:2='a'>", "<svg xmlns='http://www.w3.org/2000/svg'>"),
    "<!DOCTYPE a [<!ENTITY e '&#1;&#xD800;'>]>",
)
STARTS = ("<?xml version='1.0'?>", "<?xml version='1.0'?><root xmlns:a='u'>", "<rss>", "", "<svg xmlns='http://www.w3.org/2000/svg'>")


def make_markup(source: random.Random) -> bytes:
    """Return markup in which references, names and declarations are wrong in one or more ways."""
    text = source.choice(STARTS) + "".join(source.choice(PIECES) for _ in range(source.randrange(1, 15)))
    encoding, errors = source.choice([("utf-8", "surrogatepass"), ("utf-16", "surrogatepass"), ("latin-1", "replace")])
    return text.encode(encoding, errors)


def test_markup_with_any_mistake_is_read_or_refused_for_a_known_reason() -> None:
    source = random.Random(7)
    for _ in range(1_500):
        content = make_markup(source)
        for read in (parse, xml_as_written):
            for content_type in (None, "text/xml"):
                try:
                    read(content, content_type=content_type)
                except PageError as error:
                    assert "reading the page failed" not in str(error), content
        make_drawing_inert(content)


@pytest.mark.parametrize("reference", ["&#1;", "&#x1F;", "&#xD800;", "&#xFFFF;", "&#x110000;"])
def test_an_xml_page_with_a_reference_to_no_character_is_read(reference: str) -> None:
    page = f"<?xml version='1.0'?><a xmlns:x='u'><b x:c='left{reference}right'>one{reference}two</b></a>".encode()
    root = parse(page).root
    assert root[0].get("c") == "left right" and root[0].text == "one two"


def test_a_drawing_with_an_undeclared_prefix_is_shown_without_its_elements() -> None:
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg'><x:rect width='9'/><sodipodi:view/><path d='M0 0'/></svg>"
    shown = make_drawing_inert(drawing)
    assert shown is not None and b"path" in shown and b"rect" not in shown


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["parse", "title", "vectors", "look"])
def test_a_page_on_which_vertex_itself_fails_is_named_and_the_others_are_stored(
    place: str, monkeypatch: pytest.MonkeyPatch, sent: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    def failing(function: Any, seen: Any) -> Any:
        def call(*arguments: Any) -> Any:
            if b"unlucky" in seen(arguments):
                raise IndexError("a mistake of ours")
            return function(*arguments)

        return call

    if place == "vectors":
        monkeypatch.setattr(shingles, "compute_vectors", failing(shingles.compute_vectors, lambda given: b"".join(given[0])))
    elif place == "parse":
        monkeypatch.setattr(parsing, "limit_attributes", failing(limit_attributes, lambda given: given[0].encode()))
    elif place == "title":
        title = failing(page_store.find_title, lambda given: "".join(given[0].root.itertext()).encode())
        monkeypatch.setattr(page_store, "find_title", title)
    else:
        monkeypatch.setattr(WantedAssets, "note_page", failing(WantedAssets.note_page, lambda given: given[1].content))
    files = {f"{n}.html": PAGE.replace(b"A book", b"Book %d" % n) for n in range(8)}
    files["5.html"] = PAGE.replace(b"A book", b"unlucky")
    run = import_pages.start_import(factory.site(), ContentFile(make_zip(files)), name="pages.zip")
    execute_run(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.DONE, run.error
    bad = Snapshot.objects.exclude(error="").get()
    assert bad.error == "reading the page failed: IndexError: a mistake of ours"
    assert place == "vectors" or [record.levelname for record in caplog.records if record.exc_info] == ["ERROR"], (
        "logged once, with its traceback"
    )
    assert bad.page.url.endswith("5.html") and Snapshot.objects.filter(error="").exclude(vector="").count() == 7
    assert run.problems.filter(name__endswith="5.html").exists()


@pytest.mark.django_db
def test_a_picture_on_which_vertex_fails_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> str:
        raise IndexError

    monkeypatch.setattr(media, "examine", fail)
    site = factory.site()
    need = NeededResource("https://shop.example/a.png", ResourceKind.IMAGE)
    asset = assets.keep_asset(site, need, b"x", assets.Room.of(site))
    assert asset is not None and asset.error == "reading the file failed: IndexError"
