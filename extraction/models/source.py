"""Where the pages of a site are fetched from, and how."""

from typing import ClassVar, TypeAlias

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from extraction.models.site import Site


class Rendering(models.TextChoices):
    NEVER = "never", "Never"
    WHEN_NEEDED = "when_needed", "When the plain page lacks its content"
    ALWAYS = "always", "Always"


MAX_PAGES = 1_000_000
MAX_DELAY_S = 600.0
MAX_CONCURRENCY = 64
"""The most that a person may set for a site."""


class Source(models.Model):
    """How a site's pages are fetched; one row a site.

    addresses: where a crawl starts. sitemaps, feeds: beside those that robots.txt names, where `find_sitemaps` looks for them.
    listed: addresses a person gave as a list; they are fetched and, like all pages, looked through for links.
    hosts: those that may be fetched from; none means the hosts of all addresses above. include, exclude: patterns of addresses
    with `*` for any characters; a page is fetched if it fits any `include` (or there is none) and no `exclude`.
    depth: links from a start address at most; None for any. page_limit: pages kept at most.
    whole: take every page up to the limit; otherwise a sample, spread over the site's addresses, that ends when pages bring nothing new.
    delay_s: between two requests to one host, at least. concurrency: requests to one host at once.
    rendered: whether a browser makes the page: `when_needed` where the plain page lacks its content.
    verify_certificates: hosts whose certificate is not valid count as unreachable.
    contact: who answers for the crawl, named in the user agent; empty for that of the settings.
    """

    Rendered: TypeAlias = Rendering

    DEFAULT_PAGES: ClassVar[int] = 500

    site = models.OneToOneField(Site, on_delete=models.CASCADE, related_name="source")
    addresses: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    find_sitemaps = models.BooleanField(default=True)
    sitemaps: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    feeds: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    listed: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    hosts: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    include: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    exclude: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    depth = models.PositiveSmallIntegerField(null=True, blank=True, validators=[MaxValueValidator(1000)])
    page_limit = models.PositiveIntegerField(default=DEFAULT_PAGES, validators=[MinValueValidator(1), MaxValueValidator(MAX_PAGES)])
    whole = models.BooleanField(default=False)
    delay_s = models.FloatField(default=0.5, validators=[MinValueValidator(0.0), MaxValueValidator(MAX_DELAY_S)])
    concurrency = models.PositiveSmallIntegerField(default=4, validators=[MinValueValidator(1), MaxValueValidator(MAX_CONCURRENCY)])
    rendered = models.CharField(max_length=12, choices=Rendering.choices, default=Rendering.NEVER)
    obey_robots = models.BooleanField(default=True)
    verify_certificates = models.BooleanField(default=True)
    contact = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(page_limit__gte=1, page_limit__lte=MAX_PAGES), name="a_source_has_a_page_limit"),
            models.CheckConstraint(condition=Q(delay_s__gte=0, delay_s__lte=MAX_DELAY_S), name="a_source_has_a_bounded_delay"),
            models.CheckConstraint(condition=Q(concurrency__gte=1, concurrency__lte=MAX_CONCURRENCY), name="a_source_is_fetched_at_all"),
            models.CheckConstraint(condition=Q(rendered__in=Rendering.values), name="a_source_is_rendered_in_a_known_way"),
        ]

    def __str__(self) -> str:
        return f"source of {self.site}"

    @property
    def is_set(self) -> bool:
        """There is something to begin with."""
        return bool(self.addresses or self.listed or self.sitemaps or self.feeds)
