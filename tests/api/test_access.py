"""Every operation of the API needs a token, the role, the scope and the site, and nothing more."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone

from extraction.api.application import api
from extraction.models import ApiScope, ApiToken, Role, Site, TrackedRecord
from extraction.services.core import api_tokens, secret_tokens
from tests.views.world import World

READ, RECORDS, EDIT, OPERATE = ApiScope
VIEWER, EDITOR, OPERATOR = Role.VIEWER, Role.EDITOR, Role.OPERATOR
SITE = "/sites/{site}"
TEMPLATE = SITE + "/templates/{number}"
RULE = TEMPLATE + "/rules/{version}"

OPERATIONS: dict[str, tuple[str, str, Role, ApiScope, Any]] = {
    "list_sites": ("GET", "/sites", VIEWER, READ, None),
    "create_site": ("POST", "/sites", EDITOR, EDIT, {"name": "New"}),
    "show_site": ("GET", SITE, VIEWER, READ, None),
    "change_site": ("PATCH", SITE, EDITOR, EDIT, {}),
    "delete_site": ("DELETE", SITE + "?confirm=Books", OPERATOR, OPERATE, None),
    "show_source": ("GET", SITE + "/source", EDITOR, EDIT, None),
    "change_source": ("PATCH", SITE + "/source", EDITOR, EDIT, {}),
    "list_pages": ("GET", SITE + "/pages", VIEWER, READ, None),
    "show_page": ("GET", SITE + "/pages/{page}", VIEWER, READ, None),
    "download_page": ("GET", SITE + "/pages/{page}/content", VIEWER, READ, None),
    "delete_page": ("DELETE", SITE + "/pages/{page}", OPERATOR, OPERATE, None),
    "upload_pages": ("POST", SITE + "/uploads", EDITOR, EDIT, {}),
    "start_crawl": ("POST", SITE + "/crawls", EDITOR, EDIT, {}),
    "list_runs": ("GET", "/runs", VIEWER, READ, None),
    "show_run": ("GET", "/runs/{run}", VIEWER, READ, None),
    "list_run_problems": ("GET", "/runs/{run}/problems", VIEWER, READ, None),
    "cancel_run": ("POST", "/runs/{run}/cancel", EDITOR, EDIT, None),
    "pause_run": ("POST", "/runs/{crawl}/pause", EDITOR, EDIT, None),
    "resume_run": ("POST", "/runs/{crawl}/resume", EDITOR, EDIT, None),
    "list_templates": ("GET", SITE + "/templates", VIEWER, READ, None),
    "show_template": ("GET", TEMPLATE, VIEWER, READ, None),
    "change_template": ("PATCH", TEMPLATE, EDITOR, EDIT, {"name": "Book pages"}),
    "list_samples": ("GET", TEMPLATE + "/samples", VIEWER, READ, None),
    "find_templates": ("POST", SITE + "/templates/find", EDITOR, EDIT, {}),
    "merge_templates": ("POST", SITE + "/templates/merge", EDITOR, EDIT, {"into": 1, "others": [1]}),
    "list_record_types": ("GET", "/record-types", VIEWER, READ, None),
    "create_record_type": ("POST", "/record-types", EDITOR, EDIT, {"name": "Film", "attributes": [{"name": "title"}]}),
    "show_record_type": ("GET", "/record-types/{type}", VIEWER, READ, None),
    "change_record_type": ("PUT", "/record-types/{type}", EDITOR, EDIT, {"name": "Film", "attributes": [{"name": "director"}]}),
    "delete_record_type": ("DELETE", "/record-types/{type}", OPERATOR, OPERATE, None),
    "list_labels": ("GET", TEMPLATE + "/labels", VIEWER, READ, None),
    "set_labels": ("PUT", TEMPLATE + "/pages/{page}/labels/title", EDITOR, EDIT, {"absent": True}),
    "list_rules": ("GET", TEMPLATE + "/rules", VIEWER, READ, None),
    "show_rule": ("GET", RULE, VIEWER, READ, None),
    "export_rule": ("GET", RULE + "/export/xslt", VIEWER, READ, None),
    "learn_rule": ("POST", TEMPLATE + "/learn", EDITOR, EDIT, None),
    "edit_rule": ("POST", RULE + "/edit", EDITOR, EDIT, {"attribute": "title", "xpath": "//h1/text()"}),
    "publish_rule": ("POST", RULE + "/publish", EDITOR, EDIT, None),
    "retire_rule": ("POST", RULE + "/retire", OPERATOR, OPERATE, None),
    "extract_template": ("POST", TEMPLATE + "/extract", EDITOR, EDIT, None),
    "extract_site": ("POST", SITE + "/extract", EDITOR, EDIT, None),
    "list_records": ("GET", TEMPLATE + "/records", VIEWER, RECORDS, None),
    "list_type_records": ("GET", "/record-types/{type}/records", VIEWER, RECORDS, None),
    "list_changes": ("GET", TEMPLATE + "/changes", VIEWER, RECORDS, None),
    "export_records": ("GET", TEMPLATE + "/export", VIEWER, RECORDS, None),
    "export_type_records": ("GET", "/record-types/{type}/export", VIEWER, RECORDS, None),
    "list_checks": ("GET", SITE + "/checks", VIEWER, READ, None),
    "show_check": ("GET", SITE + "/checks/{check}", VIEWER, READ, None),
    "check_site": ("POST", SITE + "/check", EDITOR, EDIT, None),
    "refresh_site": ("POST", SITE + "/refresh", EDITOR, EDIT, None),
    "list_breakages": ("GET", "/breakages", VIEWER, READ, None),
    "show_breakage": ("GET", "/breakages/{breakage}", VIEWER, READ, None),
    "accept_breakage": ("POST", "/breakages/{breakage}/accept", OPERATOR, OPERATE, {}),
    "dismiss_breakage": ("POST", "/breakages/{breakage}/dismiss", OPERATOR, OPERATE, None),
}
SHARED = {"list_record_types", "show_record_type", "list_sites", "list_runs", "list_breakages", "list_type_records", "export_type_records"}
"""Operations that a token for other sites may use too. They show nothing of this site then."""

ALL_SITES = {"create_site", "create_record_type", "change_record_type", "delete_record_type"}
"""Operations that need a token for all sites."""


def call(client: Client, world: World, name: str) -> Any:
    """Call an operation, and undo what it did."""
    method, path, _, _, body = OPERATIONS[name]
    address = path.format(
        site=world.site.slug,
        number=world.cluster.number,
        version=world.rule.version,
        page=world.page.pk,
        run=world.run.pk,
        crawl=world.crawl.pk,
        type=world.record_type.slug,
        check=world.breakage.check_found_id,
        breakage=world.breakage.pk,
    )
    address = f"/api/v1{address}"
    with transaction.atomic():
        if name == "upload_pages":
            page = SimpleUploadedFile("page.html", b"<html><body><h1>Emma</h1></body></html>")
            answer = client.post(address, {"file": page, "url": "https://shop.example/emma"})
        else:
            answer = client.generic(method, address, "" if body is None else json.dumps(body), "application/json")
        transaction.set_rollback(True)
    return answer


def test_every_operation_is_in_this_table() -> None:
    said = {
        each["operationId"]: (method.upper(), each["x-role"], each["x-scope"])
        for methods in api.get_openapi_schema()["paths"].values()
        for method, each in methods.items()
    }
    assert said == {name: (method, role.group, scope.value) for name, (method, _, role, scope, _) in OPERATIONS.items()}


def test_a_role_and_the_scope_are_needed_and_enough(world: World, program: Callable[..., Client]) -> None:
    wrong = []
    lower = {role: program(Role(role - 1).group) for role in (EDITOR, OPERATOR)}
    without = {scope: program("admin", scopes=[each for each in ApiScope if each != scope]) for scope in ApiScope}
    enough = {(role, scope): program(role.group, scopes=[scope]) for role in (VIEWER, EDITOR, OPERATOR) for scope in ApiScope}
    for name, (_, _, role, scope, _) in OPERATIONS.items():
        if role in lower and (status := call(lower[role], world, name).status_code) != 403:
            wrong.append((name, "with a lower role", status))
        if (status := call(without[scope], world, name).status_code) != 403:
            wrong.append((name, "without the scope", status))
        if (status := call(enough[role, scope], world, name).status_code) in (401, 403, 404, 500):
            wrong.append((name, "with both", status))
    assert not wrong


def test_a_token_for_other_sites_sees_and_does_nothing_here(world: World, program: Callable[..., Client]) -> None:
    other = Site.objects.create(name="Elsewhere", slug="elsewhere")
    client, nowhere = program("admin", sites=[other]), program("admin", sites=[])
    for name in OPERATIONS:
        for limited in (client, nowhere):
            answer = call(limited, world, name)
            expected = 403 if name in ALL_SITES else 200 if name in SHARED else 404
            assert answer.status_code == expected, (name, answer.content)
            if name in SHARED - {"export_type_records", "list_record_types", "show_record_type"}:
                assert [each["slug"] for each in answer.json()["items"]] == (
                    ["elsewhere"] if name == "list_sites" and limited is client else []
                )
    assert b"".join(call(client, world, "export_type_records").streaming_content).count(b"\n") == 1  # the header only


def test_a_token_for_this_site_may_be_used_here(world: World, program: Callable[..., Client]) -> None:
    client = program("admin", sites=[world.site])
    for name in set(OPERATIONS) - ALL_SITES:
        assert call(client, world, name).status_code not in (401, 403, 404, 500), name


def test_deleting_the_sites_of_a_token_does_not_make_it_one_for_all_sites(world: World, program: Callable[..., Client]) -> None:
    other = Site.objects.create(name="Elsewhere", slug="elsewhere")
    client = program("admin", sites=[other])
    other.delete()
    assert call(client, world, "list_sites").json()["items"] == []


def test_no_token_and_a_wrong_one_are_refused(world: World, signed_in: Any) -> None:
    for client in (
        Client(),
        signed_in("admin"),
        Client(headers={"Authorization": "Bearer vxa_wrong"}),
        Client(headers={"Authorization": "Basic x"}),
    ):
        for name in OPERATIONS:
            answer = call(client, world, name)
            assert answer.status_code == 401, name
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert "Bearer" in answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize("why", ["revoked", "expired", "inactive", "without a role"])
def test_a_token_ends(world: World, program: Callable[..., Client], person: Any, why: str) -> None:
    past = timezone.now() - timedelta(seconds=1)
    client = program("viewer", expires_at=past if why == "expired" else None)
    user = person("viewer")
    if why == "revoked":
        secret_tokens.revoke_token(ApiToken.objects.get(user=user))
    elif why == "inactive":
        type(user).objects.filter(pk=user.pk).update(is_active=False)
    elif why == "without a role":
        user.groups.clear()
    assert call(client, world, "list_sites").status_code == (403 if why == "without a role" else 401)


def test_only_the_digest_of_a_token_is_stored(person: Any) -> None:
    token = api_tokens.create_token(person("viewer"), "mine", ["read"])
    assert token not in str(list(ApiToken.objects.values_list()))
    assert token.startswith("vxa_")


def test_a_role_that_is_taken_away_limits_the_tokens_that_were_made_before(
    world: World, program: Callable[..., Client], person: Any
) -> None:
    client = program("operator")
    person("operator").groups.set(person("viewer").groups.all())
    assert call(client, world, "retire_rule").status_code == 403
    assert call(client, world, "show_rule").status_code == 200


def test_editors_cancel_only_their_own_runs(world: World, program: Callable[..., Client], person: Any) -> None:
    type(world.crawl).objects.filter(pk=world.crawl.pk).update(created_by=person("operator"))
    assert call(program("editor"), world, "resume_run").status_code == 403
    assert call(program("operator"), world, "resume_run").status_code == 200


def test_unknown_addresses_and_methods_are_problems(world: World, program: Callable[..., Client]) -> None:
    client = program("admin")
    for answer, status in (
        (client.get("/api/v1/nothing"), 404),
        (client.get("/api/v1/sites/nowhere"), 404),
        (client.get("/api/v1/runs/99999999999999999999999"), 404),
        (client.put("/api/v1/sites"), 405),
        (client.get("/api/v1/sites?limit=0"), 422),
        (client.get("/api/v1/sites?after=!"), 422),
        (client.post("/api/v1/sites", "{", "application/json"), 400),
    ):
        assert (answer.status_code, answer.json()["status"], answer.headers["Content-Type"]) == (status, status, "application/problem+json")
    assert TrackedRecord.objects.exists()
