"""The audit log: who changed what, when and from where."""

from typing import TypeAlias

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from extraction.models.site import Site
from extraction.models.team import Team


class AuditSource(models.TextChoices):
    """Where a change came from. SELF: no person asked for it at that moment, for example a repair that went live by itself."""

    DASHBOARD = "dashboard", gettext_lazy("Dashboard")
    API = "api", gettext_lazy("API")
    COMMAND = "command", gettext_lazy("Command line")
    SELF = "self", gettext_lazy("By itself")


class AuditKind(models.TextChoices):
    """What was done. The part before the dot is the kind of thing."""

    SITE_CREATED = "site.created", gettext_lazy("Site created")
    SITE_CHANGED = "site.changed", gettext_lazy("Site changed")
    SITE_DELETED = "site.deleted", gettext_lazy("Site deleted")
    SOURCE_CHANGED = "site.source", gettext_lazy("Start addresses changed")
    FETCHING_CHANGED = "site.fetching", gettext_lazy("Way of fetching changed")
    SITE_IMPORTED = "site.imported", gettext_lazy("Site imported from files")
    RULES_IMPORTED = "site.rules_imported", gettext_lazy("Rules of a crawl taken over")
    PAGE_DELETED = "page.deleted", gettext_lazy("Page deleted")
    PAGES_MOVED = "page.moved", gettext_lazy("Pages moved between templates")
    PAGES_GONE = "page.gone", gettext_lazy("Missing pages marked as gone")
    PAGES_LABELLED = "page.labelled", gettext_lazy("Labels of the structure lab changed")
    RUN_STARTED = "run.started", gettext_lazy("Run started")
    RUN_CANCELLED = "run.cancelled", gettext_lazy("Run cancelled")
    RUN_ACKNOWLEDGED = "run.acknowledged", gettext_lazy("Failure of a run noted")
    RUN_PAUSED = "run.paused", gettext_lazy("Run paused")
    RUN_RESUMED = "run.resumed", gettext_lazy("Run resumed")
    TEMPLATE_CHANGED = "template.changed", gettext_lazy("Template changed")
    TEMPLATES_MERGED = "template.merged", gettext_lazy("Templates merged")
    MERGE_REFUSED = "template.merge_refused", gettext_lazy("Proposed merge refused")
    LABELS_CHANGED = "template.marked", gettext_lazy("Values marked")
    RULE_DRAFTED = "rule.drafted", gettext_lazy("Draft of a rule saved")
    RULE_PUBLISHED = "rule.published", gettext_lazy("Rule published")
    RULE_RETIRED = "rule.retired", gettext_lazy("Rule retired")
    RULE_LOSSES_KNOWN = "rule.losses_known", gettext_lazy("Values that a repair left out noted")
    CORRECTION_MADE = "correction.made", gettext_lazy("Value corrected")
    CORRECTION_ENDED = "correction.ended", gettext_lazy("Correction ended")
    CORRECTION_KEPT = "correction.kept", gettext_lazy("Correction kept")
    RECORD_TYPE_CREATED = "record_type.created", gettext_lazy("Record type created")
    RECORD_TYPE_CHANGED = "record_type.changed", gettext_lazy("Record type changed")
    RECORD_TYPE_DELETED = "record_type.deleted", gettext_lazy("Record type deleted")
    KEYS_CHANGED = "record_type.keys", gettext_lazy("Key attributes changed")
    QUALITY_RULE_CREATED = "quality.created", gettext_lazy("Quality rule created")
    QUALITY_RULE_CHANGED = "quality.changed", gettext_lazy("Quality rule changed")
    QUALITY_RULE_DELETED = "quality.deleted", gettext_lazy("Quality rule deleted")
    RUN_RELEASED = "quality.released", gettext_lazy("Held run released")
    RUN_REJECTED = "quality.rejected", gettext_lazy("Held run rejected")
    JOIN_SAVED = "join.saved", gettext_lazy("Join saved")
    JOIN_DELETED = "join.deleted", gettext_lazy("Join deleted")
    SCHEDULE_CHANGED = "schedule.changed", gettext_lazy("Refresh schedule changed")
    MONITOR_CHANGED = "monitor.changed", gettext_lazy("Monitoring settings changed")
    CHECK_ACCEPTED = "check.accepted", gettext_lazy("Findings of a check accepted")
    SILENCE_KNOWN = "monitor.silence", gettext_lazy("Missing answers noted")
    BREAKAGE_ACCEPTED = "breakage.accepted", gettext_lazy("Repair accepted")
    BREAKAGE_DISMISSED = "breakage.dismissed", gettext_lazy("Breakage dismissed")
    COMMENT_ADDED = "comment.added", gettext_lazy("Comment added")
    COMMENT_DELETED = "comment.deleted", gettext_lazy("Comment deleted")
    ASSIGNED = "comment.assigned", gettext_lazy("Assigned")
    TARGET_CREATED = "delivery.created", gettext_lazy("Delivery target created")
    TARGET_CHANGED = "delivery.changed", gettext_lazy("Delivery target changed")
    TARGET_DELETED = "delivery.deleted", gettext_lazy("Delivery target deleted")
    DELIVERY_QUEUED = "delivery.queued", gettext_lazy("Delivery started")
    CHANNEL_SAVED = "alert.saved", gettext_lazy("Alert channel saved")
    CHANNEL_DELETED = "alert.deleted", gettext_lazy("Alert channel deleted")
    ALERT_RESENT = "alert.resent", gettext_lazy("Alert sent again")
    TOKEN_CREATED = "token.created", gettext_lazy("Token created")
    TOKEN_REVOKED = "token.revoked", gettext_lazy("Token revoked")
    TEAM_CREATED = "team.created", gettext_lazy("Team created")
    TEAM_CHANGED = "team.changed", gettext_lazy("Team renamed")
    TEAM_DELETED = "team.deleted", gettext_lazy("Team deleted")
    MEMBER_CHANGED = "team.member", gettext_lazy("Members of a team changed")
    SITE_MOVED = "team.site_moved", gettext_lazy("Site moved to another team")
    PERSON_SAVED = "person.saved", gettext_lazy("Person created or changed")
    PERSON_DELETED = "person.deleted", gettext_lazy("Person deleted")
    PASSWORD_CHANGED = "person.password", gettext_lazy("Password changed")
    READER_CHANGED = "person.reader", gettext_lazy("Language or time zone changed")
    EMAIL_CHANGED = "person.email", gettext_lazy("E-mail address changed")
    IDENTITY_LINKED = "person.identity", gettext_lazy("Sign-in by a provider linked")
    IDENTITY_REMOVED = "person.identity_removed", gettext_lazy("Sign-in by a provider removed")
    FACTOR_SET = "person.factor_set", gettext_lazy("Second factor set up")
    FACTOR_REMOVED = "person.factor_removed", gettext_lazy("Second factor removed")
    RECOVERY_CODES_MADE = "person.recovery_codes", gettext_lazy("New recovery codes made")
    RECOVERY_CODE_USED = "person.recovery_code", gettext_lazy("Recovery code used")
    INVITED = "person.invited", gettext_lazy("Person invited")
    INVITATION_REVOKED = "person.invitation_revoked", gettext_lazy("Invitation withdrawn")
    SESSION_ENDED = "person.session_ended", gettext_lazy("Session ended")
    SIGNED_IN = "person.signed_in", gettext_lazy("Signed in")
    SIGN_IN_FAILED = "person.sign_in_failed", gettext_lazy("Sign-in failed")
    RECORDS_EXPORTED = "log.exported", gettext_lazy("Audit log exported")


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
        verbose_name_plural = "audit entries"
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
        return str(dict(AuditKind.choices).get(self.kind, self.kind))
