"""The last move of pages that a person made in this session, kept so that it can be undone."""

from typing import Any

from django.http import HttpRequest

from extraction.models import Site

_KEY = "last_move"


def keep_move(request: HttpRequest, site: Site, memory: dict[str, Any], words: str) -> None:
    """Keep what undoes a move, in place of an earlier one. words: what the move did."""
    request.session[_KEY] = {"site": site.pk, "memory": memory, "words": words}


def describe_last_move(request: HttpRequest, site: Site) -> str:
    """Return what the last move did if it was on this site and has not been undone, else ""."""
    return str((_read(request, site) or {}).get("words", ""))


def take_move(request: HttpRequest, site: Site) -> dict[str, Any] | None:
    """Return what undoes the last move if it was on this site, and forget it."""
    kept = _read(request, site)
    request.session.pop(_KEY, None)
    return kept["memory"] if kept else None


def _read(request: HttpRequest, site: Site) -> dict[str, Any] | None:
    kept = request.session.get(_KEY)
    return kept if kept and kept["site"] == site.pk else None
