"""The tag that links style sheets."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def stylesheets(*names: str) -> SafeString:
    """Link style sheets of static/css, each named by its folder and file: "core/table". Later sheets override earlier ones."""
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', ((static(f"css/{name}.css"),) for name in names))
