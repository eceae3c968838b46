"""The filter that says which browser somebody uses."""

from django import template

from extraction.views.session_words import name_browser

register = template.Library()


@register.filter
def browser(agent: str) -> str:
    """Return a browser in words, from what it says of itself."""
    return name_browser(agent)
