"""Run the live rules of a record type again, on all sites."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from extraction.models import RecordType, Role
from extraction.services.core.runs import JobError
from extraction.services.records import extract_records
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires


@require_POST
@requires(Role.EDITOR)
def run_record_type(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Run the working rules of all templates of a record type over all pages: one run for each site."""
    record_type = get_object_or_404(RecordType, slug=slug)
    try:
        started = extract_records.start_type_extraction(record_type, request.user)
    except JobError as error:
        messages.error(request, str(error))
        return redirect("record_type_records", slug)
    if len(started) == 1:
        return redirect(started[0])
    messages.success(request, gettext("%(started)s sites are run again. The home page shows how far they are.") % {"started": len(started)})
    return redirect("record_type_records", slug)
