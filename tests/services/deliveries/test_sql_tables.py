"""A table has one row for each record, with the types of its columns, and says which records are gone."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from extraction.models import Attribute, Cluster, Delivery, DeliveryTarget, RecordType
from extraction.services.deliveries import connect
from extraction.services.deliveries.senders.reach import DeliveryError
from extraction.services.deliveries.senders.sql_table import check_address
from tests import servers
from tests.services import factory
from tests.services.deliveries.conftest import queue_hand
from tests.services.deliveries.receivers import make_target
from tests.services.records.bookshop import Bookshop
from tests.services.records.test_history import visit

WorkOff = Callable[..., list[Delivery]]

TABLE = 'order "by"; -- books'


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, root: Path, settings: Any) -> Iterator[tuple[dict[str, Any], sa.Engine]]:
    """The place of a table, with an engine to look at it."""
    if request.param == "sqlite":
        engine = sa.create_engine(f"sqlite:///{root}/shop.sqlite")
        yield {"url": "sqlite:///shop.sqlite", "table": TABLE}, engine
        engine.dispose()
        return
    if not servers.answers(servers.POSTGRESQL):
        pytest.skip("PostgreSQL does not answer")
    found = make_url(servers.POSTGRESQL.replace("postgres://", "postgresql://"))
    settings.VERTEX_DELIVERY_PRIVATE_HOSTS = [found.host]
    engine = sa.create_engine(found.set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.execute(sa.text("DROP SCHEMA IF EXISTS vertex_delivery CASCADE"))
        connection.execute(sa.text("CREATE SCHEMA vertex_delivery"))
    secrets = {"password": found.password} if found.password else {}
    shown = found.set(password=None).render_as_string()
    yield {"url": shown, "table": f"vertex_delivery.{TABLE}", "secrets": secrets}, engine
    with engine.begin() as connection:
        connection.execute(sa.text("DROP SCHEMA vertex_delivery CASCADE"))
    engine.dispose()


def read(engine: sa.Engine, place: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """{record: its row}."""
    schema = place["table"].rpartition(".")[0] or None
    table = sa.Table(TABLE, sa.MetaData(), autoload_with=engine, schema=schema)
    with engine.connect() as connection:
        rows = [dict(row._mapping) for row in connection.execute(sa.select(table))]
    assert len({row["record_id"] for row in rows}) == len(rows)
    return {row["record_id"]: row for row in rows}


def test_rows_are_changed_and_marked_not_doubled_or_deleted(
    shop: Bookshop, database: tuple[dict[str, Any], sa.Engine], work_off: WorkOff
) -> None:
    place, engine = database
    target = make_target(shop.kind, "sql", **place)
    assert connect.send_test(target) == ""
    queue_hand(target)
    (delivery,) = work_off(target)
    assert (delivery.state, delivery.error, delivery.outcome) == ("done", "", "6 rows")
    before = read(engine, place)
    first, second = list(shop.books.values())[:2]
    first.pence, second.on_sale = 4321, False
    visit(shop)
    visit(shop)
    done = work_off(target)
    assert [each.outcome for each in done[1:]] == ["2 rows", "Nothing new: nothing changed since the last delivery."]
    after = read(engine, place)
    rows = {row["isbn"]: row for row in after.values()}
    assert after.keys() == before.keys()
    assert rows[first.isbn]["price"] == "43.21 GBP"
    assert rows[second.isbn]["record_state"] == "gone"
    assert sum(row["written_at"] != before[pk]["written_at"] for pk, row in after.items()) == 2


def test_a_column_that_is_new_is_added_to_all_rows_and_one_that_changed_its_type_is_an_error(
    shop: Bookshop, database: tuple[dict[str, Any], sa.Engine], work_off: WorkOff
) -> None:
    place, engine = database
    target = make_target(shop.kind, "sql", columns=("isbn",), **place)
    queue_hand(target)
    work_off(target)
    target.content = target.content | {"columns": []}
    target.save()
    queue_hand(target)
    assert work_off(target)[-1].outcome == "6 rows"
    assert all(row["title"] for row in read(engine, place).values())
    shop.kind.attributes.filter(name="title").update(type="number")
    queue_hand(target)
    failed = work_off(target)[-1]
    assert failed.state == "failed"
    assert failed.error.startswith(
        f"The column title of the table {TABLE} has the type TEXT, but its values are now of another kind (number)"
    )


def typed_kind() -> tuple[RecordType, Cluster]:
    types = {"Select": "text", "pages": "number", "published": "date", "stock": "boolean", "tag": "text"}
    kind = RecordType.objects.create(name="Odd", slug="odd")
    for position, (name, of) in enumerate(types.items()):
        Attribute.objects.create(record_type=kind, name=name, type=of, position=position, multiple=name == "tag", is_key=name == "Select")
    return kind, factory.cluster(factory.site("Typed"), kind=kind)


def test_values_keep_their_types(db: None, sent: list[int], database: tuple[dict[str, Any], sa.Engine], work_off: WorkOff) -> None:
    from django.utils import timezone

    from extraction.models import RecordChange, TrackedRecord

    kind, cluster = typed_kind()
    now = timezone.now()
    factory.released_run(cluster)
    for n, pages in enumerate(("12.5", None)):
        values = {
            "Select": [{"raw": f"{n}", "value": f"{n}"}],
            "pages": [{"raw": "some", "value": pages}],
            "published": [{"raw": "x", "value": "2018-09-12"}],
            "stock": [{"raw": "yes", "value": "true"}],
            "tag": [{"raw": "a", "value": "a"}, {"raw": "b", "value": "b"}],
        }
        record = TrackedRecord.objects.create(
            cluster=cluster, key=[f"{n}"], digest=f"{n}", values=values, number=1, first_seen_at=now, seen_at=now
        )
        RecordChange.objects.create(cluster=cluster, record=record, number=1, kind="added", at=now - timedelta(hours=1))
    place, engine = database
    target = make_target(kind, "sql", about=("first_seen_at",), **place)
    queue_hand(target)
    (delivery,) = work_off(target)
    assert (delivery.state, delivery.error) == ("done", "")
    first, second = (row for _, row in sorted(read(engine, place).items()))
    assert (first["Select"], first["pages"], first["published"], first["stock"]) == ("0", 12.5, date(2018, 9, 12), True)
    assert first["tag"][1] == "b"
    assert (second["pages"], second["pages_raw"]) == (None, "some")
    assert isinstance(first["pages"], float)
    assert first["first_seen_at"].replace(tzinfo=None) == now.replace(tzinfo=None)


def test_a_table_that_vertex_did_not_make_is_not_touched(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    with closing(sqlite3.connect(root / "mine.sqlite")) as database:
        database.execute("CREATE TABLE books (isbn TEXT PRIMARY KEY)")
    target = make_target(shop.kind, "sql", url="sqlite:///mine.sqlite", table="books")
    assert "was not made by Vertex: its primary key is not record_id" in connect.send_test(target)
    queue_hand(target)
    assert work_off(target)[0].state == "failed"


def test_all_records_are_written_again_when_the_table_is_gone(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    target = make_target(shop.kind, "sql", url="sqlite:///mine.sqlite", table="books")
    queue_hand(target)
    work_off(target)
    (root / "mine.sqlite").unlink()
    queue_hand(target)
    assert work_off(target)[-1].outcome == "6 rows"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://u@h/d", "Vertex writes to PostgreSQL and SQLite"),
        ("postgresql://u@h/d?host=/var/run", "may not set host"),
        ("postgresql://u@h/d?service=x&sslmode=require", "may not set service"),
        ("sqlite://", "is sqlite:/// and its path"),
        ("sqlite:///file:/etc/x?mode=ro", "is sqlite:/// and its path"),
        ("nonsense", "cannot be read"),
    ],
)
def test_an_address_that_could_reach_further_is_refused(url: str, why: str) -> None:
    with pytest.raises(DeliveryError, match=why.replace("?", r"\?")):
        check_address(url)


@pytest.mark.django_db
@pytest.mark.parametrize(("url", "why"), [("sqlite:////etc/x.db", "not below"), ("postgresql://u@169.254.169.254/d", "not allowed")])
def test_a_file_elsewhere_and_a_private_host_are_refused(root: Path, url: str, why: str) -> None:
    target = DeliveryTarget(name="x", kind="sql", place={"url": url, "table": "x"}, record_type=factory.record_type(name="Thing"))
    assert why in connect.send_test(target)
