"""Requests to the workbench of a shop with eight book pages."""

import json

from django.urls import reverse

from extraction.models import Attribute, Cluster, Snapshot
from extraction.services.core import stored_bytes
from tests.services import factory


def address(name: str, *more: int) -> str:
    return reverse(name, args=["books", 1, *more])


def page(shop: Cluster, number: int = 0) -> Snapshot:
    return Snapshot.objects.filter(cluster=shop).order_by("pk")[number]


def attribute(name: str = "title") -> Attribute:
    return Attribute.objects.get(name=name)


def place(snapshot: Snapshot, text: str) -> dict:
    return factory.text_at(stored_bytes.get_bytes(snapshot.sha256), text).as_json()


def post(client, name: str, body: object = None):
    return client.post(address(name), json.dumps(body or {}), content_type="application/json")


def mark(client, snapshot: Snapshot, name: str, *texts: str):
    return post(
        client,
        "workbench_label",
        {"page": snapshot.pk, "changes": [{"attribute": attribute(name).pk, "locations": [place(snapshot, text) for text in texts]}]},
    )
