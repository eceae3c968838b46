"""Relearning from one page: ``python -m tests.quality.relocate DATA --predictions OUT``.

DATA is a folder of cases, each with old.html, new.html and truth.json {attribute: [values]}. The values are marked on old.html, and a rule
is learned. The values that it gives on old.html are the old record. From that record and new.html alone a new rule is learned, and what it
gives on new.html is written as ``{case: {attribute: [values]}}``.
"""

import argparse
import html
import json
from pathlib import Path

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.monitoring.relearning import NotRelearned, relearn_attribute
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet


def predict(folder: Path, *, explain: bool = False) -> dict[str, list[str]]:
    """{attribute: values} that the relearned rules give on the new page."""
    truth = {
        name: [clean(html.unescape(value)) for value in values] for name, values in json.loads((folder / "truth.json").read_text()).items()
    }
    old, new = (read_page_table(parse((folder / name).read_bytes()).root) for name in ("old.html", "new.html"))
    rules = []
    for name, values in truth.items():
        attribute = AttributeRule(name, multiple=len(values) > 1)
        before = relearn_attribute(attribute, [old], [tuple(values)])
        if isinstance(before, NotRelearned):
            print(f"{folder.name} {name}: not learned on the old page: {before.reason}")
            continue
        record = extract_values(Stylesheet.compile(write_stylesheet(RuleDefinition((before.rule,)))), old.root).values[name]
        after = relearn_attribute(before.rule, [new], [record])
        if isinstance(after, NotRelearned):
            print(f"{folder.name} {name}: {after.reason}")
            continue
        if explain:
            print(f"{folder.name} {name}: {' || '.join(each.xpath for each in after.rule.alternatives)}")
        rules.append(after.rule)
    return {
        name: list(given)
        for name, given in extract_values(Stylesheet.compile(write_stylesheet(RuleDefinition(tuple(rules)))), new.root).values.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--explain", action="store_true", help="print each attribute's XPath")
    options = parser.parse_args()
    cases = sorted(p for p in options.data.iterdir() if (p / "truth.json").is_file())
    predictions = {folder.name: predict(folder, explain=options.explain) for folder in cases}
    options.predictions.write_text(json.dumps(predictions, ensure_ascii=False, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
