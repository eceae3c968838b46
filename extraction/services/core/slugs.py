"""Slugs: the part of an address that names a row."""

from django.db import models
from django.utils.text import slugify

RESERVED = frozenset({"new"})
"""Slugs that are addresses of other screens."""


def find_free_slug(model: type[models.Model], name: str, *, default: str, max_length: int) -> str:
    """Return a slug for a name that no row of the model has yet: the name's own, or that with a number.

    default: the slug of a name without letters and digits.
    max_length: the most characters before the number.
    """
    base = slugify(name)[:max_length].strip("-") or default
    taken = set(model._default_manager.filter(slug__startswith=base).values_list("slug", flat=True)) | RESERVED
    return base if base not in taken else next(f"{base}-{n}" for n in range(2, len(taken) + 3) if f"{base}-{n}" not in taken)
