"""Templates, rules, records, record types, runs: what the forms do and refuse."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from extraction.models import Attribute, Cluster, Label, Record, RecordType, Rule, Run, SamplePage, Snapshot
from extraction.services.core import runs
from extraction.services.schema import record_types
from extraction.services.schema.record_types import AttributeDraft
from extraction.views.core import run_progress
from extraction.views.templates import cluster_view
from tests.services import factory
from tests.views import world as worlds
from tests.views.world import World


def address(world: World, name: str) -> str:
    return reverse(name, args=world.address(name))


def rows(*attributes: dict[str, str], **more: str) -> dict[str, str]:
    data = {"name": "Film", "description": "", "attribute-TOTAL_FORMS": str(len(attributes)), "attribute-INITIAL_FORMS": "0", **more}
    for n, attribute in enumerate(attributes):
        data |= {f"attribute-{n}-{field}": value for field, value in {"type": "text", "ORDER": str(n + 1), **attribute}.items()}
    return data


def test_a_template_is_named_and_its_name_taken_back(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    assert client.post(address(world, "cluster_rename"), {"name": "  Books  "}, HTTP_HX_REQUEST="true").status_code == 204
    assert Cluster.objects.get().label == "Books"
    assert client.post(address(world, "cluster_rename"), {"name": ""}).status_code == 302
    assert Cluster.objects.get().label == "Template 1"
    assert client.post(address(world, "cluster_rename"), {"name": "x" * 121}, HTTP_HX_REQUEST="true").status_code == 400


def test_a_template_is_ignored_and_brought_back(signed_in: Any, world: World) -> None:
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


def test_a_record_type_is_chosen_unless_annotations_would_be_lost(signed_in: Any, world: World) -> None:
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
def test_the_next_step_is_always_said(signed_in: Any, db: None, sent: list[int], step: str, words: str) -> None:
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


def test_an_xpath_is_tried_without_being_saved(signed_in: Any, world: World) -> None:
    answer = signed_in("editor").post(address(world, "rule_preview"), {"attribute": "title", "xpath": "//title/text()"})
    assert b"Book 0 | Shop" in answer.content
    assert Rule.objects.count() == 1
    for xpath in ("//h1[", "", "count(//p)"):
        answer = signed_in("editor").post(address(world, "rule_preview"), {"attribute": "title", "xpath": xpath})
        assert (answer.status_code, b"note-broken" in answer.content) == (200, True), xpath


def test_a_changed_xpath_is_a_new_draft_and_a_bad_one_is_given_back(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    answer = client.post(address(world, "rule_edit"), {"attribute": "title", "xpath": "//h1["})
    assert (answer.status_code, Rule.objects.count()) == (400, 1)
    assert b"//h1[</textarea>" in answer.content
    box = answer.content.decode().partition('id="effect-1"')[2].partition("</div>")[0]
    assert 'role="alert"' in box, "the error stands where the next trial's result takes its place"
    assert client.get(address(world, "rule_edit")).headers["Location"] == world.rule.get_absolute_url()
    client.post(address(world, "rule_edit"), {"attribute": "title", "xpath": "//title/text()"})
    draft = Rule.objects.get(version=2)
    assert (draft.state, draft.origin) == (Rule.State.DRAFT, Rule.Origin.EDITED)


def test_a_rule_is_published_retired_and_brought_back(signed_in: Any, world: World) -> None:
    draft = worlds.draft(world.cluster)
    publish = reverse("rule_publish", args=[world.site.slug, world.cluster.number, draft.version])
    client = signed_in("editor")
    client.post(publish)
    states = dict(Rule.objects.values_list("version", "state"))
    assert states == {1: Rule.State.RETIRED, 2: Rule.State.LIVE}
    client.post(address(world, "rule_publish"))
    assert Rule.objects.get(version=1).state == Rule.State.LIVE, "who may publish may also take that back"
    client.post(publish)
    client = signed_in("operator")
    client.post(reverse("rule_retire", args=[world.site.slug, world.cluster.number, 2]))
    assert not Rule.objects.filter(state=Rule.State.LIVE).exists()
    client.post(address(world, "rule_publish"))
    assert Rule.objects.get(version=1).state == Rule.State.LIVE


def test_learning_and_running_are_started(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    for name, kind in (("rule_learn", Run.Kind.LEARN), ("extract_start", Run.Kind.EXTRACT)):
        answer = client.post(address(world, name))
        assert answer.headers["Location"] == Run.objects.filter(kind=kind)[0].get_absolute_url()


def test_what_cannot_be_started_says_why(signed_in: Any, db: None, sent: list[int]) -> None:
    cluster = factory.shop(2)
    for name in ("rule_learn", "extract_start"):
        answer = signed_in("editor").post(reverse(name, args=[cluster.site.slug, cluster.number]), follow=True)
        assert b"toast-error" in answer.content, name


def test_records_are_searched_filtered_and_sorted(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")

    def titles(**asked: str) -> list[str]:
        found = client.get(address(world, "records"), asked).context["rows"]
        return [record.values["title"][0]["raw"] for record, *_ in found]

    assert titles(sort="-title")[0] == "Book 5"
    assert titles(q="writer 3") == ["Book 3"]
    assert titles(missing="price", state="incomplete") == ["Book 4"]
    assert len(titles(state="<>", sort="nothing", page="none")) == 6


def test_the_csv_holds_what_the_table_shows_in_the_chosen_columns(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    answer = client.get(address(world, "records_csv"), {"columns": ["price", "title"], "values": "raw", "q": "Book 2"})
    text = b"".join(answer.streaming_content).decode()
    assert list(csv.reader(io.StringIO(text))) == [["price", "title"], ["£2.50", "Book 2"]]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="books-template-1.csv"'
    whole = b"".join(client.get(address(world, "records_csv"), {"bom": "1"}).streaming_content).decode()
    assert whole.startswith("\ufefftitle,price,author,source_url\r\n")
    Record.objects.filter(snapshot__page=world.page).update(values={"title": [{"raw": "=1+1", "value": None}]})
    for asked, title in (({}, "'=1+1"), ({"guard": ["0", "1"]}, "'=1+1"), ({"guard": "0"}, "=1+1")):
        answer = client.get(address(world, "records_csv"), {"columns": "title", "q": "", **asked})
        assert b"".join(answer.streaming_content).decode().splitlines()[1] == title
    for wrong in ({"columns": "nothing"}, {"several": "x"}, {"values": "x"}, {"separator": "x" * 11}):
        assert client.get(address(world, "records_csv"), wrong).status_code == 400, wrong


def test_a_failed_record_says_why(signed_in: Any, world: World) -> None:
    Record.objects.filter(snapshot__page=world.page).update(state=Record.State.FAILED, reason="the page is empty", values={})
    assert b"the page is empty" in signed_in("viewer").get(address(world, "records")).content


def test_a_record_type_is_made_in_the_order_of_its_rows(signed_in: Any, db: None) -> None:
    data = rows(
        {"name": "year", "type": "number", "ORDER": "2"}, {"name": "full title", "ORDER": "1", "mandatory": "on", "hotkey": "T"}, {}
    )
    signed_in("editor").post(reverse("record_type_new"), data)
    made = [(a.name, a.type, a.mandatory, a.hotkey, a.position) for a in Attribute.objects.all()]
    assert made == [("full_title", "text", True, "t", 0), ("year", "number", False, "", 1)]


@pytest.mark.parametrize(
    "data",
    [
        rows(),
        rows({"name": "a"}, {"name": "A"}),
        rows({"name": "a", "hotkey": "1"}, {"name": "b", "hotkey": "1"}),
        rows({"name": "1st"}),
        rows({"name": 'the "best"'}),
        rows({"name": "Source URL"}),
        rows({"name": "a", "hotkey": "?"}),
        rows({"name": "a", "type": "nothing"}),
        rows({"name": "a"}, name=""),
        rows({"name": "a"}, name="Book"),
        rows({"name": "a"}) | {"attribute-TOTAL_FORMS": "oops"},
        rows({"name": "a" * 61}),
    ],
)
def test_a_bad_record_type_is_given_back_with_what_is_wrong(signed_in: Any, db: None, data: dict[str, str]) -> None:
    factory.record_type()
    answer = signed_in("editor").post(reverse("record_type_new"), data)
    assert (answer.status_code, RecordType.objects.count()) == (400, 1)
    assert b"field-error" in answer.content


def test_a_new_record_type_is_used_by_the_template_it_was_made_for(signed_in: Any, db: None) -> None:
    cluster = factory.cluster(factory.site())
    answer = signed_in("editor").post(f"{reverse('record_type_new')}?template={cluster.pk}", rows({"name": "title"}))
    cluster.refresh_from_db()
    assert cluster.record_type == RecordType.objects.get()
    assert answer.headers["Location"] == reverse("workbench", args=[cluster.site.slug, cluster.number])


def test_attributes_change_places_and_names_without_losing_what_hangs_on_them(signed_in: Any, world: World) -> None:
    title, price, author = world.record_type.attributes.all()
    data = rows(
        {"id": str(price.pk), "name": "title", "type": "price"},
        {"id": str(title.pk), "name": "price"},
        {"id": str(author.pk), "name": "author", "DELETE": "on"},
        name="Book",
    )
    before = {record.pk: record.values for record in Record.objects.all()}
    definitions = Rule.objects.get().definition["attributes"]
    answer = signed_in("editor").post(world.record_type.get_absolute_url(), data | {"drop_labels": "1"}, follow=True)
    assert answer.status_code == 200
    assert [(a.pk, a.name) for a in world.record_type.attributes.all()] == [(price.pk, "title"), (title.pk, "price")]
    assert Label.objects.filter(attribute=title).count() == 1
    rule = Rule.objects.get()
    swapped = {"title": "price", "price": "title", "author": "author"}
    assert {each["name"]: each["alternatives"] for each in rule.definition["attributes"]} == {
        swapped[each["name"]]: each["alternatives"] for each in definitions
    }
    assert {each["name"] for each in rule.report["attributes"]} == set(swapped)
    for record in Record.objects.all():
        assert record.values == {swapped[name]: found for name, found in before[record.pk].items()}
    worlds.extract(world.cluster)
    assert Record.objects.order_by("pk")[0].values["price"][0]["raw"] == "Book 0"


def test_a_name_that_another_attribute_takes_over_is_its_own_everywhere(signed_in: Any, world: World) -> None:
    title = world.record_type.attributes.get(name="title")
    Label.objects.all().delete()
    data = rows({"id": str(title.pk), "name": "author", "mandatory": "on"}, name="Book")
    signed_in("editor").post(world.record_type.get_absolute_url(), data)
    found = {each["name"]: each["alternatives"][0]["xpath"] for each in Rule.objects.get().definition["attributes"]}
    assert found == {"author": worlds.XPATHS["title"], "price": worlds.XPATHS["price"]}
    assert Record.objects.order_by("pk")[0].values["author"][0]["raw"] == "Book 0"


def test_what_a_record_type_demands_holds_for_its_rules_and_is_said(signed_in: Any, world: World) -> None:
    title, price, author = world.record_type.attributes.all()
    data = rows(
        {"id": str(title.pk), "name": "title", "mandatory": "on"},
        {"id": str(price.pk), "name": "price", "type": "price"},
        {"id": str(author.pk), "name": "author", "multiple": "on"},
        name="Book",
    )
    states = Record.objects.order_by("pk").values_list("state", flat=True)
    assert states[4] == Record.State.INCOMPLETE
    for said in (True, False):
        answer = signed_in("editor").post(world.record_type.get_absolute_url(), data, follow=True)
        assert (b"Run the rule again to update the records" in answer.content) is said
    worlds.extract(world.cluster)
    assert set(states.all()) == {Record.State.COMPLETE}


def test_annotations_are_not_lost_without_being_asked(signed_in: Any, world: World) -> None:
    author = world.record_type.attributes.get(name="author")
    data = rows({"id": str(author.pk), "name": "author"}, name="Book")
    answer = signed_in("editor").post(world.record_type.get_absolute_url(), data)
    assert answer.status_code == 400
    assert b"title has 1 marked value; price has 1 marked value" in answer.content
    assert signed_in("editor").post(world.record_type.get_absolute_url(), data | {"drop_labels": "1"}).status_code == 302
    assert not Label.objects.exists()


def test_a_viewer_looks_at_a_record_type_and_does_not_change_it(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    text = client.get(world.record_type.get_absolute_url()).content.decode()
    main = text[text.index("<main") : text.index("</main>")]
    assert all(name in main for name in world.record_type.attributes.values_list("name", flat=True))
    assert not any(field in main for field in ("<input", "<select", "<textarea", "<fieldset", "Add column", "<template"))
    assert client.post(world.record_type.get_absolute_url(), rows({"name": "a"})).status_code == 403


def test_a_record_type_in_use_is_not_deleted(signed_in: Any, world: World) -> None:
    answer = signed_in("operator").post(address(world, "record_type_delete"), follow=True)
    assert b"Template 1 of Books" in answer.content
    Cluster.objects.update(record_type=None)
    signed_in("operator").post(address(world, "record_type_delete"))
    assert not RecordType.objects.exists()


def test_a_run_asks_again_until_it_has_ended(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    factory.put(Run.objects.filter(pk=world.run.pk), Run.State.RUNNING, done=2, total=8)
    answer = client.get(address(world, "run_progress"))
    assert b'hx-trigger="every 1s"' in answer.content
    factory.put(Run.objects.filter(pk=world.run.pk), Run.State.DONE)
    assert b"hx-trigger" not in client.get(address(world, "run_progress")).content


def test_an_extraction_in_which_every_page_failed_does_not_look_like_a_success(signed_in: Any, world: World) -> None:
    summary = {"records": 6, "failed": 6, "reason": "Nothing was found on the page"}
    Run.objects.filter(pk=world.run.pk).update(summary=summary)
    text = signed_in("viewer").get(address(world, "run")).content.decode()
    assert "All failed" in text
    assert "Most common reason: Nothing was found on the page" in text
    assert "note-ok" not in text
    assert "All failed" in signed_in("viewer").get(address(world, "site_runs")).content.decode()


def test_who_watches_an_import_is_led_on_to_the_templates(signed_in: Any, world: World) -> None:
    done = factory.run(world.site, Run.Kind.IMPORT, Run.State.DONE)
    after = factory.run(world.site, Run.Kind.CLUSTER, Run.State.RUNNING)
    answer = signed_in("viewer").get(reverse("run_progress", args=[done.pk]))
    assert answer.headers["HX-Redirect"] == after.get_absolute_url()


@pytest.mark.parametrize("state", [Run.State.FAILED, Run.State.CANCELLED])
def test_an_import_that_brought_nothing_leads_to_another_upload_and_to_nothing_that_is_not_there(
    signed_in: Any, db: None, state: Run.State
) -> None:
    site = factory.site("Empty")
    run = factory.run(site, Run.Kind.IMPORT, state, error="There is no page in it")
    text = signed_in("editor").get(run.get_absolute_url()).content.decode()
    assert "Upload another file" in text and reverse("site_import", args=[site.slug]) in text
    assert "View the" not in text
    crawl = factory.run(site, Run.Kind.CRAWL, state)
    text = signed_in("operator").get(crawl.get_absolute_url()).content.decode()
    assert "Continue" in text and "Change what is fetched" in text and "View the" not in text


def test_the_time_a_run_took_is_that_of_all_its_stretches(signed_in: Any, world: World) -> None:
    now = timezone.now()
    run = Run.objects.create(
        site=world.site, kind=Run.Kind.CRAWL, started_at=now - timedelta(hours=3), heartbeat_at=now - timedelta(hours=2), done=1
    )
    assert runs.claim_run(run.pk)
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, finished_at=timezone.now() + timedelta(minutes=5))
    text = signed_in("viewer").get(reverse("site_runs", args=[world.site.slug])).content.decode()
    assert "1 h 5 min" in text and '1 <span class="muted">page</span>' in text
    assert run_progress.describe_progress(Run.objects.get(pk=run.pk)).rate == pytest.approx(1 / 300, rel=0.01)


def test_one_cancels_ones_own_run_and_an_operator_anybodys(signed_in: Any, person: Any, world: World) -> None:
    for starter, canceller, status, state in (
        ("editor", "editor", 302, Run.State.CANCELLED),
        ("admin", "editor", 403, Run.State.RUNNING),
        ("admin", "operator", 302, Run.State.CANCELLED),
    ):
        parameters = {"folder": f"/{starter}/{canceller}"}
        run = factory.run(world.site, Run.Kind.IMPORT, Run.State.RUNNING, created_by=person(starter), parameters=parameters)
        answer = signed_in(canceller).post(reverse("run_cancel", args=[run.pk]))
        run.refresh_from_db()
        assert (answer.status_code, run.state) == (status, state), (starter, canceller)


def test_home_says_what_waits_by_its_next_step(signed_in: Any, world: World) -> None:
    site = world.site
    factory.cluster(site, number=2)
    factory.cluster(site, number=3, kind=world.record_type)
    worlds.draft(factory.cluster(site, number=4, kind=world.record_type))
    Cluster.objects.create(site=site, number=5, ignored=True)
    home = signed_in("editor").get(reverse("home")).context["home"]
    waiting = {kind.kind: [cluster.number for cluster, _ in kind.clusters] for kind in home.waiting}
    assert waiting == {"draft": [4], "annotate": [3], "type": [2], "failed": []}
    assert home.count == 4


def test_nothing_waits_for_who_may_only_look(signed_in: Any, world: World) -> None:
    assert b"to do</h1>" in signed_in("editor").get(reverse("home")).content
    assert b"to do</h1>" not in signed_in("viewer").get(reverse("home")).content


def test_a_failed_run_that_was_done_again_does_not_wait(signed_in: Any, world: World) -> None:
    failed = Run.objects.get(state=Run.State.FAILED)
    factory.run(world.site, failed.kind, Run.State.DONE)
    kinds = [kind.kind for kind in signed_in("viewer").get(reverse("home")).context["home"].waiting]
    assert "failed" not in kinds


def test_errors_say_what_and_what_to_do(signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in("viewer")
    assert b"Page not found" in client.get("/nowhere/").content
    assert b"You do not have permission" in client.get(reverse("site_new")).content
    from extraction.views import home_view

    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(home_view, "build_home", broken)
    client.raise_request_exception = False
    answer = client.get(reverse("home"))
    assert (answer.status_code, b"Something went wrong" in answer.content, b"ZeroDivision" in answer.content) == (500, True, False)


def test_signing_in_and_out(client: Any, person: Any) -> None:
    user = person("viewer")
    user.set_password("a long secret")
    user.save()
    answer = client.post(reverse("login"), {"username": "viewer", "password": "wrong"})
    assert b"The name or the password is wrong" in answer.content
    answer = client.post(reverse("login"), {"username": "viewer", "password": "a long secret", "next": "/sites/"})
    assert answer.headers["Location"] == "/sites/"
    assert client.get(reverse("login")).headers["Location"] == reverse("home")
    assert client.post(reverse("logout")).headers["Location"] == reverse("login")


def test_a_name_or_key_used_twice_is_said_in_words(signed_in: Any, world: World) -> None:
    rows = {"attribute-TOTAL_FORMS": "2", "attribute-INITIAL_FORMS": "0", "name": "Film"}
    for n in range(2):
        rows |= {
            f"attribute-{n}-name": "title",
            f"attribute-{n}-type": "text",
            f"attribute-{n}-hotkey": "t",
            f"attribute-{n}-ORDER": str(n + 1),
        }
    text = signed_in("editor").post(reverse("record_type_new"), rows).content.decode()
    assert "There is another attribute with this name." in text
    assert "There is another attribute with this key." in text


def test_samples_that_add_hardly_anything_are_folded_and_annotated_ones_are_not(signed_in: Any, world: World) -> None:
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


def test_a_viewer_is_told_who_goes_on(signed_in: Any, world: World) -> None:
    Cluster.objects.filter(pk=world.cluster.pk).update(record_type=None)
    assert b"An editor chooses it." in signed_in("viewer").get(address(world, "cluster")).content
    assert b"An editor chooses it." not in signed_in("editor").get(address(world, "cluster")).content
