"""Signs of life of the processes behind the dashboard."""

from django.db import models


class Heartbeat(models.Model):
    """When something that should happen again and again happened last. name: what it is."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"
