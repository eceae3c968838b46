"""`python -m tests.quality.values CASES`: typed values read, counted as right, unread and wrong.

CASES holds `.jsonl` files named `prices`, `dates`, `numbers` or `yes-no`; the suite's own are in `tests/algorithms/values/cases`. A row
is an object: `kind` names the group, `text` is the raw value, `language` the page's language or null, and `accept` lists the readings
that are right. null in `accept` means that leaving the value unread is right. `--rows` prints each row that is not right.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import ValueType

TYPES: dict[str, ValueType] = {"prices": "price", "dates": "date", "numbers": "number", "yes-no": "boolean"}
"""{name of the file: the type that its values are read as}"""

Outcome = Literal["right", "unread", "wrong"]


@dataclass(frozen=True, slots=True)
class Case:
    """A raw value, and the readings that are right; None in `accept` means that it may stay unread."""

    file: str
    kind: str
    text: str
    language: str | None
    accept: tuple[str | None, ...]


def read_cases(folder: Path) -> Iterator[Case]:
    """Yield the rows of the files in a folder."""
    for name in TYPES:
        file = folder / f"{name}.jsonl"
        if file.is_file():
            for line in filter(None, file.read_text().split("\n")):
                row = json.loads(line)
                yield Case(name, row["kind"], row["text"], row["language"], tuple(row["accept"]))


def judge_case(case: Case) -> tuple[Outcome, str | None, str]:
    """Return the outcome, the reading and the problem."""
    read = read_value(case.text, TYPES[case.file], language=case.language)
    if read.value in case.accept:
        return "right", read.value, read.problem
    return ("unread" if read.value is None else "wrong"), read.value, read.problem


def measure(folder: Path) -> dict[str, Counter[Outcome]]:
    """Return {name of the file: how many rows had each outcome}."""
    found: dict[str, Counter[Outcome]] = defaultdict(Counter)
    for case in read_cases(folder):
        found[case.file][judge_case(case)[0]] += 1
    return dict(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--rows", action="store_true", help="print each row that is not right")
    options = parser.parse_args()
    groups: dict[tuple[str, str], Counter[Outcome]] = defaultdict(Counter)
    for case in read_cases(options.cases):
        outcome, value, problem = judge_case(case)
        groups[case.file, case.kind][outcome] += 1
        if options.rows and outcome != "right":
            print(f"{outcome:6} {case.file:8} {case.text!r} {case.language} -> {value!r}, accepted {list(case.accept)} {problem}")
    print(f"{'':8} {'':48} right unread wrong")
    for (file, kind), counts in groups.items():
        print(f"{file:8} {kind:48} {counts['right']:5} {counts['unread']:6} {counts['wrong']:5}")
    total = sum(groups.values(), Counter[Outcome]())
    for file, counts in measure(options.cases).items():
        print(f"{file:57} {counts['right']:5} {counts['unread']:6} {counts['wrong']:5}")
    count = max(total.total(), 1)
    print(f"{'all':57} {total['right']:5} {total['unread']:6} {total['wrong']:5}")
    print(f"wrong {total['wrong'] / count:.1%}, unread {total['unread'] / count:.1%}")


if __name__ == "__main__":
    main()
