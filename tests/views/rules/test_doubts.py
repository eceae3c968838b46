"""The question before a rule is published whose values look wrong."""

from dataclasses import replace
from typing import Any

from extraction.models import Attribute, Rule
from extraction.models.rule_report import DoubtReport, GroupReport
from extraction.views.rules import rule_view
from tests.views.addresses import address
from tests.views.world import World


def test_publishing_doubtful_values_shows_them_and_asks(signed_in: Any, world: World) -> None:
    doubt = DoubtReport(attribute="price", kind="missing", words="no value on 6 of 6 pages in the language de", count=6)
    page = world.page.current
    assert page is not None
    group = GroupReport(name="in the language de", checked=6, hits={"title": 6, "price": 0}, without={"price": page.pk})
    report = replace(world.rule.read_report(), doubts=(doubt,), groups=(group,))
    Rule.objects.filter(pk=world.rule.pk).update(state=Rule.State.DRAFT, published_at=None, report=report.as_json())
    client = signed_in("editor")
    answer = client.post(address(world, "rule_publish"))
    shown = answer.content.decode()
    assert answer.status_code == 200
    assert "no value on 6 of 6 pages in the language de" in shown and "Publish anyway" in shown
    assert "Pages with a value, by group" in shown
    price = Attribute.objects.get(name="price", record_type=world.record_type)
    assert f'?page={page.pk}&amp;attribute={price.pk}"' in shown, "a low share leads to a page of the group"
    world.rule.refresh_from_db()
    assert world.rule.state == Rule.State.DRAFT
    assert client.post(address(world, "rule_publish"), {"despite_doubts": "1"}).status_code == 302
    world.rule.refresh_from_db()
    assert world.rule.state == Rule.State.LIVE


def test_a_share_is_suspect_if_it_is_low_in_one_group_only_and_its_attribute_comes_first(world: World) -> None:
    names = [each.name for each in Attribute.objects.of_cluster(world.cluster).order_by("list", "position")][:2]
    common, rare = names
    groups = (
        GroupReport(name="in the language de", checked=10, hits={common: 4, rare: 0}),
        GroupReport(name="in the language en", checked=10, hits={common: 4, rare: 6}),
    )
    world.rule.report = replace(world.rule.read_report(), groups=groups).as_json()
    table = rule_view.build_group_table(world.rule)
    assert table is not None
    assert [each.name for each in table.attributes] == [rare, common]
    assert [[each.suspect for each in shares] for _, _, shares in table.rows] == [[True, False], [False, False]]
