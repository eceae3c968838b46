"""A webhook gets every change once, in signed batches that can be told apart, whatever happens on the way."""

import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.utils import timezone

from extraction.models import Delivery, DeliveryTarget, TrackedRecord
from extraction.services.deliveries import connect, deliver, outbox
from extraction.services.deliveries.senders import reach, webhook
from tests.services.deliveries.conftest import queue_hand
from tests.services.deliveries.receivers import KEY, Hook, make_hook_target
from tests.services.records.bookshop import Bookshop
from tests.services.records.test_history import visit

WorkOff = Callable[..., list[Delivery]]


def replay(hook: Hook) -> dict[int, dict[str, Any]]:
    """What the receiver has after all changes: {record: its values}."""
    held: dict[int, dict[str, Any]] = {}
    for change in hook.changes():
        record = change["record_id"]
        assert (change["kind"] in ("added", "back")) == (record not in held), change
        if change["kind"] in ("gone", "removed"):
            del held[record]
        else:
            held[record] = change["record"]
    return held


def titles(hook: Hook) -> dict[str, str]:
    return {each["isbn"]: each["price"] for each in replay(hook).values()}


def shelf(shop: Bookshop) -> dict[str, str]:
    return {isbn: f"{values['price'][1:]} GBP" for isbn, values in shop.present().items()}


def test_after_a_week_of_failures_the_receiver_has_what_the_shop_has_and_each_change_once(
    shop: Bookshop, hook: Hook, work_off: WorkOff, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook, "BATCH_CHANGES", 3)
    shop.random.seed(2)
    shop.log_visit(gone_after=2)
    target = make_hook_target(shop.kind, hook)
    for day in range(7):
        if day:
            shop.live_a_day()
        visit(shop)
        shop.log_visit(gone_after=2)
        hook.answers = [shop.random.choice([200, 200, 500, 503, 0]) for _ in range(4)]
        work_off(target, later=60 * 24 * day)
    hook.answers = []
    done = work_off(target, later=60 * 24 * 90)
    assert {each.state for each in done} == {"done"}
    assert len(done) == 7, "one outcome for each run"
    assert titles(hook) == shelf(shop)
    ids = [change["id"] for change in hook.changes()]
    assert len(ids) == len(set(ids))
    bodies: dict[str, set[bytes]] = {}
    for headers, body in hook.requests:
        bodies.setdefault(headers["idempotency-key"], set()).add(body)
    assert all(len(each) == 1 for each in bodies.values()), "a batch that is sent again has the same bytes"


def test_a_receiver_that_answers_500_for_a_while_gets_everything_once_when_it_works(shop: Bookshop, hook: Hook, work_off: WorkOff) -> None:
    target = make_hook_target(shop.kind, hook)
    queue_hand(target)
    hook.answers = [500] * 4
    for later in (0, 2, 10, 40):
        (delivery,) = work_off(target, later=later)
        assert delivery.state == "queued"
        assert delivery.error == "127.0.0.1 answers 500: wait for ••••, please"
    visit(shop)  # another delivery waits behind the first
    first, second = work_off(target, later=1000)
    assert (first.state, first.failures, first.outcome) == ("done", 4, "6 changes")
    assert (second.state, second.outcome) == ("done", "Nothing new: nothing changed since the last delivery.")
    assert len(hook.accepted) == 1
    assert len({change["record_id"] for change in hook.changes()}) == 6


def test_the_next_delivery_brings_what_one_that_failed_for_good_did_not(shop: Bookshop, hook: Hook, work_off: WorkOff) -> None:
    target = make_hook_target(shop.kind, hook)
    queue_hand(target)
    hook.answers = [500] * 7
    for n in range(7):
        (failed,) = work_off(target, later=2000 * n)
    assert (failed.state, failed.failures, failed.batch) == ("failed", 7, "")
    queue_hand(target)
    work_off(target)
    assert len(hook.changes()) == 6
    assert outbox.retry_delivery(failed, timezone.now())
    assert [each.state for each in work_off(target)] == ["done", "done"]
    assert len(hook.changes()) == 6


def test_a_request_is_signed_over_its_id_time_and_body(shop: Bookshop, hook: Hook, work_off: WorkOff) -> None:
    secret = b"sixteen bytes!!!"
    target = make_hook_target(shop.kind, hook)
    queue_hand(target)
    work_off(target)
    ((headers, body),) = hook.requests

    def sign(key: bytes) -> str:
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()

    assert headers["webhook-signature"] == sign(KEY.encode()) != sign(secret)
    assert abs(int(headers["webhook-timestamp"]) - timezone.now().timestamp()) < 60
    assert headers["idempotency-key"] == headers["webhook-id"]
    assert webhook.read_key("whsec_" + base64.b64encode(secret).decode()) == secret


def test_the_body_says_what_happened_and_names_what_changed(shop: Bookshop, hook: Hook, work_off: WorkOff) -> None:
    target = make_hook_target(shop.kind, hook)
    queue_hand(target)
    work_off(target)
    isbn, book = next(iter(shop.books.items()))
    book.pence, book.stock = 1234, 3 if book.stock != 3 else 4
    run = visit(shop)
    work_off(target)
    body = json.loads(hook.requests[-1][1])
    assert {name: body[name] for name in ("format", "target", "record_type", "list", "run", "batch")} == {
        "format": 1,
        "target": "To webhook",
        "record_type": {"slug": "book", "name": "Book"},
        "list": None,
        "run": run.pk,
        "batch": 1,
    }
    assert body["schema"] == {"version": 1, "breaking_changes": [], "changes": []}
    (change,) = body["changes"]
    record = TrackedRecord.objects.get(key=[isbn])
    assert (change["kind"], change["key"], change["changed"]) == ("changed", [isbn], ["price", "stock"])
    assert (change["record_id"], change["number"], change["record"]["price"]) == (record.pk, 2, "12.34 GBP")


def test_records_of_a_deleted_template_are_removed(shop: Bookshop, hook: Hook, work_off: WorkOff) -> None:
    target = make_hook_target(shop.kind, hook)
    queue_hand(target)
    work_off(target)
    other = shop.cluster.site.clusters.create(number=2, record_type=shop.kind)
    from tests.services import factory

    factory.released_run(other)
    shop.cluster.delete()
    queue_hand(target)
    work_off(target)
    assert {change["kind"] for change in hook.changes()[6:]} == {"removed"}
    assert replay(hook) == {}
    queue_hand(target)
    assert work_off(target)[-1].outcome.startswith("Nothing new")


def test_a_private_address_is_refused_unless_an_administrator_lists_it(
    shop: Bookshop, hook: Hook, work_off: WorkOff, settings: Any
) -> None:
    settings.VERTEX_DELIVERY_PRIVATE_HOSTS = []
    target = make_hook_target(shop.kind, hook)
    queue_hand(target)
    (delivery,) = work_off(target)
    assert delivery.state == "failed"
    assert "127.0.0.1, not an address of the public internet" in delivery.error
    assert "VERTEX_DELIVERY_PRIVATE_HOSTS" in delivery.error
    assert hook.requests == []


def test_a_redirect_is_not_followed_and_a_busy_receiver_says_when_to_come_back(shop: Bookshop, hook: Hook, work_off: WorkOff) -> None:
    target = make_hook_target(shop.kind, hook)
    queue_hand(target)
    hook.answers = [301, 429]
    (delivery,) = work_off(target)
    assert "redirect (301)" in delivery.error
    (delivery,) = work_off(target, later=2)
    assert (delivery.next_at - timezone.now()).total_seconds() > 7000


def test_nothing_shows_the_secrets(shop: Bookshop, hook: Hook, work_off: WorkOff, caplog: pytest.LogCaptureFixture) -> None:
    target = make_hook_target(shop.kind, hook)
    with caplog.at_level(logging.DEBUG):
        hook.answers = [500, 0]
        assert connect.send_test(target) == "127.0.0.1 answers 500: wait for ••••, please"
        queue_hand(target)
        work_off(target)
        hook.answers = []
        assert connect.send_test(target) == ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret, place FROM extraction_deliverytarget")
        stored = str(cursor.fetchall())
    for text in (caplog.text, stored, str(Delivery.objects.values_list("error")), repr(target.__dict__)):
        assert "sesame" not in text
        assert KEY not in text
    assert json.loads(hook.requests[-1][1])["test"] is True


def test_a_wrong_key_of_the_dashboard_is_named(shop: Bookshop, hook: Hook, work_off: WorkOff, settings: Any) -> None:
    target = make_hook_target(shop.kind, hook)
    settings.SECRET_KEY = "another"
    queue_hand(target)
    (delivery,) = work_off(target)
    assert delivery.error.startswith("The password or key of To webhook cannot be read")


def test_a_delivery_of_a_deleted_target_ends_without_an_error(shop: Bookshop, hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    target = make_hook_target(shop.kind, hook)
    delivery = queue_hand(target)
    monkeypatch.setattr(webhook, "send_batch", lambda *_: DeliveryTarget.objects.all().delete())
    assert not deliver.deliver(delivery.pk, timezone.now())
    assert not Delivery.objects.exists()


def test_a_host_in_letters_of_any_script_is_named_as_it_is_looked_up(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "find_address", lambda *_, **__: ip_address("127.0.0.1"))
    port = urlsplit(hook.url).port
    for host, name in (
        ("日本.example", "xn--wgv71a.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("Shop.example", "shop.example"),
    ):
        webhook.send_batch({"url": f"http://{host}:{port}/hook", "key": "k" * 16}, "1", "{}", timezone.now())
        assert hook.requests[-1][0]["host"] == f"{name}:{port}"


@pytest.mark.parametrize(
    "url",
    [
        "https://[::1",
        "https://[v1.x",
        "https://a.example:x/",
        "https://a.example:99999/",
        "https://℀.example/",
        f"https://{'é' * 80}.example/",
        "https://\u200b/",
    ],
)
def test_what_is_no_web_address_fails_in_words_and_is_not_tried_again(url: str) -> None:
    with pytest.raises(reach.DeliveryError, match=r"not a web address|No host is named") as caught:
        webhook.send_batch({"url": url, "key": "k" * 16}, "1", "{}", timezone.now())
    assert not caught.value.again
