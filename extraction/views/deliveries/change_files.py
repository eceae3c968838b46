"""Downloads of what changed: since a date, or since one's own last download."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from extraction.forms.core import join_errors
from extraction.forms.deliveries import ChangesFileForm
from extraction.models import RecordType, Role, StoredFile
from extraction.services.deliveries.readers import change_files
from extraction.services.deliveries.record_lines import NotDelivered, ReleasedRecords, find_template_records, find_type_records
from extraction.services.records.exports.formats import FORMATS
from extraction.services.records.key_schema import read_key_schemas
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.records import resuming
from extraction.views.templates.clusters import cluster_of

EDIT = ("GET", "HEAD", "POST")


@require_http_methods(EDIT)
@requires(Role.VIEWER)
def store_template_changes(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Offer the changes of a template. POST makes the file."""
    cluster = cluster_of(slug, number)
    lists = list(read_key_schemas([cluster.pk])[cluster.pk].lists)
    wanted = _read_list(request, lists)
    return _offer(request, find_template_records(cluster, wanted), lists, {"site": cluster.site, "cluster": cluster})


@require_http_methods(EDIT)
@requires(Role.VIEWER)
def store_type_changes(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Offer the changes of a record type across all sites. POST makes the file."""
    record_type = get_object_or_404(RecordType, slug=slug)
    lists = list(record_type.lists.filter(attributes__is_key=True).distinct().values_list("name", flat=True))
    return _offer(request, find_type_records(record_type, _read_list(request, lists)), lists, {"record_type": record_type})


@require_safe
@requires(Role.VIEWER)
def send_download(request: HttpRequest, etag: str) -> HttpResponseBase:
    """Send a stored file to the person for whom it was made, also in parts: its bytes never change."""
    file = get_object_or_404(StoredFile, etag=etag, owner=request.user.pk)
    return resuming.send_stored(request, file, same=True)


def _read_list(request: HttpRequest, lists: list[str]) -> str:
    wanted = request.POST.get("list", "") or request.GET.get("list", "")
    return wanted if wanted in lists else ""


def _offer(request: SignedInHttpRequest, records: ReleasedRecords, lists: list[str], about: dict[str, object]) -> HttpResponse:
    form = ChangesFileForm(request.POST or None)
    if request.method == "POST":
        if form.is_valid():
            try:
                return _store(request, records, form)
            except NotDelivered as error:
                messages.error(request, str(error))
        else:
            messages.error(request, join_errors(form))
    book = change_files.find_user_ledger(request.user, records)
    context = {
        **about,
        "title": records.title,
        "templates": records.templates,
        "waiting": records.waiting,
        "formats": FORMATS.values(),
        "lists": lists,
        "list": records.list_name,
        "last": book.updated_at if book else None,
        "files": StoredFile.objects.filter(owner=request.user)[:10],
        "today": timezone.localdate().isoformat(),
    }
    return render(request, "extraction/deliveries/changes.html", context, status=400 if request.method == "POST" else 200)


def _store(request: SignedInHttpRequest, records: ReleasedRecords, form: ChangesFileForm) -> HttpResponse:
    wanted, since = FORMATS[form.cleaned_data["format"]], form.cleaned_data["since"]
    if since is None:
        made = change_files.store_new_changes(request.user, records, wanted)
    else:
        made = change_files.store_changes_since(request.user, records, wanted, since)
    return redirect("download", made.file.etag)
