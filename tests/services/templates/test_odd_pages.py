"""Pages that look out of place in a template are pointed out, with the template that they fit."""

import pytest

from extraction.models import Cluster, Placement, Snapshot
from extraction.services.templates import odd_pages, page_steps, placing
from tests.services import factory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

FILM = "<html><body><main><video></video><h2>Film {}</h2><dl class=cast><dt>A<dd>B</dl><form><input></form></main></body></html>"


def film(cluster: Cluster, number: int) -> Snapshot:
    return factory.snapshot(cluster.site, f"https://shop.example/film/{number}", FILM.format(number).encode(), cluster=cluster)


@pytest.fixture
def books() -> Cluster:
    """A template of twelve books."""
    cluster = factory.cluster(factory.site())
    for n in range(12):
        content = factory.book_html(f"Book {n}", price=f"£{n}" if n % 3 else None, pad=n % 4)
        factory.snapshot(cluster.site, f"https://shop.example/book/{n}", content, cluster=cluster)
    return cluster


def test_a_template_of_one_kind_of_page_has_no_odd_ones(books: Cluster) -> None:
    found = odd_pages.find_odd_pages(books)
    assert (found.groups, found.count, found.compared, found.pages, found.ordinary) == ((), 0, 12, 12, None)


def test_pages_of_another_kind_are_pointed_out_beside_an_ordinary_one(books: Cluster) -> None:
    films = [film(books, n) for n in range(3)]
    found = odd_pages.find_odd_pages(books)
    [group] = found.groups
    assert (list(group.snapshots), group.home, found.count) == (films, None, 3)
    assert group.lacking > 0.5 and group.own > 0.5
    assert found.ordinary is not None and "/book/" in found.ordinary.page.url


def test_the_template_that_they_fit_is_named(books: Cluster) -> None:
    films = factory.cluster(books.site, number=2)
    for n in range(10, 20):
        film(films, n)
    page_steps.renew_core(films)
    for n in range(2):
        film(books, n)
    [group] = odd_pages.find_odd_pages(books).groups
    assert group.home == films


def test_pages_of_which_a_person_said_that_they_belong_are_not_pointed_out_again(books: Cluster) -> None:
    films = [film(books, n) for n in range(3)]
    moved = placing.move_pages(books.site, [films[0].page], books)
    assert (moved.pages, moved.touched) == (0, ())
    assert [each.pk for each in odd_pages.find_odd_pages(books).groups[0].snapshots] == [films[1].pk, films[2].pk]
    placing.move_pages(books.site, [each.page for each in films], books)
    assert odd_pages.find_odd_pages(books).groups == ()
    assert Placement.objects.filter(cluster=books, belongs=True).count() == 3


def test_unreadable_and_few_pages_give_none(books: Cluster) -> None:
    for n in range(4):
        factory.snapshot(books.site, f"https://shop.example/empty/{n}", b"", cluster=books)
    assert odd_pages.find_odd_pages(books).compared == 12
    small = factory.cluster(books.site, number=2)
    film(small, 50)
    assert odd_pages.find_odd_pages(small).groups == ()


def test_of_very_many_pages_some_are_compared(books: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_pages, "LOOKED_AT", 9)
    found = odd_pages.find_odd_pages(books)
    assert (found.compared, found.pages) == (9, 12)
