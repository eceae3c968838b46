"""The frame that shows an untrusted page."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import PageError
from extraction.algorithms.json_texts import parse_json
from extraction.display import addresses, framing
from extraction.models import Role, Snapshot
from extraction.services.intake.inert_pages import make_inert_page
from extraction.services.templates import boilerplate
from extraction.views.policy import requires


@require_GET
@requires(Role.VIEWER)
@xframe_options_sameorigin
def show_frame(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    """Show one page, made inert.

    `mark=[locations]` outlines places, each in its `hue` if it has one. `preview=1` leaves out the script that reports
    clicks. `dim=1` dims what is the same on all pages of the template.
    """
    snapshot = get_object_or_404(Snapshot.objects.select_related("page", "cluster"), pk=snapshot_id)
    assets = request.build_absolute_uri(addresses.get_folder(snapshot.page.site_id))
    try:
        marks = _read_outlines(parse_json(request.GET.get("mark") or "[]"))
        cluster = snapshot.cluster if request.GET.get("dim") else None
        dimmed = boilerplate.find_dimmed(cluster, snapshot) if cluster else []
        script = not request.GET.get("preview")
        return framing.respond_with_frame(make_inert_page(snapshot), marks=marks, script=script, assets=assets, dimmed=dimmed)
    except (PageError, ValueError) as error:
        return framing.respond_with_failure(gettext("This page cannot be shown: %(error)s.") % {"error": error})


def _read_outlines(rows: Any) -> list[framing.Outline]:
    """Return the places to outline. Raises ValueError if `rows` is not a list of places."""
    if not isinstance(rows, list):
        raise ValueError(f"mark: a list is needed, got {rows!r}")
    places = [Location.from_json(row) for row in rows]
    hues = [row.get("hue", 0) for row in rows]
    if any(type(hue) is not int or hue < 0 for hue in hues):
        raise ValueError(f"hue: whole numbers from 0 are needed, got {hues!r}")
    return [framing.Outline(place, hue) for place, hue in zip(places, hues, strict=True)]
