"""The quality tasks themselves: what they remove, what they change and what they keep."""

from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from extraction.algorithms.dom.nodes import clean, elements
from extraction.algorithms.dom.parse import parse
from tests.quality import clusterings, scores
from tests.quality.absence import without
from tests.quality.extraction import learned, predict, reproduced
from tests.quality.informative import without as without_dimmed
from tests.quality.mutation import changed, renamed
from tests.quality.sites import folders, read_site
from tests.quality.tasks import digest
from tests.services.importing import detail, listing

DATA = Path(__file__).parents[2] / ".data"

PAGE = """<html><body><div class="css-1ab2c3 main"><h2>By</h2><p>by <a>Ann</a> and <b><i>B</i>ob</b> Ann</p><div class=ad>Buy<br>now</div>
<aside>news</aside><ul><li>1 &amp; 2</li><li>x</li></ul></div><div><p>more</p></div></body></html>"""


def page() -> etree._Element:
    return parse(PAGE.encode()).root


def text(root: etree._Element) -> str:
    body = root.find("body")
    assert body is not None
    return clean(" ".join(body.itertext()))


def test_all_nodes_with_a_value_are_removed_and_nothing_else() -> None:
    assert text(without(page(), ["Ann", "Bob", "1 & 2"])) == "By by and Buy now news x more"
    assert text(without(page(), ["nowhere"])) == text(page())


def test_a_value_given_where_there_is_none_counts_as_wrong(tmp_path: Path) -> None:
    (tmp_path / "a-site").mkdir()
    (tmp_path / "a-site" / "truth.json").write_text('{"name": {"0": ["x"], "1": ["y"], "2": ["z"], "3": []}}')
    given = {"a-site": {"name": {"0": ["x"], "1": ["other"], "2": []}}}
    assert scores.absence(tmp_path, given, annotated_pages=1) == {("a-site", "name"): 0.5}


@pytest.mark.parametrize("seed", range(5))
def test_a_changed_page_keeps_its_values(seed: int) -> None:
    after = changed(page(), ["Ann", "x"], seed=seed, site="s", page="0")
    kept = [clean(element.text or "") for element in elements(after)]
    assert "Ann" in kept and "x" in kept
    assert "news" not in kept and "Buy" not in text(after).split()
    assert etree.tostring(after) != etree.tostring(page())
    assert etree.tostring(after) == etree.tostring(changed(page(), ["Ann", "x"], seed=seed, site="s", page="0"))


def test_generated_class_names_get_another_ending_everywhere_and_other_names_stay() -> None:
    assert renamed("css-1ab2c3", 1) == renamed("css-1ab2c3", 1) != "css-1ab2c3"
    assert renamed("css-1ab2c3", 1).startswith("css-")
    for name in ("main", "col-md-6", "recipe-title", "h2", "wprm-recipe-name"):
        assert renamed(name, 1) == name


def test_a_digest_depends_on_names_and_contents(tmp_path: Path) -> None:
    seen = set()
    for name, content in (("a", "1"), ("b", "1"), ("a", "2")):
        folder = tmp_path / f"{name}{content}"
        folder.mkdir()
        (folder / name).write_text(content)
        seen.add(digest(folder))
    assert len(seen) == 3


@pytest.mark.data
@pytest.mark.skipif(not (DATA / "extraction").is_dir(), reason="the evaluation pages are not in .data/extraction")
@pytest.mark.parametrize("count", [2, 5])
def test_every_learned_rule_gives_back_its_annotations(count: int) -> None:
    for folder in folders(DATA / "extraction")[::4]:
        site = read_site(folder, most=20)
        rules = learned(site, count)
        assert all(rule.alternatives for rule in rules)
        assert set(reproduced(site, rules, count).values()) == {True}
        assert set(predict(site, rules)) == set(site.annotations)


def test_dimmed_parts_weigh_nothing_and_everything_else_keeps_its_place() -> None:
    root = parse(b"<html><body><div id=menu>Home <a href=/x>News</a></div> tail <p>Ann</p></body></html>").root
    nodes = [element.get("id") for element in elements(root)]
    after = without_dimmed(root, [nodes.index("menu")])
    assert text(after) == "tail Ann" and [str(e.tag) for e in elements(after)] == ["html", "body", "div", "p"]
    assert text(root) == "Home News tail Ann"


def test_files_are_picked_evenly() -> None:
    files = [Path(str(n)) for n in range(10)]
    assert [int(file.name) for file in clusterings.spread(files, 5)] == [0, 2, 4, 6, 8]
    assert clusterings.spread(files, 99) == files


def test_methods_are_compared_with_the_first_one() -> None:
    pages = {f"book {n}": detail(n) for n in range(4)} | {f"list {n}": listing(n) for n in range(3)}
    rows = list(clusterings.measure(pages, {name: name.split()[0] for name in pages}, ["lsh", "text-hash"]))
    one: Any = pytest.approx(1)
    assert [(row.method, row.groups, row.quality.v_measure) for row in rows] == [("lsh", 2, one), ("text-hash", 2, one)]
    assert (rows[0].time, rows[0].kbit > 0) == (1, True) and rows[1].line().startswith("text-hash")
