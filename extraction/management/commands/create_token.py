"""The command that makes a token for a person's programs, on the server."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from extraction.management.vertex_command import VertexCommand
from extraction.models import ApiScope, Site
from extraction.services.core import api_tokens
from extraction.services.core.access import visible_to

DAYS = 90


class Command(VertexCommand):
    help = (
        "Make a token with which programs act as a person, and print it. It is not shown again. The person can revoke it under Your tokens."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the person's name")
        parser.add_argument("--use", required=True, help="what will use the token")
        parser.add_argument("--scope", action="append", choices=ApiScope.values, help="what it may do (without it: read and records)")
        parser.add_argument("--site", action="append", metavar="SLUG", help="only for this site (without it: for all); may be repeated")
        parser.add_argument("--days", type=int, default=DAYS, help=f"how long it is valid (default: {DAYS})")

    def handle(self, *, name: str, use: str, scope: list[str] | None, site: list[str] | None, days: int, **_: Any) -> None:
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise CommandError(f"there is no person {name} who may sign in; create_user makes one")
        if days < 1:
            raise CommandError("a token is valid for at least one day")
        sites = None if site is None else list(visible_to(Site.objects.filter(slug__in=site), user))
        if sites is not None and (missing := sorted(set(site or ()) - {each.slug for each in sites})):
            raise CommandError(f"{name} sees no site {missing[0]}")
        scopes = scope or [ApiScope.READ, ApiScope.RECORDS]
        expires_at = timezone.now() + timedelta(days=days)
        self.stdout.write(api_tokens.create_token(user, use, scopes, sites=sites, expires_at=expires_at))
        self.stderr.write(f"Programs act as {name} with it until {expires_at:%Y-%m-%d}. It may: {', '.join(scopes)}.")
