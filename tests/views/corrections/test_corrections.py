"""The screens on which people correct values and review corrections."""

import json
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from extraction.models import Attribute, Correction, Record, TrackedRecord
from extraction.models.record_origins import CorrectionMark, Origin, RecordOrigins
from extraction.views.sites import site_pages
from tests.services import factory
from tests.services.records.test_extract_records import extract
from tests.views.addresses import address
from tests.views.world import World

pytestmark = pytest.mark.django_db


def values(world: World) -> Record:
    return Record.objects.standing().get(snapshot__page=world.page)


def send(client: Any, world: World, **fields: Any) -> Any:
    given = {"attribute": "title", "seen": json.dumps(["Book 0"]), "values": "Emma"} | fields
    return client.post(address(world, "correction_save"), given, follow=True)


def test_an_editor_corrects_a_value_and_the_screens_say_who_did(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    shown = client.get(f"{address(world, 'record_values')}?attribute=title").content.decode()
    assert 'name="values"' in shown and "Book 0" in shown
    answer = send(client, world).content.decode()
    assert "title is corrected and stays so while the page says the same" in answer
    assert "corrected by" in answer and "on the page:" in answer
    assert values(world).read_values()["title"][0].value == "Emma"
    thing = TrackedRecord.objects.get(snapshot=values(world).snapshot)
    line = client.get(thing.get_absolute_url()).content.decode()
    assert "corrected it" in line and "✎ corrected by" in line
    assert 'title="Corrected by editor; on the page: Book 0">✎</span>' in client.get(address(world, "records")).content.decode()
    assert "✎ corrected by editor" in client.get(address(world, "page")).content.decode()
    assert "1</b> in use" in client.get(address(world, "corrections")).content.decode()


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"values": " "}, "Write the right value"),
        ({"values": "Book 0"}, "That is what the page says"),
        ({"seen": json.dumps(["Book 9"])}, "says something else now"),
        ({"seen": "no JSON"}, "Open the form again"),
        ({"values": "a\nb"}, "has one value"),
        ({"attribute": "price", "seen": json.dumps(["£0.50"]), "values": "cheap"}, "cannot be stored as price"),
        ({"attribute": "nothing"}, "no attribute"),
    ],
)
def test_a_correction_that_cannot_be_stored_is_refused_with_the_reason(
    signed_in: Any, world: World, fields: dict[str, str], problem: str
) -> None:
    answer = send(signed_in("editor"), world, **fields)
    assert (answer.status_code, Correction.objects.count()) == (400, 0)
    assert problem in answer.content.decode()


def test_a_value_is_rejected_and_taken_back(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    send(client, world, reject="1")
    assert "title" not in values(world).values
    made = Correction.objects.get()
    assert "“not on this page”" not in client.get(address(world, "record_values")).content.decode()
    client.post(address(world, "correction_end").replace(f"/{world.correction().pk}/", f"/{made.pk}/"))
    assert values(world).read_values()["title"][0].raw == "Book 0"


def test_a_rejected_value_is_shown_as_rejected_everywhere(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    send(client, world, values="", reject="1")
    thing = TrackedRecord.objects.get(snapshot=values(world).snapshot)
    assert "✎ rejected</span>" in client.get(address(world, "records")).content.decode()
    for shown in (client.get(address(world, "page")), client.get(thing.get_absolute_url()), client.get(address(world, "record_values"))):
        assert "✎ rejected by editor" in shown.content.decode()
        assert "Book 0" in shown.content.decode()


def test_a_rejected_value_in_a_row_is_marked_in_that_row_only() -> None:
    mark = CorrectionMark(1, "rejected", "Ada", "2026-11-28T12:00:00+00:00")
    origins = RecordOrigins((Origin("price", "offers", 1, ("£9",), (), mark),))
    rows = [{"shop": [{"raw": name, "value": name}]} for name in ("A", "B", "C")]
    record = Record(rows={"offers": rows}, origins=origins.as_json())
    schema = {"offers": [Attribute(name="shop"), Attribute(name="price")]}
    (listed,) = site_pages.list_rows(record, schema)
    marked = [[column.origin for column in row] for row in listed.rows]
    assert marked == [[None, None], [None, origins.entries[0]], [None, None]]
    shown = render_to_string("extraction/core/_corrected.html", {"origin": origins.entries[0]})
    assert "✎ rejected" in shown
    assert 'title="Rejected by Ada; on the page: £9"' in shown
    assert "✎" not in render_to_string("extraction/core/_corrected.html", {"origin": None})


def test_a_changed_page_is_offered_for_review_and_each_answer_works(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    send(client, world)
    made = Correction.objects.get()
    factory.snapshot(world.site, world.page.url, factory.book_html("Emma, a novel"), cluster=world.cluster)
    extract(world.cluster)
    assert "1 correction to review" in client.get(address(world, "records")).content.decode()
    home = client.get("/").content.decode()
    assert "Corrections to review" in home and address(world, "corrections") in home
    shown = client.get(address(world, "corrections")).content.decode()
    assert all(text in shown for text in ("Book 0", "Emma", "Emma, a novel", "The page says something else"))
    form = client.get(f"{address(world, 'record_values')}?attribute=title&replaces={made.pk}").content.decode()
    assert f'name="replaces" value="{made.pk}"' in form
    kept = client.post(f"{address(world, 'corrections')}{made.pk}/keep/", follow=True).content.decode()
    assert "is kept while the page says what it says now" in kept
    assert values(world).read_values()["title"][0].value == "Emma"
    again = client.post(f"{address(world, 'corrections')}{made.pk}/end/", follow=True).content.decode()
    assert "has the page’s value again" in again
    assert "ended this correction already" in client.post(f"{address(world, 'corrections')}{made.pk}/end/", follow=True).content.decode()


def test_a_viewer_sees_where_values_come_from_and_no_form(signed_in: Any, world: World) -> None:
    send(signed_in("editor"), world)
    shown = signed_in("viewer").get(f"{address(world, 'record_values')}?attribute=title").content.decode()
    assert "corrected by" in shown and "<textarea" not in shown and ">Correct<" not in shown


def test_a_record_of_earlier_content_offers_no_correction_that_would_be_refused(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    assert ">Correct<" in client.get(address(world, "record_values")).content.decode()
    assert "See and correct the values" in client.get(address(world, "records")).content.decode()
    factory.snapshot(world.site, world.page.url, factory.book_html("Emma, a novel"), cluster=world.cluster)
    shown = client.get(f"{address(world, 'record_values')}?attribute=title").content.decode()
    assert "Its values can be corrected once they come from the page as it is now." in shown
    assert ">Correct<" not in shown and ">Fill in<" not in shown and "<textarea" not in shown
    assert "Correct values" not in client.get(address(world, "page")).content.decode()
    assert "See and correct the values" not in client.get(f"{address(world, 'records')}?of=outdated").content.decode()


def test_no_two_links_of_the_records_have_the_same_name(signed_in: Any, world: World) -> None:
    shown = signed_in("editor").get(address(world, "records")).content.decode()
    assert "Distinct values</a>" in shown and ">Values</a>" not in shown
    assert 'aria-label="Record values"' in shown and 'aria-label="Values"' not in shown


def test_values_that_look_like_markup_are_shown_as_text(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    answer = send(client, world, values="<script>alert(1)</script>").content.decode()
    assert "<script>alert" not in answer and "&lt;script&gt;alert" in answer


def test_a_page_number_beyond_the_database_is_not_found(signed_in: Any, world: World) -> None:
    parts = [world.site.slug, world.cluster.number, 10**30]
    assert signed_in("viewer").get(reverse("record_values", args=parts)).status_code == 404


def test_hostile_addresses_show_the_page_without_a_form(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    for query in ("attribute=x", "attribute=title&of=nothing", "attribute=title&row=9", "of=nothing&page=999", "replaces=abc", "row=-1"):
        assert client.get(f"{address(world, 'record_values')}?{query}").status_code == 200
