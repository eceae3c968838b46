"""Webhooks, signed as the Standard Webhooks specification says (https://www.standardwebhooks.com).

Each request is a POST with these headers:

    webhook-id         names the batch; the same batch always has the same id and the same body, also when it is sent again
    webhook-timestamp  the time of sending, in seconds since 1970
    webhook-signature  "v1," and the base64 of HMAC-SHA256 over "{id}.{timestamp}.{body}"
    idempotency-key    the same as webhook-id

docs/deliveries.md describes the body.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from extraction.algorithms.records.columns import Column
from extraction.models import Delivery, DeliveryTarget
from extraction.services.deliveries.ledger import Difference
from extraction.services.deliveries.senders.reach import fail_on, read_address, send_request
from extraction.services.records.exports.json_lines import to_json

BATCH_CHANGES = 200
"""Changes in one request."""

BATCH_BYTES = 1_000_000
"""A batch is closed when it has so many bytes, so one change more may be in it."""

SHORTEST_KEY = 16
"""Characters of a signing key."""

KEY_PREFIX = "whsec_"
"""What the specification puts in front of a key in base64."""


def send_batch(secrets: Mapping[str, str], batch_id: str, body: str, now: datetime) -> None:
    """Send a batch. Raises DeliveryError unless the receiver accepts it with a status from 200 to 299."""
    content = body.encode()
    stamp = str(int(now.timestamp()))
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": str(len(content)),
        "webhook-id": batch_id,
        "webhook-timestamp": stamp,
        "webhook-signature": sign_body(secrets.get("key", ""), batch_id, stamp, content),
        "idempotency-key": batch_id,
    }
    url = secrets.get("url", "")
    answer = send_request("POST", url, headers=headers, body=content)
    fail_on(answer, read_address(url).host)


def sign_body(key: str, batch_id: str, stamp: str, body: bytes) -> str:
    """Return the signature of a request."""
    signed = b".".join((batch_id.encode(), stamp.encode(), body))
    return "v1," + base64.b64encode(hmac.new(read_key(key), signed, hashlib.sha256).digest()).decode()


def read_key(key: str) -> bytes:
    """Return the bytes of a signing key: those behind KEY_PREFIX in base64, or those of the text itself."""
    if key.startswith(KEY_PREFIX):
        try:
            return base64.b64decode(key.removeprefix(KEY_PREFIX), validate=True)
        except binascii.Error:
            pass
    return key.encode()


def write_batch(
    delivery: Delivery, number: int, columns: Sequence[Column], differences: Sequence[Difference], schema: Mapping[str, Any]
) -> str:
    """Return the body of a batch of changes as JSON."""
    target = delivery.target
    return _write(
        {
            **_describe_target(target),
            "delivery": delivery.pk,
            "batch": number,
            "run": delivery.run_id,
            "schema": schema,
            "changes": [_write_change(each, columns) for each in differences],
        }
    )


def write_test(target: DeliveryTarget) -> str:
    """Return the body of a test: no changes."""
    return _write({**_describe_target(target), "test": True, "changes": []})


def name_batch(delivery: Delivery, number: int) -> str:
    """Return the id of a batch, which no other batch has. The time of the delivery tells it from one of an earlier database."""
    return f"vertex-{delivery.pk}-{number}-{int(delivery.created_at.timestamp())}"


def _describe_target(target: DeliveryTarget) -> dict[str, Any]:
    about = {"slug": target.record_type.slug, "name": target.record_type.name}
    return {"format": 1, "target": target.name, "record_type": about, "list": target.list_name or None}


def _write_change(each: Difference, columns: Sequence[Column]) -> dict[str, Any]:
    state = each.state
    return {
        "id": f"{each.entry.record_id}-{each.entry.number}-{each.entry.digest[:12]}",
        "kind": each.kind,
        "record_id": each.entry.record_id,
        "number": each.entry.number,
        "key": list(state.key) if state else None,
        "changed": list(each.attributes) if each.attributes is not None else None,
        "record": {column.name: to_json(cell) for column, cell in zip(columns, each.cells, strict=True)} if state else None,
    }


def _write(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
