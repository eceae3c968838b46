"""Requests as the views get them."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    """A request after django-htmx's middleware."""

    htmx: HtmxDetails


class SignedInHttpRequest(HtmxHttpRequest):
    """A request of a person with a role, as `policy.requires` passes it on."""

    user: User
