"""Writes what a check found: its row, and the pages as they were fetched."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.monitoring.evidence import Evidence, Revisit
from extraction.algorithms.monitoring.verdict import AttributeVerdict, RuleVerdict
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Bellwether, Check, Page, Run, Snapshot
from extraction.models.check_findings import AttributeFinding, CheckedPage, CheckEvidence
from extraction.services.core import stored_bytes
from extraction.services.monitoring import drifting
from extraction.services.monitoring.fetch_pages import PageAnswer
from extraction.services.monitoring.judge_pages import BellwetherVisit, WatchedRule
from extraction.services.sites import page_store

GONE = (Outcome.NOT_FOUND, Outcome.GONE, Outcome.MOVED, Outcome.SOFT_404)
"""Outcomes after which a page is no longer watched, if the check reached most of the others."""

MAX_EVIDENCE = 150
"""The largest number of pieces of evidence that a check keeps. Each attribute gets an equal share, if it has that many."""


def keep_pages(watched: WatchedRule, found: BellwetherVisit, at: datetime) -> dict[str, Snapshot]:
    """Stores the pages that could be read and returns their snapshots by URL. Called in a transaction."""
    read = {page.url for page in found.pages}
    return {
        each.page.url: _keep_snapshot(each.page, found.answers[each.page.url], at) for each in watched.bellwethers if each.page.url in read
    }


def write_check(
    watched: WatchedRule,
    found: BellwetherVisit,
    kept: Mapping[str, Snapshot],
    *,
    confirmed: bool,
    at: datetime,
    run: Run | None,
) -> Check:
    """Writes the check. kept: what `keep_pages` stored. confirmed: whether a second visit said the same, where one was needed."""
    verdict = found.verdict
    findings = {name: _make_finding(name, each, found.pages) for name, each in verdict.attributes.items()}
    findings = drifting.add_usual_shares(watched.rule, findings, reached=verdict.reached)
    return Check.objects.create(
        cluster=watched.rule.cluster,
        rule=watched.rule,
        run=run,
        checked_at=at,
        verdict=verdict.kind,
        confirmed=confirmed,
        asked=verdict.asked,
        reached=verdict.reached,
        covered_fraction=verdict.covered_fraction,
        attributes={name: each.as_json() for name, each in findings.items()},
        drifting=any(each.usual_fraction is not None for each in findings.values()),
        pages=[_make_page(each, found, kept).as_json() for each in watched.bellwethers],
        evidence=[_make_evidence(name, each).as_json() for name, each in _choose_evidence(verdict)],
    )


def list_gone(watched: WatchedRule, found: BellwetherVisit) -> list[Bellwether]:
    """Return the bellwethers whose pages no longer exist, as far as the visit can tell."""
    if found.verdict.kind == "unreachable":
        return []
    return [each for each in watched.bellwethers if each.page.url in found.answers and found.answers[each.page.url].outcome in GONE]


def _keep_snapshot(page: Page, answer: PageAnswer, at: datetime) -> Snapshot:
    """Return the page's snapshot with the answer's content, and creates it if there is none. The page's current snapshot stays as it is.

    answer: it must contain a page that can be read. Called in a transaction.
    """
    content = answer.content or b""
    # Locked, so that `tidy_checks` does not delete a snapshot that becomes a baseline here.
    known = Snapshot.objects.select_for_update().filter(page=page, sha256=stored_bytes.digest_bytes(content)).first()
    if known is not None:
        return known
    made = Snapshot(
        page=page, sha256=stored_bytes.put_bytes(content), size_bytes=len(content), content_type=answer.content_type, fetched_at=at
    )
    read = parse(content, content_type=answer.content_type or None)
    made.title, made.notice = page_store.find_title(read), page_store.find_notice(read, answer.notices)
    page_store.add_vectors([made], [content])
    found, _ = Snapshot.objects.get_or_create(
        page=page,
        sha256=made.sha256,
        defaults={name: getattr(made, name) for name in ("size_bytes", "content_type", "fetched_at", "title", "notice", "vector", "scheme")}
        | {"checked": True},
    )
    return found


def _make_page(bellwether: Bellwether, found: BellwetherVisit, kept: Mapping[str, Snapshot]) -> CheckedPage:
    url = bellwether.page.url
    outcome = found.answers[url].outcome if url in found.answers else Outcome.UNREACHABLE
    return CheckedPage(url=url, outcome=str(outcome), old=bellwether.baseline_id, new=kept[url].pk if url in kept else None)


def _make_finding(name: str, verdict: AttributeVerdict, pages: Sequence[Revisit]) -> AttributeFinding:
    empty = sum(not page.now.get(name) for page in pages)
    return AttributeFinding(
        kind=verdict.kind,
        pages=verdict.pages,
        fraction=round(verdict.fraction, 4),
        null_fraction=round(empty / len(pages), 4) if pages else None,
        compared=verdict.counts.compared,
        changed=verdict.counts.changed,
        certain=verdict.certain,
    )


def _make_evidence(name: str, evidence: Evidence) -> CheckEvidence:
    return CheckEvidence(
        attribute=name,
        url=evidence.url,
        kind=evidence.kind,
        strong=evidence.strong,
        before=tuple(evidence.before),
        now=tuple(evidence.now),
        reason=evidence.reason,
    )


def _choose_evidence(verdict: RuleVerdict) -> list[tuple[str, Evidence]]:
    """Chooses at most MAX_EVIDENCE pieces: the first of each attribute, then the second of each, and so on."""
    ranked = [(rank, name, each) for name, found in verdict.attributes.items() for rank, each in enumerate(found.evidence)]
    kept = {(rank, name) for rank, name, _ in sorted(ranked, key=lambda row: row[0])[:MAX_EVIDENCE]}
    return [(name, each) for rank, name, each in ranked if (rank, name) in kept]
