"""The reference of the command `vertex`, from its options and their help."""

from collections.abc import Iterator
from typing import Any

import click

from tests.guide.reference.markdown import begin_page, code, end_page, write_table
from vertex.command_line.__main__ import main

INTRODUCTION = (
    "Every command of `vertex` with its arguments and options. [The command line](../command-line.md) explains how they work together, "
    "the exit codes, and how to reach a server. The options of `vertex` itself stand before the command: `vertex --json runs`."
)


def write_page() -> str:
    """Return the text of the page."""
    lines = begin_page("Commands of vertex", introduction=INTRODUCTION)
    with click.Context(main, info_name="vertex", **main.context_settings) as context:
        lines += ["## vertex", "", code(_write_usage(context)), "", *_write_options(main, context)]
        for path, command in _list_commands(main, context, "vertex"):
            lines += [f"## {path.info_name}", "", (command.help or "").split("\f")[0].strip(), ""]
            lines += [code(_write_usage(path)), "", *_write_arguments(command, path), *_write_options(command, path)]
    return end_page(lines)


def _list_commands(group: click.Group, context: click.Context, name: str) -> Iterator[tuple[click.Context, click.Command]]:
    """Yield all commands with a context that has their full name. Groups themselves do nothing and are left out."""
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        if command is None or command.hidden:
            continue
        full = f"{name} {each}"
        if isinstance(command, click.Group):
            yield from _list_commands(command, context, full)
        else:
            settings: dict[str, Any] = {"help_option_names": context.help_option_names, **command.context_settings}
            yield click.Context(command, info_name=full, **settings), command


def _write_usage(context: click.Context) -> str:
    pieces = context.command.collect_usage_pieces(context)
    return " ".join([str(context.info_name), *pieces])


def _write_arguments(command: click.Command, context: click.Context) -> list[str]:
    """Return a table of the arguments that take one of a few words; the usage says all about the others."""
    chosen = [each for each in command.get_params(context) if isinstance(each, click.Argument) and isinstance(each.type, click.Choice)]
    rows = [(code(each.make_metavar(context)), ", ".join(code(str(word)) for word in _list_choices(each))) for each in chosen]
    return write_table(["argument", "is one of"], rows)


def _list_choices(parameter: click.Parameter) -> list[str]:
    return [str(word) for word in parameter.type.choices] if isinstance(parameter.type, click.Choice) else []


def _write_options(command: click.Command, context: click.Context) -> list[str]:
    rows = []
    for each in command.get_params(context):
        record = each.get_help_record(context) if isinstance(each, click.Option) else None
        if record:
            needed = " Required." if each.required else ""
            rows.append((code(record[0]), record[1].replace("[required]", "").strip() + needed))
    return write_table(["option", "meaning"], rows)
