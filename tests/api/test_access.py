"""Every operation of the API needs a token, the role, the scope and the site, and nothing more."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone

from extraction.api.application import api
from extraction.models import (
    ApiScope,
    ApiToken,
    AuditEntry,
    Membership,
    Role,
    Site,
    Team,
    TrackedRecord,
)
from extraction.services.core import api_tokens, secret_tokens
from tests.views.world import World

READ, RECORDS, EDIT, OPERATE, ADMINISTER = ApiScope
VIEWER, EDITOR, OPERATOR, ADMIN = Role
SITE = "/sites/{site}"
TEMPLATE = SITE + "/templates/{number}"
RULE = TEMPLATE + "/rules/{version}"
JOIN = SITE + "/joins/{join}"
QUALITY = "/record-types/{type}/quality-rules"
HOOK = {
    "name": "Hook",
    "record_type": "book",
    "kind": "webhook",
    "secrets": {"address": "https://hooks.example.org/vertex", "key": "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQ="},
}
CHANNEL = {"name": "Night", "url": "json://127.0.0.1:9/", "events": ["break"]}
DEMAND = {"kind": "unique", "attribute": "title"}

OPERATIONS: dict[str, tuple[str, str, Role, ApiScope, Any]] = {
    "list_sites": ("GET", "/sites", VIEWER, READ, None),
    "create_site": ("POST", "/sites", EDITOR, EDIT, {"name": "New"}),
    "show_site": ("GET", SITE, VIEWER, READ, None),
    "change_site": ("PATCH", SITE, EDITOR, EDIT, {}),
    "delete_site": ("DELETE", SITE + "?confirm=Books", OPERATOR, OPERATE, None),
    "show_source": ("GET", SITE + "/source", EDITOR, EDIT, None),
    "change_source": ("PATCH", SITE + "/source", EDITOR, EDIT, {}),
    "show_fetching": ("GET", SITE + "/fetching", EDITOR, EDIT, None),
    "change_fetching": ("PATCH", SITE + "/fetching", EDITOR, EDIT, {"scrolls": True}),
    "read_sign_in_forms": ("POST", SITE + "/sign-in/forms", EDITOR, EDIT, {"address": "http://10.0.0.1/"}),
    "set_up_sign_in": ("POST", SITE + "/sign-in", EDITOR, EDIT, {"address": "", "password_field": "#p", "password": "x", "button": "#b"}),
    "try_sign_in": ("POST", SITE + "/sign-in/try", EDITOR, EDIT, None),
    "list_pages": ("GET", SITE + "/pages", VIEWER, READ, None),
    "show_page": ("GET", SITE + "/pages/{page}", VIEWER, READ, None),
    "download_picture": ("GET", SITE + "/pages/{page}/picture", VIEWER, READ, None),
    "download_page": ("GET", SITE + "/pages/{page}/content", VIEWER, READ, None),
    "delete_page": ("DELETE", SITE + "/pages/{page}", OPERATOR, OPERATE, None),
    "download_site_files": ("GET", SITE + "/files", EDITOR, EDIT, None),
    "import_site_files": ("POST", "/site-files", OPERATOR, OPERATE, {}),
    "upload_pages": ("POST", SITE + "/uploads", EDITOR, EDIT, {}),
    "start_crawl": ("POST", SITE + "/crawls", EDITOR, EDIT, {}),
    "list_runs": ("GET", "/runs", VIEWER, READ, None),
    "show_run": ("GET", "/runs/{run}", VIEWER, READ, None),
    "list_run_problems": ("GET", "/runs/{run}/problems", VIEWER, READ, None),
    "list_search_terms": ("GET", "/runs/{run}/search-terms", VIEWER, READ, None),
    "cancel_run": ("POST", "/runs/{run}/cancel", EDITOR, EDIT, None),
    "pause_run": ("POST", "/runs/{crawl}/pause", EDITOR, EDIT, None),
    "resume_run": ("POST", "/runs/{crawl}/resume", EDITOR, EDIT, None),
    "list_templates": ("GET", SITE + "/templates", VIEWER, READ, None),
    "show_template": ("GET", TEMPLATE, VIEWER, READ, None),
    "change_template": ("PATCH", TEMPLATE, EDITOR, EDIT, {"name": "Book pages"}),
    "list_template_comments": ("GET", TEMPLATE + "/comments", VIEWER, READ, None),
    "comment_template": ("POST", TEMPLATE + "/comments", EDITOR, EDIT, {"text": "Look"}),
    "change_breakage": ("PATCH", "/breakages/{breakage}", EDITOR, EDIT, {"assignee": ""}),
    "list_breakage_comments": ("GET", "/breakages/{breakage}/comments", VIEWER, READ, None),
    "comment_breakage": ("POST", "/breakages/{breakage}/comments", EDITOR, EDIT, {"text": "Look"}),
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
    "clean_up_rule": ("POST", RULE + "/clean-up", EDITOR, EDIT, {"attribute": "title", "steps": [{"kind": "upper"}]}),
    "publish_rule": ("POST", RULE + "/publish", EDITOR, EDIT, None),
    "retire_rule": ("POST", RULE + "/retire", OPERATOR, OPERATE, None),
    "extract_template": ("POST", TEMPLATE + "/extract", EDITOR, EDIT, None),
    "extract_site": ("POST", SITE + "/extract", EDITOR, EDIT, None),
    "list_records": ("GET", TEMPLATE + "/records", VIEWER, RECORDS, None),
    "list_type_records": ("GET", "/record-types/{type}/records", VIEWER, RECORDS, None),
    "list_changes": ("GET", TEMPLATE + "/changes", VIEWER, RECORDS, None),
    "export_records": ("GET", TEMPLATE + "/export", VIEWER, RECORDS, None),
    "export_type_records": ("GET", "/record-types/{type}/export", VIEWER, RECORDS, None),
    "list_values": ("GET", TEMPLATE + "/pages/{page}/values", VIEWER, RECORDS, None),
    "correct_value": ("POST", TEMPLATE + "/pages/{page}/corrections", EDITOR, EDIT, {"attribute": "title", "values": ["Emma"]}),
    "list_corrections": ("GET", TEMPLATE + "/corrections", VIEWER, RECORDS, None),
    "keep_correction": ("POST", TEMPLATE + "/corrections/{correction}/keep", EDITOR, EDIT, None),
    "end_correction": ("POST", TEMPLATE + "/corrections/{correction}/end", EDITOR, EDIT, None),
    "list_quality_rules": ("GET", QUALITY, VIEWER, READ, None),
    "list_template_quality_rules": ("GET", TEMPLATE + "/quality-rules", VIEWER, READ, None),
    "show_quality_rule": ("GET", "/quality-rules/{quality_rule}", VIEWER, READ, None),
    "create_quality_rule": ("POST", QUALITY + "?site={site}&template={number}", EDITOR, EDIT, DEMAND),
    "change_quality_rule": ("PATCH", "/quality-rules/{quality_rule}", EDITOR, EDIT, {"weight": "block"}),
    "delete_quality_rule": ("DELETE", "/quality-rules/{quality_rule}", EDITOR, EDIT, None),
    "try_quality_rule": ("POST", QUALITY + "/try", EDITOR, EDIT, DEMAND | {"site": "{site}", "template": 1}),
    "suggest_quality_rules": ("GET", QUALITY + "/suggestions?site={site}&template={number}", EDITOR, EDIT, None),
    "take_quality_rules": ("POST", QUALITY + "/suggestions?site={site}&template={number}", EDITOR, EDIT, {"names": ["unique-0"]}),
    "list_releases": ("GET", "/releases", VIEWER, READ, None),
    "show_release": ("GET", "/releases/{release}", VIEWER, READ, None),
    "list_failures": ("GET", "/releases/{release}/failures", VIEWER, RECORDS, None),
    "release_run": ("POST", "/releases/{release}/release", OPERATOR, OPERATE, {}),
    "reject_run": ("POST", "/releases/{release}/reject", OPERATOR, OPERATE, {}),
    "show_schedule": ("GET", SITE + "/schedule", VIEWER, READ, None),
    "change_schedule": ("PUT", SITE + "/schedule", OPERATOR, OPERATE, {"mode": "interval", "every_hours": 3}),
    "remove_schedule": ("DELETE", SITE + "/schedule", OPERATOR, OPERATE, None),
    "pause_schedule": ("POST", SITE + "/schedule/pause", OPERATOR, OPERATE, None),
    "resume_schedule": ("POST", SITE + "/schedule/resume", OPERATOR, OPERATE, None),
    "skip_refresh": ("POST", SITE + "/schedule/skip", OPERATOR, OPERATE, None),
    "list_refreshes": ("GET", SITE + "/refreshes", VIEWER, READ, None),
    "show_monitor": ("GET", SITE + "/monitor", VIEWER, READ, None),
    "change_monitor": ("PATCH", SITE + "/monitor", OPERATOR, OPERATE, {"every_hours": 3}),
    "move_pages": ("POST", SITE + "/pages/move", EDITOR, EDIT, {"pages": ["{page}"], "into": "new"}),
    "list_merge_proposals": ("GET", SITE + "/merge-proposals", VIEWER, READ, None),
    "accept_merge_proposal": ("POST", SITE + "/merge-proposals/{proposal}/accept", EDITOR, EDIT, None),
    "refuse_merge_proposal": ("POST", SITE + "/merge-proposals/{proposal}/refuse", EDITOR, EDIT, None),
    "start_comparison": ("POST", SITE + "/lab/comparisons", EDITOR, EDIT, {"methods": ["lsh"]}),
    "list_clusterings": ("GET", SITE + "/lab/clusterings", VIEWER, READ, None),
    "show_clustering": ("GET", SITE + "/lab/clusterings/{clustering}", VIEWER, READ, None),
    "adopt_clustering": ("POST", SITE + "/lab/clusterings/{clustering}/adopt", OPERATOR, OPERATE, None),
    "list_joins": ("GET", SITE + "/joins", VIEWER, READ, None),
    "propose_joins": ("GET", SITE + "/joins/proposals", EDITOR, EDIT, None),
    "create_join": ("POST", SITE + "/joins", EDITOR, EDIT, {"template": 1, "listings": [{"template": 1, "list_name": "offers"}]}),
    "show_join": ("GET", JOIN, VIEWER, READ, None),
    "change_join": ("PUT", JOIN, EDITOR, EDIT, {"template": 1, "listings": [{"template": 1, "list_name": "offers"}]}),
    "make_join": ("POST", JOIN + "/make", EDITOR, EDIT, None),
    "delete_join": ("DELETE", JOIN, EDITOR, EDIT, None),
    "list_joined_records": ("GET", JOIN + "/records", VIEWER, RECORDS, None),
    "export_joined_records": ("GET", JOIN + "/export", VIEWER, RECORDS, None),
    "list_targets": ("GET", "/delivery-targets", VIEWER, READ, None),
    "create_target": ("POST", "/delivery-targets", OPERATOR, OPERATE, HOOK),
    "show_target": ("GET", "/delivery-targets/{target}", VIEWER, READ, None),
    "change_target": ("PATCH", "/delivery-targets/{target}", OPERATOR, OPERATE, {"enabled": False}),
    "delete_target": ("DELETE", "/delivery-targets/{target}?confirm=Shop", OPERATOR, OPERATE, None),
    "preview_target": ("GET", "/delivery-targets/{target}/preview", OPERATOR, OPERATE, None),
    "test_target": ("POST", "/delivery-targets/{target}/test", OPERATOR, OPERATE, None),
    "deliver_now": ("POST", "/delivery-targets/{target}/deliver", OPERATOR, OPERATE, {}),
    "list_deliveries": ("GET", "/deliveries", VIEWER, READ, None),
    "show_delivery": ("GET", "/deliveries/{delivery}", VIEWER, READ, None),
    "retry_delivery": ("POST", "/deliveries/{delivery}/retry", OPERATOR, OPERATE, None),
    "list_checks": ("GET", SITE + "/checks", VIEWER, READ, None),
    "show_check": ("GET", SITE + "/checks/{check}", VIEWER, READ, None),
    "check_site": ("POST", SITE + "/check", EDITOR, EDIT, None),
    "refresh_site": ("POST", SITE + "/refresh", EDITOR, EDIT, None),
    "list_breakages": ("GET", "/breakages", VIEWER, READ, None),
    "show_breakage": ("GET", "/breakages/{breakage}", VIEWER, READ, None),
    "accept_breakage": ("POST", "/breakages/{breakage}/accept", OPERATOR, OPERATE, {}),
    "dismiss_breakage": ("POST", "/breakages/{breakage}/dismiss", OPERATOR, OPERATE, None),
    "list_alert_channels": ("GET", "/alert-channels", ADMIN, ADMINISTER, None),
    "create_alert_channel": ("POST", "/alert-channels", ADMIN, ADMINISTER, CHANNEL),
    "show_alert_channel": ("GET", "/alert-channels/{channel}", ADMIN, ADMINISTER, None),
    "change_alert_channel": ("PATCH", "/alert-channels/{channel}", ADMIN, ADMINISTER, {"enabled": False}),
    "delete_alert_channel": ("DELETE", "/alert-channels/{channel}", ADMIN, ADMINISTER, None),
    "test_alert_channel": ("POST", "/alert-channels/{channel}/test", ADMIN, ADMINISTER, None),
    "list_audit_entries": ("GET", "/audit-log", ADMIN, ADMINISTER, None),
    "list_teams": ("GET", "/teams", VIEWER, READ, None),
    "create_team": ("POST", "/teams", ADMIN, ADMINISTER, {"name": "Films"}),
    "rename_team": ("PATCH", "/teams/{team}", ADMIN, ADMINISTER, {"name": "Books"}),
    "delete_team": ("DELETE", "/teams/{team}", ADMIN, ADMINISTER, None),
    "list_members": ("GET", "/teams/{team}/members", ADMIN, ADMINISTER, None),
    "change_member": ("PUT", "/teams/{team}/members/somebody", ADMIN, ADMINISTER, {"role": "editor"}),
    "remove_member": ("DELETE", "/teams/{team}/members/somebody", ADMIN, ADMINISTER, None),
    "move_site": ("POST", "/teams/{team}/sites", ADMIN, ADMINISTER, {"site": "{site}"}),
}
SHOWS_TYPES = {"list_record_types", "show_record_type", "export_type_records"}
SHARED = {
    *SHOWS_TYPES,
    "list_teams",
    "list_sites",
    "list_runs",
    "list_breakages",
    "list_type_records",
    "list_releases",
    "list_quality_rules",
}
"""Operations that a token for other sites may use too. They show nothing of this site then."""

OF_TARGETS = {name for name, row in OPERATIONS.items() if row[1].startswith(("/deliver", "/delivery-targets"))}
OF_CHANNELS = {name for name, row in OPERATIONS.items() if row[1].startswith("/alert-channels")}
OF_TEAMS = {"create_team", "rename_team", "delete_team", "list_members", "change_member", "remove_member"}
"""Operations on teams. Whoever could add members would reach all sites of the team by another account."""

ALL_SITES = {
    *OF_TEAMS,
    *OF_CHANNELS,
    "list_audit_entries",
    "create_site",
    "import_site_files",
    "create_record_type",
    "change_record_type",
    "delete_record_type",
    *OF_TARGETS,
}
"""Operations that need a token for all sites."""


def _zip_empty_site() -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        archive.writestr("site.yaml", "format: 1\nname: From files\nslug: from-files\n")
    return found.getvalue()


EMPTY_SITE = _zip_empty_site()


def call(client: Client, world: World, name: str) -> Any:
    """Call an operation, and undo what it did."""
    method, path, _, _, body = OPERATIONS[name]
    ids = {
        "site": world.site.slug,
        "number": world.cluster.number,
        "version": world.rule.version,
        "page": world.picture().snapshot.page_id,
        "run": world.run.pk,
        "crawl": world.crawl.pk,
        "type": world.record_type.slug,
        "check": world.breakage.check_found_id,
        "breakage": world.breakage.pk,
        "correction": world.correction().pk,
        "quality_rule": world.quality_rule().pk,
        "release": world.release().pk,
        "proposal": world.merge_proposal().pk,
        "clustering": world.clustering.pk,
        "join": world.joined.join_id,
        "target": world.delivery.target_id,
        "delivery": world.delivery.pk,
        "team": world.address("team")[0],
        "channel": world.address("alert_channel")[0],
    }
    address = f"/api/v1{path.format(**ids)}"
    content = "" if body is None else json.dumps(body).replace("{site}", world.site.slug).replace('"{page}"', str(world.page.pk))
    with transaction.atomic():
        if name == "upload_pages":
            page = SimpleUploadedFile("page.html", b"<html><body><h1>Emma</h1></body></html>")
            answer = client.post(address, {"file": page, "url": "https://shop.example/emma"})
        elif name == "import_site_files":
            answer = client.post(address, {"file": SimpleUploadedFile("site.zip", EMPTY_SITE)})
        else:
            answer = client.generic(method, address, content, "application/json")
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
    lower = {role: program(Role(role - 1).group) for role in (EDITOR, OPERATOR, ADMIN)}
    without = {scope: program("admin", scopes=[each for each in ApiScope if each != scope]) for scope in ApiScope}
    enough = {(role, scope): program(role.group, scopes=[scope]) for role in Role for scope in ApiScope}
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
            expected = 403 if name in ALL_SITES else 200 if name in SHARED else 422 if name == "move_site" else 404
            assert answer.status_code == expected, (name, answer.content)
            if name in SHARED - SHOWS_TYPES - {"list_teams"}:
                assert [each["slug"] for each in answer.json()["items"]] == (
                    ["elsewhere"] if name == "list_sites" and limited is client else []
                )
    assert b"".join(call(client, world, "export_type_records").streaming_content).count(b"\n") == 1  # the header only


def test_a_member_of_another_team_sees_and_does_nothing_here(world: World) -> None:
    other = Team.objects.create(name="Films", slug="films")
    stranger = User.objects.create(username="stranger")
    Membership.objects.create(user=stranger, team=other, role=ADMIN)
    client = Client(headers={"Authorization": f"Bearer {api_tokens.create_token(stranger, 'test', list(ApiScope))}"})
    wrong = []
    for name, (method, path, *_) in OPERATIONS.items():
        answer = call(client, world, name)
        if "{" in path:
            expected = {404}
        elif name in ("create_target", "move_site", "create_team"):
            expected = {403 if name == "create_team" else 422}
        else:
            expected = {200, 201}
        if answer.status_code not in expected:
            wrong.append((name, answer.status_code))
        if method == "GET" and "{" not in path and [each for each in answer.json()["items"] if each.get("slug") != "films"]:
            wrong.append((name, answer.json()["items"]))
    assert not wrong
    assert [each["slug"] for each in call(client, world, "list_teams").json()["items"]] == ["films"]


def test_a_role_in_one_team_is_no_role_in_another(world: World, program: Callable[..., Client], person: Any) -> None:
    other = Team.objects.create(name="Films", slug="films")
    Membership.objects.create(user=person("viewer"), team=other, role=ADMIN)
    client = program("viewer")
    for name, (_, path, role, *_) in OPERATIONS.items():
        if "{" in path and role > VIEWER:
            assert call(client, world, name).status_code == 403, name


def test_a_token_for_this_site_may_be_used_here(world: World, program: Callable[..., Client]) -> None:
    client = program("admin", sites=[world.site])
    for name in set(OPERATIONS) - ALL_SITES - OF_TEAMS:
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
        user.memberships.all().delete()
    assert call(client, world, "list_sites").status_code == (403 if why == "without a role" else 401)


def test_only_the_digest_of_a_token_is_stored(person: Any) -> None:
    token = api_tokens.create_token(person("viewer"), "mine", ["read"])
    assert token not in str(list(ApiToken.objects.values_list()))
    assert token.startswith("vxa_")


def test_a_role_that_is_taken_away_limits_the_tokens_that_were_made_before(
    world: World, program: Callable[..., Client], person: Any
) -> None:
    client = program("operator")
    person("operator").memberships.update(role=Role.VIEWER)
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


UNLOGGED = {
    "read_sign_in_forms": "it changes nothing",
    "set_up_sign_in": "the example has no address; tests/e2e/test_sign_in_setup.py looks at the log",
    "try_sign_in": "there are no steps",
    "keep_correction": "it is in use",
    "reject_run": "the run is not held back",
    "release_run": "the run is not held back",
    "take_quality_rules": "the records suggest no such rule",
    "try_quality_rule": "it changes nothing",
    "accept_breakage": "its breakage is closed",
    "dismiss_breakage": "its breakage is closed",
    "change_record_type": "the example would lose marks, and is refused",
    "change_breakage": "the example changes nothing",
    "change_site": "the example changes nothing",
    "change_source": "the example changes nothing",
    "delete_record_type": "the type is in use",
    "publish_rule": "the example is live already",
    "merge_templates": "the example merges a template with itself",
    "create_join": "the template has no such list",
    "change_join": "the template has no such list",
    "make_join": "the join needs a choice",
    "remove_schedule": "there is no schedule",
    "pause_schedule": "there is no schedule",
    "resume_schedule": "there is no schedule",
    "skip_refresh": "there is no schedule",
    "delete_team": "it is the only one, and has sites",
    "move_site": "the site is in this team already",
    "test_target": "nothing is delivered",
    "test_alert_channel": "nothing is changed",
    "change_target": "its target has no address yet, and is refused",
}
"""Writing operations whose example in the table above changes nothing. The tests of the dashboard and of services have their entries."""


def test_every_operation_that_writes_is_in_the_audit_log_with_its_token(
    world: World, program: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[str, str, str]] = []
    wrong = []
    record = AuditEntry.objects.create

    def note(**fields: Any) -> AuditEntry:
        found.append((fields["source"], fields["by_name"], fields["token"]))
        return record(**fields)

    client = program("admin")
    type(world.crawl).objects.unfinished().update(state="cancelled", finished_at=timezone.now())
    monkeypatch.setattr(AuditEntry.objects, "create", note)
    for name in sorted(name for name, (method, *_) in OPERATIONS.items() if method != "GET"):
        found.clear()
        if name in ("cancel_run", "pause_run"):
            type(world.run).objects.filter(pk__in=(world.run.pk, world.crawl.pk)).update(state="queued", finished_at=None)
        answer = call(client, world, name)
        if name in ("cancel_run", "pause_run"):
            type(world.run).objects.filter(pk__in=(world.run.pk, world.crawl.pk)).update(state="cancelled", finished_at=timezone.now())
        if bool(found) == (name in UNLOGGED):
            wrong.append((name, answer.status_code))
        assert all(each[:2] == ("api", "admin") and each[2].startswith("test (vxa_") for each in found), (name, found)
    assert not wrong
