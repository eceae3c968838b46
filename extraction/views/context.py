"""The template context of the layout around every page."""

from functools import partial
from typing import Any

from django.http import HttpRequest

from extraction.models import Role, reach_of
from extraction.models.team import NOWHERE
from extraction.services.core import heartbeats
from extraction.views.help_pages import find_topic
from extraction.views.monitoring import breakage_view
from extraction.views.reader import find_script_words


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return the user's role in the team of what the page shows, what it allows, the page's section in the sidebar, the help for it,
    the number of open breakages, and for operators what does not run.
    """
    user = getattr(request, "user", None)
    reach = reach_of(user) if user else NOWHERE
    role: Role | None = getattr(request, "held_role", reach.highest)
    held = role or 0
    return {
        "role": role,
        "can_edit": held >= Role.EDITOR,
        "can_operate": held >= Role.OPERATOR,
        "can_administer": (reach.highest or 0) >= Role.ADMIN,
        "administers_everything": reach.everywhere,
        "section": _section(request),
        "script_words": find_script_words(),
        "help_topic": find_topic(_name_screen(request)),
        "open_breakages": partial(breakage_view.count_open, user) if user and role else 0,
        "silence": heartbeats.describe_silence if (reach.highest or 0) >= Role.OPERATOR else "",
    }


def _name_screen(request: HttpRequest) -> str:
    """Return the name of the page's address; empty if there is nothing at it."""
    return (request.resolver_match.url_name or "") if request.resolver_match else ""


def _section(request: HttpRequest) -> str:
    """Return the entry of the sidebar that the page belongs to."""
    name = _name_screen(request)
    if name == "home" or name.startswith(("record_type", "quality_rule")):
        return "home" if name == "home" else "record_types"
    if name.startswith("deliver"):
        return "deliveries"
    if name.startswith("alert"):
        return "alerts"
    if name.startswith(("account", "password", "session_end", "notices", "factor", "second_factor")):
        return ""
    if name in ("people", "person_edit", "sessions") or name.startswith(("invitation", "team")):
        return "people"
    if name.startswith("audit"):
        return "audit"
    if name.startswith("api_"):
        return "tokens"
    if name.startswith("breakage"):
        return "breakages"
    if name.startswith("help"):
        return "help"
    return "sites" if name else ""
