"""Comments, the people mentioned in them, and who has a piece of work."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from extraction.models import AuditEntry, Cluster, Comment, Notice
from extraction.services.core import comments
from extraction.services.core.comments import CommentError
from extraction.services.templates import clusters
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop() -> Cluster:
    return factory.shop(2)


@pytest.fixture
def ann(person: Any) -> User:
    user: User = person("editor")
    User.objects.filter(pk=user.pk).update(username="ann")
    return User.objects.get(pk=user.pk)


@pytest.fixture
def bo(person: Any) -> User:
    user: User = person("viewer")
    User.objects.filter(pk=user.pk).update(username="bo.b")
    return User.objects.get(pk=user.pk)


def test_a_mention_tells_the_person_once_and_nobody_else(shop: Cluster, ann: User, bo: User) -> None:
    added = comments.add_comment(shop, "Look, @bo.b. And again @bo.b! Not mail@bo.b, nor @ann, nor @nobody.", ann)
    assert (added.told, added.unknown) == (("bo.b",), ("nobody",))
    assert [each.user for each in Notice.objects.all()] == [bo]
    assert list(comments.list_notices(ann)) == []
    assert comments.mark_read(bo, subject=shop) == 1
    assert list(comments.list_notices(bo)) == []


def test_somebody_without_a_role_is_not_told(shop: Cluster, ann: User) -> None:
    User.objects.create_user("stranger")
    assert comments.add_comment(shop, "@stranger", ann).unknown == ("stranger",)


@pytest.mark.parametrize(
    ("text", "said"), [(" \n\0 ", "Write something first"), ("x" * 5_001, "at most 5,000 characters; this one has 5,001")]
)
def test_an_empty_and_a_long_comment_are_refused(shop: Cluster, ann: User, text: str, said: str) -> None:
    with pytest.raises(CommentError, match=said):
        comments.add_comment(shop, text, ann)
    assert not Comment.objects.exists()


def test_the_text_is_not_in_the_audit_log_because_it_can_be_deleted(shop: Cluster, ann: User) -> None:
    comment = comments.add_comment(shop, "the password is hunter2", ann).comment
    comments.delete_comment(comment)
    assert list(AuditEntry.objects.order_by("pk").values_list("kind", flat=True)) == ["comment.added", "comment.deleted"]
    assert not AuditEntry.objects.filter(text__contains="hunter2").exists()


def test_work_is_assigned_to_those_who_can_do_it(shop: Cluster, ann: User, bo: User) -> None:
    comments.assign(shop, ann)
    comments.assign(shop, ann)
    assert Cluster.objects.get().assignee == ann
    with pytest.raises(CommentError, match=r"bo\.b is no editor"):
        comments.assign(shop, bo)
    comments.assign(shop, None)
    texts = AuditEntry.objects.filter(kind="comment.assigned").order_by("pk").values_list("text", flat=True)
    assert list(texts) == ["assigned to: nothing → ann", "assigned to: ann → nothing"]


def test_the_comments_of_a_merged_template_move_with_it(shop: Cluster, ann: User) -> None:
    other = factory.cluster(shop.site, number=2)
    comments.add_comment(other, "Same as the first?", ann)
    merged = clusters.merge_templates(shop, [other])
    assert [each.text for each in comments.list_comments(merged)] == ["Same as the first?"]
    assert comments.count_by_cluster([merged.pk])[merged.pk] == 1
