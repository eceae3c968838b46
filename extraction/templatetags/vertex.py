"""Tags and filters of the dashboard: icons, states, times, shares, sizes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.dateformat import format as format_date
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from django_stubs_ext import StrOrPromise

from extraction.algorithms.dom.xpath import shorten
from extraction.models import Attribute, Run
from extraction.services.core import stored_texts
from extraction.services.core.percent import use_decimal_sign, write_percent
from extraction.views.core import run_words
from extraction.views.workbench import workbench_url

register = template.Library()
register.simple_tag(workbench_url)

_BLANKS = re.compile(r"[^\S ][\s\u200b\ufeff]*")


@dataclass(frozen=True, slots=True)
class Sign:
    """How a state is shown. colour: the name of its colour; empty for none."""

    colour: str
    sign: str
    word: StrOrPromise


SIGNS: dict[str, Sign] = {
    # A rule and its template
    "live": Sign("ok", "●", gettext_lazy("Live")),
    "draft": Sign("draft", "○", gettext_lazy("Draft")),
    "validated": Sign("draft", "○", gettext_lazy("Validated")),
    "repaired": Sign("", "–", gettext_lazy("Repaired")),
    "retired": Sign("", "–", gettext_lazy("Retired")),
    "none": Sign("", "·", gettext_lazy("No rule")),
    "unmarked": Sign("draft", "○", gettext_lazy("To annotate")),
    # A run
    "queued": Sign("", "…", gettext_lazy("Queued")),
    "running": Sign("", "▸", gettext_lazy("Running")),
    "paused": Sign("", "‖", gettext_lazy("Paused")),
    "done": Sign("ok", "●", gettext_lazy("Done")),
    "failed": Sign("broken", "✕", gettext_lazy("Failed")),
    "cancelled": Sign("", "–", gettext_lazy("Cancelled")),
    "all_failed": Sign("broken", "✕", gettext_lazy("All failed")),
    "many_failed": Sign("suspect", "◐", gettext_lazy("Many failed")),
    "no_records": Sign("suspect", "◐", gettext_lazy("No records")),
    "found_broken": Sign("broken", "✕", gettext_lazy("Found broken rules")),
    # A record
    "complete": Sign("ok", "●", gettext_lazy("Complete")),
    "incomplete": Sign("suspect", "◐", gettext_lazy("Incomplete")),
    # A page
    "unreadable": Sign("broken", "✕", gettext_lazy("Unreadable")),
    "partly": Sign("suspect", "◐", gettext_lazy("Read in part")),
    "unclustered": Sign("", "·", gettext_lazy("No template")),
    "gone": Sign("unreachable", "⌁", gettext_lazy("Gone")),
    # A check
    "shingle": Sign("suspect", "◐", gettext_lazy("Structure changed")),
    "null": Sign("broken", "✕", gettext_lazy("Values missing")),
    "incorrect": Sign("broken", "✕", gettext_lazy("Wrong values")),
    "drifting": Sign("suspect", "◐", gettext_lazy("Fewer values")),
    # A breakage
    "open": Sign("broken", "✕", gettext_lazy("Open")),
    "recovered": Sign("ok", "●", gettext_lazy("Recovered without a repair")),
    "dismissed": Sign("", "–", gettext_lazy("Dismissed")),
    # A run's records
    "released": Sign("ok", "●", gettext_lazy("Released")),
    "held": Sign("suspect", "◐", gettext_lazy("Held back")),
    "rejected": Sign("broken", "✕", gettext_lazy("Rejected")),
    # A quality rule
    "kept": Sign("ok", "●", gettext_lazy("Kept")),
    "rule_block": Sign("broken", "✕", gettext_lazy("Broken, blocks")),
    "rule_warn": Sign("suspect", "◐", gettext_lazy("Broken, warns")),
    "rule_note": Sign("draft", "○", gettext_lazy("Broken, noted")),
    # Health
    "ok": Sign("ok", "●", gettext_lazy("OK")),
    "suspect": Sign("suspect", "◐", gettext_lazy("Suspect")),
    "broken": Sign("broken", "✕", gettext_lazy("Broken")),
    "unreachable": Sign("unreachable", "⌁", gettext_lazy("Unreachable")),
}


@register.simple_tag
def icon(name: str, title: str = "") -> SafeString:
    """Show an icon of templates/_icons.html. Without a title, it is hidden from screen readers."""
    if title:
        return format_html('<svg class="icon" role="img" aria-label="{}"><title>{}</title><use href="#i-{}"/></svg>', title, title, name)
    return format_html('<svg class="icon" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def badge(state: str, word: StrOrPromise = "") -> SafeString:
    """Show a state with its colour, sign and word."""
    shown = SIGNS[str(state)]
    return format_html(
        '<span class="badge{}"><span class="badge-sign" aria-hidden="true">{}</span>{}</span>',
        f" badge-{shown.colour}" if shown.colour else "",
        shown.sign,
        word or shown.word,
    )


@register.simple_tag
def bar(share: float | None, colour: str = "", label: str = "") -> SafeString:
    """Show a share from 0 to 1 as a bar. colour: that of a state, or `hue` for the hue of the surrounding attribute."""
    return bars([(share or 0.0, "")], colour, label)


@register.simple_tag
def bars(parts: Sequence[tuple[float, str]], colour: str = "", label: str = "") -> SafeString:
    """Show several shares side by side in one bar. parts: (share from 0 to 1, colour of a state) for each."""
    rects, start = [], 0.0
    for share, part in parts:
        width = max(0.0, min(1.0 - start, share)) * 100
        rects.append((f"{start * 100:.2f}", f"{width:.2f}", f"part-{part}" if part else ""))
        start += width / 100
    return format_html(
        '<svg class="bar{}" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>',
        f" bar-{colour}" if colour else "",
        label or percent(sum(share for share, _ in parts)),
        format_html_join("", '<rect x="{}" width="{}" height="1" class="{}"/>', rects),
    )


@register.simple_tag
def spark(shares: Sequence[float | None], label: str = "") -> SafeString:
    """Show shares from 0 to 1 as a line, the oldest first. There is no point for None."""
    line = list(shares) * 2 if len(shares) == 1 else list(shares)
    step = 100 / max(len(line) - 1, 1)
    points = [f"{n * step:.2f},{20 - 18 * share:.2f}" for n, share in enumerate(line) if share is not None]
    return format_html(
        '<svg class="spark" viewBox="0 0 100 22" preserveAspectRatio="none" role="img" aria-label="{}"><title>{}</title>'
        '<line x1="0" y1="20" x2="100" y2="20"/><polyline points="{}"/></svg>',
        label,
        label,
        " ".join(points),
    )


@register.simple_tag
def sign(state: str) -> str:
    """Return the sign of a state. The page must also show its word, beside the sign or in a title."""
    return SIGNS[str(state)].sign


@register.filter
def told(text: str | Sequence[str] | None) -> Any:
    """Return a text, or several, that is stored in English, in the reader's language."""
    if not text:
        return ""
    if isinstance(text, str):
        return stored_texts.tell(text)
    return [stored_texts.tell(str(each)) for each in text]


@register.filter
def listed(values: Sequence[object], element: str) -> SafeString:
    """Return values as a list for a sentence, each in an element, such as b or code."""
    return format_html_join(", ", f"<{element}>{{}}</{element}>", ((each,) for each in values))


@register.filter
def colour(state: str) -> str:
    """Return the name of a state's colour; empty for none."""
    return SIGNS[str(state)].colour


@register.simple_tag
def ago(moment: datetime | None) -> SafeString | str:
    """Show how long ago a moment was, with the exact time on hover."""
    if moment is None:
        return "–"
    seconds = (timezone.now() - moment).total_seconds()
    local = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', local.isoformat(), format_date(local, gettext("j F Y, H:i:s T")), _ago(seconds, local)
    )


def _ago(seconds: float, local: datetime) -> str:
    if seconds < 10:
        return gettext("just now")
    if seconds >= 30 * 86_400:
        return format_date(local, gettext("j M Y"))
    if seconds >= 86_400:
        return gettext("%(days)s d ago") % {"days": int(seconds // 86_400)}
    if seconds >= 3_600:
        return gettext("%(hours)s h ago") % {"hours": int(seconds // 3_600)}
    if seconds >= 60:
        return gettext("%(minutes)s min ago") % {"minutes": int(seconds // 60)}
    return gettext("%(seconds)s s ago") % {"seconds": int(seconds)}


@register.filter
def unit(name: str, count: int | None = None) -> str:
    """Return a run's unit as the reader calls it, for one or for several of it."""
    return run_words.name_unit(name, count)


@register.filter
def duration(seconds: float | None) -> str:
    """Write a duration: 4 s, 2 min 10 s, 3 h 5 min."""
    if seconds is None:
        return "–"
    if seconds < 1:
        return gettext("under 1 s")
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@register.filter
def percent(share: float | None) -> str:
    """Write a share from 0 to 1 in per cent, a dash for None. Only 1 is shown as 100 %, and only 0 as 0 %."""
    return "–" if share is None else write_percent(share)


@register.filter
def size(size_bytes: int | None) -> str:
    """Write a number of bytes, with 1,024 bytes to a kB: 512 B, 48 kB, 1.4 MB."""
    if size_bytes is None:
        return "–"
    if size_bytes < 1024:
        return f"{size_bytes} B"
    amount = float(size_bytes)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1024
        if amount < 1023.5 or unit == "TB":
            break
    shown = f"{amount:.1f}".removesuffix(".0") if amount < 9.95 and unit != "kB" else f"{amount:.0f}"
    return f"{use_decimal_sign(shown)} {unit}"


@register.filter
def rate(per_second: float | None) -> str:
    """Write a rate per second, with one decimal below 10."""
    if per_second is None:
        return "–"
    return use_decimal_sign(f"{per_second:.1f}") if per_second < 10 else number(round(per_second))


@register.filter
def visible(xpath: str) -> str:
    """Write an XPath for display: in its short form, with white space that a screen would not show replaced by ␣."""
    return _BLANKS.sub("␣", shorten(xpath))


@register.filter
def short_xpath(xpath: str) -> str:
    """Write an XPath for editing, in the short form that the form accepts."""
    return shorten(xpath)


@register.filter
def number(value: int | None) -> str:
    """Write a whole number with its thousands separated."""
    return "–" if value is None else f"{value:,}".replace(",", "\u202f")


@register.filter
def pairs(mapping: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    """Return the keys and values of a mapping. A template's ``mapping.items`` is the value of a key named "items" where there is one."""
    return list(mapping.items()) if mapping else []


@register.filter
def item(mapping: Any, key: Any) -> Any:
    """Return mapping[key]; None if there is no such key."""
    return mapping.get(key) if mapping else None


@register.filter
def named(rows: Any, name: str) -> Any:
    """Return the first row with this name; None if there is none."""
    return next((row for row in rows if row.name == name), None)


@register.filter
def shortened(text: str, length: int = 60) -> str:
    """Shorten a text in the middle, since both ends of an address are useful."""
    if len(text) <= length:
        return text
    tail = length // 3
    return f"{text[: length - tail - 1]}…{text[-tail:]}"


@register.filter
def turned(sort: str, name: str) -> str:
    """Return the order that a click on a column's head selects: ascending first, then descending."""
    return f"-{name}" if sort == name else name


@register.filter
def tail(url: str) -> str:
    """Return an address without its host, for tables in which every row has the same host."""
    rest = url.partition("://")[2].partition("/")[2]
    return f"/{rest}" if rest else url


@register.filter
def value_key(name: str, position: int) -> str:
    """Return the name of one value of a record in an address: `author.0`."""
    return f"{name}.{position}"


@register.filter
def hue(place: int) -> int:
    """Return the hue of the attribute at a position, from 0."""
    return int(place) % Attribute.HUES


@register.filter
def figures(run: Run) -> list[tuple[str, str]]:
    """Return the figures of a run's summary with their words."""
    return [(words, number(value)) for words, value in run_words.list_figures(run)]


@register.filter
def outcome(run: Run) -> str:
    """Return the outcome of a run, for `badge`."""
    return run_words.name_outcome(run)
