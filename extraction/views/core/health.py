"""What machines ask about this installation: is the process alive, can it serve, and how are the runs."""

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from extraction.models import ApiScope, Role
from extraction.services.core import access, api_tokens, readiness
from extraction.services.monitoring import metrics


@login_not_required
@require_safe
def show_alive(_: HttpRequest) -> HttpResponse:
    """Answer. A process that cannot should be started again."""
    return HttpResponse("ok\n", content_type="text/plain", headers={"Cache-Control": "no-store"})


@login_not_required
@require_safe
def show_ready(_: HttpRequest) -> HttpResponse:
    """Say whether requests can be served: 200, or 503 with the parts that are missing."""
    obstacles = readiness.find_obstacles()
    said = {"ready": not obstacles, "problems": obstacles}
    return JsonResponse(said, status=503 if obstacles else 200, headers={"Cache-Control": "no-store"})


@login_not_required
@require_safe
def show_metrics(request: HttpRequest) -> HttpResponse:
    """Send the metrics for Prometheus, to a token for all sites with the scope `read`."""
    text = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    token = api_tokens.find_token(text) if text else None
    if token is None:
        return HttpResponse("This needs a token of the API.\n", status=401, headers={"WWW-Authenticate": 'Bearer realm="Vertex"'})
    held = access.TokenAccess.of(token)
    try:
        held.refuse_unless(Role.VIEWER, ApiScope.READ, held=held.reach.highest)
        held.refuse_team_limits("Metrics cover all teams.")
        held.refuse_site_limits("Metrics cover all sites.")
    except PermissionDenied as error:
        return HttpResponse(f"{error}\n", status=403, content_type="text/plain; charset=utf-8")
    return HttpResponse(metrics.write_metrics(), content_type=metrics.CONTENT_TYPE, headers={"Cache-Control": "no-store"})
