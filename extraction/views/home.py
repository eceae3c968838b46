"""The first page after signing in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from extraction.models import Role, role_of
from extraction.views import home_view as service
from extraction.views.policy import requires


@require_safe
@requires(Role.VIEWER)
def show_home(request: HttpRequest) -> HttpResponse:
    """Show what is waiting for a person, what is running, and the state of the sites."""
    operates = (role_of(request.user) or 0) >= Role.OPERATOR
    return render(request, "extraction/sites/home.html", {"home": service.build_home(operates=operates)})
