"""The screen on which an editor builds a chain of clean-up steps and sees what it does to the column."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.algorithms.records.quality.demands import RuleLimits
from extraction.algorithms.values.cleanup.chain import CleanupStep
from extraction.models import Rule
from extraction.services.quality import edit_rules
from extraction.services.quality.edit_rules import RuleDraft
from tests.views.addresses import address
from tests.views.world import World, extract

pytestmark = pytest.mark.django_db

TRIM = {"kind-0": "trim", "text-0": "Bok "}
MAP = {"kind-0": "map", "pairs-0": "Book 0 = Emma\nBook 1 = Persuasion"}


def send(client: Any, world: World, name: str = "rule_cleanup", **fields: str) -> Any:
    return client.post(address(world, name), {"attribute": "title"} | fields, follow=True)


def test_the_preview_counts_what_happens_and_shows_odd_values_first(signed_in: Any, world: World) -> None:
    shown = send(signed_in("editor"), world, "rule_cleanup_preview", **MAP).content.decode()
    assert "2</b> changed" in shown and "4</b> failed" in shown and "tried on <b>6</b> records" in shown
    assert shown.index("it is not in the map") < shown.rindex("Persuasion")
    unfinished = send(signed_in("editor"), world, "rule_cleanup_preview", **{"kind-0": "part", "text-0": "("}).content.decode()
    assert "Step 1 cannot be run yet" in unfinished and "is not a pattern" in unfinished
    missing = send(signed_in("editor"), world, "rule_cleanup_preview", **{"kind-0": "part", "text-0": r"\pL+"}).content.decode()
    assert "The exported XSLT stylesheet cannot do all of this" in missing


def test_the_page_names_the_quality_rules_that_read_the_attribute(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    page = f"{address(world, 'rule_cleanup')}?attribute=title"
    before = client.get(page).content.decode()
    kind = world.record_type
    draft = RuleDraft(
        kind="length", attribute=kind.attributes.get(name="title"), limits=RuleLimits(longest=90), allowed_fraction=0, weight="block"
    )
    rule = edit_rules.create_rule(kind, draft, None)
    other = RuleDraft(kind="required", attribute=kind.attributes.get(name="price"), limits=RuleLimits(), allowed_fraction=0, weight="warn")
    edit_rules.create_rule(kind, other, None)
    shown = client.get(page).content.decode()
    assert "This one reads title" in shown
    assert f'href="{reverse("quality_rule", args=[rule.pk])}"' in shown
    assert "This one reads title" not in before


def test_a_chain_is_saved_as_a_version_and_explained_and_changes_the_records(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    answer = send(client, world, **TRIM)
    draft = Rule.objects.get(version=2)
    assert draft.read_definition().attributes[0].cleanup == (CleanupStep("trim", "Bok "),)
    assert "trim “Bok ” at both ends" in answer.content.decode()
    assert (
        "Nothing has changed"
        in client.post(draft.get_absolute_url() + "clean-up/", {"attribute": "title"} | TRIM, follow=True).content.decode()
    )
    difference = client.get(f"{draft.get_absolute_url()}against/1/").content.decode()
    assert "Clean-up: trim “Bok ” at both ends" in difference
    effect = client.get(f"{draft.get_absolute_url()}against/1/?attribute=title").content.decode()
    assert "6</b> changed" in effect
    client.post(f"{draft.get_absolute_url()}publish/")
    extract(world.cluster)
    record = world.cluster.records.now().earliest("pk")
    assert (record.read_values()["title"][0].raw, record.read_origins().entries[0].page) == ("0", ("Book 0",))
    place = client.get(f"/sites/{world.site.slug}/pages/{record.snapshot.page_id}/?value=title.0").content.decode()
    assert "?mark=" in place
    assert "on the page:" in client.get(f"/sites/{world.site.slug}/templates/1/values/{record.snapshot.page_id}/").content.decode()


def test_steps_are_added_moved_and_removed_without_saving(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    added = send(client, world, **TRIM, do="add upper").content.decode()
    assert 'name="kind-1" value="upper"' in added and 'value="Bok "' in added
    moved = send(client, world, **TRIM, **{"kind-1": "upper"}, do="up 1").content.decode()
    assert 'name="kind-0" value="upper"' in moved and 'name="kind-1" value="trim"' in moved
    removed = send(client, world, **TRIM, **{"kind-1": "upper"}, do="remove 0").content.decode()
    assert 'name="kind-0" value="upper"' in removed and "kind-1" not in removed
    assert Rule.objects.count() == 1


def test_a_chain_that_cannot_be_run_is_not_saved(signed_in: Any, world: World) -> None:
    for fields in ({"kind-0": "trim"}, {"kind-0": "map", "pairs-0": "x"}, {"kind-0": "part", "text-0": "("}):
        answer = send(signed_in("editor"), world, **fields)
        assert (answer.status_code, Rule.objects.count()) == (400, 1)
        assert 'role="alert"' in answer.content.decode()
    assert send(signed_in("editor"), world, attribute="nothing").status_code == 404
