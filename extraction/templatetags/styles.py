"""Which style sheets a page loads."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def stylesheets(*names: str) -> SafeString:
    """Links to sheets of static/css, each named by its room and its file: "core/table". A later sheet wins over an earlier one."""
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', ((static(f"css/{name}.css"),) for name in names))
