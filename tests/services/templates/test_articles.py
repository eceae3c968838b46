"""Articles: the body is offered as the main text, and the command prints title and body."""

import io

import pytest
from django.core.management import CommandError, call_command

from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.parse import parse
from extraction.models import Cluster, Snapshot
from extraction.services.templates import articles, boilerplate
from tests.fixtures import news_site
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def lamp() -> Cluster:
    cluster = factory.cluster(factory.site("Lamp"))
    for number, page in enumerate(news_site.pages("broadsheet")):
        factory.snapshot(cluster.site, f"https://lamp.example/{number}", page.content, cluster=cluster)
    return cluster


def snapshots(cluster: Cluster) -> list[Snapshot]:
    return list(Snapshot.objects.filter(cluster=cluster).order_by("pk"))


def test_the_body_of_an_article_is_offered_as_main_text_on_later_pages_too(lamp: Cluster) -> None:
    later = news_site.pages("broadsheet", seed=2)[0]
    late = factory.snapshot(lamp.site, "https://lamp.example/late", later.content)
    for snapshot, page in ((snapshots(lamp)[0], news_site.pages("broadsheet")[0]), (late, later)):
        place = boilerplate.find_main_text(lamp, snapshot)
        assert place and elements(parse(page.content).root)[place.node].get("class") == "text"
        found = articles.find_article(lamp, snapshot)
        assert found.title and found.title.text == page.title


def test_the_command_prints_the_pattern_and_what_it_extracts(lamp: Cluster) -> None:
    out = io.StringIO()
    call_command("structure", "lamp", "1", "--method", "rtdm-patterns", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith('html[head[title[.]] body[header[h2["The Daily Lamp"]')
    titles = [line.removeprefix("  title  ") for line in lines if line.startswith("  title")]
    assert sorted(titles) == sorted(page.title for page in news_site.pages("broadsheet"))
    assert all(line.endswith(" words)") for line in lines if line.startswith("  body"))


def test_one_page_has_no_pattern(lamp: Cluster) -> None:
    alone = factory.cluster(lamp.site, number=2)
    page = factory.snapshot(lamp.site, "https://lamp.example/alone", news_site.pages("portal")[0].content, cluster=alone)
    assert articles.find_articles(alone) is None and articles.find_article(alone, page).body is None
    with pytest.raises(CommandError, match="fewer than two readable sample pages of HTML"):
        call_command("structure", "lamp", "2", "--method", "rtdm-patterns")
