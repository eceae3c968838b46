"""Whatever a program sends, the API answers as its OpenAPI document says, and never with an error of the server."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.api.application import api
from tests.views.world import World

EXAMPLES = 60

TEXTS = st.text(max_size=12) | st.sampled_from(["", "0", "-1", "99999999999999999999999", "\0", "é", "2026-11-29", "now", "open", "csv"])
VALUES = st.none() | st.booleans() | st.integers() | TEXTS
JSON = st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6)


def known(world: World, path: str, name: str) -> str:
    """A path parameter that names something."""
    slugs = {"record-types": world.record_type.slug, "teams": world.address("team")[0]}
    right = {
        "slug": slugs.get(path.split("/")[3], world.site.slug),
        "name": "admin",
        "number": world.cluster.number,
        "version": world.rule.version,
        "page_id": world.page.pk,
        "run_id": world.run.pk,
        "check_id": world.breakage.check_found_id,
        "breakage_id": world.breakage.pk,
        "correction_id": world.correction().pk,
        "rule_id": world.quality_rule().pk,
        "release_id": world.release().pk,
        "proposal_id": world.merge_proposal().pk,
        "clustering_id": world.clustering.pk,
        "join_id": world.joined.join_id,
        "target_id": world.delivery.target_id,
        "channel_id": world.address("alert_channel")[0],
        "delivery_id": world.delivery.pk,
        "attribute": "title",
        "form": "xslt",
    }
    return str(right[name])


def make_body(data: st.DataObject, schema: Any, schemas: Any) -> Any:
    """A body that mostly has the right fields, with any values."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    names = list(schema.get("properties", {}))
    if not names or data.draw(st.integers(0, 5)) == 0:
        return data.draw(JSON)
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True))
    return {name: data.draw(JSON) for name in chosen}


def test_no_request_makes_the_server_fail(world: World, program: Callable[..., Client]) -> None:
    document = json.loads(json.dumps(api.get_openapi_schema()))
    schemas = document["components"]["schemas"]
    operations = [(path, method, each) for path, many in document["paths"].items() for method, each in many.items()]
    client = program("admin")

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check(data: st.DataObject) -> None:
        path, method, said = data.draw(st.sampled_from(operations))
        for name in re.findall(r"{(\w+)}", path):
            wrong = data.draw(TEXTS) if data.draw(st.integers(0, 9)) == 0 else known(world, path, name)
            path = path.replace(f"{{{name}}}", quote(wrong, safe=""))
        names = [each["name"] for each in said.get("parameters", ()) if each["in"] == "query"]
        query = {name: data.draw(TEXTS) for name in names if data.draw(st.booleans())}
        content = next(iter(said.get("requestBody", {}).get("content", {}).values()), None)
        body = json.dumps(make_body(data, content["schema"], schemas)) if content else ""
        with transaction.atomic():
            answer: Any = client.generic(method.upper(), f"{path}?{urlencode(query)}", body, "application/json")
            transaction.set_rollback(True)
        assert answer.status_code < 500, (method, path, query, body, answer)
        if answer.status_code >= 400:
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert answer.json()["status"] == answer.status_code
        else:
            assert str(answer.status_code) in said["responses"]

    check()
