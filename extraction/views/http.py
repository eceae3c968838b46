"""The types of requests that views receive."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from extraction.models import Role


class HtmxHttpRequest(HttpRequest):
    """A request that has passed django-htmx's middleware."""

    htmx: HtmxDetails


class SignedInHttpRequest(HtmxHttpRequest):
    """A request of a signed-in user with a role. `policy.requires` passes it to the view.

    held_role: the role in the team of what the address names; the highest role in any team if it names nothing.
    """

    user: User
    held_role: Role
