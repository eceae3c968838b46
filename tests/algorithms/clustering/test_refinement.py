"""The second stage puts templates together that Algorithm 1 split, and keeps apart what only looks alike."""

import random
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.clustering import refinement
from extraction.algorithms.clustering.masked_shingles import MaskClustering, PageCluster, cluster_vectors
from extraction.algorithms.clustering.page_steps import PageSteps, collect_steps
from extraction.algorithms.clustering.refinement import SiteTemplates, refine_clusters
from extraction.algorithms.clustering.template_core import TemplateCore, find_nearest_core
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches.shingles import Mask, compute_vectors

HEAD = "<html><body><div class=top><ul><li><a>Home</a></li><li><a>Shop</a></li></ul></div>"
FOOT = "<div class=foot><p>1999<span class=legal>All rights</span></p></div></body></html>"


def book(chance: random.Random) -> str:
    rows = "".join(f"<tr><th>{n}</th><td>{chance.random()}</td></tr>" for n in range(chance.randrange(2, 12)))
    title, author, price = (chance.random() for _ in range(3))
    html = f"<div class=book><h1>{title}</h1><img><p class=author>{author}</p><p class=price>{price}</p>"
    html += f"<table class=facts>{rows}</table><form><input></form>"
    if chance.random() < 0.5:
        review = "<li class=review><h4>R</h4><blockquote><p>x</p></blockquote><span class=stars>5</span><em class=who>N</em></li>"
        html += f"<div class=reviews><h3>Reviews</h3><ol>{review * chance.randrange(1, 9)}</ol></div>"
    if chance.random() < 0.3:
        html += "<div class=also><h3>Also</h3><dl>" + "<dt>B</dt><dd>2</dd>" * chance.randrange(1, 6) + "</dl></div>"
    return html + "</div>"


def people(chance: random.Random) -> str:
    films = "<li class=film><a>F</a><i class=year>1</i></li>" * chance.randrange(1, 20)
    html = "<div class=person><h2 class=name>N</h2><address>A</address><p class=born><time>1</time></p>"
    html += f"<ul class=films>{films}</ul><aside>x</aside>"
    if chance.random() < 0.5:
        html += "<section class=awards><h5>Awards</h5><p><strong>A</strong></p></section>"
    return html + "</div>"


def listing(chance: random.Random) -> str:
    cells = "<td class=cell><a><img></a><b class=label>B</b></td>" * chance.randrange(1, 5)
    rows = f"<tr>{cells}</tr>" * chance.randrange(1, 9)
    return f"<table class=grid><caption>C</caption>{rows}</table><div class=pager><a>1</a><code>2</code></div>"


KINDS = {"book": book, "people": people, "listing": listing}


def page_of(kind: str, number: int) -> bytes:
    return (HEAD + KINDS[kind](random.Random(f"{kind}{number}")) + FOOT).encode()


@cache
def steps_of(page: str) -> PageSteps:
    kind, number = page.split("-")
    return collect_steps(parse(page_of(kind, int(number))).root)


def mix(**counts: int) -> list[str]:
    return [f"{kind}-{number:03}" for kind, count in counts.items() for number in range(count)]


def first_stage(pages: list[str]) -> MaskClustering[str]:
    contents = (page_of(*_split(page)) for page in pages)
    return cluster_vectors(dict(zip(pages, compute_vectors(contents), strict=True)))


def _split(page: str) -> tuple[str, int]:
    kind, number = page.split("-")
    return kind, int(number)


def kinds(found: SiteTemplates[str]) -> list[Counter[str]]:
    return [Counter(page.split("-")[0] for page in template.members) for template in found.clusters]


def shown(found: SiteTemplates[str]) -> object:
    return [(t.masks, t.members, t.core.required.tolist()) for t in found.clusters], found.unclustered


def test_optional_sections_and_lists_do_not_split_a_template() -> None:
    pages = mix(book=60, people=40, listing=20)
    first = first_stage(pages)
    assert len(first.clusters) > 3 or len(first.unclustered) > 10, "else there is nothing to do"
    found = refine_clusters(first, steps_of)
    assert kinds(found) == [{"book": 60}, {"people": 40}, {"listing": 20}]
    assert found.unclustered == ()


def test_a_site_of_one_template_is_one_cluster() -> None:
    assert kinds(refine_clusters(first_stage(mix(book=50)), steps_of)) == [{"book": 50}]


def test_a_template_that_the_first_stage_missed_altogether_is_found() -> None:
    found = refine_clusters(MaskClustering((), tuple(mix(book=30, people=30))), steps_of)
    assert kinds(found) == [{"book": 30}, {"people": 30}]
    assert all(template.masks == () for template in found.clusters)


def test_more_loose_pages_than_are_compared_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refinement, "LOOSE_PAGES", 20)
    assert kinds(refine_clusters(MaskClustering((), tuple(mix(book=70, people=50))), steps_of)) == [{"book": 70}, {"people": 50}]


def test_a_template_of_few_pages_stays_out() -> None:
    found = refine_clusters(first_stage(mix(book=40, people=3)), steps_of)
    assert kinds(found) == [{"book": 40}]
    assert found.unclustered == ("people-000", "people-001", "people-002")


def test_a_cluster_of_two_templates_falls_apart_and_most_of_it_keeps_the_mask() -> None:
    mask = Mask(7)
    found = refine_clusters(MaskClustering((PageCluster(mask, tuple(mix(book=60, people=30)), 90),), ()), steps_of)
    assert kinds(found) == [{"book": 60}, {"people": 30}]
    assert [template.masks for template in found.clusters] == [(mask,), ()]


def test_a_template_keeps_the_masks_of_all_it_was_made_of() -> None:
    pages = mix(book=40)
    first = MaskClustering((PageCluster(Mask(7), tuple(pages[:20]), 20), PageCluster(Mask(3), tuple(pages[20:]), 20)), ())
    assert refine_clusters(first, steps_of).clusters[0].masks == (Mask(3), Mask(7))


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 12), st.randoms(use_true_random=False))
def test_order_does_not_matter_no_page_is_lost_and_no_template_mixed(books: int, persons: int, lists: int, chance: random.Random) -> None:
    pages = mix(book=books, people=persons, listing=lists)
    found = refine_clusters(first_stage(pages), steps_of)
    assert sorted([page for template in found.clusters for page in template.members] + list(found.unclustered)) == sorted(pages)
    assert all(len(kinds) == 1 and kinds.total() >= 5 for kinds in kinds(found))
    chance.shuffle(pages)
    assert shown(refine_clusters(first_stage(pages), steps_of)) == shown(found)


@settings(deadline=None, max_examples=10)
@given(st.integers(5, 30), st.integers(5, 30))
def test_clustering_the_result_again_changes_nothing(books: int, persons: int) -> None:
    found = refine_clusters(first_stage(mix(book=books, people=persons)), steps_of)
    assert shown(refine_clusters(found, steps_of)) == shown(found)


def test_only_samples_and_unclustered_pages_are_read() -> None:
    pages = mix(book=400)
    read: Counter[str] = Counter()

    def paths(page: str) -> PageSteps:
        read[page] += 1
        return steps_of(page)

    found = refine_clusters(MaskClustering((PageCluster(Mask(7), tuple(pages[:390]), 390),), tuple(pages[390:])), paths)
    assert kinds(found) == [{"book": 400}]
    assert len(read) <= refinement.SAMPLE_PAGES + 10 + refinement.SAMPLE_PAGES


def test_pages_that_cannot_be_read_go_with_their_cluster_or_stay_out() -> None:
    pages = mix(book=30)
    broken = {pages[3], pages[29]}

    def paths(page: str) -> PageSteps:
        if page in broken:
            raise PageError("the page is empty")
        return steps_of(page)

    found = refine_clusters(MaskClustering((PageCluster(Mask(7), tuple(pages[:20]), 20),), tuple(pages[20:])), paths)
    assert kinds(found) == [{"book": 29}]
    assert found.unclustered == (pages[29],)


def test_nothing_readable_gives_nothing() -> None:
    def paths(page: str) -> PageSteps:
        raise PageError("the page is empty")

    assert refine_clusters(MaskClustering((), ()), steps_of) == SiteTemplates((), ())
    assert refine_clusters(MaskClustering((), ("a", "b")), paths) == SiteTemplates((), ("a", "b"))


def test_templates_whose_content_hangs_on_one_element_stay_apart() -> None:
    """Absent at its root, a whole subtree is one answer: that must not make two templates one."""
    top = "<html><head><meta charset=utf-8><title>T</title></head><body>"
    books = dict.fromkeys(range(52), top + "<nav><ul><li><a>H</a></li></ul></nav><h1>B</h1><table><tr><th>1</th><td>2</td></tr></table>")
    lists = dict.fromkeys(
        range(52, 58), top + "<main><section><article><h2><a>1</a></h2><p><b>2</b><span>3</span></p></article></section></main>"
    )
    pages = {number: collect_steps(parse(html.encode()).root) for number, html in (books | lists).items()}
    found = refine_clusters(MaskClustering((), tuple(pages)), pages.__getitem__)
    assert [template.members for template in found.clusters] == [tuple(books), tuple(lists)]


def test_bare_page_types_are_not_the_rich_one_without_its_options() -> None:
    """Header and navigation outweigh what the bare ones have of their own; they do not count."""
    top = "<html><body><div class=bar>" + "".join(f"<div class=n{n}><a>{n}</a></div>" for n in range(60)) + "</div><main>"
    field = "".join(f"<div class=f{n}><b>{n}</b><code>{n}</code></div>" for n in range(12))
    rows = "<ol class=all><li><a>m</a></li></ol>"
    classes = {n: f"{top}<h1>C</h1>{field}" + "<ul class=also><li>a</li></ul>" * (n % 2) for n in range(40)}
    members = dict.fromkeys(range(40, 70), f"{top}<h1>M</h1>{rows}")
    pages = {number: collect_steps(parse(html.encode()).root) for number, html in (classes | members).items()}
    found = refine_clusters(MaskClustering((), tuple(pages)), pages.__getitem__)
    assert [template.members for template in found.clusters] == [tuple(classes), tuple(members)]
    assert found.unclustered == ()
    known = {0: found.clusters[0].core}
    assert find_nearest_core({0: found.clusters[0].core, 1: found.clusters[1].core}, pages[50]) == 1
    assert find_nearest_core(known, pages[50]) is None


@pytest.mark.parametrize(("marks", "together"), [(9, True), (1, False)])
def test_a_bare_page_with_several_marks_of_its_template_is_one_of_it(marks: int, *, together: bool) -> None:
    """Pages that say only that there is nothing have little beside the site's frame. It takes several rare steps to tell whose they are."""
    top = "<html><body><div class=bar>" + "".join(f"<div class=n{n}><a>{n}</a></div>" for n in range(60)) + "</div><main>"
    field = "".join(f"<div class=f{n}><b>{n}</b><code>{n}</code></div>" for n in range(12))
    names = "h2 h3 h4 h5 h6 p pre form aside section article figure blockquote address fieldset details table menu"
    mark, uses = (
        "<div class=uses>" + "".join(f"<em class=u{n}>U</em>" for n in range(marks)) + "</div>",
        "".join(f"<{name}></{name}>" for name in names.split()),
    )
    classes = {n: f"{top}<h1>C</h1>{field}" + "<ul class=also><li>a</li></ul>" * (n % 2) for n in range(40)}
    users = {n: f"{top}<h1>U</h1>{mark}" + uses * (n % 3 > 0) for n in range(40, 70)}
    pages = {number: collect_steps(parse(html.encode()).root) for number, html in (classes | users).items()}
    found = refine_clusters(MaskClustering((), tuple(pages)), pages.__getitem__)
    bare = tuple(number for number in users if number % 3 == 0)
    rich = tuple(number for number in users if number % 3)
    assert [template.members for template in found.clusters] == [tuple(classes), *([tuple(users)] if together else [rich, bare])]
    assert found.unclustered == ()


def test_a_longer_comment_section_does_not_take_a_page_out_of_its_template() -> None:
    """Of three pages, one has more steps of its own than those that it shares."""

    def page(number: int, comments: int) -> PageSteps:
        fields = "".join(f"<p class=f{n}>{number * n}</p>" for n in range(8))
        said = "".join(f"<li class=c{n}><b class=who{n}>A</b><q class=said{n}>B</q></li>" for n in range(comments))
        html = f"<html><body><div class=bar><a>Home</a></div><h1>{number}</h1>{fields}<ol class=comments>{said}</ol></body></html>"
        return collect_steps(parse(html.encode()).root)

    pages = {1: page(1, 0), 2: page(2, 0), 3: page(3, 40)}
    found = refine_clusters(MaskClustering((), tuple(pages)), pages.__getitem__, threshold=2)
    assert [template.members for template in found.clusters] == [(1, 2, 3)]


def _marks(count: int) -> str:
    return "".join(f"<em class=u{n}>U</em>" for n in range(count))


def test_a_page_further_off_than_the_templates_own_is_not_taken_in() -> None:
    body = "<html><body>" + "".join(f"<p class=c{n}>x</p>" for n in range(40))
    more = "".join(f"<i class=d{n}>x</i>" for n in range(40))
    equal = [collect_steps(parse(body.encode()).root)] * 10
    core = TemplateCore.of_pages(equal)
    assert core.least == 1.0
    assert not core.covers(collect_steps(parse((body + more[: len(more) // 2]).encode()).root))
    assert core.covers(collect_steps(parse((body + "<i class=d1>x</i>").encode()).root))
    assert TemplateCore.of_pages(equal[:1]).least == 0.0, "one page says nothing of how far others lie"


def test_a_threshold_under_one_is_refused() -> None:
    with pytest.raises(ValueError, match="threshold is 0"):
        refine_clusters(MaskClustering((), ()), steps_of, threshold=0)


def test_later_pages_are_recognised_by_their_cores() -> None:
    found = refine_clusters(first_stage(mix(book=40, people=40)), steps_of)
    known = dict(enumerate(template.core for template in found.clusters))
    kind_of = {number: template.members[0].split("-")[0] for number, template in enumerate(found.clusters)}
    for kind in ("book", "people"):
        for number in range(500, 540):
            home = find_nearest_core(known, steps_of(f"{kind}-{number}"))
            assert home is not None
            assert kind_of[home] == kind
    assert find_nearest_core(known, steps_of("listing-500")) is None
    assert find_nearest_core({}, steps_of("book-500")) is None


def test_a_core_is_kept_and_given_back() -> None:
    core = TemplateCore.of_pages([steps_of(page) for page in mix(book=20)])
    again = TemplateCore.from_bytes(core.to_bytes())
    assert (again.required.tolist(), again.known.tolist(), again.least) == (core.required.tolist(), core.known.tolist(), core.least)
    assert 0 < core.least <= 1
    assert core.likeness(core) == 1.0
    assert set(core.required.tolist()) < set(core.known.tolist())
    assert core.covers(steps_of("book-001"))
    assert not TemplateCore.of_pages([]).covers(steps_of("book-001"))
    for broken in (b"", core.to_bytes()[:-3]):
        with pytest.raises(ValueError, match="not a stored core"):
            TemplateCore.from_bytes(broken)
