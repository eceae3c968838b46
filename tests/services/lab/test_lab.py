"""The structure lab: methods compared with the templates, a worker that dies, labels, and adopting a clustering."""

import random
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from extraction.models import Cluster, Clustering, Page, PageLabel, Placement, Record, Run, Site, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.lab import advice, compare_clusterings, comparisons, group_templates, method_process, page_labels
from extraction.services.lab.method_process import MethodResult
from extraction.services.templates import adopting, cluster_pages, clusters, placing
from extraction.views.lab import lab_view
from tests.services import factory
from tests.services.importing import bring, cluster_all, done, listing, site_files, zip_at

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Twelve books and six lists, of one template each, and a page like no other."""
    made = Site.objects.create(name="Books", slug="books")
    bring(made, zip_at(tmp_path / "a.zip", site_files() | {"about.html": b"<html><body><p>About us"}))
    cluster_all(made)
    return made


def by_number(names: Mapping[str, bytes]) -> list[list[str]]:
    """A different clustering: books grouped by whether their number is even, all lists together, the rest alone."""
    urls = dict(Page.objects.filter(pk__in=[int(name) for name in names]).values_list("pk", "url"))
    groups: dict[str, list[str]] = {}
    for name in names:
        url = urls[int(name)]
        kind = f"book {int(url[-9:-5]) % 2}" if "book" in url else "list" if "list" in url else name
        groups.setdefault(kind, []).append(name)
    return list(groups.values())


@pytest.fixture
def opinion(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace every method by `by_number`, run in this process. Returns the methods that were called."""
    asked: list[str] = []

    def run(method: str, pages: Mapping[str, bytes], **_: object) -> MethodResult:
        asked.append(method)
        return MethodResult(by_number(pages), 1.5, 2_000_000, 1000.0)

    monkeypatch.setattr(method_process, "run_method", run)
    monkeypatch.setattr(method_process, "measure_bits", lambda pages, groups, **_: MethodResult(groups, bits=2000.0))
    return asked


def test_a_comparison_whose_child_is_stopped_from_outside_is_tried_again(
    site: Site, opinion: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = comparisons.start_comparison(site, ["lsh", "rtdm"])
    stopped = MethodResult(None, reason="it was stopped from outside", stopped="it was stopped from outside (SIGKILL)")
    with monkeypatch.context() as patch:
        patch.setattr(method_process, "run_method", lambda *_, **__: stopped)
        assert done(run).state == Run.State.QUEUED and not run.clusterings.filter(method="lsh").exists()
    assert done(run).state == Run.State.DONE and opinion == ["lsh", "rtdm"]


def test_the_paths_of_a_comparison_are_shown_without_reading_the_pages_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    done(comparisons.start_comparison(site, ["lsh"]))
    clustering = Clustering.objects.get(method="lsh")
    monkeypatch.setattr(compare_clusterings, "read_pages", lambda *_: pytest.fail("read again"))
    paths = group_templates.find_templates(clustering)
    assert len(paths.templates) == len(clustering.groups) and any(paths.templates)
    now = Clustering(site=site, run=clustering.run, method=comparisons.NOW, groups=clustering.run.clusterings.get(method="").groups)
    assert any(group_templates.find_templates(now).templates), "the templates are as they were"


@pytest.fixture
def compared(site: Site, opinion: list[str]) -> Clustering:
    run = done(comparisons.start_comparison(site, ["lsh"]))
    assert (run.state, run.summary["methods"], run.summary["pages"]) == (Run.State.DONE, 1, 19)
    return run.clusterings.get(method="lsh")


def of(site: Site) -> dict[str, int | None]:
    """{address without its folder's number: number of its template}"""
    return dict(Snapshot.objects.of_site(site).current().order_by("page__url").values_list("page__url", "cluster__number"))


def book(site: Site, number: int) -> Page:
    return site.pages.get(url__endswith=f"book/{number:04}.html")


def test_comparing_a_clustering_with_the_templates_changes_nothing(site: Site, compared: Clustering) -> None:
    before = of(site)
    shown = lab_view.build_lab(site)
    assert [row.clustering.method for row in shown.rows] == ["", "lsh"]
    now, other = shown.rows
    assert (now.groups, now.alone, now.moved, now.clustering.bits) == (2, 1, 0, 2000.0)
    assert (other.groups, other.alone, other.moved) == (3, 1, 6)
    assert other.parts == pytest.approx((6 / 19, 6 / 19, 6 / 19)) and (other.time, other.memory, other.cost) == (1, 1, 0.5)
    assert (shown.pages, shown.compared, shown.labelled, other.quality) == (19, 19, 0, None)
    assert of(site) == before


def test_a_comparison_says_where_a_groups_pages_are_now_and_which_move(site: Site, compared: Clustering) -> None:
    found = lab_view.build_comparison(compared)
    assert [template and template.number for template in found.templates] == [1, 2]
    rows = sorted(((each.template.number if each.template else 0), each.size, each.cells) for each in found.groups)
    assert rows == [(0, 6, ((6, 5), (0, 0))), (1, 6, ((6, 5), (0, 0))), (2, 6, ((0, 0), (6, 5)))]
    moves = lab_view.list_moves(compared, found)
    assert {move.page.url for move in moves} == {book(site, n).url for n in range(1, 12, 2)}
    assert all(move.now and move.now.number == 1 and move.then and move.then.template is None for move in moves)
    assert len(lab_view.list_moves(compared, found, group=0)) == 6 and lab_view.list_moves(compared, found, now=2) == []
    shares = lab_view.measure_shares(compared, 0)
    assert shares and shares.pages == 6 and 0 < shares.words < 1


def test_only_a_limited_number_of_pages_spread_evenly_is_compared(site: Site, opinion: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = compare_clusterings.choose_pages(site, most=5)
    assert len(chosen) == 5 and {snapshot.cluster for snapshot in chosen} >= set(site.clusters.all())
    assert len(compare_clusterings.choose_pages(site, most_bytes=3 * chosen[0].size_bytes)) < 19
    assert len(compare_clusterings.choose_pages(site, most_bytes=0)) == 1, "one page may be as large as it is"


def test_the_next_worker_continues_after_the_finished_rows_of_a_dead_one(
    site: Site, opinion: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write, written = comparisons._write, []

    def dying(run: Run, method: str, *args: object, **more: object) -> None:
        written.append(method)
        if len(written) == 3:
            raise SystemExit
        write(run, method, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(comparisons, "_write", dying)
    run = comparisons.start_comparison(site, ["lsh", "rtdm", "text-max"])
    with pytest.raises(SystemExit):
        done(run)
    assert list(run.clusterings.values_list("method", flat=True)) == ["", "text-max"]
    Page.objects.filter(url__endswith="about.html").delete()
    factory.put(Run.objects.filter(pk=run.pk), Run.State.QUEUED)
    assert done(run).state == Run.State.DONE
    assert opinion == ["text-max", "lsh", "lsh", "rtdm"], "what was through is not done again"
    assert list(run.clusterings.values_list("method", flat=True)) == ["", "text-max", "lsh", "rtdm"]
    assert {row.pages for row in run.clusterings.all()} == {19, 18}, "the pages are those chosen at first, as far as they are there"


def test_a_method_that_gives_up_says_why_and_the_others_go_on(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(method: str, pages: Mapping[str, bytes], **_: object) -> MethodResult:
        return MethodResult(None, reason="it needs more memory") if method == "rtdm" else MethodResult(by_number(pages))

    monkeypatch.setattr(method_process, "run_method", run)
    monkeypatch.setattr(method_process, "measure_bits", lambda pages, groups, **_: MethodResult(groups, bits_reason="it failed"))
    ended = done(comparisons.start_comparison(site, ["rtdm", "lsh"]))
    assert ended.summary["gave_up"] == 1
    row = ended.clusterings.get(method="rtdm")
    assert (row.groups, row.reason) == ([], "it needs more memory")
    with pytest.raises(JobError, match="no groups"):
        cluster_pages.start_adopting(row)
    assert ended.clusterings.get(method="lsh").bits is None
    assert ended.clusterings.get(method="").bits_reason == "it failed"


def test_what_a_method_could_not_do_in_full_is_kept_with_the_comparison(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(method: str, pages: Mapping[str, bytes], **_: object) -> MethodResult:
        return MethodResult(by_number(pages), notice="3 pairs were too large" if method == "rtdm" else "")

    monkeypatch.setattr(method_process, "run_method", run)
    monkeypatch.setattr(method_process, "measure_bits", lambda pages, groups, **_: MethodResult(groups))
    ended = done(comparisons.start_comparison(site, ["rtdm", "lsh"]))
    assert ended.read_summary().notices == {"rtdm": "3 pairs were too large"} and ended.summary["gave_up"] == 0
    (row,) = compare_clusterings.compare_methods(site, ["rtdm"])
    assert row.notice == "3 pairs were too large"


@pytest.mark.parametrize(("methods", "said"), [([], "at least one"), (["k-means"], "no method k-means")])
def test_a_comparison_that_cannot_start_says_why(site: Site, methods: list[str], said: str) -> None:
    with pytest.raises(JobError, match=said):
        comparisons.start_comparison(site, methods)
    with pytest.raises(JobError, match="no pages"):
        comparisons.start_comparison(Site.objects.create(name="Bare", slug="bare"), ["lsh"])


def test_labels_come_from_a_file_from_a_template_and_from_what_people_moved(site: Site, compared: Clustering, person) -> None:
    user = person("editor")
    lines = [f"{book(site, n).url}\tbook\tmore" for n in range(6)] + [
        "",
        "no tab",
        "https://nowhere.example/\tbook",
        f"{book(site, 6).url}\tother",
    ]
    taken = page_labels.take_labels(site, "\n".join(lines), user)
    assert (taken.labelled, taken.unknown, taken.examples) == (7, 1, ("https://nowhere.example/",))
    assert (taken.left_out, taken.first) == (1, "no tab"), "told, not dropped in silence"
    assert page_labels.confirm_template(site.clusters.get(number=2), user) == 6
    placing.move_pages(site, [book(site, 7)], site.clusters.get(number=1), user)
    labels = page_labels.get_labels(site)
    assert sorted(labels.values()) == ["Template 1"] + ["Template 2"] * 6 + ["book"] * 6 + ["other"]
    quality = lab_view.build_lab(site).rows[1].quality
    assert quality and (quality.pair_precision, quality.pair_recall) == pytest.approx((21 / 27, 21 / 30))
    assert page_labels.take_labels(site, f"{book(site, 0).url}\tfilm", user).labelled == 1
    assert PageLabel.objects.get(page=book(site, 0)).label == "film"
    assert page_labels.clear_labels(site) == 13 and page_labels.get_labels(site) == {book(site, 7).pk: "Template 1"}
    with pytest.raises(JobError, match="separated by a tab; the first is 'no tab'"):
        page_labels.take_labels(site, "no tab\n", user)


def test_clusterings_are_measured_on_the_labelled_pages(site: Site, compared: Clustering) -> None:
    for page in site.pages.all():
        PageLabel.objects.create(page=page, label=page.url.split("/")[-2] if page.url.count("/") else "about")
    now, other = lab_view.build_lab(site).rows
    assert now.quality and (now.quality.pair_precision, now.quality.pair_recall) == (1, 1) and now.quality.v_measure == pytest.approx(1)
    assert other.quality and other.quality.purity == 1 and other.quality.pair_recall == pytest.approx((15 + 15 + 15) / (66 + 15))


def test_labels_of_one_template_give_no_score(site: Site, compared: Clustering) -> None:
    page_labels.confirm_template(site.clusters.get(number=1), None)
    lab = lab_view.build_lab(site)
    assert (lab.measured, lab.kinds) == (12, 1)
    assert [row.quality for row in lab.rows] == [None, None]
    page_labels.confirm_template(site.clusters.get(number=2), None)
    assert all(row.quality for row in lab_view.build_lab(site).rows)


def test_a_clustering_that_agrees_better_with_the_labels_is_named(
    site: Site, compared: Clustering, person, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert advice.find_better(site) is not None, "by its cost: 1000 bits of 2000"
    for number in (1, 2):
        page_labels.confirm_template(site.clusters.get(number=number), person("editor"))
    assert advice.find_better(site) is not None, "18 labelled pages are too few to judge by"
    monkeypatch.setattr(advice, "FEW_LABELS", 19)
    label_by(site, by_parity)
    found = advice.find_better(site)
    assert found is not None and (found.clustering, found.saved) == (compared, None)
    assert found.quality == pytest.approx(1)
    assert found.now is not None and found.now < 0.9
    label_by(site, lambda page: "list" if "list" in page.url else "book")
    assert advice.find_better(site) is None, "the labels say that the templates are right, whatever the cost"


def test_a_cheaper_clustering_is_named_until_the_templates_change(site: Site, compared: Clustering) -> None:
    found = advice.find_better(site)
    assert found is not None and found.clustering == compared
    assert found.saved == pytest.approx(0.5)
    compared.bits = 1850.0
    compared.save()
    assert advice.find_better(site) is None, "a saving of less than a tenth is not clear"
    compared.bits = 1000.0
    compared.save()
    placing.move_pages(site, [book(site, 1)], site.clusters.get(number=2), None)
    assert advice.find_better(site) is None, "nobody reckoned what the templates cost now"


def test_an_adopted_clustering_is_not_named_again(site: Site, compared: Clustering) -> None:
    adopted(compared)
    assert advice.find_better(site) is None


def test_without_a_comparison_nothing_is_named(site: Site) -> None:
    assert advice.find_better(site) is None


def by_parity(page: Page) -> str:
    return str(int(page.url[-9:-5]) % 2) if "book" in page.url else "list" if "list" in page.url else "other"


def label_by(site: Site, name: Callable[[Page], str]) -> None:
    """Label all pages of a site."""
    PageLabel.objects.filter(page__site=site).delete()
    PageLabel.objects.bulk_create(PageLabel(page=page, label=name(page)) for page in Page.objects.filter(site=site))


def adopted(clustering: Clustering) -> Site:
    run = done(cluster_pages.start_adopting(clustering))
    assert run.state == Run.State.DONE, run.error
    return Site.objects.get(pk=clustering.site_id)


def test_adopted_groups_become_the_templates_and_keep_names_marks_and_rules(site: Site, compared: Clustering) -> None:
    clusters.rename_template(site.clusters.get(number=1), "Book")
    effect = lab_view.build_comparison(compared).effect
    assert [(cluster.label, before, after) for cluster, before, after in effect.kept] == [("Book", 12, 6), ("Template 2", 6, 6)]
    assert (effect.new, effect.moved, effect.freed, effect.emptied, effect.gone) == ((6,), 6, 0, (), ())
    before = of(site)
    after = of(adopted(compared))
    assert {url: (before[url], after[url]) for url in before if before[url] != after[url]} == {
        book(site, n).url: (1, 3) for n in range(1, 12, 2)
    }
    assert site.clusters.get(number=1).name == "Book"
    assert Site.objects.get(pk=site.pk).method == "lsh"
    assert all(cluster.core for cluster in site.clusters.all())
    now, other = lab_view.build_lab(site).rows
    assert (now.groups, now.parts, now.clustering.bits) == (3, other.parts, 1000.0), "the templates as they are, not as they were compared"
    assert (now.moved, other.moved) == (0, 0)
    placing.move_pages(site, [book(site, 1)], site.clusters.get(number=2), None)
    assert lab_view.build_lab(site).rows[0].clustering.bits is None, "nobody reckoned what these cost"


def test_later_pages_go_to_the_adopted_template_they_fit_and_clustering_again_changes_nothing(
    site: Site, compared: Clustering, tmp_path: Path
) -> None:
    adopted(compared)
    before = of(site)
    fresh = {"list/new.html": listing(77), "odd.html": b"<html><body><dl><dt>x<dd>y"}
    bring(site, zip_at(tmp_path / "b.zip", fresh | {"list/0000.html": listing(78)}))
    cluster_all(site)
    after = of(site)
    assert {url: after[url] for url in before} == before, "also the list whose content is new"
    assert after["list/new.html"] == 2 and after["odd.html"] is None
    done(cluster_pages.start_clustering(site))
    assert of(site) == after
    films = {f"film/{n}.html": b"<html><body><main><h3>Film</h3><ol>" + b"<li><i>%d</i>" % n * 4 for n in range(5)}
    bring(site, zip_at(tmp_path / "c.zip", films))
    cluster_all(site)
    assert {of(site)[url] for url in films} == {4}, "what fits no template can become one"


def test_pages_that_were_not_compared_go_to_the_group_they_fit(site: Site, compared: Clustering, tmp_path: Path) -> None:
    bring(site, zip_at(tmp_path / "b.zip", {"list/late.html": listing(90)}))
    adopted(compared)
    assert of(site)["list/late.html"] == 2


def test_the_previous_templates_can_be_restored(site: Site, compared: Clustering) -> None:
    clusters.rename_template(site.clusters.get(number=1), "Book")
    before, masks = of(site), site.clusters.get(number=1).masks
    adopted(compared)
    back = lab_view.build_lab(site).back
    assert back and [row["id"] for row in back.templates] == [site.clusters.get(number=n).pk for n in (1, 2)]
    assert [len(group) for group in back.groups] == [12, 6]
    assert adopted(back).method == ""
    assert of(site) == before and site.clusters.get(number=1).masks == masks
    assert list(site.clusters.values_list("number", flat=True)) == [1, 2], "what nobody gave anything goes"


def test_records_of_moving_pages_are_announced_then_listed_separately_and_restored(site: Site, compared: Clustering) -> None:
    one = site.clusters.get(number=1)
    rule = factory.rule(one, state="live", definition={"format": 1, "attributes": []})
    for snapshot in one.snapshots.current().kept():
        Record.objects.create(snapshot=snapshot, cluster=one, rule=rule, state="complete", extracted_at=snapshot.fetched_at)

    def shown() -> dict[int, tuple[int, int, int]]:
        return {row.cluster.number: (row.pages, row.records.given, row.records.elsewhere) for row in clusters.list_templates(site).rows}

    assert shown() == {1: (12, 12, 0), 2: (6, 0, 0)}
    effect = lab_view.build_comparison(compared).effect
    assert (effect.away, effect.back) == (6, 0)
    done(cluster_pages.start_adopting(compared))
    assert shown() == {1: (6, 6, 6), 2: (6, 0, 0), 3: (6, 0, 0)}
    back = Clustering.objects.get(site=site, run__kind=Run.Kind.CLUSTER)
    effect = lab_view.build_comparison(back).effect
    assert (effect.away, effect.back) == (0, 6)
    done(cluster_pages.start_adopting(back))
    assert shown() == {1: (12, 12, 0), 2: (6, 0, 0)}


def test_a_method_is_adopted_on_the_command_line(site: Site, opinion: list[str]) -> None:
    with pytest.raises(CommandError, match="--wait or --here"):
        call_command("cluster_site", "books", "--adopt", "lsh")
    out = StringIO()
    call_command("cluster_site", "books", "--adopt", "lsh", "--here", stdout=out)
    assert "1 clustering compared" in out.getvalue() and "3 templates, 18 pages in them" in out.getvalue()
    assert Site.objects.get(pk=site.pk).method == "lsh"


def test_masked_shingles_are_adopted_as_they_are_shown(site: Site, compared: Clustering) -> None:
    books, lists = (sorted(page.pk for page in Page.objects.filter(site=site, url__contains=kind)) for kind in ("book", "list"))
    shown = Clustering.objects.create(site=site, run=compared.run, method=adopting.USUAL, groups=[books[4:], lists, books[:4]])
    assert lab_view.build_comparison(shown).effect.moved == 4
    before = of(site)
    after = of(adopted(shown))
    assert sum(before[url] != after[url] for url in before) == 4, "though finding templates as usual would change nothing"


def test_templates_are_found_as_usual_again(site: Site, compared: Clustering) -> None:
    before = of(site)
    adopted(compared)
    run = done(cluster_pages.start_as_usual(site))
    assert run.state == Run.State.DONE, run.error
    assert Site.objects.get(pk=site.pk).method == ""
    assert of(site) == before
    assert lab_view.build_lab(site).back, "and the adopted ones can be restored"


def test_templates_are_found_as_usual_again_on_the_command_line(site: Site, compared: Clustering) -> None:
    before = of(site)
    adopted(compared)
    call_command("cluster_site", "books", "--usual", "--here", stdout=StringIO())
    assert of(site) == before
    with pytest.raises(CommandError, match="--usual goes with neither"):
        call_command("cluster_site", "books", "--usual", "--adopt", "lsh", "--here")


@pytest.mark.parametrize("seed", range(8))
def test_what_is_said_of_adopting_is_what_it_does(site: Site, compared: Clustering, person, seed: int) -> None:
    """Any groups, with pages that people placed before."""
    source = random.Random(seed)
    pages = list(Page.objects.filter(site=site).order_by("pk"))
    editor, (one, two) = person("editor"), site.clusters.order_by("number")
    for page in source.sample(pages, 3):
        placing.move_pages(site, [page], source.choice([one, two, None]), editor)
    groups: list[list[int]] = [[] for _ in range(4)]
    for page in pages:
        source.choice(groups).append(page.pk)
    shown = Clustering.objects.create(
        site=site, run=compared.run, method="rtdm", groups=sorted(filter(None, groups), key=len, reverse=True)
    )
    before, found = of(site), lab_view.build_comparison(shown)
    moves = {move.page.url for move in lab_view.list_moves(shown, found)}
    after = of(adopted(shown))
    changed = {url for url in before if before[url] != after[url]}
    assert moves == changed
    assert found.effect.moved == found.row.moved == len(changed)
    assert found.effect.freed == sum(before[url] is not None and after[url] is None for url in before)


def test_decisions_of_people_about_pages_survive_adopting(site: Site, compared: Clustering, person) -> None:
    placing.move_pages(site, [book(site, 1)], site.clusters.get(number=2), person("editor"))
    adopted(compared)
    assert of(site)[book(site, 1).url] == 2 and Placement.objects.filter(belongs=True).count() == 1


def test_a_template_that_loses_its_pages_stays_if_a_person_changed_it(site: Site, compared: Clustering) -> None:
    empty = Cluster.objects.create(site=site, number=9, name="Films")
    Snapshot.objects.filter(page__url__endswith="about.html").update(cluster=empty)
    effect = lab_view.build_comparison(compared).effect
    assert (effect.emptied, effect.freed) == ((empty,), 1)
    adopted(compared)
    assert site.clusters.filter(number=9).exists()


def test_a_deleted_clustering_cannot_be_adopted(site: Site, compared: Clustering) -> None:
    run = cluster_pages.start_adopting(compared)
    compared.delete()
    assert "no longer kept" in done(run).error


def test_old_comparisons_are_deleted_except_what_can_be_restored(site: Site, compared: Clustering) -> None:
    adopted(compared)
    for _ in range(comparisons.KEPT_RUNS):
        done(comparisons.start_comparison(site, ["lsh"]))
    assert not Clustering.objects.filter(pk=compared.pk).exists()
    assert Clustering.objects.filter(site=site, run__kind=Run.Kind.LAB).count() == 2 * comparisons.KEPT_RUNS
    assert lab_view.build_lab(site).back
