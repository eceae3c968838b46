"""The database tables, one file per aggregate."""

from extraction.models.account import ExternalIdentity, Invitation, ReaderSettings, RecoveryCode, SecondFactor, SignedInSession
from extraction.models.alert import Alert, AlertChannel, Event
from extraction.models.api_token import ApiOutcome, ApiScope, ApiToken
from extraction.models.asset import Asset
from extraction.models.audit import AuditEntry, AuditKind, AuditSource
from extraction.models.cluster import Cluster, ClusterCore, SamplePage
from extraction.models.comment import Comment, Notice
from extraction.models.correction import Correction
from extraction.models.crawl import CrawlAddress, SearchTerm
from extraction.models.decision import Decision
from extraction.models.delivery import DeliveredRecord, Delivery, DeliveryTarget, Ledger
from extraction.models.fetching import SiteFetching
from extraction.models.heartbeat import Heartbeat
from extraction.models.join import Join, JoinedRecord, JoinedRow, JoinKey, JoinListing
from extraction.models.kept.counts import AddressCount, ChangeCount, PageCount, ProblemCount, RecordCount, TrackedCount
from extraction.models.lab import Clustering, PageLabel
from extraction.models.label import Label
from extraction.models.left_bytes import LeftBytes
from extraction.models.list_offer import OfferedRows
from extraction.models.monitor import Bellwether, Breakage, Check, Monitor
from extraction.models.page import Page
from extraction.models.picture import PagePicture
from extraction.models.placement import MergeProposal, Placement
from extraction.models.preview import Preview
from extraction.models.quality import QualityRule, RuleFailure, RuleResult, RunRelease
from extraction.models.reader import ReaderToken, SchemaVersion, StoredFile
from extraction.models.record import Record, RecordFigures, RecordPart
from extraction.models.record_history import RecordChange, RecordSource, TrackedRecord
from extraction.models.refresh import PageVisits, Refresh, RefreshSchedule
from extraction.models.role import Role
from extraction.models.rule import Rule
from extraction.models.run import Run, RunProblem
from extraction.models.schema import Attribute, RecordList, RecordType
from extraction.models.site import Site
from extraction.models.snapshot import Snapshot
from extraction.models.source import Source
from extraction.models.team import Membership, Reach, Team, forget_reach, reach_of, role_of

__all__ = [
    "AddressCount",
    "Alert",
    "AlertChannel",
    "ApiOutcome",
    "ApiScope",
    "ApiToken",
    "Asset",
    "Attribute",
    "AuditEntry",
    "AuditKind",
    "AuditSource",
    "Bellwether",
    "Breakage",
    "ChangeCount",
    "Check",
    "Cluster",
    "ClusterCore",
    "Clustering",
    "Comment",
    "Correction",
    "CrawlAddress",
    "Decision",
    "DeliveredRecord",
    "Delivery",
    "DeliveryTarget",
    "Event",
    "ExternalIdentity",
    "Heartbeat",
    "Invitation",
    "Join",
    "JoinKey",
    "JoinListing",
    "JoinedRecord",
    "JoinedRow",
    "Label",
    "Ledger",
    "LeftBytes",
    "Membership",
    "MergeProposal",
    "Monitor",
    "Notice",
    "OfferedRows",
    "Page",
    "PageCount",
    "PageLabel",
    "PagePicture",
    "PageVisits",
    "Placement",
    "Preview",
    "ProblemCount",
    "QualityRule",
    "Reach",
    "ReaderSettings",
    "ReaderToken",
    "Record",
    "RecordChange",
    "RecordCount",
    "RecordFigures",
    "RecordList",
    "RecordPart",
    "RecordSource",
    "RecordType",
    "RecoveryCode",
    "Refresh",
    "RefreshSchedule",
    "Role",
    "Rule",
    "RuleFailure",
    "RuleResult",
    "Run",
    "RunProblem",
    "RunRelease",
    "SamplePage",
    "SchemaVersion",
    "SearchTerm",
    "SecondFactor",
    "SignedInSession",
    "Site",
    "SiteFetching",
    "Snapshot",
    "Source",
    "StoredFile",
    "Team",
    "TrackedCount",
    "TrackedRecord",
    "forget_reach",
    "reach_of",
    "role_of",
]
