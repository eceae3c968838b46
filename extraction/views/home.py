"""The first page after signing in."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from extraction.models import Role
from extraction.services.core import comments
from extraction.views import first_steps
from extraction.views import home_view as service
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires


@require_safe
@requires(Role.VIEWER)
def show_home(request: SignedInHttpRequest) -> HttpResponse:
    """Show what is waiting for a person, what is running, and the state of the sites."""
    notices = comments.list_notices(request.user)
    steps = first_steps.list_steps(request) if request.held_role >= Role.EDITOR else []
    context = {
        "home": service.build_home(request.user),
        "notices": notices[: service.SHOWN],
        "notice_count": notices.count(),
        "steps": steps,
        "steps_done": sum(step.done for step in steps),
        "steps_folded": first_steps.are_folded(steps, request.held_role),
        "demo_site": settings.VERTEX_DEMO_SITE,
    }
    return render(request, "extraction/sites/home.html", context)
