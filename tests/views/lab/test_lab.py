"""The structure lab's screens: what they show, what they start, what they ask before anything changes."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from extraction.models import Clustering, Page, PageLabel, Run
from tests.services import factory
from tests.views.world import World


@pytest.fixture
def world(shared_world: World) -> World:
    return shared_world


def shown(client: Any, world: World, name: str = "site_lab", **query: Any) -> str:
    answer = client.get(reverse(name, args=world.address(name)), query)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_clusterings_stand_side_by_side(signed_in: Any, world: World) -> None:
    text = shown(signed_in("viewer"), world)
    assert "Current templates" in text and "LSH" in text and "9.0" in text and "8.0" in text
    assert "gave up</span> it needs more than 900 seconds" in text
    assert "need pages with different labels." in text
    assert "Adopt…" not in text and 'name="methods"' not in text, "a viewer only looks"
    assert 'name="methods"' in shown(signed_in("editor"), world) and "Adopt…" not in shown(signed_in("editor"), world)
    assert "An operator can adopt a clustering" in shown(signed_in("editor"), world)
    assert "Adopt…" in shown(signed_in("operator"), world) and "An operator can" not in shown(signed_in("operator"), world)


def test_the_site_links_to_the_lab(signed_in: Any, world: World) -> None:
    assert f'href="{reverse("site_lab", args=[world.site.slug])}"' in shown(signed_in("viewer"), world, "site")


def test_a_comparison_can_be_started_followed_and_left(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    answer = client.post(reverse("site_lab_start", args=[world.site.slug]), {"methods": ["text-hash", "lsh"]})
    assert answer.headers["Location"] == reverse("site_lab", args=[world.site.slug])
    run = Run.objects.get(kind=Run.Kind.LAB, state=Run.State.QUEUED)
    assert run.parameters == {"methods": ["text-hash", "lsh"]}
    assert "0 of 2 clusterings" in shown(client, world) and "You can leave this page" in shown(client, world, "site_lab_now")
    factory.put(Run.objects.filter(pk=run.pk), Run.State.CANCELLED)
    answer = client.get(reverse("site_lab_now", args=[world.site.slug]))
    assert answer.headers["HX-Refresh"] == "true"
    assert "was cancelled" in shown(client, world)


def test_without_a_method_nothing_is_started(signed_in: Any, world: World) -> None:
    answer = signed_in("editor").post(reverse("site_lab_start", args=[world.site.slug]), {"methods": []}, follow=True)
    assert "choose at least one method" in answer.content.decode()
    assert not Run.objects.filter(kind=Run.Kind.LAB, state=Run.State.QUEUED).exists()


def test_a_clustering_is_shown_beside_the_templates_with_the_pages_of_a_group(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    text = shown(client, world, "site_lab_method")
    assert "Where the groups' pages are now" in text and "○ New:" in text and "<b>2</b> moved" in text
    assert 'data-level="5"' in text
    assert "Pages of group 2" in shown(client, world, "site_lab_method", group=1)
    for odd in ("99", "x", "-1", "9" * 20):
        assert "Pages that move" in shown(client, world, "site_lab_method", group=odd)
    assert "No page moves" in shown(client, world, "site_lab_method", now=7)
    assert "%" in shown(client, world, "site_lab_shares")


def test_a_cost_that_could_not_be_computed_is_shown_with_its_reason(signed_in: Any, world: World) -> None:
    assert "No MDL" not in shown(signed_in("viewer"), world, "site_lab")
    reason = "it needs more than 3,072 MB of memory for these pages"
    Clustering.objects.filter(pk=world.clustering.pk).update(bits=None, bits_reason=reason)
    assert f"No MDL for LSH: {reason}" in shown(signed_in("viewer"), world, "site_lab")


def test_what_a_method_could_not_do_in_full_is_shown(signed_in: Any, world: World) -> None:
    run = world.clustering.run
    run.write_summary(replace(run.read_summary(), notices={"rtdm": "2 pairs of pages were too large"}))
    assert "◐ RTDM: 2 pairs of pages were too large." in shown(signed_in("viewer"), world)


def test_the_template_paths_of_a_group_are_shown_and_downloaded(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    assert reverse("site_lab_paths", args=world.address("site_lab_paths")) in shown(client, world, "site_lab_method", group=0)
    part = shown(client, world, "site_lab_paths", group=0)
    assert "Template paths" in part and "Download the paths of all groups" in part
    answer = client.get(reverse("site_lab_paths", args=world.address("site_lab_paths")))
    lines = answer.content.decode().splitlines()
    assert lines[0] == "group\tpages\tpath" and all(line.count("\t") >= 2 for line in lines)
    assert answer["Content-Type"].startswith("text/tab-separated-values") and "-paths.tsv" in answer["Content-Disposition"]
    assert client.get(reverse("site_lab_paths", args=world.address("site_lab_paths")), {"group": 99}).status_code == 404


def test_a_clearly_better_clustering_is_named_on_the_page_of_the_site(signed_in: Any, world: World) -> None:
    site_page, costs = reverse("site", args=[world.site.slug]), world.clustering.run.clusterings
    costs.filter(method="").update(bits=1.05 * (world.clustering.bits or 0))
    assert "Compare the two in the structure lab" not in signed_in("viewer").get(site_page).content.decode()
    costs.filter(method="").update(bits=10 * (world.clustering.bits or 0))
    text = " ".join(signed_in("viewer").get(site_page).content.decode().split())
    assert "LSH describes the pages with 90 % fewer bits than these templates." in text
    assert f'href="{world.clustering.get_absolute_url()}"' in text


def test_an_operator_returns_to_finding_templates_as_usual(signed_in: Any, world: World) -> None:
    world.site.method = "lsh"
    world.site.save()
    assert "An operator can return to finding templates as usual" in shown(signed_in("editor"), world)
    assert "Find templates as usual" in shown(signed_in("operator"), world)
    Run.objects.filter(kind=Run.Kind.CLUSTER).update(state=Run.State.CANCELLED, finished_at=timezone.now())
    signed_in("operator").post(reverse("site_lab_usual", args=[world.site.slug]))
    assert Run.objects.filter(kind=Run.Kind.CLUSTER).latest("pk").parameters == {"method": ""}


def test_adopting_asks_first(signed_in: Any, world: World) -> None:
    client, address = signed_in("operator"), reverse("site_lab_adopt", args=[world.site.slug, world.clustering.pk])
    text = shown(client, world, "site_lab_adopt")
    assert "Adopt LSH?" in text and "<b>2</b><span>pages change template" in text and "○ New" in text
    assert not Run.objects.filter(kind=Run.Kind.CLUSTER, state=Run.State.QUEUED).exists(), "looking changes nothing"
    run = Run.objects.filter(kind=Run.Kind.CLUSTER).order_by("pk")
    answer = client.post(address)
    started = run.get(state=Run.State.QUEUED)
    assert started.parameters["adopt"] == world.clustering.pk and answer.headers["Location"] == started.get_absolute_url()


def test_a_method_that_gave_up_cannot_be_adopted(signed_in: Any, world: World) -> None:
    failed = Clustering.objects.get(method="rtdm")
    answer = signed_in("operator").post(reverse("site_lab_adopt", args=[world.site.slug, failed.pk]), follow=True)
    assert "Nothing was adopted" in answer.content.decode()


def test_labels_can_be_uploaded_confirmed_and_deleted(signed_in: Any, world: World) -> None:
    client, address = signed_in("editor"), reverse("site_lab_labels", args=[world.site.slug])
    file = SimpleUploadedFile("labels.tsv", f"{world.page.url}\tbook\nhttps://nowhere.example/\tx\nhttps://a.example b\n".encode())
    text = client.post(address, {"file": file}, follow=True).content.decode()
    assert "1 page labelled. 1 address belongs to no page of this site, such as https://nowhere.example/." in text
    assert "1 line has no label after a tab, such as “https://a.example b”." in text
    client.post(address, {"confirm": world.cluster.number})
    assert PageLabel.objects.count() == 6 and PageLabel.objects.get(page=world.page).label == world.cluster.label
    assert "all 6 labelled pages have the same one, which any clustering gets right" in shown(client, world)
    client.post(address, {"file": SimpleUploadedFile("labels.tsv", f"{world.page.url}\tfilm\n".encode())})
    assert "on 6 labelled pages (few)" in shown(client, world) and "so few pages say little" in shown(client, world)
    client.post(address, {"clear": "1"})
    assert not PageLabel.objects.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfe\x00", "not UTF-8 text"), (b"a book", "separated by a tab"), (b"", "the file is empty"), (None, "choose a file")],
)
def test_a_file_that_is_not_a_list_of_labels_is_refused_with_the_reason(
    signed_in: Any, world: World, content: bytes | None, said: str
) -> None:
    data = {} if content is None else {"file": SimpleUploadedFile("x.tsv", content)}
    answer = signed_in("editor").post(reverse("site_lab_labels", args=[world.site.slug]), data, follow=True)
    assert "Nothing was labelled" in answer.content.decode() and said in answer.content.decode()


def test_a_file_that_is_too_large_is_not_read(signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from extraction.services.lab import page_labels

    monkeypatch.setattr(page_labels, "MOST_BYTES", 3)
    file = SimpleUploadedFile("x.tsv", b"abcd\te")
    answer = signed_in("editor").post(reverse("site_lab_labels", args=[world.site.slug]), {"file": file}, follow=True)
    assert "at most 3 are accepted" in answer.content.decode()


def test_an_unknown_template_cannot_be_confirmed(signed_in: Any, world: World) -> None:
    for number in ("77", "x", "9" * 30):
        assert signed_in("editor").post(reverse("site_lab_labels", args=[world.site.slug]), {"confirm": number}).status_code == 404


def test_the_lab_needs_no_more_queries_for_many_groups(signed_in: Any, world: World, count_queries: Any) -> None:
    client = signed_in("operator")
    names = ("site_lab", "site_lab_method", "site_lab_adopt")
    before = [count_queries(client, reverse(name, args=world.address(name))) for name in names]
    pages = [page for group in world.clustering.groups for page in group]
    Clustering.objects.filter(pk=world.clustering.pk).update(groups=[pages[:2], pages[2:4], pages[4:]])
    assert [count_queries(client, reverse(name, args=world.address(name))) for name in names] == before


@pytest.mark.parametrize("left", [True, False])
def test_a_group_whose_first_page_was_deleted_since_is_shown_by_another_page(signed_in: Any, world: World, left: bool) -> None:
    first, *others = world.clustering.groups[0]
    Page.objects.filter(pk__in=[first] if left else [first, *others]).update(current=None)
    text = shown(signed_in("viewer"), world, "site_lab_method")
    assert ("Pages that are no longer here" in text) is not left
