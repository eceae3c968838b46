"""What all requests to the API have in common: the token, the rate limit, idempotency keys, ETags, and errors as problem details."""

import hashlib
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

from extraction.api import limits, outcomes
from extraction.api.problems import CONTENT_TYPE, write_problem
from extraction.models import ApiOutcome
from extraction.services.core import api_tokens
from extraction.services.core.access import TokenAccess
from extraction.views.policy import has_nul

ROOT = "/api/v1/"

REASONS = {
    404: "There is nothing at this address.",
    405: "This address does not accept this method.",
    413: "The request is too large.",
    500: "The server made an error. Its log says more.",
}
"""Said about errors that say nothing themselves."""

logger = logging.getLogger(__name__)


class ApiMiddleware:
    """Handles the requests below /api/v1/. Cookies mean nothing there, so other sites' pages cannot make a browser act."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(ROOT):
            return self.get_response(request)
        access = _find_access(request)
        request.access = access  # type: ignore[attr-defined]
        request.user = access.user if access else AnonymousUser()
        response = self.get_response(request)
        if access is not None:
            response = _finish(request, response)
        return _describe_error(response)

    def process_view(self, request: HttpRequest, view: Any, _args: Any, _kwargs: Any) -> HttpResponseBase | None:
        """Answer at once without a token, over the limit, and to a request that was answered before."""
        if not request.path.startswith(ROOT) or not getattr(view, "login_required", True):
            return None
        access: TokenAccess | None = request.access  # type: ignore[attr-defined]
        if access is None:
            headers = {"WWW-Authenticate": 'Bearer realm="Vertex"'}
            return write_problem(401, "This needs a valid token, in the header “Authorization: Bearer …”.", headers=headers)
        allowance = limits.count_request(access.token.pk)
        request.allowance = allowance  # type: ignore[attr-defined]
        if allowance.exceeded:
            return write_problem(429, f"This token has made {allowance.limit:,} requests in this minute. Wait {allowance.reset_s} seconds.")
        if "\0" in unquote(request.get_full_path()):
            return write_problem(400, "An address cannot contain the character NUL.")  # PostgreSQL stores and compares none
        try:
            if has_nul(request):
                return write_problem(400, "A text cannot contain the character NUL.")
            begun = outcomes.begin(request, access.token)
        except RequestDataTooBig:
            return write_problem(413, f"A request without a file may have at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes.")
        if isinstance(begun, ApiOutcome):
            request.outcome = begun  # type: ignore[attr-defined]
            return None
        return begun


def _find_access(request: HttpRequest) -> TokenAccess | None:
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    token = api_tokens.find_token(text.strip()) if scheme.lower() == "bearer" and text.strip() else None
    return TokenAccess.of(token) if token else None


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Store the outcome of the request, tell the program what is left of its limit, and say “not modified” where that is so."""
    described = _describe_error(response)
    if (row := getattr(request, "outcome", None)) is not None:
        outcomes.end(row, described)
    if request.method in ("GET", "HEAD") and isinstance(described, HttpResponse) and described.status_code == 200:
        described.headers.setdefault("ETag", f'"{hashlib.sha256(described.content).hexdigest()[:32]}"')
        described.headers.setdefault("Cache-Control", "private, no-cache")
        conditional = get_conditional_response(request, etag=described.headers["ETag"], response=described)
        described = conditional if conditional is not None else described
    allowance: limits.Allowance | None = getattr(request, "allowance", None)
    for name, value in allowance.as_headers().items() if allowance else ():
        described.headers[name] = value
    return described


def _describe_error(response: HttpResponseBase) -> HttpResponseBase:
    """Return problem details in place of an error that Django or another middleware describes in another way."""
    status = response.status_code
    if status < 400 or response.headers.get("Content-Type", "").startswith(CONTENT_TYPE):
        return response
    plain = isinstance(response, HttpResponse) and response.headers.get("Content-Type", "").startswith("text/plain")
    said = response.content.decode(errors="replace") if plain and isinstance(response, HttpResponse) else ""
    kept = {name: value for name, value in response.headers.items() if name in ("Allow", "Content-Range", "ETag")}
    return write_problem(status, said or REASONS.get(status, "The request cannot be answered."), headers=kept)
