"""The text of alerts: what broke, where, since when, how many records, what to do, and where to look."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from extraction.models import AlertChannel, Breakage, Check, Cluster, Event, RecordCount, RunRelease

MAX_TITLE = 250

MAX_LINES = 20
"""The largest number of breakages that a digest lists. The rest is counted."""


@dataclass(frozen=True, slots=True)
class AlertText:
    """An alert's title, one line of at most MAX_TITLE characters, and its text."""

    title: str
    body: str

    @classmethod
    def of(cls, title: str, paragraphs: Iterable[str]) -> "AlertText":
        return cls(" ".join(title.split())[:MAX_TITLE], "\n\n".join(each for each in paragraphs if each))


def write_alert(event: Event, breakage: Breakage) -> AlertText:
    """What an alert says about a breakage. Raises ValueError for an event that does not concern breakages."""
    if event == Event.BREAK:
        return _write_break(breakage)
    if event == Event.REPAIR:
        return _write_repair(breakage)
    if event == Event.RECOVERY:
        return _write_recovery(breakage)
    raise ValueError(f"no alert about a breakage is sent for {event.label!r}")


def write_release_alert(event: Event, release: RunRelease) -> AlertText:
    """What an alert says about a run whose records break quality rules. Raises ValueError for any other event."""
    where = name_template(release.cluster)
    reasons = release.reasons[:MAX_LINES]
    more = len(release.reasons) - len(reasons)
    broken = "\n".join([*(f"- {each}" for each in reasons), *([f"- and {more} more"] if more else [])])
    if event == Event.HELD:
        return AlertText.of(
            f"Held back: the records of {where}",
            [
                f"Run {release.run_id} broke these rules:\n{broken}",
                _describe_delivered(release.cluster),
                "What to do: Look at the records that fail. Then release the run if they are right, or reject it.",
                write_link(release.get_absolute_url()),
            ],
        )
    if event == Event.DOUBT:
        return AlertText.of(
            f"Doubtful: the records of {where}",
            [
                f"Run {release.run_id} was released, but it broke these rules:\n{broken}",
                "What to do: Look at the records that fail. If the rule is wrong, change it. "
                "If such records must not be delivered, give the rule the weight “Block”.",
                write_link(release.get_absolute_url()),
            ],
        )
    raise ValueError(f"no alert about records is sent for {event.label!r}")


def write_digest(channel: AlertChannel, now: datetime) -> AlertText:
    """The digest of a channel's sites: what happened in the last day, and what is still open."""
    since = now - timedelta(days=1)
    sites = list(channel.sites.values_list("pk", flat=True)) or list(channel.team.sites.values_list("pk", flat=True))
    checks = Check.objects.filter(cluster__site__in=sites, checked_at__gt=since, checked_at__lte=now)
    mine = Breakage.objects.filter(cluster__site__in=sites).select_related("cluster__site", "rule")
    broken = mine.open()
    closed = mine.filter(closed_at__gt=since, closed_at__lte=now)
    unreachable = checks.filter(verdict=Check.Verdict.UNREACHABLE).values("cluster").distinct().count()
    checked = checks.values("cluster").distinct().count()
    counted = [
        f"{_count_words(checks.count(), 'check')} of {_count_words(checked, 'template')} in the last day.",
        f"{_count_words(unreachable, 'template')} could not be reached." if unreachable else "",
    ]
    open_count = broken.count()
    waiting = RunRelease.objects.held().filter(cluster__site__in=sites).select_related("cluster__site").order_by("pk")
    held_count = waiting.count()
    title = f"{_count_words(open_count, 'broken rule')}" if open_count else "All rules work" if checks.exists() else "Nothing was checked"
    title += f", {_count_words(held_count, 'run')} held back" if held_count else ""
    return AlertText.of(
        f"Vertex: {title}",
        [
            " ".join(each for each in counted if each),
            _list_breakages("Broken, worst first:", broken.order_by("-importance", "pk")),
            _list_held(waiting[:MAX_LINES], held_count),
            _list_breakages("No longer broken:", closed.order_by("closed_at", "pk"), state=True),
            write_link(reverse("breakages")),
        ],
    )


def write_test(channel: AlertChannel) -> AlertText:
    """The alert that the test button sends."""
    return AlertText.of(
        f"Vertex: a test of “{channel.name}”",
        [
            f"Alerts reach this channel. It gets these alerts: {', '.join(channel.event_labels).lower() or 'none'}.",
            write_link(reverse("home")),
        ],
    )


def _write_break(breakage: Breakage) -> AlertText:
    check = breakage.check_found
    records = RecordCount.objects.filter(cluster=breakage.cluster).now().total()
    before = Check.objects.filter(cluster=breakage.cluster, rule=breakage.rule, checked_at__lt=check.checked_at, verdict=Check.Verdict.OK)
    last = before.order_by("-checked_at").values_list("checked_at", flat=True).first()
    example = next((each.url for each in check.read_evidence() if each.attribute in breakage.attributes), "")
    since = f"Found at {_format_time(check.checked_at)}" + (f"; it still worked at {_format_time(last)}." if last else ".")
    if breakage.coverage_lost:
        return _write_lost_coverage(breakage, since, records)
    return AlertText.of(
        f"Broken: {_join_names(breakage.attributes)} of {_describe_template(breakage)}",
        [
            f"The rule no longer finds what it should: {_join_names(breakage.attributes)}.",
            "\n".join(
                [
                    f"Where: {_describe_template(breakage)}, version {breakage.rule.version} of the rule",
                    f"Pages: {_describe_share(check, breakage.attributes)}" + (f", for example {example}" if example else ""),
                    f"Since: {since}",
                    f"Affected: {_count_words(records, 'record')}",
                ]
            ),
            "What to do: Compare the old and the new page. Then accept the proposed repair, mark the values yourself, or dismiss the alarm "
            "if nothing is wrong. Do not rely on these values until then.",
            write_link(breakage.get_absolute_url()),
        ],
    )


def _write_lost_coverage(breakage: Breakage, since: str, records: int) -> AlertText:
    facts = [
        f"Where: {_describe_template(breakage)}, version {breakage.rule.version} of the rule",
        f"Since: {since}",
        f"Affected: {_count_words(records, 'record')}",
    ]
    return AlertText.of(
        f"No longer recognised: the pages of {_describe_template(breakage)}",
        [
            f"{breakage.note}.",
            "\n".join(facts),
            "What to do: Fetch or import the pages and find templates again. If they come in another template then, merge the two.",
            write_link(breakage.get_absolute_url()),
        ],
    )


def _write_repair(breakage: Breakage) -> AlertText:
    version = f"version {breakage.proposal.version}" if breakage.proposal else "another version"
    who = f"accepted by {breakage.closed_by}" if breakage.closed_by else "which passed every test and went live automatically"
    return AlertText.of(
        f"Repaired: {breakage.subject} of {_describe_template(breakage)}",
        [
            f"The rule works again: {version}, {who}. It was broken {_describe_span(breakage)}.",
            "What to do: Nothing. Vertex fetches the site again, or extracts the records of its imported pages again if it has no address.",
            write_link(breakage.get_absolute_url()),
        ],
    )


def _write_recovery(breakage: Breakage) -> AlertText:
    return AlertText.of(
        f"Works again: {breakage.subject} of {_describe_template(breakage)}",
        [
            f"The site's pages are again as the rule expects them; nobody changed the rule. It was broken {_describe_span(breakage)}.",
            "What to do: Nothing.",
            write_link(breakage.get_absolute_url()),
        ],
    )


def _list_breakages(head: str, breakages: "QuerySet[Breakage]", *, state: bool = False) -> str:
    rows = list(breakages[:MAX_LINES])
    if not rows:
        return ""
    lines = [
        f"- {_describe_template(each)}: {each.subject}, "
        + (
            each.get_state_display().lower()
            if state
            else f"since {_format_time(each.opened_at)}" + (", a repair is proposed" if each.proposal_id else "")
        )
        for each in rows
    ]
    more = breakages.count() - len(rows)
    return "\n".join([head, *lines, *([f"- and {more} more"] if more else [])])


def _list_held(releases: Iterable[RunRelease], count: int) -> str:
    lines = [
        f"- {name_template(each.cluster)}: run {each.run_id}, since {_format_time(each.judged_at)}. {'; '.join(each.reasons)[:200]}"
        for each in releases
    ]
    more = [f"- and {count - len(lines)} more"] if count > len(lines) else []
    return "\n".join(["Held back, waiting for a decision:", *lines, *more]) if lines else ""


def _describe_delivered(cluster: Cluster) -> str:
    """Says what is delivered while a run is held back."""
    last = RunRelease.objects.released().filter(cluster=cluster).select_related("run").order_by("-pk").first()
    if last is None:
        return "No run of this template has been released yet, so nothing is delivered."
    return f"The records of run {last.run_id} of {_format_time(last.judged_at)} stay delivered."


def _describe_share(check: Check, attributes: Sequence[str]) -> str:
    """Says in words on how many pages the worst attribute is broken."""
    findings = check.read_attributes()
    counts = [(round(found.fraction * found.pages), found.pages) for name in attributes if (found := findings.get(name))]
    hit, pages = max(counts, default=(0, 0))
    return f"{hit} of {pages} watched pages with this attribute"


def _join_names(attributes: Sequence[str]) -> str:
    return ", ".join(attributes)


def _describe_template(breakage: Breakage) -> str:
    return name_template(breakage.cluster)


def name_template(cluster: Cluster) -> str:
    """Name a template with its site."""
    return f"{cluster.site.name}, {cluster.label}"


def _describe_span(breakage: Breakage) -> str:
    until = f" until {_format_time(breakage.closed_at)}" if breakage.closed_at else ""
    return f"from {_format_time(breakage.opened_at)}{until}"


def _count_words(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _format_time(at: datetime) -> str:
    local = timezone.localtime(at)
    return f"{date_format(local, 'j F Y, H:i')} {local.tzname()}"


def write_link(path: str) -> str:
    """Write the line that leads to a page of the dashboard."""
    return f"View: {settings.VERTEX_PUBLIC_URL}{path}"
