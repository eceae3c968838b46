"""A site's bundle: reading pages by it gives the dashboard's records, and a file that is not to be trusted is refused."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from extraction.algorithms.bundles import bundle as files
from extraction.algorithms.bundles.bundle import BundleError, read_bundle
from extraction.algorithms.bundles.placed_pages import PlacedPages
from extraction.algorithms.bundles.site_reader import SiteReader
from extraction.algorithms.errors import RuleError
from extraction.models import Record, Rule, Snapshot
from extraction.models.record_values import rows_as_json, values_as_json
from extraction.services.core import stored_bytes
from extraction.services.records import bundle
from extraction.services.templates import page_matching, page_steps
from tests.services import factory
from tests.views import world as worlds
from tests.views.world import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    made = worlds.make()
    page_steps.renew_core(made.cluster)
    page_matching.learn_patterns(made.cluster)
    return made


def test_a_bundle_gives_the_records_of_the_dashboard(world: World) -> None:
    reader = SiteReader(read_bundle(bundle.write_site_bundle(world.site).data))
    rows = list(Record.objects.filter(cluster=world.cluster).select_related("snapshot__page"))
    assert rows
    for row in rows:
        found = reader.read_page(row.snapshot.page.url, stored_bytes.get_bytes(row.snapshot.sha256), row.snapshot.content_type)
        assert found.record is not None
        made = values_as_json(found.record.values), rows_as_json(found.record.rows), found.record.state, found.record.reason
        assert made == (row.values, row.rows, row.state, row.reason)


def test_pages_that_are_not_placed_are_recognised_and_others_are_not(world: World) -> None:
    reader = SiteReader(read_bundle(bundle.write_site_bundle(world.site, most_placed=0).data))
    url = Snapshot.objects.filter(cluster=world.cluster).select_related("page")[0].page.url
    new = reader.read_page(url.rpartition("/")[0] + "/987", factory.book_html("New"))
    assert (new.outcome, new.template) == ("complete", world.cluster.pk)
    assert new.record and [each.value for each in new.record.values["title"]] == ["New"]
    assert reader.read_page("https://other.example/book/1", factory.book_html("New")).outcome == "elsewhere"
    assert reader.read_page(url.rpartition("/")[0] + "/987", b"").outcome == "failed"
    far = reader.read_page(url, b"<html><body><table><tr><td>1</table></body></html>")
    assert (far.outcome, far.record) == ("unmatched", None)


def test_the_same_site_gives_the_same_bytes_and_a_site_without_rules_gives_none(world: World) -> None:
    assert bundle.write_site_bundle(world.site).data == bundle.write_site_bundle(world.site).data
    Rule.objects.update(state=Rule.State.RETIRED)
    with pytest.raises(RuleError, match="no live rule"):
        bundle.write_site_bundle(world.site)


def _template(content: dict[str, Any]) -> dict[str, Any]:
    return next(each for each in content["templates"] if "rule" in each)


def _use_document(content: dict[str, Any]) -> None:
    rule = _template(content)["rule"]
    rule["stylesheet"] = rule["stylesheet"].replace("<record>", "<record><xsl:value-of select=\"document('file:///etc/passwd')\"/>", 1)


def _use_include(content: dict[str, Any]) -> None:
    rule = _template(content)["rule"]
    rule["stylesheet"] = rule["stylesheet"].replace("<xsl:template", '<xsl:include href="file:///etc/passwd"/><xsl:template', 1)


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a stylesheet that reads files": (_use_document, "document"),
    "an instruction": (
        lambda content: _template(content)["rule"].update(
            stylesheet=_template(content)["rule"]["stylesheet"].replace("xsl:if", "xsl:include")
        ),
        "may not|well-formed|compiled",
    ),
    "no stylesheet": (lambda content: _template(content)["rule"].update(stylesheet="<html/>"), "rule may not use"),
    "a rule of another form": (lambda content: _template(content)["rule"]["definition"].update(format=99), "not a rule"),
    "a mask": (lambda content: _template(content).update(masks=["zz"]), "not a masked shingle vector"),
    "a core": (lambda content: _template(content).update(core="AAAA"), "not a stored core"),
    "a path as the name of files": (lambda content: content.update(slug="../../etc"), "cannot be the name"),
    "a scheme": (lambda content: content.update(vector_scheme="other/9"), "scheme 'other/9'"),
    "the same template twice": (lambda content: content["templates"].append(content["templates"][0]), "two templates"),
    "pages of no template": (lambda content: content.update(placed=PlacedPages.of_pages([("u", "0" * 64, 999)]).to_text()), "template 999"),
    "half a page": (lambda content: content.update(placed="AAAA"), "whole number of pages"),
    "a wrong type": (lambda content: content.update(hosts="shop.example"), "hosts must be list"),
    "missing columns": (lambda content: _template(content).update(lists=[]), "columns of its pages are missing"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_bundle_is_refused_with_the_reason_although_its_digest_is_right(world: World, name: str) -> None:
    change, reason = CHANGES[name]
    outer = json.loads(bundle.write_site_bundle(world.site).data)
    change(outer["content"])
    outer["digest"] = hashlib.sha256(files._write_canonically(outer["content"])).hexdigest()
    with pytest.raises(BundleError, match=reason):
        read_bundle(json.dumps(outer).encode())


def test_what_is_no_bundle_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    data = bundle.write_site_bundle(world.site).data
    with pytest.raises(BundleError, match="damaged or changed"):
        read_bundle(data.replace(b'"title"', b'"other"'))
    with pytest.raises(BundleError, match="format 2"):
        read_bundle(data.replace(b'"format": 1', b'"format": 2', 1))
    for wrong in (b"", b"{}", b"[1]", data[:-9], b"[" * 100_000):
        with pytest.raises(BundleError):
            read_bundle(wrong)
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    with pytest.raises(BundleError, match="at most 10"):
        read_bundle(data)


def test_the_command_writes_the_file_and_says_what_it_leaves_out(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("export_bundle", world.site.name, "--output", str(tmp_path / "b.json"), "--most-placed", "1")
    printed = capsys.readouterr()
    assert "1 live rule, the templates of 1 pages" in printed.out and "5 more pages are in templates" in printed.err
    assert read_bundle((tmp_path / "b.json").read_bytes()).site == world.site.name
    Rule.objects.update(state=Rule.State.RETIRED)
    with pytest.raises(CommandError, match="no live rule"):
        call_command("export_bundle", world.site.name)


def test_the_rule_page_leads_to_the_bundle(world: World, admin_client: Any) -> None:
    address = reverse("site_bundle", args=[world.site.slug])
    assert address in admin_client.get(world.rule.get_absolute_url()).content.decode()
    answer = admin_client.get(address)
    assert answer["Content-Disposition"] == f'attachment; filename="{world.site.slug}.vertex-bundle.json"'
    assert read_bundle(answer.content).slug == world.site.slug
    Rule.objects.update(state=Rule.State.RETIRED)
    assert "There is no bundle" in admin_client.get(address, follow=True).content.decode()
