"""The address of the workbench.

The workbench is a separate app that depends on this one, so its route is named in the settings.
"""

from django.conf import settings
from django.urls import reverse


def workbench_url(slug: str, number: int) -> str:
    """Return the address of a template's workbench. slug: the site's; number: the template's."""
    return reverse(settings.VERTEX_WORKBENCH_ROUTE, args=[slug, number])
