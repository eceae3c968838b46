"""Where the workbench is. It is an app of its own, above this one: the settings name its route."""

from django.conf import settings
from django.urls import reverse


def workbench_url(slug: str, number: int) -> str:
    """The address of the workbench of a template. slug: its site's; number: its own."""
    return reverse(settings.VERTEX_WORKBENCH_ROUTE, args=[slug, number])
