"""The arguments of commands that name a template."""

from django.core.management.base import CommandError, CommandParser

from extraction.management.following import find_site
from extraction.models import Cluster


def add_arguments(parser: CommandParser, *, default: str = "") -> None:
    """Add the arguments that name a template. default: what the command does without a template; empty if it needs one."""
    parser.add_argument("site", help="the site's name or slug")
    if default:
        parser.add_argument("template", nargs="?", help=f"the template's number or name (default: {default})")
    else:
        parser.add_argument("template", help="the template's number or name")


def find_template(site: str, template: str) -> Cluster:
    """Return the template of a site with this number or name. Raises CommandError if there is none."""
    clusters = Cluster.objects.filter(site=find_site(site)).select_related("site", "record_type")
    found = clusters.filter(number=template).first() if template.isdecimal() and len(template) < 9 else None
    found = found or clusters.filter(name=template).first()
    if found is None:
        known = ", ".join(f"{each.number} ({each.label})" for each in clusters[:20]) or "none"
        raise CommandError(f"{site} has no template {template!r}. Templates: {known}")
    return found
