"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence

NOTE = "This page is written from the code by `make reference`. Do not edit it."


def begin_page(title: str, *, introduction: str) -> list[str]:
    """Return the first lines of a page."""
    return [f"# {title}", "", introduction, "", f"<!-- {NOTE} -->", ""]


def write_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table with an empty line after it. Without rows, nothing."""
    lines = [" | ".join(_write_cell(cell) for cell in row) for row in rows]
    if not lines:
        return []
    return [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *(f"| {line} |" for line in lines), ""]


def _write_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def write_docstring(text: str) -> list[str]:
    """Return the lines of a docstring. Blocks of lines of the form "name: meaning" become lists."""
    lines = []
    for block in text.split("\n\n"):
        entries = block.split("\n")
        lines += (
            [*(f"- `{line.partition(':')[0]}`:{line.partition(':')[2]}" for line in entries), ""]
            if all(map(_is_entry, entries))
            else [block, ""]
        )
    return lines


def _is_entry(line: str) -> bool:
    name, colon, _ = line.partition(": ")
    return bool(colon) and name.isidentifier()


def code(text: str) -> str:
    """Return a text as code."""
    return f"`{text}`"


def end_page(lines: Iterable[str]) -> str:
    """Return the text of a page."""
    return "\n".join(lines).rstrip() + "\n"
