"""The frontier of a crawl: each address it knows, and the outcome of fetching it."""

from typing import ClassVar, Self, TypeAlias

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from extraction.models.run import Run


class AddressState(models.TextChoices):
    QUEUED = "queued", gettext_lazy("Queued")
    DONE = "done", gettext_lazy("Done")


class TermState(models.TextChoices):
    FOUND = "found", gettext_lazy("Found something")
    NOTHING = "nothing", gettext_lazy("Found nothing")
    UNCLEAR = "unclear", gettext_lazy("Asked, with an unclear answer")
    FAILED = "failed", gettext_lazy("No answer")
    WAITING = "waiting", gettext_lazy("Not asked")


class CrawlAddressQuerySet(models.QuerySet["CrawlAddress"]):
    """Common queries on the addresses of crawls."""

    def queued(self) -> Self:
        """Addresses still to be fetched."""
        return self.filter(state=AddressState.QUEUED)

    def done(self) -> Self:
        """Addresses with an outcome."""
        return self.filter(state=AddressState.DONE)


class CrawlAddress(models.Model):
    """One address of one crawl: either still to be fetched, or fetched with an outcome.

    A crawl resumes from these rows after its worker died.

    via: the page, sitemap or list that led to it.
    outcome: a `fetching.crawl.messages.Outcome`; empty while it is queued.
    status: the HTTP status, None if there was no response.
    final_url: where it redirected to, or for a duplicate the address whose page it repeats exactly; "" if it did neither.
    message: the reason for the outcome, in words.
    """

    State: TypeAlias = AddressState

    MESSAGE_LENGTH: ClassVar[int] = 300

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="addresses")
    url = models.CharField(max_length=2000)
    depth = models.PositiveSmallIntegerField(default=0)
    via = models.CharField(max_length=2000, blank=True)
    state = models.CharField(max_length=6, choices=State.choices, default=State.QUEUED)
    outcome = models.CharField(max_length=20, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    final_url = models.CharField(max_length=2000, blank=True)
    message = models.CharField(max_length=MESSAGE_LENGTH, blank=True)
    fetched_at = models.DateTimeField(null=True, blank=True)

    objects = CrawlAddressQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "crawl addresses"
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "url"], name="an_address_stands_once_in_a_crawl"),
            models.CheckConstraint(
                condition=Q(state=AddressState.QUEUED, outcome="") | (Q(state=AddressState.DONE) & ~Q(outcome="")),
                name="a_fetched_address_has_an_outcome",
            ),
        ]
        indexes = [models.Index(fields=["run", "state", "outcome", "id"]), models.Index(fields=["final_url"])]

    def __str__(self) -> str:
        return self.url


class SearchTerm(models.Model):
    """A term of the search of a site, and what the search said to it in one crawl.

    url: the address of its first result page; "" if it has none.
    links: how many links of the site that page has that the answer for a made-up term has not; None if that is not known.
    message: an explanation in words.
    """

    State: TypeAlias = TermState

    MESSAGE_LENGTH: ClassVar[int] = 300

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="search_terms")
    term = models.CharField(max_length=200)
    url = models.CharField(max_length=2000, blank=True)
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    links = models.PositiveIntegerField(null=True, blank=True)
    message = models.CharField(max_length=MESSAGE_LENGTH, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "term"], name="a_term_stands_once_in_a_crawl"),
            models.CheckConstraint(condition=Q(state__in=TermState.values), name="a_term_has_a_known_state"),
        ]
        indexes = [models.Index(fields=["run", "state", "id"])]

    def __str__(self) -> str:
        return self.term
