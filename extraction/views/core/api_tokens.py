"""A person's own tokens for the API: the list, a new one, and revoking."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.forms.api_tokens import ApiTokenForm
from extraction.models import ApiToken, Role
from extraction.services.core import api_tokens as service
from extraction.services.core import secret_tokens
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires


@require_safe
@requires(Role.VIEWER)
def list_tokens(request: SignedInHttpRequest) -> HttpResponse:
    """Show the person's tokens, and the form for a new one."""
    return _show(request, ApiTokenForm(user=request.user))


@require_POST
@requires(Role.VIEWER)
def create_token(request: SignedInHttpRequest) -> HttpResponse:
    """Make a token and show it, once."""
    form = ApiTokenForm(request.POST, user=request.user)
    if not form.is_valid():
        return _show(request, form)
    data = form.cleaned_data
    sites = list(data["sites"]) or None
    token = service.create_token(request.user, data["name"], data["scopes"], sites=sites, expires_at=form.read_expiry())
    return _show(request, ApiTokenForm(user=request.user), token=token)


@require_POST
@requires(Role.VIEWER)
def revoke_token(request: SignedInHttpRequest, token_id: int) -> HttpResponse:
    """Revoke one of the person's tokens. Those of others are not found."""
    token = get_object_or_404(ApiToken, pk=token_id, user=request.user)
    secret_tokens.revoke_token(token)
    messages.success(request, gettext("%(token)s is revoked. Programs that use it are refused from now on.") % {"token": token.name})
    return redirect("api_tokens")


def _show(request: HttpRequest, form: ApiTokenForm, *, token: str = "") -> HttpResponse:
    context = {
        "tokens": ApiToken.objects.filter(user=request.user.pk).prefetch_related("sites"),
        "form": form,
        "token": token,
        "now": timezone.now(),
        "root": f"{settings.VERTEX_PUBLIC_URL}/api/v1/",
    }
    answer = render(request, "extraction/core/api_tokens.html", context, status=400 if form.errors else 200)
    if token:
        answer.headers["Cache-Control"] = "no-store"
    return answer
