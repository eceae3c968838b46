"""A site is written as files that people can review: nothing changes by itself, and nothing is written that must not leave."""

from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command

from extraction.models import DeliveryTarget, Monitor, Placement, Rule, Site, Snapshot, Source
from extraction.services.core import stored_bytes
from extraction.services.folders import exporting, storing
from extraction.services.folders.collect_pages import PageChoice
from extraction.services.folders.collect_rest import SOURCE_FIELDS
from extraction.services.folders.errors import FolderError
from tests.services import factory
from tests.services.folders import rich_site

pytestmark = pytest.mark.django_db


def export(site: Site, choice: PageChoice = "marked") -> dict[str, bytes]:
    return dict(exporting.list_files(exporting.collect_site(site, choice)))


def test_a_site_has_a_file_for_each_thing_that_people_review() -> None:
    files = export(rich_site.shops().site)
    pages = {path for path in files if path.endswith(".page")}
    assert set(files) - pages == {
        ".gitattributes",
        "site.yaml",
        "record_types/shop.yaml",
        "templates/1-shop-page-no1/template.yaml",
        "templates/1-shop-page-no1/labels.yaml",
        "templates/1-shop-page-no1/rule.yaml",
        "templates/1-shop-page-no1/core.bin",
        "templates/4/template.yaml",
        "pages.yaml",
        "joins.yaml",
        "deliveries.yaml",
        "corrections.yaml",
        "exported.yaml",
    }
    assert len(pages) == 3  # two with marks, one with corrections


def test_marks_name_their_place_and_their_value() -> None:
    files = export(rich_site.shops().site)
    marked = yaml.safe_load(files["templates/1-shop-page-no1/labels.yaml"])["pages"]
    assert [each["url"] for each in marked] == ["https://shops.example/0", "https://shops.example/1"]
    first = marked[0]["marks"]
    assert first[0]["attribute"] == "shop" and first[0]["value"] == "Shop 0" and first[0]["at"]["kind"] == "text"
    assert {"attribute": "price", "row": 3, "absent": True} in first
    assert marked[0]["offered"] == [{"list": "offers", "rows": 4, "whole": True}]


def test_the_contents_of_pages_have_the_name_of_their_digest() -> None:
    for path, content in export(rich_site.shops().site, "all").items():
        if path.endswith(".page"):
            assert path == f"pages/{stored_bytes.digest_bytes(content)}.page"


def test_all_pages_are_written_if_that_is_asked_for() -> None:
    site = rich_site.shops().site
    assert len(yaml.safe_load(export(site, "all")["pages.yaml"])["pages"]) == 6
    Snapshot.objects.filter(page__url="https://shops.example/3").update(kept=False)
    found = exporting.collect_site(site, "all")
    assert len(found.files.pages) == 5
    assert "1 content of a page is left out because it is not kept." in found.notes


def test_passwords_are_not_written() -> None:
    site = rich_site.shops().site
    target = DeliveryTarget.objects.get()
    for content in export(site, "all").values():
        assert b"swordfish-17" not in content and target.secret.encode() not in content


def test_the_same_state_gives_the_same_bytes() -> None:
    site = rich_site.shops().site
    before = export(site)
    Monitor.objects.filter(site=site).update(last_checked_at="2026-01-01T00:00:00Z", next_due_at="2027-01-01T00:00:00Z")
    Snapshot.objects.filter(page__site=site).update(fetched_at="2026-02-03T00:00:00Z", headers={"etag": "new"})
    assert export(site) == before


def test_an_empty_site_has_one_file_of_its_own() -> None:
    files = export(factory.site("Empty"))
    assert set(files) == {".gitattributes", "site.yaml", "exported.yaml"}
    assert yaml.safe_load(files["site.yaml"]) == {"format": 1, "name": "Empty", "slug": "empty"}


def test_writing_again_replaces_the_files_of_the_site_and_leaves_others(tmp_path: Path) -> None:
    cluster = rich_site.shops()
    folder = tmp_path / "shops"
    call_command("export_site", "shops", str(folder))
    (folder / "README.md").write_text("ours")
    (folder / ".git").mkdir()
    (folder / ".git" / "config.yaml").write_text("git's")
    cluster.name = "Shop"
    cluster.save()
    call_command("export_site", "shops", str(folder))
    assert {each.name for each in (folder / "templates").iterdir()} == {"1-shop", "4"}
    assert (folder / "README.md").read_text() == "ours" and (folder / ".git" / "config.yaml").exists()
    assert {path: (folder / path).read_bytes() for path in export(cluster.site)} == export(cluster.site)


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    site = rich_site.shops().site
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(CommandError, match=r"is not empty and has no site\.yaml"):
        call_command("export_site", "shops", str(tmp_path))
    other = tmp_path / "other"
    call_command("export_site", factory.site("Other").name, str(other))
    with pytest.raises(CommandError, match="holds the site “other”"):
        call_command("export_site", "shops", str(other))
    (tmp_path / "link").symlink_to(other)
    with pytest.raises(FolderError, match=r"link: it is a symbolic link"):
        storing.DiskFolder(tmp_path)
    assert {path.name for path in other.iterdir()} == {".gitattributes", "site.yaml", "exported.yaml"} and site.name == "Shops"


def test_no_setting_of_a_source_is_forgotten() -> None:
    assert set(SOURCE_FIELDS) == {each.name for each in Source._meta.fields} - {"id", "site"}


def test_templates_that_are_only_offered_and_rules_that_cannot_be_read_are_left_out() -> None:
    cluster = rich_site.shops()
    Rule.objects.filter(cluster=cluster).update(definition={"format": 99})
    offered = factory.cluster(cluster.site, number=7)
    offered.small = True
    offered.save()
    Placement.objects.create(page=cluster.site.pages.get(url="https://shops.example/3"), cluster=offered, belongs=False)
    Snapshot.objects.filter(page__url="https://shops.example/0").update(cluster=offered)
    done = exporting.collect_site(cluster.site)
    assert [(each.template.number, each.rule) for each in done.files.templates] == [(1, None), (4, None)]
    assert f"The rule of {cluster.label} cannot be read and is left out." in done.notes
    pages = {each.url: each for each in done.files.pages}
    assert pages["https://shops.example/3"].not_in == () and pages["https://shops.example/0"].contents[0].template is None
