"""Undo and redo: each person's own steps, kept in the database."""

import pytest

from annotations import edits
from annotations.edits import Change
from annotations.models import Edit
from extraction.algorithms.dom.nodes import Location
from extraction.models import Attribute, Cluster, Label, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.labels.labelling import LabelError
from extraction.services.templates import clusters
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop() -> Cluster:
    return factory.shop(3)


def say(shop: Cluster, user, **said: list[str] | None) -> edits.EditStep:
    page = Snapshot.objects.filter(cluster=shop).order_by("pk")[0]
    content = stored_bytes.get_bytes(page.sha256)
    changes = [
        Change(Attribute.objects.get(name=name), None if texts is None else tuple(factory.text_at(content, text) for text in texts))
        for name, texts in said.items()
    ]
    return edits.apply_changes(shop, page, changes, user)


def values() -> list[str]:
    return sorted(label.value if label.location else f"{label.attribute}: not here" for label in Label.objects.select_related("attribute"))


def test_steps_are_taken_back_and_done_again_in_their_order(shop, person):
    editor = person("editor")
    say(shop, editor, title=["Book 0"])
    say(shop, editor, price=None)
    assert values() == ["Book 0", "price: not here"]
    edits.undo_step(shop, editor)
    assert values() == ["Book 0"]
    edits.undo_step(shop, editor)
    assert values() == [] and edits.undo_step(shop, editor) is None
    assert edits.find_possible_steps(shop, editor) == {"undo": False, "redo": True}
    edits.redo_step(shop, editor)
    assert values() == ["Book 0"]
    edits.redo_step(shop, editor)
    assert values() == ["Book 0", "price: not here"] and edits.redo_step(shop, editor) is None


def test_what_was_confirmed_with_one_key_is_taken_back_with_one(shop, person):
    step = say(shop, person("editor"), title=["Book 0"], price=None, author=["Writer 0"])
    assert len(step.attribute_ids) == 3
    undone = edits.undo_step(shop, person("editor"))
    assert undone is not None and set(undone.attribute_ids) == set(step.attribute_ids)
    assert values() == []


def test_a_new_step_forgets_what_was_taken_back(shop, person):
    editor = person("editor")
    say(shop, editor, title=["Book 0"])
    edits.undo_step(shop, editor)
    say(shop, editor, price=None)
    assert edits.redo_step(shop, editor) is None and values() == ["price: not here"]


def test_nobody_takes_back_what_somebody_else_did(shop, person):
    say(shop, person("editor"), title=["Book 0"])
    assert edits.undo_step(shop, person("operator")) is None


def test_what_somebody_else_changed_since_is_not_overwritten(shop, person):
    say(shop, person("editor"), title=["Book 0"])
    say(shop, person("operator"), title=None)
    with pytest.raises(LabelError, match="somebody else"):
        edits.undo_step(shop, person("editor"))
    assert values() == ["title: not here"]


def test_a_step_that_fails_in_part_changes_nothing(shop, person):
    page = Snapshot.objects.filter(cluster=shop).order_by("pk")[0]
    title, price = Attribute.objects.get(name="title"), Attribute.objects.get(name="price")
    with pytest.raises(LabelError):
        edits.apply_changes(shop, page, [Change(title, None), Change(price, (Location(9_999),))], person("editor"))
    assert values() == [] and not Edit.objects.exists()


def test_saying_the_same_again_is_no_step(shop, person):
    say(shop, person("editor"), title=["Book 0"])
    say(shop, person("editor"), title=["Book 0"])
    assert Edit.objects.count() == 1


def test_old_steps_go(shop, person, monkeypatch):
    monkeypatch.setattr(edits, "KEPT_STEPS", 2)
    for texts in (["Book 0"], None, ["Book 0"], None):
        say(shop, person("editor"), title=texts)
    assert Edit.objects.count() == 2


def two(shop: Cluster) -> Cluster:
    other = factory.cluster(shop.site, number=2, kind=shop.record_type)
    for n in range(2):
        factory.snapshot(shop.site, f"https://shop.example/other/{n}", factory.book_html(f"Novel {n}"), cluster=other)
    return other


def test_after_two_templates_became_one_exactly_the_last_step_is_taken_back(shop, person):
    editor, other = person("editor"), two(shop)
    say(shop, editor, title=["Book 0"])
    say(other, editor, title=["Novel 0"], price=None)
    say(shop, editor, price=None)
    merged = clusters.merge_templates(shop, [other])
    assert values() == ["Book 0", "Novel 0", "price: not here", "price: not here"]
    edits.undo_step(merged, editor)
    assert values() == ["Book 0", "Novel 0", "price: not here"]
    edits.undo_step(merged, editor)
    assert values() == ["Book 0"]
    edits.redo_step(merged, editor)
    assert values() == ["Book 0", "Novel 0", "price: not here"]


def test_steps_of_another_template_are_not_taken_back(shop, person):
    editor, other = person("editor"), two(shop)
    say(shop, editor, title=["Book 0"])
    say(other, editor, title=["Novel 0"])
    edits.undo_step(shop, editor)
    assert values() == ["Novel 0"]
    assert edits.undo_step(shop, editor) is None


def test_a_step_that_cannot_be_taken_back_does_not_bar_those_before_it(shop, person):
    editor = person("editor")
    say(shop, editor, price=None)
    say(shop, editor, title=["Book 0"])
    say(shop, person("operator"), title=None)
    with pytest.raises(LabelError):
        edits.undo_step(shop, editor)
    edits.undo_step(shop, editor)
    assert values() == ["title: not here"]
