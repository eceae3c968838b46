"""The audit log: the list with its filters, and its CSV file."""

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from extraction.forms.audit import AuditForm
from extraction.forms.core import join_errors
from extraction.models import AuditKind, AuditSource, Role, Site
from extraction.services.core import audit_search
from extraction.services.core.access import visible_to
from extraction.views.core.keyset import read_page
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires

PER_PAGE = 100


@require_safe
@requires(Role.ADMIN)
def list_entries(request: SignedInHttpRequest) -> HttpResponse:
    """Show who changed what, newest first."""
    form = AuditForm(request.GET, user=request.user)
    search = form.read_search()
    context = {
        "form": form,
        "asked": search,
        "query": search.text,
        "since": request.GET.get("since", ""),
        "until": request.GET.get("until", ""),
        "filtered": any(request.GET.get(name) for name in form.fields),
        "error": join_errors(form),
        "pages": read_page(audit_search.find_entries(search, request.user), request.GET, per_page=PER_PAGE, newest_first=True),
        "people": audit_search.list_people(request.user),
        "sites": visible_to(Site.objects.order_by("name"), request.user, least=Role.ADMIN),
        "kinds": AuditKind.choices,
        "sources": AuditSource.choices,
        "days": settings.VERTEX_AUDIT_KEEP_DAYS,
    }
    return render(request, "extraction/core/audit_log.html", context)


@require_safe
@requires(Role.ADMIN)
def download_entries(request: SignedInHttpRequest) -> StreamingHttpResponse:
    """Send the entries that the list shows as a CSV file."""
    content = audit_search.export_entries(AuditForm(request.GET, user=request.user).read_search(), request.user)
    name = 'attachment; filename="vertex-audit-log.csv"'
    return StreamingHttpResponse(content, content_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})
