import pytest

from extraction.algorithms.monitoring.relearning import NotRelearned, Relearned, find_end_tags, find_held_attribute, relearn_attribute
from extraction.algorithms.rules.apply import read_attribute
from extraction.algorithms.rules.rule import AttributeRule, Selector
from extraction.algorithms.values.evidence import ColumnEvidence
from tests.algorithms.monitoring.shops import BOOKS, new, page

TITLE = AttributeRule("title", mandatory=True, alternatives=(Selector("/descendant::h1"),))
PRICE = AttributeRule("price", "price", alternatives=(Selector("/descendant::p[@class = 'price']"),))


def relearned(rule, pages, old) -> Relearned:
    made = relearn_attribute(rule, pages, old)
    assert isinstance(made, Relearned), made
    return made


def given(made: Relearned, pages):
    return [read_attribute(made.rule, each.root) for each in pages]


def test_a_moved_value_is_found_again_on_all_pages_and_judged_by_those_not_learned_from():
    pages = [new(*book) for book in BOOKS]
    made = relearned(TITLE, pages, [(title,) for title, _, _ in BOOKS])
    assert given(made, pages) == [(title,) for title, _, _ in BOOKS]
    assert (made.stage, made.found, made.judged, made.agreeing) == ("exact", 8, 4, 4)
    assert (made.rule.name, made.rule.mandatory) == ("title", True)


def test_values_that_changed_have_no_say():
    pages = [new(title, "99.00", word) if n % 2 else new(title, price, word) for n, (title, price, word) in enumerate(BOOKS)]
    made = relearned(PRICE, pages, [(f"{price} EUR",) for _, price, _ in BOOKS])
    assert given(made, pages)[:2] == [("10.90 EUR",), ("99.00 EUR",)]
    assert made.found == 4


def test_a_price_written_in_another_way_is_the_same_price():
    pages = [new(title, price.replace(".", ","), word) for title, price, word in BOOKS]
    made = relearned(PRICE, pages, [(f"€{price}",) for _, price, _ in BOOKS])
    assert given(made, pages)[0] == ("10,90 EUR",)
    assert made.stage == "typed"


def test_a_date_is_found_again_as_the_old_rules_column_reads_it():
    """Each page has two dates that the old one may mean. The column says that the day comes first."""
    day = AttributeRule("day", "date", alternatives=(Selector("/descendant::h6"),), column=ColumnEvidence(date_order="DMY"))
    months = ("January", "February", "March", "April", "May", "June", "July", "August")
    pages = [
        page(f"<body><em>{title}</em><p>{n + 2} {months[n]} 2024</p><b>{n + 1} {months[n + 1]} 2024</b></body>")
        for n, (title, _, _) in enumerate(BOOKS[:7])
    ]
    old = [(f"0{n + 1}/0{n + 2}/2024",) for n in range(7)]
    made = relearned(day, pages, old)
    assert made.stage == "typed" and made.rule.column == day.column
    assert given(made, pages)[1] == ("2 March 2024",)


def test_a_value_that_is_now_part_of_a_text_is_cut_out_of_it():
    pages = [page(f"<body><p>Home</p><p>Title: {title}</p><p>{word}</p></body>") for title, _, word in BOOKS]
    made = relearned(TITLE, pages, [(title,) for title, _, _ in BOOKS])
    assert given(made, pages) == [(title,) for title, _, _ in BOOKS]
    assert made.stage == "part"


def test_a_list_is_relearned_whole_and_in_order_though_an_item_is_gone():
    lists = [[f"{word} {thing}" for thing in ("tea", "milk", "salt", "rice", "oats")] for _, _, word in BOOKS]
    pages = [
        page("<body><ol>" + "".join(f"<li><span>{item}</span></li>" for item in items[: 5 - n % 2]) + "</ol><ul><li>Help</li></ul></body>")
        for n, items in enumerate(lists)
    ]
    made = relearned(AttributeRule("items", multiple=True), pages, [tuple(items) for items in lists])
    assert given(made, pages) == [tuple(items[: 5 - n % 2]) for n, items in enumerate(lists)]


def test_an_attribute_value_is_looked_for_in_attributes():
    pages = [page(f"<body><p>{word}.png</p><figure><img src='{word}.png'></figure></body>") for _, _, word in BOOKS]
    rule = AttributeRule("image", "image", alternatives=(Selector("/descendant::img[@class = 'x']/@src"),))
    made = relearned(rule, pages, [(f"{word}.png",) for _, _, word in BOOKS])
    assert "@src" in made.rule.alternatives[0].xpath
    assert given(made, pages)[0] == ("red.png",)


def test_pages_that_never_had_the_value_keep_the_rule_from_inventing_one():
    def html(n, title):
        field = f"<dt>Sub</dt><dd>{title}</dd>" if n % 2 else "<dt>Pages</dt><dd>300</dd>"
        return page(f"<body><dl>{field}<dt>Year</dt><dd>2001</dd></dl></body>")

    pages = [html(n, title) for n, (title, _, _) in enumerate(BOOKS)]
    made = relearned(AttributeRule("sub"), pages, [(title,) if n % 2 else () for n, (title, _, _) in enumerate(BOOKS)])
    assert given(made, pages) == [(title,) if n % 2 else () for n, (title, _, _) in enumerate(BOOKS)]


@pytest.mark.parametrize(("before", "words"), [([()], "none of the old records"), ([("nowhere",)], "none of the old values is on")])
def test_what_cannot_be_placed_says_so(before, words):
    made = relearn_attribute(TITLE, [new(*BOOKS[0])], before)
    assert isinstance(made, NotRelearned)
    assert words in made.reason


def test_of_two_places_of_a_value_on_a_single_page_the_old_rules_tag_wins():
    one = page("<body><figcaption>Soup</figcaption><h1>Soup</h1></body>")
    made = relearned(TITLE, [one], [("Soup",)])
    assert made.rule.alternatives[0].xpath.endswith("h1")


def test_reads_of_an_xpath_what_it_ends_in():
    rule = AttributeRule("x", alternatives=(Selector('/descendant::div[@class = "a/b"]/p[2]/text() | /descendant::img/@src'),))
    assert find_end_tags(rule) == {"p", "img"}
    nested = AttributeRule("x", alternatives=(Selector("/descendant::p[a[b[@c = ']|[']]]/q[1] | /descendant::td[. = 'a|b']/text()"),))
    assert find_end_tags(nested) == {"q", "td"}
    assert find_held_attribute(rule) == "src"
    assert find_held_attribute(AttributeRule("x")) == ""


def test_of_two_places_the_one_that_holds_all_values_is_learned():
    subjects = [tuple(f"{word} {thing}" for thing in ("tea", "milk", "salt")[: 1 + n % 3]) for n, (_, _, word) in enumerate(BOOKS)]
    pages = [
        page(
            f"<body><nav><ol><li><a>Home</a></li><li><a>{mine[0]}</a></li></ol></nav><main><ul>"
            + "".join(f"<li><a>{each}</a></li>" for each in mine)
            + "</ul></main></body>"
        )
        for mine in subjects
    ]
    made = relearned(AttributeRule("subjects", multiple=True), pages, subjects)
    assert given(made, pages) == subjects, "bread crumbs name the first of them only"


def test_a_page_in_another_language_is_learned_from_when_the_rule_misses_it():
    """The examples are pages 0, 2, 4 and 6, which are all German. In the English ones, another label stands before the value."""
    german = "<dt>Marke</dt><dd><a>Sonne</a></dd><dt>Entwurf</dt><dd>{}</dd><dt>Farbe</dt><dd><a>rot</a></dd>"
    english = "<dt>Designers</dt><dd>{}</dd><dt>Brand</dt><dd><a>Sun</a></dd><dt>Care</dt><dd><a>wash</a></dd>"
    people = [tuple(f"{word} {n}" for n in range(1 + len(title) % 2)) for title, _, word in [*BOOKS, ("The Last", "1.00", "late")]]
    pages = [
        page(f"<body><dl>{(english if n in (3, 5, 7) else german).format(''.join(f'<a>{name}</a>' for name in names))}</dl></body>")
        for n, names in enumerate(people)
    ]
    made = relearned(AttributeRule("designers", multiple=True, alternatives=(Selector("/descendant::h6"),)), pages, people)
    assert given(made, pages) == people
    assert 3 in made.learned_from and made.judged >= 2 and made.agreeing == made.judged


def test_a_page_that_names_other_people_too_is_learned_from_also_after_the_most_examples():
    """The six examples are pages 0, 2, 5, 8, 10 and 13, which name authors only. On three others, a rule for any person also gives
    translators."""
    people = [(f"Author {n}",) for n in range(16)]
    pages = [
        page(
            f'<body><p class="who who--authors"><span class="person">{name}</span></p>'
            + (f'<p class="who who--trans"><span class="person">Translator {n}</span></p>' if n in (3, 7, 11) else "")
            + "</body>"
        )
        for n, (name,) in enumerate(people)
    ]
    made = relearned(AttributeRule("authors", multiple=True, alternatives=(Selector("/descendant::h6"),)), pages, people)
    assert given(made, pages) == people
    assert made.agreeing == made.judged and len(made.learned_from) > 6
