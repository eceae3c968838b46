"""Sources: where the pages of a site are fetched from, and how."""

from typing import ClassVar, TypeAlias

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from extraction.models.site import Site


class Rendering(models.TextChoices):
    NEVER = "never", gettext_lazy("Never")
    WHEN_NEEDED = "when_needed", gettext_lazy("When the page is empty without scripts")
    ALWAYS = "always", gettext_lazy("Always")


MAX_PAGES = 1_000_000
MAX_DELAY_S = 600.0
MAX_CONCURRENCY = 64
MAX_RESULT_PAGES = 1_000
"""The upper limits of what a person may set for a site."""


class Source(models.Model):
    """How the pages of a site are fetched. Each site has at most one row.

    addresses: where a crawl starts.
    find_sitemaps: also use the sitemaps that robots.txt names.
    sitemaps, feeds: further sitemaps and feeds.
    listed: addresses that a person gave as a list. They are fetched and, like all pages, searched for links.
    search_address: the page with the form of a search of the site; "" for none.
    search_fields: which of its fields are filled in, as `fetching.search_terms.read_fields` reads them.
    search_terms: what the search is asked for. Each term gives a result page, where a crawl starts, too.
    search_pages: the most result pages of one term.
    hosts: the hosts that may be fetched from; if empty, those of all addresses above.
    include, exclude: patterns of addresses, with `*` for any characters. A page is fetched if it matches any `include` (or
        there is none) and no `exclude`.
    depth: the most links from a start address; None for no limit.
    page_limit: the most pages to keep.
    whole: take every page up to the limit. Otherwise take a sample, spread over the addresses of the site, that ends when pages
        bring nothing new.
    delay_s: the least number of seconds between two requests to one host.
    concurrency: the most simultaneous requests to one host.
    rendered: whether a browser renders the pages.
    verify_certificates: treat hosts without a valid certificate as unreachable.
    contact: who is responsible for the crawl, named in the user agent; if empty, the contact of the settings.
    """

    Rendered: TypeAlias = Rendering

    DEFAULT_PAGES: ClassVar[int] = 500
    DEFAULT_RESULT_PAGES: ClassVar[int] = 20

    site = models.OneToOneField(Site, on_delete=models.CASCADE, related_name="source")
    addresses: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    find_sitemaps = models.BooleanField(default=True)
    sitemaps: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    feeds: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    listed: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    search_address = models.CharField(max_length=2000, blank=True)
    search_fields: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    search_terms: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    search_pages = models.PositiveSmallIntegerField(
        default=DEFAULT_RESULT_PAGES, validators=[MinValueValidator(1), MaxValueValidator(MAX_RESULT_PAGES)]
    )
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
            models.CheckConstraint(
                condition=Q(search_pages__gte=1, search_pages__lte=MAX_RESULT_PAGES), name="a_source_has_a_limit_of_result_pages"
            ),
            models.CheckConstraint(condition=Q(rendered__in=Rendering.values), name="a_source_is_rendered_in_a_known_way"),
        ]

    def __str__(self) -> str:
        return f"source of {self.site}"

    @property
    def is_set(self) -> bool:
        """Whether a crawl has anywhere to start."""
        return bool(self.addresses or self.listed or self.sitemaps or self.feeds or self.searches)

    @property
    def searches(self) -> bool:
        """Whether it has a search that is asked for terms."""
        return bool(self.search_address and self.search_terms)

    @property
    def all_addresses(self) -> tuple[str, ...]:
        """Every address that a person gave."""
        search = (self.search_address,) if self.search_address else ()
        return (*self.addresses, *self.listed, *self.sitemaps, *self.feeds, *search)
