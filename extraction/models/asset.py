"""Assets: the stylesheets, pictures and fonts that pages need to look right."""

from django.db import models

from extraction.models.site import Site


class Asset(models.Model):
    """An asset of a site's pages, loaded once. Like a page's bytes, its bytes are stored under their sha256.

    url: the asset's address. For pages from an archive without addresses, it is the file name in the archive.
    content_type: determined from the bytes, never taken from the server. It is empty if there are no bytes.
    error: the reason why there are no bytes, else empty.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="assets")
    url = models.CharField(max_length=2000)
    sha256 = models.CharField(max_length=64, blank=True)
    content_type = models.CharField(max_length=40, blank=True)
    size_bytes = models.PositiveIntegerField(default=0)
    fetched_at = models.DateTimeField()
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["site", "url"], name="one_asset_per_url"),
            models.CheckConstraint(
                condition=(models.Q(error="") & ~models.Q(sha256="") & ~models.Q(content_type=""))
                | (~models.Q(error="") & models.Q(sha256="", content_type="")),
                name="an_asset_has_bytes_or_an_error",
            ),
        ]
        indexes = [models.Index(fields=["site", "sha256"])]

    def __str__(self) -> str:
        return self.url
