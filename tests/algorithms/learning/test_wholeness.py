"""Lists are learned whole: which place of a value stands for it, and what tells a list's rule from a looser one."""

import pytest

from extraction.algorithms.learning.apriori import learn_attribute
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.mark_alignment import align_marks
from extraction.algorithms.learning.marks import find_marks
from extraction.algorithms.learning.page_table import PageTable
from tests.algorithms.learning.pages import example, page, places, values


def items(names: str, *, before: str = "<li>", after: str = "</li>") -> str:
    return "".join(f"{before}{name}{after}" for name in names.split(","))


def test_values_clicked_in_two_tabs_are_learned_from_the_one_that_has_them_all() -> None:
    def tabs(us: str, metric: str) -> PageTable:
        both = (items(names, before="<p>", after="</p>") for names in (us, metric))
        return page("<div><div class=a>{}</div><div class=b>{}</div></div>".format(*both))

    pages = [tabs("salt,8oz flour,egg", "salt,250g flour,egg"), tabs("oil,1 cup rice", "oil,200g rice")]
    clicked = example(pages, 0, "//div[@class='a']/p[1] | //div[@class='b']/p[2] | //div[@class='a']/p[3]")
    marks = find_marks(Corpus(pages), 0, clicked.locations)
    metric = {place for place, _ in places(pages[0], "//div[@class='b']/p | //div[@class='b']/p/text()")}
    assert {one.location for one in align_marks(Corpus(pages), marks)} <= metric
    assert [values(learn_attribute(pages, [clicked], multiple=True), p) for p in pages] == [
        ["salt", "250g flour", "egg"],
        ["oil", "200g rice"],
    ]


def test_a_list_does_not_take_in_another_one_far_away() -> None:
    def recipe(steps: str, more: str) -> PageTable:
        filler = "<p>said</p>" * 40
        related = f"<ul>{items(more, before='<li><div>', after='</div></li>')}</ul>" if more else ""
        return page(f"<ol>{items(steps, before='<li class=s><div>', after='</div></li>')}</ol>{filler}{related}")

    pages = [recipe("mix,bake,eat", ""), recipe("boil,serve", "Soups,Cakes"), recipe("cut,fry", "Pies")]
    learned = learn_attribute(pages, [example(pages, 0, "//li/div")], multiple=True)
    assert [values(learned, p) for p in pages] == [["mix", "bake", "eat"], ["boil", "serve"], ["cut", "fry"]]


def test_a_list_comes_whole_where_a_name_is_on_some_of_its_items_only() -> None:
    pages = [
        page(f"<ul class=i>{items('salt,egg,oil', before='<li itemprop=i>')}</ul><ul class=x><li itemprop=x>no</li></ul>"),
        page("<ul class=i><li itemprop=i>rice</li><li>milk</li><li>sugar</li></ul><ul class=x><li>no</li></ul>"),
    ]
    learned = learn_attribute(pages, [example(pages, 0, "//ul[@class='i']/li")], multiple=True)
    assert values(learned, pages[1]) == ["rice", "milk", "sugar"]


def test_items_with_links_in_them_come_uncut() -> None:
    pages = [
        page(f"<div class=steps><ol>{items('mix,bake')}</ol></div><ol><li><b>Ann</b></li></ol>"),
        page("<div class=steps><ol><li>mix the <a>dough</a> well</li><li>bake</li></ol></div><ol><li><b>Bob</b></li></ol>"),
    ]
    learned = learn_attribute(pages, [example(pages, 0, "//div/ol/li")], multiple=True)
    assert values(learned, pages[1]) == ["mix the dough well", "bake"]


@pytest.mark.parametrize("count", [1, 3])
def test_aligning_leaves_marks_that_stand_together_as_they_are(count: int) -> None:
    table = page(f"<ul>{items(','.join('abc'[:count]))}</ul><p>a</p><p>b</p>")
    marks = find_marks(Corpus([table]), 0, example([table], 0, "//li").locations)
    assert align_marks(Corpus([table]), marks) == marks
