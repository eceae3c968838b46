"""The types of requests that views receive."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    """A request that has passed django-htmx's middleware."""

    htmx: HtmxDetails


class SignedInHttpRequest(HtmxHttpRequest):
    """A request of a signed-in user with a role. `policy.requires` passes it to the view."""

    user: User
