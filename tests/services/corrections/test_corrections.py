"""A correction of a person stays while the page says the same, and waits for a person when it does not."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User

from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.values.cleanup.chain import CleanupStep
from extraction.models import Attribute, Cluster, Correction, Label, Page, Record, RecordChange, Rule, Snapshot, TrackedRecord
from extraction.models.rule_report import RuleReport
from extraction.services.core import stored_bytes
from extraction.services.corrections import teaching
from extraction.services.corrections.applying import RuleValues
from extraction.services.corrections.storing import CorrectionError, CorrectionInput
from extraction.services.records import correcting
from extraction.services.rules import rules
from extraction.services.schema import renaming
from tests.services import factory
from tests.services.records.test_extract_records import extract

pytestmark = pytest.mark.django_db

ATTRIBUTES = {"title": "text", "price": "price", "tags": "text"}
URL = "https://shop.example/a"


@pytest.fixture
def shop(sent: list[int]) -> Cluster:
    kind = factory.record_type(ATTRIBUTES, mandatory=("title", "price"), multiple=("tags",))
    listed = kind.lists.create(name="offers")
    for position, name in enumerate(("seller", "cost")):
        kind.attributes.create(name=name, list=listed, position=5 + position)
    cluster = factory.cluster(factory.site(), kind=kind, patterns=["shop.example/*"])
    publish(cluster)
    return cluster


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann")


def publish(cluster: Cluster, **chains: Sequence[CleanupStep]) -> Rule:
    own = tuple(
        AttributeRule(
            name,
            kind,  # type: ignore[arg-type]
            multiple=name == "tags",
            mandatory=name != "tags",
            alternatives=(Selector(f"//p[@class='{name}']"),),
            cleanup=tuple(chains.get(name, ())),
        )
        for name, kind in ATTRIBUTES.items()
    )
    cells = tuple(AttributeRule(name, alternatives=(Selector(f"span[@class='{name}']"),)) for name in ("seller", "cost"))
    rule = RuleDefinition(own, (ListRule("offers", (Selector("//li"),), cells),))
    return rules.publish_rule(rules.add_draft(cluster, rule, report=RuleReport(), origin=Rule.Origin.EDITED))


def show(cluster: Cluster, *offers: tuple[str, str], url: str = URL, more: str = "", **values: str | None) -> None:
    texts = {"title": "Emma", "price": "£9.50"} | values
    own = "".join(f"<p class='{name}'>{text}</p>" for name, text in texts.items() if text)
    rows = "".join(f"<li><span class='seller'>{a}</span> <span class='cost'>{b}</span></li>" for a, b in offers)
    content = f"<html lang=en><body>{own}<ul>{rows}</ul>{more}</body></html>".encode()
    held = Snapshot.objects.filter(page__url=url, sha256=stored_bytes.digest_bytes(content)).first()
    if held:
        Page.objects.filter(url=url).update(current=held)
    else:
        factory.snapshot(cluster.site, url, content, cluster=cluster)


def record(url: str = URL) -> Record:
    return Record.objects.standing().select_related("snapshot__page", "cluster").get(snapshot__page__url=url)


def correct(user: User, name: str, *texts: str, row: int | None = None) -> Correction:
    found, place = record(), (name, "offers" if row is not None else "", row)
    given = CorrectionInput(place, texts, RuleValues(found).page_texts(place))
    return correcting.correct_value(found, given, user).correction


def value(name: str) -> list[str | None]:
    return [each.value for each in record().read_values().get(name, [])]


def costs() -> list[str]:
    return [row["cost"][0].raw if "cost" in row else "" for row in record().read_rows()["offers"]]


def state(correction: Correction) -> str:
    correction.refresh_from_db()
    return correction.state


def test_a_correction_is_used_at_once_and_after_the_next_run_and_says_who_made_it(shop: Cluster, ann: User) -> None:
    show(shop)
    extract(shop)
    made = correct(ann, "price", "£8.50")
    for _ in range(2):
        (origin,) = record().read_origins().list_corrected()
        assert (value("price"), origin.page, origin.given and origin.given[0].value) == (["8.50 GBP"], ("£9.50",), "9.50 GBP")
        assert origin.correction and (origin.correction.by, origin.correction.kind) == ("ann", "corrected")
        extract(shop)
    assert state(made) == Correction.State.ACTIVE
    changes = RecordChange.objects.exclude(values={})
    assert [(each.cause, each.run_id, each.values["price"]["by"]) for each in changes] == [("correction", None, "ann")]
    assert TrackedRecord.objects.get().values == record().values


def test_a_new_rule_that_gives_the_same_keeps_the_correction_and_a_clean_up_does_not_touch_it(shop: Cluster, ann: User) -> None:
    show(shop)
    extract(shop)
    correct(ann, "title", "EMMA")
    publish(shop, title=[CleanupStep("lower")])
    extract(shop)
    assert (value("title"), value("price")) == (["EMMA"], ["9.50 GBP"])
    (origin,) = record().read_origins().list_corrected()
    assert origin.given and origin.given[0].raw == "emma"


def test_when_the_page_changes_its_value_counts_and_the_correction_waits(shop: Cluster, ann: User) -> None:
    show(shop)
    extract(shop)
    made = correct(ann, "price", "£8.50")
    show(shop, price="£7.00")
    extract(shop)
    assert (value("price"), state(made), made.found) == (["7.00 GBP"], Correction.State.REVIEW, ["£7.00"])
    show(shop)  # the page says the same as then
    extract(shop)
    assert (value("price"), state(made), made.found) == (["8.50 GBP"], Correction.State.ACTIVE, None)
    show(shop, price="£8.50")  # the page agrees with the person
    extract(shop)
    assert (value("price"), state(made)) == (["8.50 GBP"], Correction.State.ENDED)
    assert not list(record().read_origins().list_corrected())


@pytest.mark.parametrize("decision", ["keep", "take", "edit"])
def test_a_review_keeps_the_correction_takes_the_page_or_edits(shop: Cluster, ann: User, decision: str) -> None:
    show(shop)
    extract(shop)
    made = correct(ann, "price", "£8.50")
    show(shop, price="£7.00")
    extract(shop)
    if decision == "keep":
        correcting.keep_correction(made, ann)
    elif decision == "take":
        correcting.withdraw_correction(made, ann)
    else:
        given = CorrectionInput(("price", "", None), ("£6.00",), ("£7.00",))
        correcting.correct_value(record(), given, ann, replaces=made)
    wanted = {"keep": ["8.50 GBP"], "take": ["7.00 GBP"], "edit": ["6.00 GBP"]}[decision]
    for _ in range(2):
        assert value("price") == wanted
        assert state(made) == (Correction.State.ACTIVE if decision == "keep" else Correction.State.ENDED)
        extract(shop)
    assert not Correction.objects.to_review().exists()


def test_a_missing_value_is_filled_and_completes_the_record_and_taking_it_back_undoes_that(shop: Cluster, ann: User) -> None:
    show(shop, price=None)
    extract(shop)
    before = record()
    assert (before.state, before.reason) == ("incomplete", "price is missing")
    made = correct(ann, "price", "£3.00")
    assert (record().state, record().reason, made.kind, record().text) == ("complete", "", "filled", "emma\n£3.00")
    correcting.withdraw_correction(made, ann)
    after = record()
    kept = ("values", "state", "reason", "text", "origins")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
    assert list(RecordChange.objects.exclude(values={}).values_list("cause", flat=True)) == ["correction", "correction"]


def test_a_rejected_value_is_gone_and_comes_back_to_no_other_record(shop: Cluster, ann: User) -> None:
    show(shop, title="Sale!")
    show(shop, title="Sale!", url="https://shop.example/b")
    extract(shop)
    made = correct(ann, "title")
    extract(shop)
    assert (value("title"), record().state, made.kind) == ([], "incomplete", "rejected")
    assert record("https://shop.example/b").read_values()["title"][0].raw == "Sale!"
    assert Label.objects.get().absent


def test_several_values_are_corrected_together(shop: Cluster, ann: User) -> None:
    show(shop, more="<p class='tags'>a</p><p class='tags'>b</p>")
    extract(shop)
    correct(ann, "tags", "a", " c  d ", "")
    extract(shop)
    assert value("tags") == ["a", "c d"]


@pytest.mark.parametrize(
    ("name", "texts", "reason"),
    [
        ("price", ["cheap"], "cannot be stored as price"),
        ("price", ["£9.50"], "That is what the page says"),
        ("title", ["a", "b"], "has one value"),
        ("nothing", ["a"], "no attribute"),
        ("tags", [], "no value to reject"),
        ("tags", ["x"] * 201, "at most 200"),
        ("title", ["a\x00b"], "holds a character that cannot be stored"),
    ],
)
def test_what_cannot_be_a_correction_is_refused_with_the_reason(shop: Cluster, ann: User, name: str, texts: list[str], reason: str) -> None:
    show(shop)
    extract(shop)
    with pytest.raises(CorrectionError, match=reason):
        correct(ann, name, *texts)
    assert not Correction.objects.exists() and not list(record().read_origins().list_corrected())


def test_a_correction_of_something_the_page_no_longer_says_is_refused(shop: Cluster, ann: User) -> None:
    show(shop)
    extract(shop)
    old = record()
    given = CorrectionInput(("price", "", None), ("£1.00",), ("£9.50",))
    show(shop, price="£7.00")
    with pytest.raises(CorrectionError, match="has no record here yet"):
        correcting.correct_value(old, given, ann)
    extract(shop)
    with pytest.raises(CorrectionError, match="says something else now"):
        correcting.correct_value(old, given, ann)


def test_a_broken_page_or_rule_leaves_corrections_as_they_are(shop: Cluster, ann: User) -> None:
    show(shop)
    extract(shop)
    made = correct(ann, "price", "£8.50")
    factory.snapshot(shop.site, URL, b"", cluster=shop, error="it is empty")
    extract(shop)
    assert (record().state, state(made)) == ("failed", Correction.State.ACTIVE)
    with pytest.raises(CorrectionError, match="could not be read"):
        correct(ann, "price", "£1.00")


def test_a_row_keeps_its_correction_when_rows_move_and_no_other_row_gets_it(shop: Cluster, ann: User) -> None:
    show(shop, ("x", "1"), ("y", "2"))
    extract(shop)
    made = correct(ann, "cost", "99", row=1)
    show(shop, ("z", "3"), ("y", "2"), ("x", "1"))
    extract(shop)
    assert (costs(), state(made)) == (["3", "99", "1"], Correction.State.ACTIVE)
    show(shop, ("z", "3"), ("y", "2"), ("y", "2"))
    extract(shop)
    assert (costs(), state(made)) == (["3", "2", "2"], Correction.State.REVIEW)
    with pytest.raises(CorrectionError, match="cannot be identified with certainty"):
        correcting.keep_correction(made, ann)
    show(shop, ("y", "5"))
    extract(shop)
    assert (costs(), state(made)) == (["5"], Correction.State.REVIEW)


def test_a_row_with_a_key_is_known_again_by_it_and_a_changed_value_waits(shop: Cluster, ann: User) -> None:
    kind = shop.record_type
    assert kind
    kind.attributes.filter(name="seller").update(is_key=True)
    show(shop, ("x", "1"), ("y", "2"))
    extract(shop)
    made = correct(ann, "cost", "99", row=1)
    assert TrackedRecord.objects.get(key=["y"]).values["cost"][0]["raw"] == "99"
    show(shop, ("y", "3"), ("x", "1"))
    extract(shop)
    assert (costs(), state(made), made.found) == (["3", "1"], Correction.State.REVIEW, ["3"])
    correcting.keep_correction(made, ann)
    extract(shop)
    assert costs() == ["99", "1"]
    show(shop, ("y", "3"), ("y", "3"))
    extract(shop)
    assert (costs(), state(made)) == (["3", "3"], Correction.State.REVIEW)


def test_a_corrected_value_becomes_a_mark_where_it_stands_and_goes_with_the_correction(shop: Cluster, ann: User) -> None:
    show(shop, more="<b>Persuasion</b> <i>Twice</i> <u>Twice</u>")
    extract(shop)
    made = correct(ann, "title", "Persuasion")
    label = Label.objects.get()
    assert (label.value, label.attribute.name, label.created_by) == ("Persuasion", "title", ann)
    outcome = correcting.correct_value(record(), CorrectionInput(("title", "", None), ("Twice",), ("Emma",)), ann)
    assert outcome.lesson and "stands in 2 places" in outcome.lesson.reason
    assert not Label.objects.exists() and state(made) == Correction.State.ENDED
    again = correct(ann, "title", "Persuasion")
    assert Label.objects.count() == 1
    correcting.withdraw_correction(again, ann)
    assert not Label.objects.exists()


def test_a_corrected_row_is_marked_as_a_whole(shop: Cluster, ann: User) -> None:
    show(shop, ("x", "1"), ("y", "2 <b>3</b>"))
    extract(shop)
    correct(ann, "cost", "3", row=1)
    assert {(each.attribute.name, each.row, each.value) for each in Label.objects.all()} == {("seller", 1, "y"), ("cost", 1, "3")}


def test_corrections_follow_the_names_of_attributes_and_lists(shop: Cluster, ann: User) -> None:
    show(shop, ("x", "1"), ("y", "2"))
    extract(shop)
    correct(ann, "price", "£8.50")
    correct(ann, "cost", "99", row=1)
    kind = shop.record_type
    assert kind
    for old, new in {"price": "amount", "cost": "fee", "seller": "by"}.items():
        kind.attributes.filter(name=old).update(name=new)
    kind.lists.update(name="deals")
    renaming.rename_in_rules_and_records(kind, {"price": "amount", "cost": "fee", "seller": "by"}, {"offers": "deals"})
    assert {each.place for each in record().read_origins().list_corrected()} == {("amount", "", None), ("fee", "deals", 1)}
    extract(shop)
    found: dict[str, Any] = record().rows
    assert (value("amount"), found["deals"][1]["fee"][0]["raw"]) == (["8.50 GBP"], "99")
    assert not Correction.objects.to_review().exists()


def test_a_page_that_moves_to_another_template_takes_its_corrections_along(shop: Cluster, ann: User) -> None:
    show(shop)
    extract(shop)
    correct(ann, "price", "£8.50")
    other = factory.cluster(shop.site, number=2, kind=shop.record_type, patterns=["shop.example/*"])
    publish(other)
    Page.objects.get().snapshots.update(cluster=other)
    extract(other)
    assert (record().cluster, value("price")) == (other, ["8.50 GBP"])


def test_a_decision_on_what_the_page_no_longer_says_or_somebody_has_ended_is_refused(shop: Cluster, ann: User) -> None:
    show(shop)
    extract(shop)
    made = correct(ann, "price", "£8.50")
    show(shop, price="£7.00")
    extract(shop)
    Correction.objects.update(found=["£6.00"])  # what the list showed that the person looks at
    with pytest.raises(CorrectionError, match="The page says something else now than when you opened this list"):
        correcting.keep_correction(made, ann)
    Record.objects.all().delete()
    with pytest.raises(CorrectionError, match="The page has no record now, so nothing can be kept"):
        correcting.keep_correction(made, ann)
    assert correcting.withdraw_correction(made, ann).record is None and state(made) == Correction.State.ENDED
    for decide in (correcting.keep_correction, correcting.withdraw_correction):
        with pytest.raises(CorrectionError, match="Somebody has ended this correction already"):
            decide(made, ann)


def test_a_correction_of_a_row_that_is_not_there_is_refused(shop: Cluster, ann: User) -> None:
    show(shop, ("x", "1"))
    extract(shop)
    for row in (1, -1):
        with pytest.raises(CorrectionError, match="The row is no longer in the record"):
            correcting.correct_value(record(), CorrectionInput(("cost", "offers", row), ("3",), ()), ann)
    assert not Correction.objects.exists()


def test_a_correction_is_read_again_when_its_attribute_gets_another_type(shop: Cluster, ann: User) -> None:
    show(shop)
    extract(shop)
    correct(ann, "price", "£8.50")
    Attribute.objects.filter(name="price").update(type="number")
    extract(shop)
    (found,) = record().read_values()["price"]
    assert (found.raw, found.value) == ("£8.50", None)
    assert found.problem == "it was written as price and the attribute is number now; correct it again"
    Attribute.objects.filter(name="price").update(type="text")
    extract(shop)
    assert value("price") == ["£8.50"]


def test_a_rejected_value_that_is_missing_may_come_back(shop: Cluster, ann: User) -> None:
    show(shop, tags="new")
    extract(shop)
    made = correct(ann, "tags")
    for tags, wanted in ((None, []), ("new", []), ("old", ["old"])):
        show(shop, tags=tags)
        extract(shop)
        assert value("tags") == wanted
        assert state(made) == (Correction.State.REVIEW if tags == "old" else Correction.State.ACTIVE)


@pytest.mark.parametrize(
    ("more", "texts", "reason"),
    [
        ("", ("Persuasion",), "“Persuasion” is not on the page, so the rule learns nothing from it"),
        ("<b>Persuasion</b><i>Persuasion</i>", ("Persuasion",), "“Persuasion” stands in 2 places"),
    ],
)
def test_a_value_teaches_only_where_it_stands_in_one_place(
    shop: Cluster, ann: User, more: str, texts: tuple[str, ...], reason: str
) -> None:
    show(shop, more=more)
    extract(shop)
    outcome = correcting.correct_value(record(), CorrectionInput(("title", "", None), texts, ("Emma",)), ann)
    assert outcome.lesson and reason in outcome.lesson.reason
    assert not Label.objects.exists() and value("title") == list(texts)


def teach(made: Correction, rule: RuleDefinition, *, row: int | None = None) -> str:
    """Return why nothing is marked."""
    return teaching.teach_correction(made, record(), rule, row=row).reason


def test_a_page_that_is_not_kept_and_a_rule_without_the_list_teach_nothing(shop: Cluster, ann: User) -> None:
    show(shop, ("x", "1"), ("y", "2 <b>3</b>"))
    extract(shop)
    made, rule = correct(ann, "cost", "3", row=1), Rule.objects.serving().get().read_definition()
    Label.objects.all().delete()
    assert teach(made, RuleDefinition(rule.attributes), row=1) == "the rule has no list offers"
    assert teach(made, rule, row=7) == "the row is not found on the page"
    Snapshot.objects.update(kept=False)
    assert teach(made, rule, row=1) == "the page is not kept, so nothing can be marked on it"
    assert not Label.objects.exists()


def test_a_second_correction_of_a_row_goes_into_the_row_that_is_marked_already(
    shop: Cluster, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(shop, ("x <b>X</b>", "1 <b>3</b>"), ("y", "2 <b>4</b>"))
    extract(shop)
    correct(ann, "cost", "3", row=0)
    correct(ann, "cost", "4", row=1)
    correct(ann, "seller", "X", row=0)
    marks = {(each.attribute.name, each.row, each.value) for each in Label.objects.all()}
    assert {("seller", 1, "X"), ("cost", 1, "3"), ("seller", 2, "y"), ("cost", 2, "4")} == marks
    Label.objects.filter(row=2).delete()
    monkeypatch.setattr(teaching, "MAX_ROWS", 1)
    made = Correction.objects.open().get(texts=["4"])
    assert teach(made, Rule.objects.serving().get().read_definition(), row=1) == "1 rows of the page are marked already"


def test_marks_that_a_person_changed_since_stay_when_a_correction_is_taken_back(shop: Cluster, ann: User) -> None:
    show(shop, more="<b>Persuasion</b> <i>Sanditon</i>")
    extract(shop)
    made = correct(ann, "title", "Persuasion")
    Label.objects.all().delete()
    content = stored_bytes.get_bytes(record().snapshot.sha256)
    factory.label(shop, record().snapshot, made.attribute, [factory.text_at(content, "Sanditon")])
    correcting.withdraw_correction(made, ann)
    assert Label.objects.get().value == "Sanditon"
