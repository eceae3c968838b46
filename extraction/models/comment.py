"""What people say to each other about a template or a breakage, and who is told of it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from extraction.models.cluster import Cluster
from extraction.models.monitor import Breakage


class Comment(models.Model):
    """A plain text about a template or a breakage.

    by_name: the person's name at that time; it outlasts the account.
    """

    MAX_LENGTH = 5_000

    cluster = models.ForeignKey(Cluster, null=True, blank=True, on_delete=models.CASCADE, related_name="comments")
    breakage = models.ForeignKey(Breakage, null=True, blank=True, on_delete=models.CASCADE, related_name="comments")
    text = models.TextField(max_length=MAX_LENGTH)
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    by_name = models.CharField(max_length=150)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(cluster=None, breakage__isnull=False) | Q(cluster__isnull=False, breakage=None),
                name="a_comment_is_about_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return f"comment {self.pk} of {self.by_name}"

    def get_absolute_url(self) -> str:
        return f"{self.subject.get_absolute_url()}#comment-{self.pk}"

    @property
    def subject(self) -> Cluster | Breakage:
        """What it is about."""
        found = self.cluster or self.breakage
        assert found is not None  # noqa: S101 - a constraint of the table
        return found


class Notice(models.Model):
    """Somebody is mentioned in a comment. read_at: when the person said that they have seen it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="notices")
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["user", "comment"], name="one_notice_per_person_and_comment")]

    def __str__(self) -> str:
        return f"notice of {self.comment} for {self.user}"
