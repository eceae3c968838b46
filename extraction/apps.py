"""The extraction app: pages, templates, rules, records."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate, pre_migrate


class ExtractionConfig(AppConfig):
    name = "extraction"
    verbose_name = "Extraction"

    def ready(self) -> None:
        from extraction import pipeline
        from extraction.algorithms.rules import apply
        from extraction.models.kept import installing
        from extraction.models.linear_regexps import use_linear_regexps
        from extraction.services.core.careful_calls import run_carefully

        pre_migrate.connect(installing.prepare_migration, sender=self)
        post_migrate.connect(installing.finish_migration, sender=self)
        post_migrate.connect(_create_first_team, sender=self)
        user_logged_in.connect(_record_sign_in)
        connection_created.connect(use_linear_regexps)
        pipeline.connect()
        apply.call_carefully = run_carefully


def _create_first_team(*, using: str, **_: Any) -> None:
    """Create the first team. Django calls this whenever it creates or empties the tables."""
    from django.db import connections

    from extraction.models import Team
    from extraction.models.team import find_first_team

    if using == "default" and Team._meta.db_table in connections[using].introspection.table_names():
        find_first_team()


def _record_sign_in(*, user: Any, request: Any, **_: Any) -> None:
    """Record a sign-in, and its session at once: a session that is not in the list cannot be ended."""
    from django.utils import timezone

    from extraction.services.core import people
    from extraction.views.policy import note_use
    from extraction.views.reader import remember_reader

    if request.session.session_key is None:  # Django gives a new session a key only when it is saved
        request.session.save()
    remember_reader(request, user)
    note_use(request, user, timezone.now())
    people.record_sign_in(user)
