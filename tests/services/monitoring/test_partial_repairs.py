"""A partly proven repair: a person accepts the proven part, the rest is named and left out, and nothing is published automatically."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.urls import reverse

from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.models import Breakage, Check, Rule
from extraction.models.rule_report import RuleReport
from extraction.services.labels import proofs
from extraction.services.monitoring import breakages, repairs
from extraction.services.rules import rules
from extraction.views.monitoring import breakage_view
from tests.reading import words
from tests.services import watched

NOW = datetime(2026, 1, 5, 4, 0, tzinfo=UTC)

NAMES = ("title", "price", "author", "cover", "isbn")


def entry(name: str, judged: int, agreeing: int) -> dict[str, Any]:
    return {"name": name, "relearned": {"judged": judged, "agreeing": agreeing}}


REPORT = {
    "attributes": [entry("title", 9, 9), entry("price", 2, 2), entry("author", 9, 4)],
    "lists": [{"name": "editions", "attributes": [entry("isbn", 0, 0)]}],
    "failed": [{"name": "cover", "reason": "none of the old values is on the new pages"}],
}


def test_attributes_of_a_repair_are_proven_barely_proven_doubtful_or_lost() -> None:
    found = proofs.read_proof(RuleReport.from_json(REPORT), NAMES)
    assert found.proven == ("title",)
    assert dict(found.thin) == {"price": "only 2 pages could confirm it; both agree"}
    assert dict(found.doubtful) == {"author": "agrees on 4 of 9 pages", "isbn": "no page could confirm it"}
    assert list(found.lost) == ["cover"]
    assert found.found == 2
    assert proofs.read_proof(RuleReport(), ["title"]).proven == ("title",), "whoever edited it has looked at it"


def test_an_attribute_left_out_of_a_repair_gives_no_value_and_the_others_stay() -> None:
    attribute = AttributeRule("title", alternatives=(Selector("//h1"),))
    column = AttributeRule("isbn", alternatives=(Selector("./td"),))
    value = RuleDefinition((attribute,), (ListRule("editions", (Selector("//tr"),), (column,)),))
    left = repairs.drop_attributes(value, ["isbn"])
    assert left.attributes == (attribute,)
    assert left.lists[0].attributes[0].alternatives == ()


def opened(*broken: str, kind: str = "null", report: dict[str, Any] | None = None) -> Breakage:
    """A breakage of a live rule with a repair that is a draft."""
    cluster = watched.cluster()
    check = watched.check(cluster, NOW, *broken)
    Check.objects.filter(pk=check.pk).update(attributes={name: {"kind": kind} for name in broken})
    value = Rule.objects.get(cluster=cluster).read_definition()
    draft = rules.add_draft(cluster, value, report=RuleReport.from_json(report or {}), origin=Rule.Origin.REPAIRED)
    Breakage.objects.update(proposal=draft)
    return Breakage.objects.select_related("cluster__site", "proposal", "check_found", "rule").get()


def served(breakage: Breakage) -> dict[str, int]:
    """{attribute: number of XPaths} of the serving version."""
    rule = breakage.cluster.rules.serving().get()
    return {each.name: len(each.alternatives) for each in rule.read_definition().attributes}


@pytest.mark.django_db
class TestAccepting:
    def test_takes_what_is_proven_and_leaves_out_what_is_doubtful(self, sent: list[int]) -> None:
        breakage = opened("title", "price", report={"attributes": [entry("title", 9, 9), entry("price", 9, 2)]})
        rule = breakages.accept_repair(breakage, now=NOW)
        assert served(breakage) == {"title": 1, "price": 0, "author": 1}
        assert rule.report["failed"] == [{"name": "price", "reason": "left out of what was accepted (agrees on 2 of 9 pages)"}]
        breakage.refresh_from_db()
        assert (breakage.state, breakage.proposal) == (Breakage.State.REPAIRED, rule)

    def test_takes_all_of_it_where_a_person_says_so(self, sent: list[int]) -> None:
        breakage = opened("title", "price", report={"attributes": [entry("title", 9, 9), entry("price", 9, 2)]})
        assert breakages.accept_repair(breakage, now=NOW, doubtful=True) == breakage.proposal
        assert served(breakage) == {"title": 1, "price": 1, "author": 1}

    def test_keeps_the_old_xpath_of_what_is_lost_unless_it_gives_wrong_values(self, sent: list[int]) -> None:
        report = {"attributes": [entry("title", 9, 9)], "failed": [{"name": "price", "reason": "gone"}]}
        breakage = opened("title", "price", report=report)
        assert breakages.accept_repair(breakage, now=NOW) == breakage.proposal
        assert served(breakage)["price"] == 1

    def test_names_what_was_not_found_again_in_the_list_on_the_card_and_in_the_rule(
        self, signed_in: Any, sent: list[int], person: Any
    ) -> None:
        lost = {"name": "price", "reason": "none of the old values is on the new pages"}
        breakage = opened("title", "price", report={"attributes": [entry("title", 9, 9)], "failed": [lost], "repaired_from": 1})
        rule = breakages.accept_repair(breakage, now=NOW)
        client, site = signed_in("viewer"), breakage.cluster.site
        assert [row.ending for row in breakage_view.list_closed(person("viewer"))] == ["1 of 2 repaired"]
        for address in (reverse("breakages"), breakage.get_absolute_url()):
            assert "1 of 2 repaired" in client.get(address).content.decode()
        for address in (site.get_absolute_url(), breakage.cluster.get_absolute_url()):
            assert "price no longer found" in client.get(address).content.decode()
        assert "No longer found: none of the old values" in client.get(rule.get_absolute_url()).content.decode()

    def test_leaves_out_what_is_lost_where_the_old_xpath_gives_wrong_values(self, sent: list[int]) -> None:
        report = {"attributes": [entry("title", 9, 9)], "failed": [{"name": "price", "reason": "gone"}]}
        breakage = opened("title", "price", kind="incorrect", report=report)
        breakages.accept_repair(breakage, now=NOW, doubtful=True)
        assert served(breakage)["price"] == 0

    def test_publishes_nothing_where_nothing_is_proven(self, sent: list[int]) -> None:
        breakage = opened("price", report={"attributes": [entry("price", 9, 2)]})
        with pytest.raises(rules.StateError, match="Nothing in this repair is proven"):
            breakages.accept_repair(breakage, now=NOW)
        assert breakage.cluster.rules.serving().get() == breakage.rule
        assert Breakage.objects.get().state == Breakage.State.OPEN


@pytest.mark.django_db
def test_the_review_names_what_is_not_proven_and_offers_the_rest_with_one_key(signed_in: Any, sent: list[int]) -> None:
    breakage = opened("title", "price", report={"attributes": [entry("title", 9, 9), entry("price", 9, 2)]})
    address = breakage.get_absolute_url()
    text = words(signed_in("operator").get(address))
    assert "<b>1 of 2</b> attributes are proven" in text
    assert "<b>price</b>: agrees on 2 of 9 pages. It is left out unless you accept all." in text
    assert "Accept 1 of 2" in text
    assert 'data-key="w"' in text
    assert "1 of 2 ready" in signed_in("viewer").get(reverse("breakages")).content.decode()
    assert 'data-key="w"' not in signed_in("editor").get(address).content.decode()
    signed_in("operator").post(reverse("breakage_accept", args=[breakage.pk]), {"doubtful": "1"})
    assert served(breakage)["price"] == 1
    assert breakage_view.judge_proposal(Breakage.objects.select_related("proposal").get()).doubtful  # type: ignore[union-attr]
