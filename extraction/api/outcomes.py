"""Idempotency keys: a POST that is sent again with the same `Idempotency-Key` is not done again, but gets the same answer."""

import hashlib

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from extraction.api.problems import write_problem
from extraction.models import ApiOutcome, ApiToken
from extraction.services.core import api_outcomes
from extraction.services.core.api_outcomes import Answer, BeingHandled, OtherRequest

HEADER = "Idempotency-Key"

MAX_KEY = 200


def begin(request: HttpRequest, token: ApiToken) -> ApiOutcome | HttpResponse | None:
    """Return a row for the outcome, or the answer at once. None if the request has no key or changes nothing."""
    key = request.headers.get(HEADER, "")
    if not key or request.method != "POST":
        return None
    if len(key) > MAX_KEY or not key.isprintable():
        return write_problem(400, f"An {HEADER} has at most {MAX_KEY} printable characters.")
    try:
        found = api_outcomes.begin_request(token, key, _digest(request), now=timezone.now())
    except OtherRequest:
        return write_problem(422, f"This {HEADER} was used for another request. Use a new key for each request.")
    except BeingHandled:
        return write_problem(
            409, f"The first request with this {HEADER} is still being handled. Try again later.", headers={"Retry-After": "5"}
        )
    if isinstance(found, ApiOutcome):
        return found
    answer = HttpResponse(found.body, status=found.status, content_type=found.content_type, headers={"Idempotent-Replayed": "true"})
    if found.location:
        answer.headers["Location"] = found.location
    return answer


def end(row: ApiOutcome, response: HttpResponseBase) -> None:
    """Store the answer to a request with a key."""
    text = response.content.decode(errors="replace") if isinstance(response, HttpResponse) else ""
    said = Answer(response.status_code, response.headers.get("Content-Type", ""), response.headers.get("Location", ""), text)
    api_outcomes.end_request(row, said)


def _digest(request: HttpRequest) -> str:
    """Return a digest of the method, the address and the body. Files are read in pieces."""
    found = hashlib.sha256(f"{request.method} {request.get_full_path()}\0".encode())
    if request.content_type != "multipart/form-data":
        found.update(request.body)
        return found.hexdigest()
    for name in sorted(request.POST):
        found.update(repr((name, request.POST.getlist(name))).encode())
    for name in sorted(request.FILES):
        for file in request.FILES.getlist(name):
            assert isinstance(file, UploadedFile)  # noqa: S101 - Django's stubs say `object`
            found.update(repr((name, file.name, file.size)).encode())
            for piece in file.chunks():
                found.update(piece)
            file.seek(0)
    return found.hexdigest()
