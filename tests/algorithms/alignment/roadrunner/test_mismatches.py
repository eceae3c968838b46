"""Each kind of mismatch, and what becomes of it."""

import pytest

from extraction.algorithms.alignment.roadrunner import infer, tokens
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import AlignmentError
from tests.algorithms.alignment.roadrunner.pages import inferred, inside, plain


@pytest.mark.parametrize(
    ("pages", "wrapper"),
    [
        (("<p>one</p>", "<p>two</p>"), "<p>#PCDATA</p>"),
        (("<p>one</p>", "<p>one</p>"), "<p>one</p>"),
        (("<p>a</p><hr>", "<p>b</p>"), "<p>#PCDATA</p> ( <hr/> )?"),
        (("<h1>a</h1><p>b</p>", "<h1>c</h1><img><p>d</p>"), "<h1>#PCDATA</h1> ( <img/> )? <p>#PCDATA</p>"),
        (("<i>a</i>", "<i>b</i><i>c</i>"), "( <i>#PCDATA</i> )+"),
        (("<i>a</i><hr>", "<i>b</i><i>c</i><hr>"), "( <i>#PCDATA</i> )+ <hr/>"),
        (("<h3>a</h3><p>b</p>", "<h3>c</h3><p>d</p><h3>e</h3><p>f</p>"), "( <h3>#PCDATA</h3> <p>#PCDATA</p> )+"),
        (("<p>a<br>b</p>", "<p>c<br>d<br>e<br>f</p>"), "<p> #PCDATA ( <br/> #PCDATA )+ </p>"),
        (("<ul><li>a<li>b</ul>", "<ul></ul>"), "<ul> ( <li>a</li> <li>b</li> )? </ul>"),
    ],
    ids=["field", "constant", "optional at the end", "optional", "iterator", "iterator before a tag", "rows", "strings", "empty list"],
)
def test_a_mismatch_is_generalised(pages: tuple[str, ...], wrapper: str) -> None:
    assert inside(inferred(*pages)) == wrapper
    assert inside(inferred(*reversed(pages))) == wrapper


def test_mismatches_within_a_square_are_solved_too() -> None:
    found = inferred(
        "<li><b>a</b><u>x</u></li><li><b>b</b></li><hr>",
        "<li><b>c</b></li><li><b>d</b><u>y</u><i>1</i></li><li><b>e</b><u>z</u><i>2</i><i>3</i></li><hr>",
    )
    assert inside(found) == "( <li> <b>#PCDATA</b> ( <u>#PCDATA</u> )? ( ( <i>#PCDATA</i> )+ )? </li> )+ <hr/>"
    assert plain(found.structure.rows[1])["D"][2] == {"A": "e", "B": "z", "E": [{"C": "2"}, {"C": "3"}]}


def test_an_optional_list_is_a_list_where_it_is_longer() -> None:
    found = inferred("<ul><li>a<li>b</ul>", "<ul></ul>", "<ul><li>c<li>d<li>e</ul>")
    assert inside(found) == "<ul> ( ( <li>#PCDATA</li> )+ )? </ul>"
    assert [plain(row) for row in found.structure.rows] == [
        {"B": [{"A": "a"}, {"A": "b"}]},
        {},
        {"B": [{"A": "c"}, {"A": "d"}, {"A": "e"}]},
    ]


def test_lines_with_labels_are_optional_lines_rather_than_rows() -> None:
    """Two labels that belong to the template are not values of a field."""
    lines = [f"<tr><th>{label}:</th><td>{{}}</td></tr>" for label in ("Rated", "Director", "Writer", "Length")]
    pages = ((0, 1, 3), (0, 1, 2, 3), (0, 2, 3))
    found = inferred(*(f"<table>{''.join(lines[line].format(f'{page}{line}') for line in page)}</table>" for page in pages))
    assert [len(column) for column in found.structure.columns().values()] == [3, 2, 2, 3]
    assert found.structure.tables() == {}


def test_different_blocks_at_one_place_are_both_optional() -> None:
    around = "<div>{}<p>the same text</p><p>on both</p><p>pages</p></div>"
    found = inferred(around.format("<ul><li>x</ul>"), around.format("<ol><li>y</ol>"), last_resort=False)
    assert inside(found).startswith("<div> ( <ul> <li>x</li> </ul> )? ( <ol> <li>y</li> </ol> )? <p>the same text</p>")
    assert found.resorts == 0


def test_the_last_resort_makes_both_remainders_optional_and_is_counted() -> None:
    pages = "<h1>a</h1><ul><li>x</ul>", "<h1>b</h1><ol><li>y</ol>"
    found = inferred(*pages)
    assert inside(found) == "<h1>#PCDATA</h1> ( <ul> <li>x</li> </ul> )? ( <ol> <li>y</li> </ol> )?"
    assert found.resorts == 1


def test_without_the_last_resort_it_gives_up_and_says_where() -> None:
    with pytest.raises(
        AlignmentError, match="page 2: in html/body there are different parts at one place, and neither is found further on"
    ):
        inferred("<h1>a</h1><ul><li>x</ul>", "<h1>b</h1><ol><li>y</ol>", last_resort=False)


def test_pages_with_different_root_elements_are_refused() -> None:
    roots = [parse(f"<?xml version='1.0'?><{name}><p>a</p></{name}>".encode()).root for name in ("shop", "shop", "feed")]
    assert infer.infer_wrapper(roots[:2]).wrapper.printed() == infer.infer_wrapper(roots[:1]).wrapper.printed()
    with pytest.raises(AlignmentError, match="page 3: in shop there are different parts at one place, and neither is found further on"):
        infer.infer_wrapper(roots)


def test_no_pages_are_refused() -> None:
    with pytest.raises(AlignmentError, match="there are no pages"):
        infer.infer_wrapper([])


def test_classes_tell_elements_apart_where_half_of_the_pages_share_them() -> None:
    found = inferred("<div class='ad x1'>a</div><div class='main x2'>b</div>", "<div class='main x3'>c</div>", "<div class='main'>d</div>")
    assert inside(found) == "( <div>a</div> )? <div.main>#PCDATA</div>"


def test_running_text_is_one_string() -> None:
    prose = "word " * 60
    found = inferred(f"<p>{prose}<a>b</a></p>", f"<p>{prose}<i>c</i> and <a>d</a> more</p>")
    assert inside(found) == "<p>#PCDATA</p>"


def test_pages_with_too_many_tokens_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 10)
    with pytest.raises(AlignmentError, match="page 2 has more than 10 tags and strings"):
        inferred("<p>a</p>", "<p>a</p>" * 10)


def test_the_number_of_steps_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(infer, "ALL_STEPS", 5)
    with pytest.raises(AlignmentError, match="page 2: more than 5 steps are needed; near html"):
        inferred("<p>a</p>" * 3 + "<b>c</b>", "<i>b</i>" * 4, last_resort=False)
    assert inferred("<p>a</p>" * 3 + "<b>c</b>", "<i>b</i>" * 4).resorts == 1
