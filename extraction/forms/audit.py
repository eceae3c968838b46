"""The filters of the audit log."""

from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext_lazy

from extraction.models import (
    AuditKind,
    AuditSource,
    Role,
    Site,
)
from extraction.services.core.access import visible_to
from extraction.services.core.audit_search import AuditSearch


class AuditForm(forms.Form):
    """What is looked for. A field that cannot be understood has an error, and nothing is filtered by it."""

    q = forms.CharField(max_length=200, required=False)
    person = forms.CharField(max_length=150, required=False)
    site = forms.ModelChoiceField(Site.objects.none(), to_field_name="slug", required=False)
    kind = forms.ChoiceField(choices=[("", gettext_lazy("All changes")), *AuditKind.choices], required=False)
    source = forms.ChoiceField(choices=[("", gettext_lazy("From anywhere")), *AuditSource.choices], required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["site"].queryset = visible_to(Site.objects.order_by("name"), user, least=Role.ADMIN)  # type: ignore[attr-defined]

    def read_search(self) -> AuditSearch:
        """Return what is looked for. Days are those of the installation's time zone; the last one is included."""
        self.is_valid()
        data: dict[str, Any] = self.cleaned_data
        since, until = data.get("since"), data.get("until")
        return AuditSearch(
            text=data.get("q", "").strip(),
            person=data.get("person", "").strip(),
            site=data.get("site"),
            kind=data.get("kind", ""),
            source=data.get("source", ""),
            since=timezone.make_aware(datetime.combine(since, time.min)) if since else None,
            before=timezone.make_aware(datetime.combine(until + timedelta(days=1), time.min)) if until and until.year < 9999 else None,
        )
