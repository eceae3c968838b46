"""Tags and filters of the structure lab."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from extraction.models import Clustering
from extraction.services.core.percent import use_decimal_sign
from extraction.views.lab import lab_view

register = template.Library()

GAP = 0.4
"""Hundredths of the strip's width between two groups, so that you can see where one ends."""


@register.simple_tag
def strip(parts: Sequence[float], label: str, groups: int) -> SafeString:
    """Show groups side by side, each as wide as its share of the pages. The rest of the strip is pages in no group.

    parts: the shares of the groups, the largest first.
    label: the text for the title and for screen readers.
    groups: the number of groups. If there are more groups than parts, the last part is all other groups together.
    """
    rects: list[tuple[str, str, str]] = []
    start = 0.0
    for share in parts:
        rest = mark_safe(" data-rest") if len(rects) == len(parts) - 1 and groups > len(parts) else ""  # nosec B308
        rects.append((f"{start:.2f}", f"{max(share * 100 - GAP, GAP):.2f}", rest))
        start += share * 100
    return format_html(
        '<svg class="bar lab-strip" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="{}"><title>{}</title>{}</svg>',
        label,
        label,
        format_html_join("", '<rect x="{}" width="{}" height="1"{}/>', rects),
    )


@register.filter
def clustering_name(clustering: Clustering) -> str:
    """Return the name of a clustering."""
    return lab_view.name_method(clustering.method) if clustering.method else gettext("Current templates")


@register.filter
def method_title(method: str) -> str:
    """Return the name of a method."""
    return lab_view.name_method(method)


@register.filter
def method_note(method: str) -> str:
    """Return what a method is good for."""
    return str(lab_view.METHOD_WORDS[method][1])


@register.filter
def kbit(bits: float | None) -> str:
    """Write bits in thousands."""
    return "–" if bits is None else use_decimal_sign(f"{bits / 1000:,.1f}".replace(",", "\u202f"))


@register.filter
def seconds(value: float) -> str:
    """Write seconds, with two decimals below 10."""
    return use_decimal_sign(f"{value:.2f}") if value < 10 else f"{value:.0f}"


@register.filter
def megabytes(size_bytes: int) -> str:
    """Write bytes in millions."""
    return f"{size_bytes / 1e6:.0f}" if size_bytes >= 1e6 else "<1"


@register.filter
def measure(value: float) -> str:
    """Write a measure from 0 to 1. Only 1 itself is shown as 1."""
    return use_decimal_sign(f"{min(value, 0.999) if value < 1 else 1.0:.3f}".removeprefix("0"))
