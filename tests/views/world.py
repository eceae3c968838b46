"""A site with something of everything, for the tests of the pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone

from extraction import pipeline
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.models import (
    Alert,
    AlertChannel,
    ApiToken,
    Breakage,
    Check,
    Cluster,
    Clustering,
    Comment,
    Correction,
    CrawlAddress,
    Delivery,
    DeliveryTarget,
    Invitation,
    Join,
    JoinedRecord,
    JoinListing,
    Membership,
    MergeProposal,
    Page,
    PagePicture,
    QualityRule,
    ReaderToken,
    RecordType,
    Role,
    Rule,
    Run,
    RunProblem,
    RunRelease,
    SamplePage,
    SignedInSession,
    Site,
    Source,
    Team,
    TrackedRecord,
)
from extraction.models.delivery import TargetContent, TargetPlace
from extraction.models.rule_report import RuleReport
from extraction.models.run_values import RunParameters
from extraction.services.core import runs, stored_bytes
from extraction.services.records import extract_records
from extraction.services.rules import rules
from tests.services import factory

XPATHS = {"title": "//h1[@class='name']/text()", "price": "//p[@class='price']/text()", "author": "//li[@class='author']/text()"}


WITHOUT_ARGUMENTS = frozenset(
    {
        "home",
        "first_steps_close",
        "help",
        "password_change",
        "login",
        "logout",
        "sites",
        "site_new",
        "site_new_upload",
        "site_files_upload",
        "site_files_import",
        "record_types",
        "record_type_new",
        "alerts",
        "breakages",
        "alert_channel_new",
        "audit_log",
        "notices_read",
        "account",
        "account_email",
        "account_reader",
        "sessions_end_others",
        "people",
        "sessions",
        "invitation_new",
        "audit_log_csv",
        "api_tokens",
        "api_token_new",
        "api_reference",
        "deliveries",
        "delivery_target_new",
        "teams",
        "factor_setup",
        "factor_remove",
        "factor_codes",
        "provider_link",
        "provider_unlink",
        "team_new",
    }
)
"""Names of addresses of no object."""


@dataclass(frozen=True, slots=True)
class World:
    """The rows that occur in addresses."""

    site: Site
    cluster: Cluster
    page: Page
    rule: Rule
    run: Run
    crawl: Run
    breakage: Breakage
    record_type: RecordType
    alert: Alert
    clustering: Clustering
    joined: JoinedRecord
    delivery: Delivery

    def address(self, name: str) -> Sequence[Any]:
        """The arguments of an address by its name."""
        if name in WITHOUT_ARGUMENTS:
            return []
        return next((find(self) for pattern, find in ADDRESSES for each in pattern.split() if fnmatchcase(name, each)), self.template)

    @property
    def template(self) -> list[Any]:
        """The arguments of an address of its template."""
        return [self.site.slug, self.cluster.number]

    def any_quality_rule(self) -> QualityRule:
        """A rule about the quality of its record type, made if there is none."""
        known = QualityRule.objects.filter(record_type=self.record_type).first()
        return known or QualityRule.objects.create(record_type=self.record_type, kind="count", limits={"least": 0.5})

    def somebody(self) -> User:
        """A person without a role."""
        return User.objects.get_or_create(username="somebody")[0]

    def member(self) -> User:
        """A viewer of its team."""
        user = self.somebody()
        Membership.objects.get_or_create(team=self.site.team, user=user, defaults={"role": Role.VIEWER})
        return user

    def team_with_member(self) -> Team:
        """Its team, in which somebody is a viewer."""
        self.member()
        return self.site.team

    def looks(self) -> Run:
        """A run that loaded the styles of its template."""
        known = Run.objects.filter(cluster=self.cluster, kind=Run.Kind.ASSETS).first()
        return known or factory.run(self.site, Run.Kind.ASSETS, Run.State.DONE, cluster=self.cluster)

    def picture(self) -> PagePicture:
        """The picture of its page."""
        sha256 = stored_bytes.put_bytes(b"\xff\xd8\xff\xe0 a picture")
        return PagePicture.objects.get_or_create(snapshot=self.page.current, defaults={"sha256": sha256, "size_bytes": 14})[0]

    def api_token(self) -> ApiToken:
        """A token of the admin."""
        user, _ = User.objects.get_or_create(username="admin")
        return ApiToken.objects.get_or_create(user=user, digest="1" * 64, defaults={"name": "Import", "hint": "vxa_1111"})[0]

    def session(self) -> SignedInSession:
        """A session of the admin in another browser."""
        user, _ = User.objects.get_or_create(username="admin")
        now = timezone.now()
        session, _ = Session.objects.get_or_create(pk="other" * 6, defaults={"session_data": "", "expire_date": now + timedelta(days=1)})
        return SignedInSession.objects.get_or_create(session=session, defaults={"user": user, "started_at": now, "seen_at": now})[0]

    def invitation(self) -> Invitation:
        """An open invitation."""
        now = timezone.now()
        given = {"note": "Bo", "role": "editor", "created_at": now, "expires_at": now + timedelta(days=1)}
        return Invitation.objects.get_or_create(digest="2" * 64, defaults=given)[0]

    def comment(self) -> Comment:
        """A comment on the template by nobody who is here any more."""
        return Comment.objects.get_or_create(cluster=self.cluster, defaults={"text": "Look", "at": timezone.now(), "by_name": "ann"})[0]

    def release(self) -> RunRelease:
        """The verdict on the first run of the template."""
        return RunRelease.objects.filter(cluster=self.cluster).earliest("pk")

    def merge_proposal(self) -> MergeProposal:
        """A proposal to merge a second template into the first."""
        other = Cluster.objects.get_or_create(site=self.site, number=99, defaults={"name": "Twin"})[0]
        return MergeProposal.objects.get_or_create(into=self.cluster, other=other, defaults={"kind": "alike"})[0]

    def quality_rule(self) -> QualityRule:
        """A rule of the template alone."""
        given = {"record_type": self.record_type, "kind": "count", "limits": {"least": 0.5}, "allowed_fraction": 0.0}
        return QualityRule.objects.get_or_create(cluster=self.cluster, defaults=given)[0]

    def correction(self) -> Correction:
        """A correction of the page's title."""
        attribute = self.record_type.attributes.get(name="title")
        given = {"kind": "corrected", "texts": ["Emma"], "type": "text", "values": [{"raw": "Emma", "value": "Emma"}], "basis": ["Book 0"]}
        defaults = given | {"at": timezone.now(), "by_name": "ann"}
        return Correction.objects.get_or_create(page=self.page, attribute=attribute, state="active", defaults=defaults)[0]


ADDRESSES: tuple[tuple[str, Callable[[World], Sequence[Any]]], ...] = (
    ("help_page", lambda _: ["glossary/"]),
    ("alert_again", lambda world: [world.alert.pk]),
    ("alert*", lambda world: [world.alert.channel_id]),
    ("joined_record", lambda world: [world.site.slug, world.joined.join_id, world.joined.pk]),
    ("joined* join_edit join_make join_delete", lambda world: [world.site.slug, world.joined.join_id]),
    ("tracked_record", lambda world: [*world.template, TrackedRecord.objects.filter(cluster=world.cluster).earliest("pk").pk]),
    ("release release_decide", lambda world: [*world.template, world.release().pk]),
    ("quality_rule*", lambda world: [world.any_quality_rule().pk]),
    ("session_end", lambda world: [world.session().pk]),
    ("person_edit person_entered factor_reset", lambda world: [world.somebody().pk]),
    ("invitation_revoke", lambda world: [world.invitation().pk]),
    ("team_member_remove", lambda world: [world.site.team.slug, world.member().pk]),
    ("team*", lambda world: [world.team_with_member().slug]),
    ("comment_delete", lambda world: [world.comment().pk]),
    ("delivery_again", lambda world: [world.delivery.pk]),
    ("api_token_revoke", lambda world: [world.api_token().pk]),
    ("token_revoke", lambda _: [ReaderToken.objects.get().pk]),
    ("delivery_target*", lambda world: [world.delivery.target_id]),
    ("record_type*", lambda world: [world.record_type.slug]),
    ("run_addresses run_search_terms run_pause run_resume", lambda world: [world.crawl.pk]),
    ("run*", lambda world: [world.run.pk]),
    ("breakage_looks_progress", lambda world: [world.breakage.pk, world.looks().pk]),
    ("breakage*", lambda world: [world.breakage.pk]),
    ("site_lab_method site_lab_adopt site_lab_paths", lambda world: [world.site.slug, world.clustering.pk]),
    ("site_lab_shares", lambda world: [world.site.slug, world.clustering.pk, 0]),
    ("site_check site_check_accept site_check_annotate", lambda world: [world.site.slug, world.breakage.check_found_id]),
    ("correction_end correction_keep", lambda world: [*world.template, world.correction().pk]),
    ("record_values correction_save", lambda world: [*world.template, world.page.pk]),
    ("rule_difference", lambda world: [*world.template, world.rule.version, world.rule.version]),
    ("rule_export", lambda world: [*world.template, world.rule.version, "scrapy"]),
    (
        "rule rule_preview rule_edit rule_publish rule_retire rule_losses_acknowledge rule_cleanup*",
        lambda world: [*world.template, world.rule.version],
    ),
    ("page_picture", lambda world: [world.site.slug, world.page.pk, world.picture().snapshot_id]),
    ("page page_apart page_delete", lambda world: [world.site.slug, world.page.pk]),
    ("join_* site* crawl* source* cluster_start cluster_merge cluster_same cluster_same_all", lambda world: [world.site.slug]),
)
"""The arguments of addresses, by patterns of their names. The first that fits counts; all other addresses are those of a template."""


def make(count: int = 6, *, name: str = "Books", type_name: str = "Book") -> World:
    """A shop of `count` pages with a live rule, its records, a run with problems and one that failed."""
    cluster = factory.shop(count, kind=factory.record_type(name=type_name))
    Site.objects.filter(pk=cluster.site_id).update(name=name)
    cluster.refresh_from_db()
    factory.mark(cluster, 0, title=["Book 0"], price=["£0.50"])
    rule = rules.publish_rule(draft(cluster))
    run = extract(cluster)
    RunProblem.objects.create(run=run, name="broken.html", reason="it is empty")
    failed = runs.start_run(Run.Kind.CLUSTER, cluster.site)
    Run.objects.filter(pk=failed.pk).update(state=Run.State.FAILED, error="there are no pages", finished_at=run.created_at)
    page = Page.objects.filter(site=cluster.site).order_by("pk")[0]
    assert cluster.record_type
    crawl, breakage = crawled(cluster.site), broken(rule, page)
    kind, clustering = cluster.record_type, tried(cluster.site)
    made, delivery = joined(page, cluster), delivered(kind, run)
    return World(cluster.site, cluster, page, rule, run, crawl, breakage, kind, alert(), clustering, made, delivery)


def delivered(record_type: RecordType, run: Run) -> Delivery:
    """A delivery to a webhook that failed, and a token of readers."""
    ReaderToken.objects.create(record_type=record_type, name="Prices", digest="0" * 64, hint="vxr_0000")
    place = TargetPlace(host="hooks.example.org").as_json()
    target = DeliveryTarget.objects.create(
        name="Shop", record_type=record_type, kind="webhook", place=place, content=TargetContent().as_json(), mode="hand"
    )
    now = timezone.now()
    return Delivery.objects.create(
        target=target, key=f"run {run.pk}", run=run, cause="run", state="failed", created_at=now, next_at=now, finished_at=now, error="500"
    )


def joined(page: Page, cluster: Cluster) -> JoinedRecord:
    """The only record of a join: a page without a row. The list of the join was removed since."""
    join = Join.objects.create(site=cluster.site, name="Offers with books", detail=cluster, made_at=timezone.now())
    JoinListing.objects.create(join=join, cluster=cluster)
    return JoinedRecord.objects.create(join=join, digest="0" * 64, state=JoinedRecord.State.PAGE, page=page)


def tried(site: Site) -> Clustering:
    """A finished comparison of the structure lab: the templates, a method with two groups, and one that gave up."""
    pages = list(Page.objects.filter(site=site).order_by("pk").values_list("pk", flat=True))
    run = runs.start_run(Run.Kind.LAB, site, parameters=RunParameters(methods=("lsh", "rtdm")), unit="clusterings")
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, finished_at=run.created_at, summary={"methods": 2, "pages": len(pages)})
    Clustering.objects.create(site=site, run=run, groups=[pages], bits=9000.0)
    Clustering.objects.create(site=site, run=run, method="rtdm", reason="it needs more than 900 seconds of a processor for these pages")
    groups = [pages[:-2], pages[-2:]]
    return Clustering.objects.create(site=site, run=run, method="lsh", groups=groups, bits=8000.0, seconds=1.5, peak_bytes=2_000_000)


def broken(rule: Rule, page: Page) -> Breakage:
    """A breakage that was dismissed, with the check that found it on one page."""
    now = timezone.now()
    evidence = {
        "attribute": "price",
        "url": page.url,
        "kind": "null",
        "strong": True,
        "before": ["£0.50"],
        "now": [],
        "reason": "it is lost",
    }
    check = Check.objects.create(
        cluster=rule.cluster,
        rule=rule,
        checked_at=now,
        verdict=Check.Verdict.NULL,
        asked=1,
        reached=1,
        covered_fraction=1.0,
        attributes={"price": {"kind": "null", "pages": 1, "fraction": 1.0, "null_fraction": 1.0}},
        pages=[{"url": page.url, "outcome": "ok", "old": page.current_id, "new": page.current_id}],
        evidence=[evidence],
    )
    state = Breakage.State.DISMISSED
    return Breakage.objects.create(
        cluster=rule.cluster, rule=rule, check_found=check, state=state, attributes=["price"], opened_at=now, closed_at=now
    )


def alert() -> Alert:
    """An alert that could not be sent, and its channel."""
    channel = AlertChannel.objects.create(name="Data team", url="json://user:hunter2@127.0.0.1:9/", events=["break", "digest"])
    now = timezone.now()
    return Alert.objects.create(
        channel=channel,
        event="digest",
        key="digest 2026-01-05",
        title="Vertex: 1 broken rule",
        body="Broken.",
        created_at=now,
        next_at=now,
        state=Alert.State.FAILED,
        error="The service did not accept the alert.",
    )


def crawled(site: Site) -> Run:
    """A crawl of the site that has ended, with addresses of several outcomes."""
    Source.objects.create(site=site, addresses=["https://shop.example/"])
    run = runs.start_run(Run.Kind.CRAWL, site, parameters=RunParameters(mode="sample"))
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, finished_at=run.created_at, summary={"pages": 6, "new": 6})
    outcomes = ["ok"] * 6 + ["not_found"] * 3 + ["refused_by_robots"]
    CrawlAddress.objects.bulk_create(
        CrawlAddress(run=run, url=f"https://shop.example/{n}", state="done", outcome=outcome, message="said so", fetched_at=run.created_at)
        for n, outcome in enumerate(outcomes)
    )
    CrawlAddress.objects.create(run=run, url="https://shop.example/waits", via="https://shop.example/0")
    return Run.objects.get(pk=run.pk)


def draft(cluster: Cluster) -> Rule:
    """A rule for the shop's pages."""
    assert cluster.record_type
    attributes = [
        AttributeRule(
            each.name,
            type=each.type,  # type: ignore[arg-type]
            multiple=each.multiple,
            mandatory=each.mandatory,
            alternatives=(Selector(XPATHS.get(each.name, "//p/text()")),),
        )
        for each in cluster.record_type.attributes.all()
    ]
    without = list(SamplePage.objects.filter(cluster=cluster).values_list("snapshot", flat=True))
    entry = {"precision": 1.0, "distance": 2, "support": 3, "features": ["text of <h1>"]}
    report = {
        "pages": 6,
        "checked": 6,
        "attributes": [
            {
                "name": each.name,
                "alternatives": [entry | {"xpath": XPATHS.get(each.name, "//p/text()")}],
                "checked": 6,
                "hits": 4,
                "without": without,
            }
            for each in attributes
        ],
    }
    return rules.add_draft(cluster, RuleDefinition(tuple(attributes)), report=RuleReport.from_json(report), origin=Rule.Origin.LEARNED)


def extract(cluster: Cluster) -> Run:
    """Run the live rule over all pages, in this process."""
    run = extract_records.start_extraction(cluster)
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.DONE, run.error
    return run
