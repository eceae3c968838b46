"""What is shown when something is not there, not allowed or broken: what, why, what to do."""

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template import loader


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403."""
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django calls it with both
    """404."""
    return render(request, "404.html", {"path": request.path}, status=404)


def broken(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django calls it with the request
    """500. Without the request's context: what broke may be what that needs."""
    return HttpResponseServerError(loader.render_to_string("500.html"))
