"""Quality rules, and the decision about runs that they hold back."""

from collections.abc import Sequence
from typing import Any

import click

from vertex.command_line.arguments import site_option, split_name, template_option
from vertex.command_line.main import Context, main
from vertex.command_line.output import Failure, print_json, print_row, print_rows

RULE_COLUMNS = ["id", "site", "template", "weight", "enabled", "text"]
RUN_COLUMNS = ["id", "run", "site", "template", "state", "reasons", "judged_at", "decided_by"]
LISTS = frozenset({"values", "languages"})
NUMBERS = frozenset({"shortest", "longest", "runs", "least", "most"})

limit_option = click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    help="low, high, currency, pattern, values, shortest, longest, languages, direction, operator, least, most, runs. May be repeated.",
)
allow_option = click.option("--allow", type=click.FloatRange(0, 1), help="The share of records that may fail, from 0 to 1.")
weight_option = click.option("--weight", type=click.Choice(["note", "warn", "block"]), help="What follows if it is broken.")
note_option = click.option("--note", default="", help="What the others should know.")


@main.group()
def quality() -> None:
    """Quality rules of record types, and the runs that they hold back."""


@quality.command("rules")
@click.argument("record_type")
@click.pass_obj
def list_rules(context: Context, record_type: str) -> None:
    """List the quality rules of a RECORD_TYPE (its slug)."""
    print_rows(context.vertex.list_quality_rules(record_type), RULE_COLUMNS, as_json=context.as_json)


@quality.command("add")
@click.argument("record_type")
@click.argument("kind")
@click.argument("attribute", default="")
@click.option("--list", "list_name", default="", help="For a rule without an attribute: the list whose rows it is about.")
@click.option("--other", default="", help="The attribute with which a relation compares.")
@limit_option
@allow_option
@weight_option
@site_option
@template_option
@click.option("--try", "only_try", is_flag=True, help="Do not store it, but show what it finds now.")
@click.pass_obj
def add_rule(
    context: Context,
    record_type: str,
    kind: str,
    attribute: str,
    list_name: str,
    other: str,
    limits: tuple[str, ...],
    allow: float | None,
    weight: str | None,
    slug: str,
    template: int | None,
    only_try: bool,
) -> None:
    """Add a rule to a RECORD_TYPE, for all templates or for one.

    KIND is required, range, values, pattern, length, unique, language, relation, monotony, change or count. An attribute of a list has the
    list before its name: offers.price. A price from 1 to 500: vertex quality add book range price --limit low=1 --limit high=500
    """
    of_list, name = split_name(attribute)
    fields: dict[str, Any] = {"attribute": name, "list_name": of_list or list_name, "other": other, "limits": read_limits(limits)}
    fields |= {"allowed_fraction": allow} if allow is not None else {}
    fields |= {"weight": weight} if weight else {}
    if only_try:
        tried = context.vertex.try_quality_rule(record_type, kind, site=slug, template=template, **fields)
        print_row(tried, as_json=context.as_json)
        return
    print_row(context.vertex.create_quality_rule(record_type, kind, site=slug, template=template, **fields), as_json=context.as_json)


@quality.command("change")
@click.argument("rule", type=int)
@limit_option
@allow_option
@weight_option
@click.option("--on/--off", "enabled", default=None, help="Switch it on or off.")
@site_option
@template_option
@click.pass_obj
def change_rule(
    context: Context,
    rule: int,
    limits: tuple[str, ...],
    allow: float | None,
    weight: str | None,
    enabled: bool | None,
    slug: str,
    template: int | None,
) -> None:
    """Change a RULE. With --site and --template, a rule for all templates is changed for this one only. --limit replaces all limits."""
    chosen = {"limits": read_limits(limits) or None, "allowed_fraction": allow, "weight": weight, "enabled": enabled}
    fields = {name: value for name, value in chosen.items() if value is not None}
    if not fields:
        raise click.UsageError("Say what to change.")
    print_row(context.vertex.change_quality_rule(rule, site=slug, template=template, **fields), as_json=context.as_json)


@quality.command("delete")
@click.argument("rule", type=int)
@click.pass_obj
def delete_rule(context: Context, rule: int) -> None:
    """Delete a RULE. What it found in earlier runs stays."""
    context.vertex.delete_quality_rule(rule)
    click.echo(f"Rule {rule} was deleted.", err=True)


@quality.command("suggest")
@click.argument("record_type")
@click.argument("names", nargs=-1)
@weight_option
@site_option
@template_option
@click.pass_obj
def suggest_rules(context: Context, record_type: str, names: tuple[str, ...], weight: str | None, slug: str, template: int | None) -> None:
    """List the rules that the records of a RECORD_TYPE suggest; with NAMES of suggestions, take these over."""
    vertex = context.vertex
    if names:
        made = vertex.take_quality_rules(record_type, names, weight=weight, site=slug, template=template)
        print_rows(made, RULE_COLUMNS, as_json=context.as_json)
        return
    found = vertex.suggest_quality_rules(record_type, site=slug, template=template)
    print_rows(found.suggestions, ["name", "weight", "text"], as_json=context.as_json)
    part = "" if found.complete else " These are not all."
    click.echo(f"From {found.records:,} records.{part} {found.known} more are stored already.", err=True)


@quality.command("runs")
@site_option
@template_option
@click.option("--state", default="", help="released, held or rejected.")
@click.pass_obj
def list_runs(context: Context, slug: str, template: int | None, state: str) -> None:
    """List the verdicts on runs, newest first."""
    print_rows(context.vertex.list_releases(site=slug, template=template, state=state), RUN_COLUMNS, as_json=context.as_json)


@quality.command("show")
@click.argument("verdict", type=int)
@click.pass_obj
def show_run(context: Context, verdict: int) -> None:
    """Show a VERDICT on a run (its id) with what each rule found."""
    print_row(context.vertex.get_release(verdict), as_json=context.as_json)


@quality.command("failures")
@click.argument("verdict", type=int)
@click.pass_obj
def list_failures(context: Context, verdict: int) -> None:
    """Print the records that failed, as JSON Lines. Only the first ones of each rule are kept."""
    for each in context.vertex.list_failures(verdict):
        print_json(each)


@quality.command("release")
@click.argument("verdict", type=int)
@note_option
@click.pass_obj
def release_run(context: Context, verdict: int, note: str) -> None:
    """Release the records of a held run, because they are right."""
    print_rows([context.vertex.release_run(verdict, note=note)], RUN_COLUMNS, as_json=context.as_json)


@quality.command("reject")
@click.argument("verdict", type=int)
@note_option
@click.pass_obj
def reject_run(context: Context, verdict: int, note: str) -> None:
    """Reject the records of a held run. The last released ones stay delivered."""
    print_rows([context.vertex.reject_run(verdict, note=note)], RUN_COLUMNS, as_json=context.as_json)


def read_limits(texts: Sequence[str]) -> dict[str, Any]:
    """Return the limits of a rule. Those that are lists may be given several times. Raises Failure."""
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise Failure(f"A limit has the form NAME=VALUE, unlike {text!r}.")
        if name in LISTS:
            found.setdefault(name, []).append(value)
        elif name in found:
            raise Failure(f"The limit {name} is given twice.")
        else:
            found[name] = _read_number(name, value) if name in NUMBERS else value
    return found


def _read_number(name: str, text: str) -> int | float:
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError as error:
        raise Failure(f"The limit {name} is a number, unlike {text!r}.") from error
