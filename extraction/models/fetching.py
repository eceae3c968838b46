"""How the pages of a site are fetched that need more than a visit."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from extraction.models.site import Site

MAX_LOADS = 1_000
"""The most clicks and screens for one page that a person may set. A screen takes about a third of a second."""


class SiteFetching(models.Model):
    """What a request for a page of a site needs beside its address. Each site has at most one row.

    proxy: the address of the site's proxy, without user and password; "" for none.
    secret: headers, cookies and the login of the proxy, encrypted; see `services/sites/fetching.py`. It is never shown, logged or printed.
    load_more: a CSS selector of the button that brings up more of a page; "" for none.
    scrolls: whether pages are scrolled to their end. With this or a button, all pages are rendered in a browser.
    most_loads: the most clicks and screens for one page.
    embedded: whether the open shadow roots and the frames of rendered pages are written into their trees.
    frame_hosts: hosts beside the site's own whose frames are read.
    pictures: whether the picture of each page that a browser renders is kept beside its snapshot.
    steps: how the site is signed in to, each as {"act", "at"} of a `SignInStep`; what is filled in is in `secret`.
    signed_out: a CSS selector of something that only signed-out visitors see; "" for none.
    session: what a browser keeps of the last sign-in, encrypted; "" for none.
    session_at: when that was.
    """

    DEFAULT_LOADS: ClassVar[int] = 50

    site = models.OneToOneField(Site, on_delete=models.CASCADE, related_name="fetching")
    proxy = models.CharField(max_length=300, blank=True)
    secret = models.TextField(blank=True)
    load_more = models.CharField(max_length=300, blank=True)
    scrolls = models.BooleanField(default=False)
    most_loads = models.PositiveSmallIntegerField(default=DEFAULT_LOADS, validators=[MinValueValidator(1), MaxValueValidator(MAX_LOADS)])
    embedded = models.BooleanField(default=True)
    pictures = models.BooleanField(default=False)
    frame_hosts: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)
    steps: models.JSONField[list[dict[str, str]], list[dict[str, str]]] = models.JSONField(default=list, blank=True)
    signed_out = models.CharField(max_length=300, blank=True)
    session = models.TextField(blank=True)
    session_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"fetching of {self.site}"

    @property
    def loads_more(self) -> bool:
        """Whether pages are scrolled or clicked before they are read."""
        return self.scrolls or bool(self.load_more)
