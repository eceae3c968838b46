"""Records on their screens: searching, filtering, sorting and the CSV file."""

import csv
import io
from typing import Any

import pytest

from extraction.models import Attribute, Record, Rule, Run, Snapshot
from extraction.views.core import keyset
from extraction.views.records import records
from tests.views.addresses import address
from tests.views.world import World


def test_records_are_searched_filtered_and_sorted(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")

    def titles(**asked: str) -> list[str]:
        found = client.get(address(world, "records"), asked).context["rows"]
        return [record.values["title"][0]["raw"] for record, *_ in found]

    assert titles(sort="-title")[0] == "Book 5"
    assert titles(q="writer 3") == ["Book 3"]
    assert titles(missing="price", state="incomplete") == ["Book 4"]
    assert len(titles(state="<>", sort="nothing", page="none")) == 6


def test_complete_is_not_said_without_a_word_where_nothing_is_mandatory(signed_in: Any, world: World) -> None:
    Run.objects.filter(pk=world.run.pk).update(summary={"records": 6, "complete": 6})
    screens = [address(world, name) for name in ("records", "cluster", "run")]
    said = "No attribute is mandatory, so records count as complete whatever they lack."
    assert world.record_type.has_mandatory
    assert not any(said in signed_in("viewer").get(each).text for each in screens)
    Attribute.objects.filter(record_type=world.record_type).update(mandatory=False)
    assert all(said in signed_in("viewer").get(each).text for each in screens)
    assert world.record_type.get_absolute_url() in signed_in("editor").get(screens[0]).text


def test_a_long_list_is_sorted_and_filtered_in_its_first_records_and_says_so(
    signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, rows = signed_in("viewer"), address(world, "records")
    for module in (keyset, records):
        monkeypatch.setattr(module, "MOST_LOOKED", 3)

    def titles(**asked: str) -> list[str]:
        return [record.values["title"][0]["raw"] for record, *_ in client.get(rows, asked).context["rows"]]

    assert titles(sort="-title") == ["Book 2", "Book 1", "Book 0"]
    assert titles(missing="price") == []
    assert titles(sort="-title", q="book")[0] == "Book 5"  # what a search finds is sorted as a whole
    assert "only its first 3 rows" in client.get(rows, {"sort": "title"}).text
    assert "only its first" not in client.get(rows, {"state": "complete"}).text


def test_the_csv_has_the_rows_of_the_table_in_the_chosen_columns(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    answer = client.get(address(world, "records_csv"), {"columns": ["price", "title"], "values": "raw", "q": "Book 2"})
    text = b"".join(answer.streaming_content).decode()
    assert list(csv.reader(io.StringIO(text))) == [["price", "title"], ["£2.50", "Book 2"]]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="books-template-1.csv"'
    whole = b"".join(client.get(address(world, "records_csv"), {"bom": "1"}).streaming_content).decode()
    assert whole.startswith("\ufefftitle,price,author,source_url\r\n")
    Record.objects.filter(snapshot__page=world.page).update(values={"title": [{"raw": "=1+1", "value": None}]})
    for asked, title in (({}, "'=1+1"), ({"guard": ["0", "1"]}, "'=1+1"), ({"guard": "0"}, "=1+1")):
        answer = client.get(address(world, "records_csv"), {"columns": "title", "q": "", **asked})
        assert b"".join(answer.streaming_content).decode().splitlines()[1] == title
    for wrong in ({"columns": "nothing"}, {"several": "x"}, {"values": "x"}, {"separator": "x" * 11}):
        assert client.get(address(world, "records_csv"), wrong).status_code == 400, wrong


def test_a_failed_record_says_why(signed_in: Any, world: World) -> None:
    Record.objects.filter(snapshot__page=world.page).update(state=Record.State.FAILED, reason="the page is empty", values={})
    assert b"the page is empty" in signed_in("viewer").get(address(world, "records")).content


def test_outdated_records_are_offered_to_be_made_again_only_where_that_can_be_done(signed_in: Any, world: World) -> None:
    """Of a page that is not kept, only a crawl of the whole site makes the record again."""
    client, again, whole = signed_in("editor"), address(world, "extract_start"), address(world, "crawl_extract")
    retired = world.rule
    live = Rule.objects.get(pk=retired.pk)
    live.pk, live.version = None, retired.version + 1
    Rule.objects.filter(pk=retired.pk).update(state=Rule.State.RETIRED)
    live.save(force_insert=True)
    Record.objects.filter(cluster=world.cluster).exclude(values__title__0__raw="Book 1").update(rule=live)

    def offered() -> str:
        text: str = client.get(address(world, "records")).text
        return text[text.index("of these records is outdated") :].partition("</form>")[0]

    assert f'action="{again}"' in offered() and "is not kept" not in offered()
    Snapshot.objects.filter(record__rule=retired).update(kept=False)
    assert f'action="{whole}"' in offered() and f'action="{again}"' not in offered()
    assert "1 comes from a page that is not kept, so only a crawl of the whole site can make it again." in offered()
