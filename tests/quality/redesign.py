"""Monitoring and repair on real redesigns: ``python -m tests.quality.redesign DATA --predictions OUT``.

DATA is a folder of pairs, each with old/, new/ (the same pages before and after, by file name), annotations.json and urls in
truth.json. Learned on three annotated old pages; all old pages are the history; all new pages are one check. What is broken is
relearned from the old records; what is not keeps its rule. Written: ``{pair: {"verdict": {attribute: kind},
"old_rule_on_new": {attribute: {page: [values]}}, "repaired_on_new": {…}}}``. The truth of the new pages is not read.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.monitoring.evidence import Revisit
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.monitoring.relearning import NotRelearned, relearn_attribute
from extraction.algorithms.monitoring.verdict import judge_rule
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from tests.quality.extraction import learn_site_attribute
from tests.quality.sites import Site

ANNOTATED = 3

Record = dict[str, tuple[str, ...]]


def read_pages(folder: Path) -> dict[str, PageTable]:
    return {file.stem: read_page_table(parse(file.read_bytes()).root) for file in sorted(folder.glob("*.html"))}


def records(rule: RuleDefinition, pages: dict[str, PageTable]) -> dict[str, Record]:
    sheet = Stylesheet.compile(write_stylesheet(rule))
    return {
        name: {key: tuple(dict.fromkeys(given)) for key, given in extract_values(sheet, page.root).values.items()}
        for name, page in pages.items()
    }


def columns(rows: dict[str, Record], names: list[str]) -> dict[str, dict[str, list[str]]]:
    return {name: {page: list(row.get(name, ())) for page, row in rows.items()} for name in names}


def predict(folder: Path, *, explain: bool = False) -> dict[str, Any]:
    old, new = read_pages(folder / "old"), read_pages(folder / "new")
    site = Site(folder.name, old, json.loads((folder / "annotations.json").read_text()))
    rule = RuleDefinition(tuple(learn_site_attribute(site, attribute, ANNOTATED)[0] for attribute in site.annotations))
    before, now = records(rule, old), records(rule, new)
    profiles = {each.name: Profile.learn((row.get(each.name, ()) for row in before.values()), type=each.type) for each in rule.attributes}
    visits = [Revisit(name, old[name], new[name], before[name], now[name], covered=True) for name in sorted(new) if name in old]
    verdict = judge_rule(rule, profiles, visits)
    repaired = RuleDefinition(tuple(_repaired(each, verdict.broken, visits, explain) for each in rule.attributes))
    if explain:
        for name, each in verdict.attributes.items():
            print(f"{folder.name} {name}: {each.kind} {each.fraction:.2f} of {each.pages}; {[e.reason for e in each.evidence[:3]]}")
    names = [each.name for each in rule.attributes]
    return {
        "verdict": {name: each.kind for name, each in verdict.attributes.items()},
        "old_rule_on_new": columns(now, names),
        "repaired_on_new": columns(records(repaired, new), names),
    }


def _repaired(attribute: AttributeRule, broken: tuple[str, ...], visits: list[Revisit], explain: bool) -> AttributeRule:
    if attribute.name not in broken:
        return attribute
    made = relearn_attribute(attribute, [visit.new for visit in visits], [visit.before.get(attribute.name, ()) for visit in visits])
    if explain:
        print(f"{attribute.name}: {made}")
    return attribute if isinstance(made, NotRelearned) else made.rule


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--explain", action="store_true", help="print verdicts with evidence and what was relearned")
    options = parser.parse_args()
    pairs = sorted(p for p in options.data.iterdir() if (p / "annotations.json").is_file())
    predictions = {folder.name: predict(folder, explain=options.explain) for folder in pairs}
    options.predictions.write_text(json.dumps(predictions, ensure_ascii=False, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
