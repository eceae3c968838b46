"""Decisions about versions are recorded with the person's name, which stays when the account is deleted."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from extraction.models import Breakage, Decision, Rule
from extraction.models.rule_report import RuleReport
from extraction.services.monitoring import breakages
from extraction.services.rules import rules
from extraction.views.rules import rule_history
from tests.services import factory, watched
from tests.views import world

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 1, 5, 4, 0, tzinfo=UTC)


@pytest.fixture
def draft(sent: list[int]) -> Rule:
    return world.draft(factory.shop(4))


def decisions(rule: Rule) -> list[tuple[str, str]]:
    return list(Decision.objects.filter(rule=rule).order_by("pk").values_list("what", "by_name"))


def test_every_decision_about_a_version_names_who_made_it(draft: Rule, person: Any) -> None:
    editor, operator = person("editor"), person("operator")
    rules.publish_rule(draft, editor)
    rules.retire_rule(draft, operator)
    rules.restore_rule(draft, operator)
    name = operator.get_username()
    assert decisions(draft) == [("published", editor.get_username()), ("retired", name), ("published", name)]


def test_a_refused_action_leaves_no_decision(draft: Rule, person: Any) -> None:
    rules.publish_rule(draft, person("editor"))
    with pytest.raises(rules.StateError):
        rules.publish_rule(draft, person("operator"))
    assert len(decisions(draft)) == 1


def test_decisions_of_commands_and_automatic_repairs_differ_from_those_of_people(sent: list[int]) -> None:
    cluster = watched.cluster()
    check = watched.check(cluster, NOW, "title")
    report = {"attributes": [{"name": "title", "relearned": {"judged": 9, "agreeing": 9}}]}
    value = Rule.objects.get(cluster=cluster).read_definition()
    draft = rules.add_draft(cluster, value, report=RuleReport.from_json(report), origin=Rule.Origin.REPAIRED)
    Breakage.objects.filter(check_found=check).update(proposal=draft)
    breakages.accept_repair(Breakage.objects.get(), now=NOW)
    assert decisions(draft) == [("automatic", "")]
    again = rules.add_draft(cluster, value, report=RuleReport(), origin=Rule.Origin.EDITED)
    call_command("publish_rule", cluster.site.slug, str(cluster.number))
    assert decisions(again) == [("command", "")]


def test_the_names_stay_when_the_account_is_deleted(draft: Rule, person: Any, signed_in: Any) -> None:
    editor = person("editor")
    editor.username = "ada"
    editor.save()
    rules.publish_rule(draft, editor)
    editor.delete()
    assert [event.by for event in rule_history.list_events(draft) if event.state == "live"] == ["ada"]
    place = [draft.cluster.site.slug, draft.cluster.number]
    assert "by ada" in signed_in("viewer").get(reverse("rules", args=place)).content.decode()
    assert "ada, " in signed_in("viewer").get(reverse("rule", args=[*place, draft.version])).content.decode()


def test_the_admin_lists_decisions_and_changes_none(draft: Rule, person: Any, client: Any) -> None:
    admin = person("admin")
    admin.is_staff = admin.is_superuser = True
    admin.save()
    rules.publish_rule(draft, admin)
    client.force_login(admin)
    assert admin.get_username() in client.get(reverse("admin:extraction_decision_changelist")).content.decode()
    assert client.get(reverse("admin:extraction_decision_add")).status_code == 403
    row = Decision.objects.get()
    assert client.post(reverse("admin:extraction_decision_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
