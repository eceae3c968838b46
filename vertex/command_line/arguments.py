"""Arguments that several commands share, and what they mean."""

import click

from vertex.client import Vertex
from vertex.command_line.output import Failure

template_argument = click.argument("template", type=int)
site_option = click.option("--site", "slug", default="", help="The slug of a site.")
template_option = click.option("--template", type=int, help="The number of a template of the site.")


def find_page(vertex: Vertex, site: str, url: str) -> int:
    """Return the id of the page at an address. Raises Failure."""
    for page in vertex.list_pages(site, query=url):
        if page.url == url:
            return page.id
    raise Failure(f"{site} has no page {url}.")


def split_name(text: str) -> tuple[str, str]:
    """Return (list, attribute) of a name such as offers.price; the list is "" for an attribute of the page itself."""
    list_name, _, name = text.rpartition(".")
    return list_name, name
