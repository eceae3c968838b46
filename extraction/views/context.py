"""The template context of the layout around every page."""

from typing import Any

from django.http import HttpRequest

from extraction.models import Role, role_of
from extraction.services.core import heartbeats
from extraction.views.monitoring import breakage_view


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return the user's role, what it allows, the page's section in the sidebar and the number of open breakages, and for operators
    what does not run.
    """
    user = getattr(request, "user", None)
    role = role_of(user) if user else None
    held = role or 0
    return {
        "role": role,
        "can_edit": held >= Role.EDITOR,
        "can_operate": held >= Role.OPERATOR,
        "can_administer": held >= Role.ADMIN,
        "section": _section(request),
        "open_breakages": breakage_view.count_open if role else 0,
        "silence": heartbeats.describe_silence if held >= Role.OPERATOR else "",
    }


def _section(request: HttpRequest) -> str:
    """Return the entry of the sidebar that the page belongs to."""
    name = (request.resolver_match.url_name or "") if request.resolver_match else ""
    if name == "home" or name.startswith(("record_type", "quality_rule")):
        return "home" if name == "home" else "record_types"
    if name.startswith("deliver"):
        return "deliveries"
    if name.startswith("alert"):
        return "alerts"
    if name.startswith("api_"):
        return "tokens"
    if name.startswith("breakage"):
        return "breakages"
    return "sites" if name else ""
