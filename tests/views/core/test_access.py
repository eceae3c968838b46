"""Every view works, needs a sign-in, refuses the wrong role and the wrong method, and answers 404 for unknown objects."""

from typing import Any

import pytest
from django.urls import reverse
from django.urls.resolvers import URLPattern, URLResolver

from extraction import urls
from extraction.models import Role
from tests.views.world import World

LOOK = {
    "home": Role.VIEWER,
    "help": Role.VIEWER,
    "help_page": Role.VIEWER,
    "sites": Role.VIEWER,
    "site": Role.VIEWER,
    "site_pages": Role.VIEWER,
    "page": Role.VIEWER,
    "site_runs": Role.VIEWER,
    "cluster": Role.VIEWER,
    "cluster_shares": Role.VIEWER,
    "cluster_structure": Role.VIEWER,
    "cluster_odd": Role.EDITOR,
    "records": Role.VIEWER,
    "records_csv": Role.VIEWER,
    "value_list": Role.VIEWER,
    "tracked_record": Role.VIEWER,
    "changes": Role.VIEWER,
    "record_values": Role.VIEWER,
    "corrections": Role.VIEWER,
    "record_type_keys": Role.EDITOR,
    "record_type_quality": Role.VIEWER,
    "record_type_quality_new": Role.EDITOR,
    "record_type_quality_try": Role.EDITOR,
    "record_type_quality_suggest": Role.EDITOR,
    "quality_rule": Role.EDITOR,
    "quality": Role.VIEWER,
    "release": Role.VIEWER,
    "records_export": Role.VIEWER,
    "records_export_figures": Role.VIEWER,
    "record_type_records": Role.VIEWER,
    "record_type_export": Role.VIEWER,
    "record_type_export_figures": Role.VIEWER,
    "site_joins": Role.VIEWER,
    "joined_records": Role.VIEWER,
    "joined_record": Role.VIEWER,
    "joined_export": Role.VIEWER,
    "joined_export_figures": Role.VIEWER,
    "join_proposals": Role.EDITOR,
    "join_new": Role.EDITOR,
    "join_fields": Role.EDITOR,
    "join_edit": Role.EDITOR,
    "rules": Role.VIEWER,
    "rule": Role.VIEWER,
    "rule_export": Role.VIEWER,
    "site_bundle": Role.VIEWER,
    "rule_difference": Role.VIEWER,
    "run": Role.VIEWER,
    "run_progress": Role.VIEWER,
    "record_types": Role.VIEWER,
    "record_type": Role.VIEWER,
    "site_now": Role.VIEWER,
    "site_warc": Role.VIEWER,
    "site_files": Role.EDITOR,
    "site_files_upload": Role.OPERATOR,
    "run_addresses": Role.VIEWER,
    "run_search_terms": Role.VIEWER,
    "page_picture": Role.VIEWER,
    "breakages": Role.VIEWER,
    "breakage": Role.VIEWER,
    "breakage_effect": Role.VIEWER,
    "breakage_looks_progress": Role.VIEWER,
    "site_monitoring": Role.VIEWER,
    "site_check": Role.VIEWER,
    "site_refresh": Role.VIEWER,
    "cluster_refresh": Role.VIEWER,
    "site_lab": Role.VIEWER,
    "site_lab_now": Role.VIEWER,
    "site_lab_method": Role.VIEWER,
    "site_lab_shares": Role.VIEWER,
    "site_lab_paths": Role.VIEWER,
    "site_lab_adopt": Role.OPERATOR,
    "page_apart": Role.EDITOR,
    "password_change": Role.VIEWER,
    "rule_cleanup": Role.EDITOR,
    "cluster_suggest": Role.EDITOR,
    "cluster_suggest_table": Role.EDITOR,
    "cluster_suggest_proposed": Role.EDITOR,
    "cluster_suggest_lists": Role.EDITOR,
    "cluster_suggest_opinions": Role.EDITOR,
    "cluster_wrapper": Role.EDITOR,
    "cluster_wrapper_look": Role.EDITOR,
    "site_new": Role.EDITOR,
    "site_new_upload": Role.EDITOR,
    "site_import": Role.EDITOR,
    "site_settings": Role.EDITOR,
    "site_fetching": Role.EDITOR,
    "site_sign_in": Role.EDITOR,
    "record_type_new": Role.EDITOR,
    "deliveries": Role.VIEWER,
    "delivery_target": Role.VIEWER,
    "delivery_target_new": Role.OPERATOR,
    "delivery_target_edit": Role.OPERATOR,
    "delivery_target_preview": Role.OPERATOR,
    "changes_download": Role.VIEWER,
    "record_type_changes": Role.VIEWER,
    "record_type_readers": Role.VIEWER,
    "api_tokens": Role.VIEWER,
    "api_reference": Role.VIEWER,
    "account": Role.VIEWER,
    "people": Role.ADMIN,
    "person_entered": Role.ADMIN,
    "factor_setup": Role.VIEWER,
    "teams": Role.ADMIN,
    "team": Role.ADMIN,
    "sessions": Role.ADMIN,
    "audit_log": Role.ADMIN,
    "audit_log_csv": Role.ADMIN,
    "alerts": Role.ADMIN,
    "alert_channel_new": Role.ADMIN,
    "alert_channel": Role.ADMIN,
}
ACT = {
    "site_sign_in_try": Role.EDITOR,
    "first_steps_close": Role.EDITOR,
    "site_lab_start": Role.EDITOR,
    "site_lab_labels": Role.EDITOR,
    "site_lab_usual": Role.OPERATOR,
    "cluster_start": Role.EDITOR,
    "cluster_merge": Role.EDITOR,
    "cluster_same": Role.EDITOR,
    "cluster_same_all": Role.EDITOR,
    "site_place": Role.EDITOR,
    "site_place_undo": Role.EDITOR,
    "cluster_rename": Role.EDITOR,
    "cluster_comment": Role.EDITOR,
    "cluster_assign": Role.EDITOR,
    "breakage_comment": Role.EDITOR,
    "breakage_assign": Role.EDITOR,
    "comment_delete": Role.EDITOR,
    "notices_read": Role.VIEWER,
    "account_email": Role.VIEWER,
    "account_reader": Role.VIEWER,
    "provider_link": Role.VIEWER,
    "provider_unlink": Role.VIEWER,
    "session_end": Role.VIEWER,
    "sessions_end_others": Role.VIEWER,
    "person_edit": Role.ADMIN,
    "factor_remove": Role.VIEWER,
    "factor_codes": Role.VIEWER,
    "factor_reset": Role.ADMIN,
    "team_factor": Role.ADMIN,
    "team_new": Role.ADMIN,
    "team_rename": Role.ADMIN,
    "team_delete": Role.ADMIN,
    "team_member": Role.ADMIN,
    "team_member_remove": Role.ADMIN,
    "team_site_move": Role.ADMIN,
    "invitation_new": Role.ADMIN,
    "invitation_revoke": Role.ADMIN,
    "cluster_ignore": Role.EDITOR,
    "cluster_type": Role.EDITOR,
    "extract_start": Role.EDITOR,
    "join_make": Role.EDITOR,
    "join_delete": Role.EDITOR,
    "rule_learn": Role.EDITOR,
    "rule_preview": Role.EDITOR,
    "rule_edit": Role.EDITOR,
    "rule_cleanup_preview": Role.EDITOR,
    "correction_save": Role.EDITOR,
    "correction_end": Role.EDITOR,
    "correction_keep": Role.EDITOR,
    "rule_publish": Role.EDITOR,
    "rule_losses_acknowledge": Role.EDITOR,
    "run_acknowledge": Role.EDITOR,
    "run_cancel": Role.EDITOR,
    "run_mark_absent": Role.EDITOR,
    "run_pause": Role.EDITOR,
    "run_resume": Role.EDITOR,
    "crawl_start": Role.EDITOR,
    "crawl_extract": Role.EDITOR,
    "source_edit": Role.EDITOR,
    "breakage_annotate": Role.EDITOR,
    "breakage_looks": Role.EDITOR,
    "site_check_now": Role.EDITOR,
    "site_refresh_now": Role.EDITOR,
    "cluster_refresh_now": Role.EDITOR,
    "site_refresh_schedule": Role.OPERATOR,
    "cluster_refresh_schedule": Role.OPERATOR,
    "site_refresh_control": Role.OPERATOR,
    "cluster_refresh_control": Role.OPERATOR,
    "quality_rule_delete": Role.EDITOR,
    "quality_rule_switch": Role.EDITOR,
    "release_decide": Role.OPERATOR,
    "breakage_accept": Role.OPERATOR,
    "breakage_dismiss": Role.OPERATOR,
    "site_monitor": Role.OPERATOR,
    "site_silence": Role.OPERATOR,
    "site_check_accept": Role.OPERATOR,
    "site_check_annotate": Role.EDITOR,
    "rule_retire": Role.OPERATOR,
    "site_delete": Role.OPERATOR,
    "site_files_import": Role.OPERATOR,
    "page_delete": Role.OPERATOR,
    "record_type_delete": Role.OPERATOR,
    "delivery_target_now": Role.OPERATOR,
    "delivery_target_test": Role.OPERATOR,
    "delivery_target_delete": Role.OPERATOR,
    "delivery_again": Role.OPERATOR,
    "record_type_run": Role.EDITOR,
    "record_type_token": Role.OPERATOR,
    "token_revoke": Role.OPERATOR,
    "api_token_new": Role.VIEWER,
    "api_token_revoke": Role.VIEWER,
    "alert_channel_test": Role.ADMIN,
    "alert_channel_delete": Role.ADMIN,
    "alert_again": Role.ADMIN,
}
BOTH = {
    "factor_setup",
    "site_fetching",
    "site_sign_in",
    "site_files_upload",
    "rule_cleanup",
    "site_lab_adopt",
    "cluster_suggest",
    "cluster_suggest_proposed",
    "cluster_suggest_lists",
    "cluster_wrapper",
    "site_new",
    "site_new_upload",
    "site_import",
    "site_settings",
    "join_new",
    "password_change",
    "join_edit",
    "record_type_new",
    "record_type",
    "record_type_keys",
    "record_type_quality_new",
    "record_type_quality_suggest",
    "quality_rule",
    "alert_channel_new",
    "alert_channel",
    "delivery_target_new",
    "delivery_target_edit",
    "changes_download",
    "record_type_changes",
}
FILES = {
    "api_openapi",
    "healthz",
    "readyz",
    "metrics",
    "asset",
    "cluster_picture",
    "frame",
    "latest_file",
    "latest_feed",
    "latest_schema",
    "download",
}
"""The frame, the files for it and for the cards, and those for readers with a token: their own tests say who gets them."""

OPEN = {
    "invitation",
    "password_reset",
    "password_reset_done",
    "password_reset_confirm",
    "password_reset_complete",
    "second_factor",
    "provider",
    "provider_back",
}
"""For people who are not signed in yet: test_people.py, test_second_factor.py and test_provider.py beside this file."""

PARTS = {"cluster_shares": "cluster", "cluster_structure": "cluster", "cluster_odd": "cluster", "join_proposals": "site_joins"}
"""Parts of a screen; opened alone they lead to it."""

ROLES = sorted(Role)


DOWNLOADS = {"audit_log_csv", "page_picture", "site_files", "records_csv", "records_export", "record_type_export"}

SHOWN = [name for name in LOOK if name not in DOWNLOADS]
"""The addresses that show a screen or a part of one."""


@pytest.fixture
def world(db: None, kept_world: World) -> World:
    """The site that all tests of this module share. What a test changes is rolled back."""
    return kept_world


def asking(client: Any, name: str) -> Any:
    """The client, with the header of htmx for parts of screens."""
    if name in PARTS:
        client.defaults["HTTP_HX_REQUEST"] = "true"
    return client


def names(patterns: list[URLPattern | URLResolver]) -> set[str]:
    found: set[str] = set()
    for pattern in patterns:
        if isinstance(pattern, URLResolver) and pattern.namespace == "api-v1":
            continue  # tests/api/test_access.py has the operations of the API
        found |= names(pattern.url_patterns) if isinstance(pattern, URLResolver) else {pattern.name or ""}
    return found


def test_every_address_is_in_these_tables() -> None:
    assert names(urls.urlpatterns) == {*LOOK, *ACT, *FILES, "login", "logout", *OPEN}


@pytest.mark.parametrize("name", LOOK)
def test_a_page_is_shown_to_its_role_and_to_higher_ones(signed_in: Any, world: World, name: str) -> None:
    headers = {"HX-Request": "true"} if name in PARTS else {}
    for role in ROLES:
        answer = signed_in(role.group).get(reverse(name, args=world.address(name)), headers=headers)
        assert answer.status_code == (200 if role >= LOOK[name] else 403), role


@pytest.mark.parametrize("name", sorted(PARTS))
def test_a_part_of_a_screen_opened_alone_redirects_to_the_screen(signed_in: Any, world: World, name: str) -> None:
    answer = signed_in("editor").get(reverse(name, args=world.address(name)))
    assert (answer.status_code, answer.headers["Location"]) == (302, reverse(PARTS[name], args=world.address(PARTS[name])))


@pytest.mark.parametrize("name", ACT)
def test_an_action_needs_its_role(signed_in: Any, world: World, name: str) -> None:
    for role in (each for each in ROLES if each < ACT[name]):
        assert signed_in(role.group).post(reverse(name, args=world.address(name))).status_code == 403, role


@pytest.mark.parametrize("name", ACT)
def test_an_action_accepts_only_a_post(signed_in: Any, world: World, name: str) -> None:
    # A refused XPath is shown at an address of its own. Reloading that address leads to the rule.
    wanted = 302 if name == "rule_edit" else 405
    assert signed_in("admin").get(reverse(name, args=world.address(name))).status_code == wanted


@pytest.mark.parametrize("name", [name for name in LOOK if name not in BOTH])
def test_a_page_that_only_shows_something_refuses_a_post(signed_in: Any, world: World, name: str) -> None:
    assert signed_in("admin").post(reverse(name, args=world.address(name))).status_code == 405


@pytest.mark.parametrize("name", [*LOOK, *ACT])
def test_a_person_who_is_not_signed_in_is_sent_to_the_sign_in_page(client: Any, world: World, name: str) -> None:
    address = reverse(name, args=world.address(name))
    answer = client.post(address) if name in ACT else client.get(address)
    assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, reverse("login"))


@pytest.mark.parametrize("name", [*LOOK, *ACT])
def test_unknown_objects_are_not_found(signed_in: Any, world: World, name: str) -> None:
    right = world.address(name)
    if not right:
        pytest.skip("its address names nothing")
    client = signed_in("admin")
    for place, value in enumerate(right):
        wrong = [*right]
        wrong[place] = 999_999 if isinstance(value, int) else "nowhere"
        address = reverse(name, args=wrong)
        assert (client.post(address) if name in ACT else client.get(address)).status_code == 404, wrong


def test_somebody_without_a_role_sees_nothing(client: Any, world: World, django_user_model: Any) -> None:
    client.force_login(django_user_model.objects.create(username="stranger"))
    answer = client.get(reverse("home"))
    assert answer.status_code == 403
    assert b"no role" in answer.content


def test_a_viewer_is_not_shown_what_only_an_editor_does(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    for name in ("home", "sites", "site", "cluster", "rule", "records", "record_types"):
        text = client.get(reverse(name, args=world.address(name))).content.decode()
        for action in ("site_new", "site_import", "site_settings", "record_type_new", "workbench", *ACT):
            assert f'"{reverse(action, args=world.address(action))}"' not in text, (name, action)


def test_the_dashboards_policy_forbids_inline_scripts_and_styles(signed_in: Any, world: World) -> None:
    for name in LOOK:
        answer = signed_in("admin").get(reverse(name, args=world.address(name)))
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
        if not answer.streaming and not answer.headers["Content-Type"].startswith("image/"):
            text = answer.content.decode()
            assert " style=" not in text, name
            assert "<style" not in text, name
            assert " onclick=" not in text, name
