"""The reference of the management commands of Vertex, from their parsers."""

import argparse

from django.core.management import get_commands, load_command_class

from tests.guide.reference.markdown import begin_page, code, end_page, write_table

INTRODUCTION = (
    "Every management command of Vertex. In a checkout, write `.venv/bin/python manage.py NAME`; where the package is installed, "
    "`vertex manage NAME`. Django's own options, such as `--verbosity`, are left out. "
    "Most work with sites is easier with [`vertex`](command-line.md)."
)
APPS = ("extraction", "annotations")


def write_page() -> str:
    """Return the text of the page."""
    lines = begin_page("Management commands", introduction=INTRODUCTION)
    for name, app in sorted(get_commands().items()):
        if app in APPS:
            lines += _describe_command(str(app), name)
    return end_page(lines)


def _describe_command(app: str, name: str) -> list[str]:
    command = load_command_class(app, name)
    own = _OwnArguments(add_help=False)
    command.add_arguments(own)  # type: ignore[arg-type]  # Django's parser adds options of its own
    actions = [each for each in own._actions if each.help != argparse.SUPPRESS]
    usage = own.format_usage().removeprefix("usage: ")
    lines = [f"## {name}", "", str(command.help).strip(), "", code(" ".join([name, *usage.split()])), ""]
    return lines + write_table(["argument", "meaning"], [(code(_name_argument(each)), _explain(each)) for each in actions])


class _OwnArguments(argparse.ArgumentParser):
    """A parser whose usage is one line without the program's name."""

    def __init__(self, **options: bool) -> None:
        super().__init__(prog="", formatter_class=lambda prog: argparse.HelpFormatter(prog, width=10_000), **options)  # type: ignore[arg-type]


def _name_argument(action: argparse.Action) -> str:
    shown = str(action.metavar or action.dest)
    if not action.option_strings:
        return shown
    flags = ", ".join(action.option_strings)
    return flags if action.nargs == 0 else f"{flags} {action.metavar or action.dest.upper()}"


def _explain(action: argparse.Action) -> str:
    """Return the help of an argument, its choices, and its default where the help does not name it."""
    text = (action.help or "") % {"default": action.default, "prog": "manage.py", "choices": action.choices}
    choices = f" One of {', '.join(code(str(each)) for each in action.choices)}." if action.choices else ""
    return (text[:1].upper() + text[1:]).rstrip(".") + "." + choices if text else choices.strip()
