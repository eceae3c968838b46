"""The address of the workbench.

The workbench is a separate app that depends on this one, so its route is named in the settings.
"""

from django.conf import settings
from django.urls import reverse
from django.utils.http import urlencode


def workbench_url(slug: str, number: int, *, page: int = 0, attribute: int | None = 0, row: int = 0) -> str:
    """Return the address of a template's workbench.

    slug: the site's; number: the template's.
    page: the id of a snapshot to open, whether it is a sample or not.
    attribute: the id of the attribute to choose on it.
    row: the number of its row from 1, for an attribute of a list.
    """
    address = reverse(settings.VERTEX_WORKBENCH_ROUTE, args=[slug, number])
    asked = {name: value for name, value in (("page", page), ("attribute", attribute), ("row", row)) if value}
    return f"{address}?{urlencode(asked)}" if asked else address
