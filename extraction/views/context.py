"""What every page's frame needs."""

from typing import Any

from django.http import HttpRequest

from extraction.models import Role, role_of


def shell(request: HttpRequest) -> dict[str, Any]:
    """The person's role, and which roles it includes, for showing only what they may do."""
    user = getattr(request, "user", None)
    role = role_of(user) if user else None
    held = role or 0
    return {"role": role, "can_edit": held >= Role.EDITOR, "can_operate": held >= Role.OPERATOR, "can_administer": held >= Role.ADMIN}
