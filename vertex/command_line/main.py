"""The command `vertex` and its options: on this machine, or on a server by address and token."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from vertex.client import Vertex, VertexError
from vertex.client_rows import Run
from vertex.command_line.output import RunPrinter, fail, print_row, read_version


@dataclass(slots=True)
class Context:
    """What all commands share. as_json: print JSON. here: do runs in this process. wait: wait for runs."""

    url: str
    token: str
    as_json: bool
    here: bool
    wait: bool
    client: Vertex | None = None

    @property
    def vertex(self) -> Vertex:
        """The client. It is made when a command first needs it."""
        if self.client is None:
            self.client = self._connect()
        return self.client

    def _connect(self) -> Vertex:
        if self.url:
            if not self.token:
                raise click.UsageError("A server needs a token: --token, or better the variable VERTEX_TOKEN.")
            return Vertex(self.url, self.token)
        from vertex.command_line import local

        local.set_up()
        return local.LocalVertex(here=self.here)

    def follow(self, run: Run) -> Run:
        """Wait for a run if that is wanted, and print how it ended. With `here`, it is always waited for."""
        if self.wait or self.here:
            run = self.vertex.wait(run, watch=RunPrinter())
        print_run(run, as_json=self.as_json)
        return run


def print_run(run: Run, *, as_json: bool) -> None:
    """Print a run and what it gave."""
    if as_json:
        print_row(run, as_json=True)
        return
    click.echo(f"Run {run.id} ({run.kind}): {run.state}{f'; {run.summary_text}' if run.summary_text else ''}")
    if run.outcome not in (run.state, "done"):
        click.echo(f"Note: {run.outcome.replace('_', ' ')}. {run.summary.get('reason') or ''}".rstrip())


class Commands(click.Group):
    """Commands in the order in which they are added. Errors of the API become messages and exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Return the names in the order of the help."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except VertexError as error:
            fail(error)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": None})
@click.option(
    "--url", envvar="VERTEX_URL", default="", metavar="ADDRESS", help="A server's address. Without it: this machine. [VERTEX_URL]"
)
@click.option(
    "--token",
    envvar="VERTEX_TOKEN",
    default="",
    help="A token for the server. Better in the variable, as others see commands. [VERTEX_TOKEN]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")
@click.option("--here", is_flag=True, help="Do runs in this process, without a worker. Only on this machine.")
@click.option("--wait/--no-wait", default=True, help="Wait for runs and show their progress (the default).")
@click.version_option(read_version(), prog_name="vertex")
@click.pass_context
def main(context: click.Context, url: str, token: str, as_json: bool, here: bool, wait: bool) -> None:
    """Turn web sites into records: on this machine, or on a server with --url and a token."""
    if url and here:
        raise click.UsageError("--here does runs on this machine, so it does not go with --url.")
    context.obj = Context(url=url, token=token, as_json=as_json, here=here, wait=wait)
    context.call_on_close(lambda: context.obj.client.close() if context.obj.client else None)


FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
