"""Styles of a page: what loads, runs or covers the page is gone, however it is written."""

import pytest
import tinycss2
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.display import stylesheets


@pytest.mark.parametrize(
    ("written", "cleaned"),
    [
        ("a{color:red}", "a{color:red}"),
        ("a{background:url(x.png)}", "a{background:none}"),
        ("a{background:URL( 'x' )}", "a{background:none}"),
        (r"a{background:u\72l(x)}", "a{background:none}"),
        ("@import 'x'; a{b:c}", " a{b:c}"),
        (r"@\69mport url(x);a{b:c}", "a{b:c}"),
        ("@font-face{src:url(x)}a{b:c}", "a{b:c}"),
        ("a{width:expression(alert(1))}", "a{width:none}"),
        ("a{behavior:url(x)}", "a{v-dropped:none}"),
        ("a{position : fixed}b{position:absolute}", "a{position : var(--v-pinned,static)}b{position:absolute}"),
        ("a{background:image-set('x' 1x)}", "a{background:none}"),
        ("@media print{a{b:url(x)}}", "@media print{a{b:none}}"),
        ("a{content:'</style><script>'}", 'a{content:"</style><script>"}'),
    ],
)
def test_a_sheet_is_cleaned(written, cleaned):
    assert stylesheets.clean_sheet(written) == cleaned


def test_a_style_attribute_is_cleaned_and_a_plain_one_is_left_as_it_is():
    assert stylesheets.clean_declarations("color: #fff; margin: 0 auto") == "color: #fff; margin: 0 auto"
    assert stylesheets.clean_declarations("position:fixed;top:0") == "position:var(--v-pinned,static);top:0"
    assert stylesheets.clean_declarations("background: url(//x) red") == "background: none red"


def test_a_sheet_ends_at_brackets_nested_too_deep():
    assert stylesheets.clean_sheet("a{b:" + "(" * 100_000) == ""


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["u", "r", "l", "url(", "\\75", " ", "/*", "*/", "(", ")", "{", "}", '"', "'", "@import", ";", ":", "x", "\n", "\\"]
        ),
        max_size=30,
    )
)
def test_nothing_that_loads_survives_a_second_reading(pieces):
    tokens = tinycss2.parse_component_value_list(stylesheets.clean_sheet("".join(pieces)))
    assert "url" not in [token.type for token in tokens]
    assert "import" not in [token.lower_value for token in tokens if token.type == "at-keyword"]
