"""The admin site: manage people and their roles, and look at the tables. What services write cannot be changed here."""

import json
from typing import Any

from django.contrib import admin
from django.contrib.admin import AdminSite
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.http import HttpRequest
from django.utils import translation

from extraction.forms.sign_in import AdminSignInForm
from extraction.models import (
    Alert,
    AlertChannel,
    AuditKind,
    Cluster,
    Decision,
    Delivery,
    DeliveryTarget,
    Membership,
    Page,
    ReaderToken,
    Record,
    RecordType,
    Rule,
    Run,
    Site,
    Snapshot,
)
from extraction.services.core import audit
from extraction.views.policy import lacks_factor

admin.site.login_form = AdminSignInForm


def _may_use(request: HttpRequest) -> bool:
    """Return whether a person may use these pages: as Django decides, and with the second factor that one of their teams requires."""
    return AdminSite.has_permission(admin.site, request) and not lacks_factor(request)


admin.site.has_permission = _may_use  # type: ignore[method-assign]


class _Logged(admin.ModelAdmin[Any]):
    """Rows that are changed here. Changes are in the audit log, too. Django calls these methods in the transaction of the change."""

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        audit.record(AuditKind.PERSON_SAVED, _name(obj), text="created")
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        audit.record(AuditKind.PERSON_SAVED, _name(obj), text=_describe_message(message))
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        with transaction.atomic():
            for each in queryset:
                audit.record(AuditKind.PERSON_DELETED, _name(each))
            return super().log_deletions(request, queryset)


def _name(row: Any) -> str:
    return str(row) if isinstance(row, User) else f"{row._meta.verbose_name} {row}"


def _describe_message(message: Any) -> str:
    """Return which fields a form changed, in Django's words. It names them and has no values."""
    with translation.override("en"):
        return LogEntry(change_message=json.dumps(message) if isinstance(message, list) else str(message)).get_change_message()


admin.site.unregister([User, Group])


@admin.register(User)
class PersonAdmin(_Logged, UserAdmin):  # type: ignore[type-arg]
    """People, as Django shows them."""


@admin.register(Membership)
class MembershipAdmin(_Logged):
    """Who is in which team, with which role."""

    list_display = ("user", "team", "role")
    list_filter = ("team", "role")


_CONDITIONS = frozenset({"exact", "id__exact", "pk__exact", "isnull", "gte", "lt", "year", "month", "day"})
"""The conditions in the addresses of Django's filters and of its date hierarchy."""


class ReadOnly(admin.ModelAdmin[Any]):
    """Rows that services write. They cannot be edited here, because an edit by hand could break the services' rules."""

    def has_add_permission(self, *_: Any, **__: Any) -> bool:
        return False

    def has_change_permission(self, *_: Any, **__: Any) -> bool:
        return False

    def has_delete_permission(self, *_: Any, **__: Any) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Allow only the conditions that the page's own filters use.

        Django allows a condition on any field: with `?url__startswith=`, the rows found would reveal a secret letter by letter.
        """
        del value, request
        own = [*map(str, self.list_filter), *([self.date_hierarchy] if self.date_hierarchy else [])]
        return any(lookup == name or (lookup.startswith(f"{name}__") and lookup[len(name) + 2 :] in _CONDITIONS) for name in own)


@admin.register(Site)
class SiteAdmin(ReadOnly):
    list_display = ("name", "slug", "address", "created_at")
    search_fields = ("name", "address")


@admin.register(Page)
class PageAdmin(ReadOnly):
    list_display = ("url", "site", "created_at")
    list_select_related = ("site",)
    search_fields = ("url",)
    list_filter = ("site",)
    raw_id_fields = ("current",)
    show_full_result_count = False


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnly):
    list_display = ("page", "fetched_at", "size_bytes", "error")
    list_select_related = ("page",)
    search_fields = ("page__url", "sha256")
    show_full_result_count = False


@admin.register(Cluster)
class ClusterAdmin(ReadOnly):
    list_display = ("label", "site", "record_type", "ignored")
    list_select_related = ("site", "record_type")
    list_filter = ("site", "ignored")


@admin.register(RecordType)
class RecordTypeAdmin(ReadOnly):
    list_display = ("name", "description")


@admin.register(Rule)
class RuleAdmin(ReadOnly):
    list_display = ("cluster", "version", "state", "origin", "created_at")
    list_select_related = ("cluster__site",)
    list_filter = ("state", "origin")


@admin.register(Decision)
class DecisionAdmin(ReadOnly):
    list_display = ("at", "rule", "what", "by_name")
    list_select_related = ("rule__cluster__site",)
    list_filter = ("what", "by_name", "rule__cluster__site")
    date_hierarchy = "at"


@admin.register(Record)
class RecordAdmin(ReadOnly):
    list_display = ("snapshot", "cluster", "state", "extracted_at")
    list_select_related = ("snapshot__page", "cluster__site")
    list_filter = ("state",)
    show_full_result_count = False


@admin.register(Run)
class RunAdmin(ReadOnly):
    list_display = ("id", "kind", "site", "state", "done", "total", "created_at")
    list_select_related = ("site",)
    list_filter = ("kind", "state")


@admin.register(AlertChannel)
class AlertChannelAdmin(ReadOnly):
    list_display = ("name", "service", "enabled")
    fields = ("name", "service", "events", "sites", "enabled", "created_at", "created_by")


@admin.register(Alert)
class AlertAdmin(ReadOnly):
    list_display = ("title", "channel", "event", "state", "attempts", "created_at")
    list_select_related = ("channel",)
    list_filter = ("state", "event")


@admin.register(DeliveryTarget)
class DeliveryTargetAdmin(ReadOnly):
    list_display = ("name", "kind", "record_type", "enabled")
    list_select_related = ("record_type",)
    fields = (
        "name",
        "kind",
        "record_type",
        "list_name",
        "content",
        "mode",
        "every_hours",
        "times",
        "cron",
        "zone",
        "enabled",
        "created_at",
        "created_by",
    )


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly):
    list_display = ("target", "cause", "state", "attempts", "outcome", "created_at")
    list_select_related = ("target",)
    list_filter = ("state", "cause")
    exclude = ("batch", "batch_entries")


@admin.register(ReaderToken)
class ReaderTokenAdmin(ReadOnly):
    list_display = ("name", "record_type", "created_at", "used_at", "revoked_at")
    list_select_related = ("record_type",)
    exclude = ("digest",)
