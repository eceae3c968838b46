"""Comments and assignments on the screens and by the API."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Breakage, Comment
from extraction.services.core import comments
from tests.views.addresses import address
from tests.views.world import World

pytestmark = pytest.mark.django_db


def test_a_comment_with_a_mention_reaches_the_home_page_until_it_is_seen(signed_in: Any, person: Any, world: World) -> None:
    person("viewer")
    answer = signed_in("editor").post(address(world, "cluster_comment"), {"text": "<b>Odd</b> prices, @viewer and @nobody"}, follow=True)
    shown = answer.content.decode()
    assert "Comment added. viewer will see it on the home page." in shown
    assert "There is nobody called nobody" in shown
    assert "&lt;b&gt;Odd&lt;/b&gt; prices" in shown
    client = signed_in("viewer")
    home = client.get(reverse("home")).content.decode()
    assert "Mentions of you" in home and f"{world.cluster.get_absolute_url()}#comment-" in home
    page = client.get(address(world, "cluster")).content.decode()
    assert "comment-unread" in page and "Write a comment" not in page
    assert "Mentions of you" not in client.get(reverse("home")).content.decode()


def test_what_is_assigned_is_shown_first_on_the_home_page_and_in_lists(signed_in: Any, person: Any, world: World) -> None:
    client = signed_in("editor")
    Breakage.objects.update(state="open", closed_at=None)
    for name in ("cluster_assign", "breakage_assign"):
        assert "Assigned to editor." in client.post(address(world, name), {"person": "editor"}, follow=True).content.decode()
    client.post(address(world, "breakage_comment"), {"text": "I am on it"})
    home = client.get(reverse("home")).content.decode()
    assert home.index("Assigned to me") < home.index("Broken rules")
    assert "Assigned to editor" in client.get(address(world, "site")).content.decode()
    listed = client.get(reverse("breakages")).content.decode()
    assert "1 comment" in listed and "editor" in listed
    assert "Assigned to me" not in signed_in("operator").get(reverse("home")).content.decode()


def test_wrong_people_and_empty_comments_are_refused_in_words(signed_in: Any, person: Any, world: World) -> None:
    person("viewer")
    client = signed_in("editor")
    assert "There is no such person" in client.post(address(world, "cluster_assign"), {"person": "x"}, follow=True).content.decode()
    assert "viewer is no editor" in client.post(address(world, "cluster_assign"), {"person": "viewer"}, follow=True).content.decode()
    assert "Write something first" in client.post(address(world, "breakage_comment"), {"text": " "}, follow=True).content.decode()


def test_only_the_author_and_administrators_delete_a_comment(signed_in: Any, person: Any, world: World) -> None:
    mine = comments.add_comment(world.cluster, "mine", person("editor")).comment
    delete = reverse("comment_delete", args=[mine.pk])
    assert signed_in("operator").post(delete).status_code == 403
    assert signed_in("editor").post(delete).status_code == 302
    other = comments.add_comment(world.cluster, "mine", person("editor")).comment
    assert signed_in("admin").post(reverse("comment_delete", args=[other.pk])).status_code == 302
    assert not Comment.objects.exists()
