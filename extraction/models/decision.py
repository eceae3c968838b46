"""Decisions: who published which version of a rule, and who retired it. A decision outlasts the account of the person who made it."""

from typing import ClassVar, TypeAlias

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from extraction.models.rule import Rule


class DecisionKind(models.TextChoices):
    PUBLISHED = "published", gettext_lazy("Published")
    ACCEPTED = "accepted", gettext_lazy("Accepted as a repair")
    AUTOMATIC = "automatic", gettext_lazy("Went live automatically")
    COMMAND = "command", gettext_lazy("Published from the command line")
    RETIRED = "retired", gettext_lazy("Retired")


class Decision(models.Model):
    """One decision about a version of a rule.

    by: the person; None if Vertex published it automatically or the account was deleted.
    by_name: the person's name at that time.
    """

    What: TypeAlias = DecisionKind

    LIVE: ClassVar[tuple[DecisionKind, ...]] = (What.PUBLISHED, What.ACCEPTED, What.AUTOMATIC, What.COMMAND)

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="decisions")
    what = models.CharField(max_length=10, choices=What.choices)
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    by_name = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [models.CheckConstraint(condition=models.Q(what__in=DecisionKind.values), name="a_decision_is_of_a_known_kind")]

    def __str__(self) -> str:
        return f"{self.rule}: {self.get_what_display()}"
