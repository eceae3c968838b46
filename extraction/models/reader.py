"""What programs and people read: tokens, stored files, and the versions of the schema that they know."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import models

from extraction.models.schema import RecordType


class ReaderToken(models.Model):
    """A key with which a program reads the latest files and the feed of a record type. Only its digest is stored.

    hint: the first characters, by which people recognise it.
    """

    record_type = models.ForeignKey(RecordType, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=16)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class StoredFile(models.Model):
    """A file that was made for a download and is kept for a while, so that a download that broke off can go on.

    owner: the person who may fetch it by its own address; None if only its place leads to it.
    place: a digest of who asked for which address.
    etag: names these bytes. Two files never have the same.
    path: in the storage.
    made_from: a digest of what the file was made from, "" if it is made anew each time.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    place = models.CharField(max_length=64, db_index=True)
    etag = models.CharField(max_length=32, unique=True)
    path = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    content_type = models.CharField(max_length=100)
    size_bytes = models.PositiveBigIntegerField()
    made_from = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class SchemaVersion(models.Model):
    """The attributes of a record type, as readers of its files know them.

    number: from 1, counted up with each change.
    attributes: [{id, name, type, list, multiple, mandatory}], in their order.
    changes: [{text, breaking}], against the version before.
    """

    record_type = models.ForeignKey(RecordType, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    attributes: models.JSONField[list[Mapping[str, Any]], list[Mapping[str, Any]]] = models.JSONField(default=list)
    changes: models.JSONField[list[Mapping[str, Any]], list[Mapping[str, Any]]] = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["record_type", "number"], name="one_schema_version_per_number")]

    def __str__(self) -> str:
        return f"version {self.number} of {self.record_type_id}"

    @property
    def breaking(self) -> list[str]:
        """What breaks readers of the version before, a sentence each."""
        return [str(each["text"]) for each in self.changes if each["breaking"]]
