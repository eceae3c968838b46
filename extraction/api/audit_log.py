"""The audit log: who changed what."""

from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Query, Schema

from extraction.api.operations import ApiRequest, Operations
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import refuse_form
from extraction.forms.audit import AuditForm
from extraction.models import AuditEntry
from extraction.services.core import audit_search
from extraction.views.core import audit_log

operations = Operations("Audit log")

ALL_SITES = "The audit log covers all sites of a team."


class EntryOut(Schema):
    """One change.

    kind: such as site.created. what: the object, in words. text: what was changed. times: how often in a row.
    person: the name at that time; empty for what happened by itself. token: the name and the first characters of the API token.
    """

    id: int
    at: datetime
    kind: str
    what: str
    text: str
    person: str
    source: str
    token: str
    site: str
    address: str
    times: int


class Filters(Schema):
    """What is looked for; what is empty matches everything."""

    q: str = Field("", description="Words that occur in what was changed, the object, the site, the person or the token.")
    person: str = Field("", description="The whole name.")
    site: str = Field("", description="The slug of a site.")
    kind: str = Field("", description="Such as `site.created`.")
    source: str = Field("", description="Where it was changed: `dashboard`, `api`, `command` or `self`.")
    since: str = Field("", description="The first day, such as 2026-11-29, in the time zone of the installation.")
    until: str = Field("", description="The last day.")


@operations.get("/audit-log", like=audit_log.list_entries, response=Paged[EntryOut])
def list_audit_entries(request: ApiRequest, paging: Asked, filters: Annotated[Filters, Query()]) -> dict[str, Any]:
    """List who changed what in the teams of which you are an administrator, newest first."""
    request.access.refuse_site_limits(ALL_SITES)
    form = AuditForm(filters.dict(), user=request.access.user)
    if not form.is_valid():
        raise refuse_form(form, prefix="query")
    return take_page(audit_search.find_entries(form.read_search(), request.access.user), paging, _describe, newest_first=True)


def _describe(entry: AuditEntry) -> EntryOut:
    return EntryOut(
        id=entry.pk,
        at=entry.at,
        kind=entry.kind,
        what=entry.what,
        text=entry.text,
        person=entry.by_name,
        source=entry.source,
        token=entry.token,
        site=entry.site_name,
        address=entry.address,
        times=entry.times,
    )
