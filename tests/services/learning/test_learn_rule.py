"""Learning a rule is a run: it keeps what can be learned and names each other attribute with the page and the reason."""

from collections.abc import Iterator

import pytest

from extraction import pipeline
from extraction.algorithms.rules.rule import AttributeRule, Selector
from extraction.models import Attribute, Cluster, Rule, Run, Snapshot
from extraction.services.core import runs, stored_bytes, stored_pages
from extraction.services.learning import learn_rule, learning_set, workspaces
from extraction.services.learning.workspaces import AttributeLesson, Workspace
from extraction.services.rules import doubts
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    workspaces.forget_workspaces()
    yield


@pytest.fixture
def shop() -> Cluster:
    return factory.shop(12)


def learn(cluster: Cluster) -> Run:
    run = learn_rule.start_learning(cluster)
    assert pipeline.execute_run(run.pk)
    run.refresh_from_db()
    return run


def test_a_learned_rule_is_a_draft_with_a_report_of_each_attribute(shop: Cluster, sent: list[int]) -> None:
    factory.mark(shop, 0, title=["Book 0"], price=["£0.50"], author=["Writer 0"])
    factory.mark(shop, 1, title=["Book 1"], price=["£1.50"], author=["Writer 1", "Second 1"])
    run = learn(shop)
    assert (run.state, run.error) == (Run.State.DONE, "")
    rule = Rule.objects.get()
    assert (rule.state, rule.origin, rule.version, run.summary["rule"]) == ("draft", "learned", 1, rule.pk)
    assert [each.name for each in rule.read_definition().attributes] == ["title", "price", "author"]
    title, price, author = rule.report["attributes"]
    ids = list(Snapshot.objects.filter(cluster=shop).order_by("pk").values_list("pk", flat=True))
    assert (title["hits"], title["checked"], title["without"]) == (12, 12, [])
    assert (price["hits"], price["without"]) == (10, [ids[4], ids[9]])
    assert author["several_on"] == ids[1::2]
    assert set(title["alternatives"][0]) == {"xpath", "precision", "distance", "support", "several", "features"}
    assert rule.report["failed"] == []


def test_learning_again_from_the_same_labels_writes_no_second_draft(shop: Cluster, sent: list[int]) -> None:
    factory.mark(shop, 0, title=["Book 0"])
    learn(shop)
    learn(shop)
    assert Rule.objects.count() == 1


def test_one_attribute_that_does_not_fit_does_not_lose_the_others(shop: Cluster, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    factory.mark(shop, 0, title=["Book 0"], price=["£0.50"])
    factory.mark(shop, 2, title=["Book 2"], price=None)
    teach(monkeypatch, "//p[@class='price']/text()", only="price")
    run = learn(shop)
    assert run.state == Run.State.DONE
    rule = Rule.objects.get()
    assert [each.name for each in rule.read_definition().attributes] == ["title"]
    [failed] = rule.report["failed"]
    assert failed["name"] == "price"
    url = "https://shop.example/book/2"
    assert failed["reason"] == f"price: it is marked as not on this page, but the rule gives “£2.50” ({url})"
    assert failed["url"] == url
    assert list(run.problems.values_list("name", flat=True)) == ["price"]
    with pytest.raises(doubts.Doubtful, match=r"^price: not learned: it is marked as not on this page"):
        doubts.refuse_doubtful(rule)


def test_embedded_data_that_cannot_be_read_is_a_problem_of_the_run(shop: Cluster, sent: list[int]) -> None:
    broken = factory.book_html("Book 9").replace(b"</head>", b'<script type="application/ld+json">{"name": </script></head>')
    factory.snapshot(shop.site, "https://shop.example/book/broken", broken, cluster=shop)
    factory.mark(shop, 0, title=["Book 0"])
    factory.mark(shop, 1, title=["Book 1"])
    run = learn(shop)
    assert run.state == Run.State.DONE
    [problem] = run.problems.all()
    assert problem.name == "https://shop.example/book/broken"
    assert problem.reason.startswith("embedded data: JSON-LD could not be read: JSONDecodeError: ")


def test_when_nothing_can_be_learned_the_run_fails_and_says_why(shop: Cluster, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    factory.mark(shop, 0, title=["Book 0"])
    factory.mark(shop, 1, title=["Book 1"])
    teach(monkeypatch, "//h1[1][.='Book 0']")
    run = learn(shop)
    assert run.state == Run.State.FAILED
    assert run.error == "title: “Book 1” is marked, but the rule gives nothing (https://shop.example/book/1)."
    assert not Rule.objects.exists()


@pytest.mark.parametrize(
    ("xpath", "reason"),
    [
        ("//h1 | //li", "title: the rule also gives “Writer 0”, which is not marked (https://shop.example/book/0)"),
        ("//title", "title: “Book 0” is marked, but the rule gives “Book 0 | Shop” (https://shop.example/book/0)"),
    ],
)
def test_the_stylesheet_of_a_rule_must_give_the_labelled_values(
    shop: Cluster, sent: list[int], monkeypatch: pytest.MonkeyPatch, xpath: str, reason: str
) -> None:
    factory.mark(shop, 0, title=["Book 0"])
    teach(monkeypatch, xpath)
    assert learn(shop).error == reason + "."


def test_a_rule_must_give_no_value_where_one_is_marked_as_absent(shop: Cluster, sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    factory.mark(shop, 0, title=["Book 0"])
    factory.mark(shop, 3, title=None)
    teach(monkeypatch, "//h1")
    assert learn(shop).error == "title: it is marked as not on this page, but the rule gives “Book 3” (https://shop.example/book/3)."


def test_learning_without_labels_is_refused(shop: Cluster) -> None:
    with pytest.raises(runs.JobError, match="No values are marked on the pages of Template 1 yet"):
        learn_rule.start_learning(shop)
    factory.mark(shop, 0, title=None)
    with pytest.raises(runs.JobError, match="No values are marked"):
        learn_rule.start_learning(shop)
    Cluster.objects.update(record_type=None)
    shop.refresh_from_db()
    with pytest.raises(runs.JobError, match="no record type"):
        learn_rule.start_learning(shop)


def teach(monkeypatch: pytest.MonkeyPatch, xpath: str, *, only: str = "") -> None:
    """Make the learner return this XPath, right or wrong, for one attribute or all, with the report of a right one."""
    really = Workspace.learn_attribute

    def lesson(self: Workspace, attribute: Attribute, labels: workspaces.AttributeLabels) -> AttributeLesson:
        learned = really(self, attribute, dict(list(labels.items())[:1]))
        assert isinstance(learned, AttributeLesson)
        if only not in ("", attribute.name):
            return learned
        return AttributeLesson(AttributeRule(attribute.name, alternatives=(Selector(xpath),)), learned.learned)

    monkeypatch.setattr(Workspace, "learn_attribute", lesson)


def add_care(cluster: Cluster, *, on: int) -> list[Snapshot]:
    """Give a template of many pages a few that say how a book is cared for, none of which is drawn to be learned from."""
    site = cluster.site
    made: list[Snapshot] = []
    for number in range(60):
        factory.snapshot(site, f"https://shop.example/plain/{number}", factory.book_html(f"Plain {number}"), cluster=cluster)
    drawn = {page.snapshot_id for page in stored_pages.choose_pages([], learning_set.list_sources(cluster.pk), max_bytes=10**9)}
    number = 0
    while len(made) < on:
        number += 1
        content = factory.book_html(f"Silk {number}").replace(b"</ul>", f'</ul><p class="care">Dust {number} times</p>'.encode())
        found = factory.snapshot(site, f"https://shop.example/silk/{number}", content, cluster=cluster)
        now = {page.snapshot_id for page in stored_pages.choose_pages([], learning_set.list_sources(cluster.pk), max_bytes=10**9)}
        if now == drawn:
            made.append(found)
        else:
            found.delete()
    return made


@pytest.mark.parametrize("on", [2, 5])
def test_a_rare_attribute_is_doubted_only_if_no_unmarked_page_of_the_template_has_it(on: int, shop: Cluster, sent: list[int]) -> None:
    """Some pages are drawn to learn from, and none of those is one of the few that have the attribute."""
    pages = add_care(shop, on=on)
    assert shop.record_type
    care = Attribute.objects.create(record_type=shop.record_type, name="care", position=9)
    for page in pages[:2]:
        content = stored_bytes.get_bytes(page.sha256)
        number = page.page.url.rsplit("/", 1)[1]
        factory.label(shop, page, care, [factory.text_at(content, f"Dust {number} times")])
    learn(shop)
    [report] = Rule.objects.get().read_report().attributes
    assert report.hits == on
    [alone] = report.alternatives
    unmarked = report.checked - 2
    if on == 2:
        assert (alone.support, alone.doubt) == (0.0, "it finds nothing on the unmarked pages that were read")
    else:
        assert (alone.support, alone.doubt) == (3 / unmarked, None)
