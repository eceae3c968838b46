"""Rules carry over to pages that changed as sites change."""

from extraction.algorithms.learning.apriori import Learned, NotLearned, learn_attribute
from extraction.algorithms.learning.corpus import MAX_COMPARED
from tests.algorithms.learning.pages import example, page, values


def rule(bodies: list[str], xpath: str, *, multiple: bool = False) -> Learned | NotLearned:
    pages = [page(body) for body in bodies]
    return learn_attribute(pages, [example(pages, 0, xpath)], multiple=multiple)


LIST = "<h2>Ingredients</h2><ul><li>{}</li><li>{}</li></ul><h2>Steps</h2><ul><li>Mix.</li><li>Bake.</li></ul>"


def test_a_generated_class_is_not_asked_for_where_a_label_stands() -> None:
    body = '<p class="css-1q2w3e">{}</p><p class="css-9f8e7d"><b>Author</b> <i class="css-h7u2m1">{}</i></p>'
    found = rule([body.format("Soup", "Ada"), body.format("Cake", "Eva")], "//i/text()")
    assert values(found, page(body.format("Stew", "Ida").replace("css-h7u2m1", "css-0k9j8h"))) == ["Ida"]


def test_a_list_is_found_in_a_div_that_was_put_around_it() -> None:
    found = rule([LIST.format("egg", "salt"), LIST.format("oil", "rice")], "//ul[1]/li", multiple=True)
    wrapped = LIST.format("corn", "lime").replace("<ul>", "<div><ul>", 1).replace("</ul>", "</ul></div>", 1)
    assert values(found, page(wrapped)) == ["corn", "lime"]


def test_a_list_is_found_behind_an_advert_under_its_heading() -> None:
    found = rule([LIST.format("egg", "salt"), LIST.format("oil", "rice")], "//ul[1]/li", multiple=True)
    assert values(found, page(LIST.format("corn", "lime").replace("<ul>", "<p>Buy our book.</p><ul>", 1))) == ["corn", "lime"]


def test_a_new_list_elsewhere_is_none_of_a_list_with_a_name() -> None:
    body = '<div class="needs"><ul><li>{}</li><li>{}</li></ul></div>'
    found = rule([body.format("egg", "salt"), body.format("oil", "rice")], "//ul[1]/li", multiple=True)
    assert values(found, page("<ul><li>Share</li></ul>" + body.format("corn", "lime"))) == ["corn", "lime"]


def test_what_stands_in_the_next_row_is_not_under_the_label_of_a_row_without_value() -> None:
    body = "<div><p>Height</p><p><i>{}</i></p></div><div><p>Weight</p><p><i>{}</i></p></div>"
    found = rule([body.format("180", "70"), body.format("190", "80")], "//div[1]/p/i")
    assert values(found, page("<div><p>Height</p></div><div><p>Weight</p><p><i>75</i></p></div>")) == []


def test_a_rule_for_a_page_with_many_siblings_looks_along_none() -> None:
    body = '<p>Name</p><p class="name">{}</p>' + "<p>x</p>" * (MAX_COMPARED + 1)
    small = body.format("Ada").replace("<p>x</p>", "", MAX_COMPARED)
    pages = [page(body.format("Ada")), page(small), page(body.format("Eve"))]
    found = learn_attribute(pages, [example(pages, 0, "//p[2]")])
    assert values(found, pages[2]) == ["Eve"]
    assert isinstance(found, Learned)
    assert "-sibling" not in found.alternatives[0].xpath
