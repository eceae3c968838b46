"""The audit log: who changed what, when and from where."""

from typing import TypeAlias

from django.conf import settings
from django.db import models

from extraction.models.site import Site
from extraction.models.team import Team


class AuditSource(models.TextChoices):
    """Where a change came from. SELF: no person asked for it at that moment, for example a repair that went live by itself."""

    DASHBOARD = "dashboard", "Dashboard"
    API = "api", "API"
    COMMAND = "command", "Command line"
    SELF = "self", "By itself"


class AuditKind(models.TextChoices):
    """What was done. The part before the dot is the kind of thing."""

    SITE_CREATED = "site.created", "Site created"
    SITE_CHANGED = "site.changed", "Site changed"
    SITE_DELETED = "site.deleted", "Site deleted"
    SOURCE_CHANGED = "site.source", "Start addresses changed"
    FETCHING_CHANGED = "site.fetching", "Way of fetching changed"
    SITE_IMPORTED = "site.imported", "Site imported from files"
    RULES_IMPORTED = "site.rules_imported", "Rules of a crawl taken over"
    PAGE_DELETED = "page.deleted", "Page deleted"
    PAGES_MOVED = "page.moved", "Pages moved between templates"
    PAGES_GONE = "page.gone", "Missing pages marked as gone"
    PAGES_LABELLED = "page.labelled", "Labels of the structure lab changed"
    RUN_STARTED = "run.started", "Run started"
    RUN_CANCELLED = "run.cancelled", "Run cancelled"
    RUN_PAUSED = "run.paused", "Run paused"
    RUN_RESUMED = "run.resumed", "Run resumed"
    TEMPLATE_CHANGED = "template.changed", "Template changed"
    TEMPLATES_MERGED = "template.merged", "Templates merged"
    MERGE_REFUSED = "template.merge_refused", "Proposed merge refused"
    LABELS_CHANGED = "template.marked", "Values marked"
    RULE_DRAFTED = "rule.drafted", "Draft of a rule saved"
    RULE_PUBLISHED = "rule.published", "Rule published"
    RULE_RETIRED = "rule.retired", "Rule retired"
    CORRECTION_MADE = "correction.made", "Value corrected"
    CORRECTION_ENDED = "correction.ended", "Correction ended"
    CORRECTION_KEPT = "correction.kept", "Correction kept"
    RECORD_TYPE_CREATED = "record_type.created", "Record type created"
    RECORD_TYPE_CHANGED = "record_type.changed", "Record type changed"
    RECORD_TYPE_DELETED = "record_type.deleted", "Record type deleted"
    KEYS_CHANGED = "record_type.keys", "Key attributes changed"
    QUALITY_RULE_CREATED = "quality.created", "Quality rule created"
    QUALITY_RULE_CHANGED = "quality.changed", "Quality rule changed"
    QUALITY_RULE_DELETED = "quality.deleted", "Quality rule deleted"
    RUN_RELEASED = "quality.released", "Held run released"
    RUN_REJECTED = "quality.rejected", "Held run rejected"
    JOIN_SAVED = "join.saved", "Join saved"
    JOIN_DELETED = "join.deleted", "Join deleted"
    SCHEDULE_CHANGED = "schedule.changed", "Refresh schedule changed"
    MONITOR_CHANGED = "monitor.changed", "Monitoring settings changed"
    CHECK_ACCEPTED = "check.accepted", "Findings of a check accepted"
    SILENCE_KNOWN = "monitor.silence", "Missing answers noted"
    BREAKAGE_ACCEPTED = "breakage.accepted", "Repair accepted"
    BREAKAGE_DISMISSED = "breakage.dismissed", "Breakage dismissed"
    COMMENT_ADDED = "comment.added", "Comment added"
    COMMENT_DELETED = "comment.deleted", "Comment deleted"
    ASSIGNED = "comment.assigned", "Assigned"
    TARGET_CREATED = "delivery.created", "Delivery target created"
    TARGET_CHANGED = "delivery.changed", "Delivery target changed"
    TARGET_DELETED = "delivery.deleted", "Delivery target deleted"
    DELIVERY_QUEUED = "delivery.queued", "Delivery started"
    CHANNEL_SAVED = "alert.saved", "Alert channel saved"
    CHANNEL_DELETED = "alert.deleted", "Alert channel deleted"
    ALERT_RESENT = "alert.resent", "Alert sent again"
    TOKEN_CREATED = "token.created", "Token created"
    TOKEN_REVOKED = "token.revoked", "Token revoked"
    TEAM_CREATED = "team.created", "Team created"
    TEAM_CHANGED = "team.changed", "Team renamed"
    TEAM_DELETED = "team.deleted", "Team deleted"
    MEMBER_CHANGED = "team.member", "Members of a team changed"
    SITE_MOVED = "team.site_moved", "Site moved to another team"
    PERSON_SAVED = "person.saved", "Person created or changed"
    PERSON_DELETED = "person.deleted", "Person deleted"
    PASSWORD_CHANGED = "person.password", "Password changed"
    EMAIL_CHANGED = "person.email", "E-mail address changed"
    IDENTITY_LINKED = "person.identity", "Sign-in by a provider linked"
    IDENTITY_REMOVED = "person.identity_removed", "Sign-in by a provider removed"
    FACTOR_SET = "person.factor_set", "Second factor set up"
    FACTOR_REMOVED = "person.factor_removed", "Second factor removed"
    RECOVERY_CODES_MADE = "person.recovery_codes", "New recovery codes made"
    RECOVERY_CODE_USED = "person.recovery_code", "Recovery code used"
    INVITED = "person.invited", "Person invited"
    INVITATION_REVOKED = "person.invitation_revoked", "Invitation withdrawn"
    SESSION_ENDED = "person.session_ended", "Session ended"
    SIGNED_IN = "person.signed_in", "Signed in"
    SIGN_IN_FAILED = "person.sign_in_failed", "Sign-in failed"
    RECORDS_EXPORTED = "log.exported", "Audit log exported"


class AuditEntry(models.Model):
    """One change. An entry outlasts the person, the token and the site that it names.

    by: the person; None for the command line, for what happens by itself, and for an account that was deleted.
    by_name: the person's name at that time. On the command line, the name of the account that ran the command.
    token: the name and the first characters of the API token; empty without one.
    site_name: the site's name at that time.
    team: the team whose administrators may read the entry; None for those of the installation only.
    what: the object, in words.
    address: its place in the dashboard; it leads nowhere once the object is deleted.
    text: what was changed, in words. Never a password, a token or another secret.
    times: how often the same person made the same change to the same object within a short time; `at` is then the last time.
    """

    Source: TypeAlias = AuditSource
    Kind: TypeAlias = AuditKind

    at = models.DateTimeField(db_index=True)
    source = models.CharField(max_length=10, choices=Source.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    by_name = models.CharField(max_length=150, blank=True)
    token = models.CharField(max_length=100, blank=True)
    site = models.ForeignKey(Site, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    site_name = models.CharField(max_length=120, blank=True)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    kind = models.CharField(max_length=30)
    what = models.CharField(max_length=300)
    address = models.CharField(max_length=300, blank=True)
    text = models.TextField(blank=True)
    times = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["by_name", "-id"], name="audit_by_person"),
            models.Index(fields=["by", "-id"], name="audit_by_account"),
            models.Index(fields=["site", "-id"], name="audit_by_site"),
            models.Index(fields=["kind", "-id"], name="audit_by_kind"),
            models.Index(fields=["team", "-id"], name="audit_by_team"),
        ]

    def __str__(self) -> str:
        return f"{self.kind_words}: {self.what}"

    @property
    def kind_words(self) -> str:
        """The kind in words. A kind that this version does not know is shown as it is stored."""
        return dict(AuditKind.choices).get(self.kind, self.kind)
