"""The extraction app: pages, templates, rules, records."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class ExtractionConfig(AppConfig):
    name = "extraction"
    verbose_name = "Extraction"

    def ready(self) -> None:
        from extraction import pipeline
        from extraction.algorithms.rules import apply
        from extraction.models.kept import installing
        from extraction.services.core.careful_calls import run_carefully

        pre_migrate.connect(installing.prepare_migration, sender=self)
        post_migrate.connect(installing.finish_migration, sender=self)
        post_migrate.connect(_create_groups, sender=self)
        pipeline.connect()
        apply.call_carefully = run_carefully


def _create_groups(**_: Any) -> None:
    """Create a group for each role. Django calls this whenever it creates or empties the tables."""
    from django.contrib.auth.models import Group

    from extraction.models import Role

    for role in Role:
        Group.objects.get_or_create(name=role.group)
