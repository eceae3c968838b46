"""The annotations app: the workbench where editors mark values."""

from django.apps import AppConfig


class AnnotationsConfig(AppConfig):
    name = "annotations"
    verbose_name = "Annotations"

    def ready(self) -> None:
        """The job that draws inert pages is here, since they are; services below know it by its kind."""
        from annotations import previews
        from extraction.models import Run
        from extraction.services import jobs

        jobs.JOBS[Run.Kind.PREVIEW] = previews.run
