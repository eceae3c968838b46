"""A template on its screens: names, merging, its record type and its next step."""

from typing import Any

import pytest

from extraction.models import Cluster, Label, SamplePage, Snapshot
from extraction.services.schema import record_types
from extraction.services.schema.record_types import AttributeDraft
from extraction.views.templates import cluster_view
from tests.reading import words
from tests.services import factory
from tests.views import world as worlds
from tests.views.addresses import address
from tests.views.world import World


def test_a_template_can_be_named_and_the_name_removed(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    assert client.post(address(world, "cluster_rename"), {"name": "  Books  "}).url == address(world, "cluster")
    assert Cluster.objects.get().label == "Books"
    assert client.post(address(world, "cluster_rename"), {"name": "", "back": "site"}).url == address(world, "site")
    assert Cluster.objects.get().label == "Template 1"
    assert "120" in words(client.post(address(world, "cluster_rename"), {"name": "x" * 121}, follow=True))
    assert Cluster.objects.get().label == "Template 1"


def test_a_template_can_be_ignored_and_restored(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    client.post(address(world, "cluster_ignore"), {"ignored": "1"})
    assert Cluster.objects.get().ignored
    assert b"1 ignored template" in client.get(address(world, "site")).content
    client.post(address(world, "cluster_ignore"), {"ignored": "0"})
    assert not Cluster.objects.get().ignored


def test_templates_are_merged_into_the_first_one(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    other = factory.cluster(world.site, number=2)
    client.post(address(world, "cluster_merge"), {"clusters": [1]})
    client.post(address(world, "cluster_merge"), {"clusters": [1, 99]})
    assert Cluster.objects.count() == 2
    client.post(address(world, "cluster_merge"), {"clusters": [1, other.number]})
    assert [cluster.number for cluster in Cluster.objects.all()] == [1]


def test_a_record_type_can_be_chosen_unless_annotations_would_be_lost(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    film = record_types.create_record_type("Film", "", [AttributeDraft(None, "title", "text")])
    client.post(address(world, "cluster_type"), {"record_type": film.slug})
    assert Cluster.objects.get().record_type == world.record_type
    Label.objects.all().delete()
    client.post(address(world, "cluster_type"), {"record_type": film.slug})
    assert Cluster.objects.get().record_type == film
    assert client.post(address(world, "cluster_type"), {"record_type": "nothing"}).status_code == 404


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("type", "What are these pages about?"),
        ("annotate", "Mark the values"),
        ("learn", "1 page annotated"),
        ("publish", "A draft of the rule is ready"),
    ],
)
def test_the_next_step_is_always_shown(signed_in: Any, db: None, sent: list[int], step: str, words: str) -> None:
    cluster = factory.shop(3)
    if step == "type":
        Cluster.objects.update(record_type=None)
    if step == "learn":
        factory.mark(cluster, 0, title=["Book 0"])
    if step == "publish":
        worlds.draft(cluster)
    text = signed_in("editor").get(cluster.get_absolute_url()).content.decode()
    assert words in text
    assert text.count('aria-current="step"') == 1


def test_samples_that_add_little_are_folded_unless_annotated(signed_in: Any, world: World) -> None:
    SamplePage.objects.filter(cluster=world.cluster).delete()
    pages = list(Snapshot.objects.filter(cluster=world.cluster).order_by("pk"))
    Label.objects.all().delete()
    for place, page in enumerate(pages):
        SamplePage.objects.create(cluster=world.cluster, snapshot=page, position=place, covered_fraction=1.0)
    shown, more = cluster_view.list_samples(world.cluster)
    assert (len(shown), len(more)) == (1, len(pages) - 1)
    assert f"{len(pages) - 1} more sample pages add little new" in signed_in("viewer").get(address(world, "cluster")).content.decode()
    assert world.cluster.record_type is not None
    attribute = world.cluster.record_type.attributes.first()
    assert attribute is not None
    factory.label(world.cluster, pages[2], attribute, None)
    assert len(cluster_view.list_samples(world.cluster)[0]) == 3


def test_a_viewer_is_told_who_can_do_the_next_step(signed_in: Any, world: World) -> None:
    Cluster.objects.filter(pk=world.cluster.pk).update(record_type=None)
    assert b"An editor chooses it." in signed_in("viewer").get(address(world, "cluster")).content
    assert b"An editor chooses it." not in signed_in("editor").get(address(world, "cluster")).content
