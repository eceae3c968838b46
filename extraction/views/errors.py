"""The pages for errors. They say what happened, why, and what to do."""

import sys

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template import loader

from extraction.services.core.outages import describe_outage


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Show the page for status 403."""
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django calls it with both
    """Show the page for status 404."""
    return render(request, "404.html", {"path": request.path}, status=404)


def broken(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django calls it with the request
    """Show the page for status 500, or for 503 if the disk or the database failed. It does not use the request's context, which may be
    what failed."""
    error = sys.exc_info()[1]
    outage = describe_outage(error) if error else None
    answer = HttpResponseServerError(loader.render_to_string("500.html", {"outage": outage}))
    if outage:
        answer.status_code, answer.headers["Retry-After"] = 503, "30"
    return answer
