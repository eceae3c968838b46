"""Sites: the web sites whose pages become records."""

from django.conf import settings
from django.db import models
from django.urls import reverse

from extraction.models.team import Team, find_first_team


class Site(models.Model):
    """A web site.

    method: the clustering method that its templates were adopted from, a name in `algorithms.methods`; empty if its templates
        are found by masked shingles, as usual.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, default=find_first_team, related_name="sites")
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=140, unique=True)
    address = models.URLField(max_length=2000, blank=True)
    method = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="one_site_per_team_and_name")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("site", args=[self.slug])
