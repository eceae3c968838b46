"""What programs act with: tokens of people, and the outcomes of requests that must not be done twice."""

from typing import TypeAlias

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from extraction.models.site import Site


class ApiScope(models.TextChoices):
    """What a token may be used for. Each operation of the API needs one of these."""

    READ = "read", gettext_lazy("Read sites, pages, templates, rules, runs and breakages")
    RECORDS = "records", gettext_lazy("Read and export records and their changes")
    EDIT = "edit", gettext_lazy("Do what editors do: import, mark, learn, publish and run")
    OPERATE = "operate", gettext_lazy("Do what operators do: delete, retire rules and decide about repairs")
    ADMINISTER = "administer", gettext_lazy("Do what administrators do: manage teams and their members")


class ApiToken(models.Model):
    """A key with which a program acts as the person who made it. Only its digest is stored.

    A token never permits more than its person's role does at the time of the request.

    hint: the first characters, by which people recognise it.
    scopes: what it may be used for, values of `ApiScope`.
    every_site: it may be used for all sites, also later ones. Otherwise only for `sites`; if these are deleted, for none.
    expires_at: from then on it is refused; None if it holds until it is revoked.
    """

    Scope: TypeAlias = ApiScope

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=16)
    scopes: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    every_site = models.BooleanField(default=True)
    sites = models.ManyToManyField(Site, blank=True, related_name="+")
    expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class ApiOutcome(models.Model):
    """The answer to a request that had an idempotency key. The same request with the same key gets it again.

    key: what the program sent.
    digest: of the method, the address and the body.
    status: of the answer; None while the request is being handled.
    """

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="outcomes")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    content_type = models.CharField(max_length=100, blank=True)
    location = models.CharField(max_length=500, blank=True)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="one_outcome_per_idempotency_key")]

    def __str__(self) -> str:
        return f"outcome of {self.key}"
