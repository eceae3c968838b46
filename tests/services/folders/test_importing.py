"""Importing merges: what the folder has is there afterwards, what is only here stays, and nobody's change is lost unseen."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from extraction.models import (
    Attribute,
    Cluster,
    Correction,
    Decision,
    DeliveryTarget,
    Join,
    Label,
    OfferedRows,
    Page,
    Placement,
    QualityRule,
    RecordType,
    RefreshSchedule,
    Rule,
    Run,
    Site,
    Snapshot,
    Team,
)
from extraction.services.folders.apply_templates import Publisher
from extraction.services.folders.comparing import ChangeKind
from extraction.services.folders.errors import FolderError
from extraction.services.folders.importing import import_folder
from extraction.services.folders.planning import ConflictError, Options
from tests.services import factory, lists
from tests.services.folders import folders, rich_site
from tests.services.folders.folders import Files, edit, export, load, plan

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

TYPE = "record_types/shop.yaml"
TEMPLATE = "templates/1-shop-page-no1/template.yaml"
RULE = "templates/1-shop-page-no1/rule.yaml"
LABELS = "templates/1-shop-page-no1/labels.yaml"


@pytest.fixture
def files() -> Files:
    """The files of a site that is here, too."""
    return export(rich_site.shops().site)


def kinds(files: Files, **options: Any) -> dict[str, ChangeKind]:
    return {" / ".join(each.key): each.kind for each in plan(files, **options).changes}


def test_the_rule_is_published_by_the_person_who_imports(files: Files, person) -> None:
    folders.empty()
    ada: User = person("operator")
    import_folder(folders.check(files), Options(), Publisher(ada))
    rule = Rule.objects.serving().get()
    assert rule.state == Rule.State.LIVE and rule.created_by == ada
    assert list(Decision.objects.values_list("rule", "what", "by")) == [(rule.pk, "published", ada.pk)]


def test_a_delivery_arrives_switched_off_and_without_a_password(files: Files) -> None:
    folders.empty()
    done = load(files)
    target = DeliveryTarget.objects.get()
    assert not target.enabled and target.secret == "" and target.read_place().host == "sftp.example"
    assert any("switched off" in note for note in done.notes)


def test_a_delivery_that_leads_elsewhere_is_switched_off_and_loses_its_password(files: Files) -> None:
    moved = edit(files, "deliveries.yaml", lambda text: text.replace("sftp.example", "other.example"))
    done = load(moved)
    target = DeliveryTarget.objects.get()
    assert not target.enabled and target.secret == "" and target.read_place().host == "other.example"
    assert "leads to another place" in done.notes[-1]


def test_a_change_in_the_folder_is_applied(files: Files) -> None:
    changed = edit(files, RULE, lambda text: text.replace("//h1/text()", "//h1[1]/text()"))
    assert kinds(changed) == {"template / 1 / rule": ChangeKind.CHANGED}
    load(changed)
    assert [rule.state for rule in Rule.objects.order_by("version")] == ["retired", "live"]
    assert "//h1[1]/text()" in str(Rule.objects.serving().get().definition)
    assert plan(changed).empty


def test_a_change_here_since_the_export_stays(files: Files) -> None:
    Cluster.objects.filter(number=1).update(name="Our shop page")
    assert kinds(files) == {"template / 1": ChangeKind.NEWER_HERE}
    load(files)
    assert Cluster.objects.get(number=1).name == "Our shop page"
    load(files, prefer="folder")
    assert Cluster.objects.get(number=1).name == "Shop: page №1"


def test_a_change_on_both_sides_is_a_conflict_and_nothing_is_imported(files: Files) -> None:
    Cluster.objects.filter(number=1).update(name="Our shop page")
    both = edit(files, "templates/1-shop-page-no1/template.yaml", lambda text: text.replace("Shop: page", "Their page"))
    both = edit(both, TYPE, lambda text: text.replace("name: Shop", "name: Shops"))
    with pytest.raises(ConflictError) as caught:
        load(both)
    assert [each.key for each in caught.value.plan.conflicts] == [("template", "1")]
    assert RecordType.objects.get().name == "Shop"
    load(both, prefer="installation")
    assert Cluster.objects.get(number=1).name == "Our shop page" and RecordType.objects.get().name == "Shops"


def test_an_attribute_of_another_type_is_a_conflict_when_nobody_knows_which_side_is_right(files: Files) -> None:
    Attribute.objects.filter(name="shop").update(type="url")
    by_hand = {path: data for path, data in files.items() if path != "exported.yaml"}
    assert kinds(by_hand)["record type / shop / attribute / shop"] == ChangeKind.CONFLICT


def test_what_is_only_here_stays(files: Files) -> None:
    site, kind = Site.objects.get(), RecordType.objects.get()
    Attribute.objects.create(record_type=kind, name="ours", position=9)
    lists.mark(Cluster.objects.get(number=1), 2, [0, 1])
    factory.cluster(site, number=7).save()
    load(edit(files, TYPE, lambda text: text.replace("name: Shop", "name: Shops")))
    assert Attribute.objects.filter(name="ours").exists() and Cluster.objects.filter(number=7).exists()
    assert Label.objects.filter(snapshot__page__url="https://shops.example/2").exists()


def test_only_what_is_asked_for_is_removed(files: Files) -> None:
    kind, cluster = RecordType.objects.get(), Cluster.objects.get(number=1)
    Attribute.objects.create(record_type=kind, name="ours", position=9)
    lists.mark(cluster, 2, [0, 1])
    RefreshSchedule.objects.create(site=cluster.site, cluster=cluster)
    fewer = {path: data for path, data in files.items() if path not in (RULE, "joins.yaml", "corrections.yaml", "deliveries.yaml")}
    fewer = edit(fewer, TYPE, lambda text: text[: text.index("quality_rules:")])
    fewer = edit(fewer, "templates/1-shop-page-no1/template.yaml", lambda text: text[: text.index("quality_rules:")])
    load(fewer, delete=True)
    assert set(Attribute.objects.values_list("name", flat=True)) == {"shop", "thing", "price"}
    assert set(Label.objects.values_list("snapshot__page__url", flat=True)) == {"https://shops.example/0", "https://shops.example/1"}
    assert not Rule.objects.serving().exists() and not Join.objects.exists() and not QualityRule.objects.exists()
    assert not RefreshSchedule.objects.exclude(cluster=None).exists() and not Correction.objects.open().exists()
    assert Cluster.objects.count() == 2 and DeliveryTarget.objects.exists() and Page.objects.count() == 6


def test_an_attribute_that_another_site_uses_is_not_removed(files: Files) -> None:
    kind = RecordType.objects.get()
    Attribute.objects.create(record_type=kind, name="ours", position=9)
    other = factory.cluster(factory.site("Other"), kind=kind)
    shown = factory.snapshot(other.site, "https://other.example/", lists.html(0), cluster=other)
    factory.label(other, shown, Attribute.objects.get(name="ours"), None)
    with pytest.raises(FolderError, match="ours has 1 marked value"):
        load(files, delete=True)
    assert Attribute.objects.filter(name="ours").exists()


def test_the_content_that_is_here_stays_the_current_one(files: Files) -> None:
    page = Page.objects.get(url="https://shops.example/0")
    Snapshot.objects.filter(page=page).delete()
    newer = factory.snapshot(page.site, page.url, lists.html(5), cluster=Cluster.objects.get(number=1))
    done = load(files)
    page.refresh_from_db()
    assert page.current == newer and page.snapshots.count() == 2
    assert done.plan.contents == 1 and Label.objects.filter(snapshot__page=page).exclude(snapshot=newer).exists()


def test_templates_that_have_grown_apart_are_told_by_their_pages_and_not_by_their_numbers(files: Files) -> None:
    first = Cluster.objects.get(number=1)
    first.number, first.name = 3, ""
    first.save()
    factory.cluster(first.site, number=1, masks=["00.00.00.00.00.00.00.00"]).save()
    found = plan(files)
    assert "Template 1 of the folder is template 3 here." in found.notes
    load(files)
    assert Cluster.objects.get(number=3).labels.exists() and not Cluster.objects.get(number=1).labels.exists()
    assert plan(files).empty


def test_marks_on_pages_of_another_template_are_left_out_and_named(files: Files) -> None:
    other = Cluster.objects.get(number=4)
    page = Page.objects.get(url="https://shops.example/0")
    Label.objects.filter(snapshot__page=page).delete()
    Snapshot.objects.filter(page=page).update(cluster=other)
    found = plan(files)
    assert "The marks on https://shops.example/0 are left out: the page is in template 4 here." in found.notes
    load(files)
    assert not Label.objects.filter(snapshot__page=page).exists()


def test_a_site_of_the_same_name_is_not_taken_for_the_site(files: Files) -> None:
    Site.objects.update(slug="shops-2")
    with pytest.raises(FolderError, match=r"site\.yaml:1: there is already a site Shops with the slug shops-2"):
        plan(files)
    assert plan(files, into=Site.objects.get()).site == Site.objects.get()


def test_a_record_type_of_the_same_name_is_not_taken_for_the_type(files: Files) -> None:
    RecordType.objects.update(slug="store")
    folders.empty()
    RecordType.objects.create(name="Shop", slug="store")
    with pytest.raises(FolderError, match="there is already a record type Shop with the slug store"):
        load(files)
    assert not Site.objects.exists()


def test_all_or_nothing(files: Files) -> None:
    folders.empty()
    bad = edit(files, "joins.yaml", lambda text: text.replace("list: offers", "list: bids"))
    with pytest.raises(FolderError, match=r"joins\.yaml:\d+: Shop: page №1 has no list 'bids'"):
        load(bad)
    assert not Site.objects.exists() and not RecordType.objects.exists() and not Run.objects.exists()


def test_a_folder_that_is_written_by_hand_is_enough() -> None:
    content = b"<html><body><h1>Emma</h1><p>9.50</p></body></html>"
    done = load(
        {
            "site.yaml": b"format: 1\nname: Books\nslug: books\naddress: https://books.example/\nsource:\n  addresses:\n    - https://books.example/\n",
            "record_types/book.yaml": b"name: Book\nattributes:\n  - name: title\n    mandatory: true\n",
            "templates/book/template.yaml": b"number: 1\nrecord_type: book\nurl_patterns:\n  - books.example/*\n",
            "templates/book/rule.yaml": b"attributes:\n  - name: title\n    type: text\n    multiple: false\n    mandatory: true\n"
            b"    alternatives:\n      - xpath: //h1/text()\n",
            "README.md": b"# ours",
            "notes/page.html": content,
        }
    )
    assert done.site.slug == "books" and Rule.objects.serving().get().cluster.record_type == RecordType.objects.get(slug="book")


def test_a_part_of_a_record_type_is_changed_and_the_rest_stays_as_it_is_here(files: Files) -> None:
    kind = RecordType.objects.get()
    Attribute.objects.create(record_type=kind, name="ours", position=9, hotkey="c")
    RecordType.objects.update(description="Our words")
    text = "  - name: city\n    hotkey: c\n  - name: shop\n    multiple: true\n    mandatory: true\n  - name: street\n"
    changed = edit(files, TYPE, lambda old: old.replace("  - name: shop\n    mandatory: true\n", text))
    done = load(changed)
    rows = Attribute.objects.filter(record_type=kind).order_by("position")
    assert [each.name for each in rows] == ["city", "shop", "street", "thing", "price", "ours"]
    assert {each.name: each.hotkey for each in rows if each.hotkey} == {"thing": "t", "ours": "c"}
    assert rows.get(name="shop").multiple and RecordType.objects.get().description == "Our words"
    assert "Rules of the record type Shop read values differently now. Extract the records again." in done.notes


def test_a_quality_rule_is_changed_and_stays_the_same_row(files: Files) -> None:
    before = QualityRule.objects.get(kind="count")
    load(edit(files, TYPE, lambda text: text.replace("allowed_fraction: 0.01", "allowed_fraction: 0.05")))
    after = QualityRule.objects.get(kind="count")
    assert after.pk == before.pk and after.allowed_fraction == 0.05 and after.limits == before.limits
    assert QualityRule.objects.count() == 4


def test_a_quality_rule_that_does_not_fit_its_attribute_is_refused(files: Files) -> None:
    bad = edit(files, TYPE, lambda text: text.replace("kind: count\n", "kind: language\n    attribute: price\n"))
    with pytest.raises(FolderError, match=r"shop\.yaml:\d+: the quality rule cannot be used: “Language” does not fit price"):
        load(bad)
    assert set(QualityRule.objects.values_list("kind", flat=True)) == {"range", "count"}


def test_schedules_and_offered_rows_that_the_folder_lacks_are_removed_only_on_request(files: Files) -> None:
    fewer = edit(files, "site.yaml", lambda text: text[: text.index("refresh:")])
    fewer = edit(fewer, LABELS, lambda text: text.replace("    offered:\n      - list: offers\n        rows: 4\n        whole: true\n", ""))
    load(fewer)
    assert RefreshSchedule.objects.exists() and OfferedRows.objects.exists()
    load(fewer, delete=True)
    assert not RefreshSchedule.objects.exists() and not OfferedRows.objects.exists()
    assert Label.objects.filter(snapshot__page__url="https://shops.example/0").exists()


def test_how_pages_are_recognised_stays_if_both_sides_have_changed_it(files: Files) -> None:
    Cluster.objects.filter(number=1).update(masks=["00.00.00.00.00.00.00.00"])
    changed = edit(files, TEMPLATE, lambda text: text.replace(rich_site.MASK, "3f.a2.**.10.00.ff.**.02"))
    assert kinds(changed) == {"template / 1 / recognition": ChangeKind.NEWER_HERE}


def test_what_changes_is_said_as_it_is_here_and_in_the_folder(files: Files) -> None:
    off = edit(files, "site.yaml", lambda text: text.replace("auto_repair: true", "enabled: false"))
    (change,) = plan(off).changes
    assert change.details == ("enabled: not set → no", "auto_repair: yes → not set")


def test_a_content_that_was_seen_here_and_not_kept_is_kept_again(files: Files) -> None:
    Snapshot.objects.filter(page__url="https://shops.example/2").update(kept=False)
    done = load(files)
    assert done.plan.contents == 1 and Snapshot.objects.filter(kept=True).count() == Snapshot.objects.count() == 6


def test_a_template_whose_number_is_taken_here_gets_another(files: Files) -> None:
    site = Site.objects.get()
    Placement.objects.all().delete()
    Cluster.objects.filter(number=4).delete()
    factory.cluster(site, number=4, masks=["00.00.00.00.00.00.00.00"])
    done = load(files)
    assert "Template 4 of the folder is template 5 here." in done.notes
    assert list(Placement.objects.filter(page__url="https://shops.example/5").values_list("cluster__number", "belongs")) == [(5, False)]


def test_sites_and_record_types_of_other_teams_are_out_of_reach(files: Files) -> None:
    site, kind = Site.objects.get(), RecordType.objects.get()
    other = Team.objects.create(name="Other", slug="other")
    with pytest.raises(FolderError, match=r"site\.yaml:1: the slug shops cannot be used here"):
        plan(files, teams=frozenset({other.pk}), team=other)
    renamed = edit(files, "site.yaml", lambda text: text.replace("slug: shops", "slug: ours").replace("name: Shops", "name: Ours"))
    with pytest.raises(FolderError, match=r"shop\.yaml:1: the slug shop cannot be used in the team of this site"):
        load(renamed, teams=frozenset({other.pk}), team=other)
    assert (Site.objects.get(), RecordType.objects.get()) == (site, kind)
