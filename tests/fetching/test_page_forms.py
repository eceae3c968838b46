"""The forms of a page: their fields as people see them, and what a browser sends."""

import re
from itertools import count

import pytest

from extraction.fetching.crawl.page_forms import FormField, MarkedPage, read_forms

URL = "https://shop.example/search?old=1"


def only(markup: str, *, head: str = "", encoding: str = "utf-8"):
    page = f"<html><head>{head}</head><body>{markup}</body></html>".encode(encoding)
    (form,) = read_forms(page, url=URL, content_type=f"text/html; charset={encoding}")
    return form


def test_what_a_browser_sends_is_sent():
    form = only("""<form action="/find?x=1"><input name=a value=1><input name=b type=hidden value=2><input name=c disabled value=3>
      <input type=checkbox name=d><input type=checkbox name=e checked><input type=radio name=f value=1>
      <input type=radio name=f value=2 checked><select name=g><option>one<option selected value=II>two</select>
      <textarea name=h>long</textarea><input type=file name=i>
      <input type=reset name=j value=k><fieldset disabled><input name=l value=m></fieldset><input value=nameless>
      <button type=button name=n>No</button><button name=o value=p>Go</button><input type=submit name=q value=r></form>""")
    assert form.fill({"a": "x y"}) == "https://shop.example/find?a=x+y&b=2&e=on&f=2&g=II&h=long&o=p"


def test_a_form_without_an_action_leads_to_its_own_page():
    assert only("<form><input name=q></form>").fill({"q": "a"}) == "https://shop.example/search?q=a"
    assert (
        only("<form action=find><input name=q></form>", head="<base href=/deep/er/>").fill({"q": "a"})
        == "https://shop.example/deep/er/find?q=a"
    )


@pytest.mark.parametrize(
    ("attribute", "encoding", "sent"),
    [
        ("", "utf-8", "q=%C3%BC"),
        ("", "iso-8859-1", "q=%FC"),
        ("accept-charset='ISO-8859-1'", "utf-8", "q=%FC"),
        ("accept-charset=nonsense", "iso-8859-1", "q=%C3%BC"),
    ],
)
def test_terms_are_sent_in_the_encoding_of_the_form(attribute, encoding, sent):
    form = only(f"<p>ü</p><form {attribute}><input name=q></form>", encoding=encoding)
    assert form.fill({"q": "ü"}).endswith(sent)


def test_a_letter_that_the_encoding_lacks_is_sent_as_browsers_do():
    assert only("<form accept-charset=iso-8859-1><input name=q></form>").fill({"q": "ж"}).endswith("q=%26%231078%3B")


def test_fields_outside_that_name_the_form_belong_to_it():
    form = only(
        "<input name=before form=f><form id=f><input name=q><input name=other form=g></form><button form=f name=go value=1>Go</button>"
    )
    assert [each.name for each in form.fields] == ["before", "q"]
    assert form.button is not None and form.button.label == "Go"


def test_a_value_that_is_not_offered_is_refused():
    form = only("<form><select name=a><option value=1>One</select><input type=radio name=b value=x></form>")
    assert form.fill({"a": "one", "b": "x"}).endswith("?a=1&b=x")
    with pytest.raises(ValueError, match="its field a does not offer “two”"):
        form.fill({"a": "two"})
    with pytest.raises(ValueError, match="its field b does not offer “y”"):
        form.fill({"b": "y"})
    with pytest.raises(ValueError, match="it has no field c"):
        form.fill({"c": ""})


def test_labels_are_what_people_see():
    form = only("""<form><label for=u>User name</label><input id=u name=user><label>Password <input type=password name=pw></label>
      <input name=a aria-label=Town><input name=b placeholder="Post code"><input name=c><button>Sign <b>in</b></button></form>""")
    assert [each.label for each in form.fields] == ["User name", "Password", "Town", "Post code", "c"]
    assert form.button is not None and form.button.label == "Sign in" and form.has_password


def mark(markup: str) -> MarkedPage:
    """Return a page as if a browser showed all of its controls."""
    numbers = count()
    marked = re.sub(r"<(input|button|select|textarea)\b", lambda found: f'{found[0]} data-vertex-shown="{next(numbers)}"', markup)
    return MarkedPage(marked.encode(), url=URL)


def choose(page: MarkedPage, each: FormField) -> str:
    return next(page.list_selectors(each), "")


def test_selectors_find_one_element_only():
    page = mark("""<form id=a><input id="x:1" name=user><input name=pw type=password></form>
      <form class=b><input name=user><input name=pw type=password><button>Go</button></form>""")
    first, second = page.forms
    assert [choose(page, each) for each in first.fields] == ['input[id="x:1"]', 'form[id="a"] input[name="pw"]']
    assert [choose(page, each) for each in second.fields] == ['form[class="b"] input[name="user"]', 'form[class="b"] input[name="pw"]']
    assert second.button is not None and choose(page, second.button) == 'form[class="b"] button'


def test_an_element_that_no_selector_finds_has_none():
    page = mark("<form><input name=a></form><form><input name=a></form>")
    assert [choose(page, form.fields[0]) for form in page.forms] == ["", ""]


def test_what_is_around_a_field_tells_it_from_others():
    page = mark("""<div id=one><form><input name=a></form></div><div id=two><form><input name=a></form></div>
      <my-field name=user><vertex-shadow><input class=inner></vertex-shadow></my-field>
      <my-field name=pw><vertex-shadow><input class=inner type=password></vertex-shadow></my-field><button>Go</button>""")
    assert [choose(page, each) for form in page.forms for each in form.fields] == [
        'div[id="one"] input[name="a"]',
        'div[id="two"] input[name="a"]',
        'my-field[name="user"] input[class="inner"]',
        'input[type="password"]',
    ]


def test_only_what_a_browser_shows_is_read():
    page = MarkedPage(b"<form><input name=a data-vertex-shown=0><input name=b><button>No</button></form><form><input></form>", url=URL)
    (form,) = page.forms
    assert [each.name for each in form.fields] == ["a"] and form.button is None


def test_fields_in_no_form_make_one_if_they_can_be_sent():
    assert mark("<input name=a>").forms == ()
    (form,) = mark("<button>Menu</button><input name=a><button type=button>Next</button><button type=button>Help</button>").forms
    assert form.button is not None and form.button.label == "Next", "what stands before the field belongs to something else"


@pytest.mark.parametrize("markup", ["<form role=search>", "<div role=search><form>", "<search><form>", "<form><input type=search name=s>"])
def test_a_search_is_known_by_its_marks(markup):
    assert only(f"{markup}<input name=q></form>").is_search


def test_a_page_with_very_many_forms_is_read_in_part():
    assert len(read_forms(b"<form><input name=q></form>" * 500, url=URL)) == 50
