"""What tells the records of a type apart, and when they count as gone."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from extraction.forms.records import KeysForm
from extraction.models import RecordType, Role
from extraction.services.core.percent import write_number
from extraction.services.records import keys as service
from extraction.views.policy import requires


@require_http_methods(("GET", "HEAD", "POST"))
@requires(Role.EDITOR)
def edit_keys(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how well each attribute tells records apart. POST saves a choice.

    A key that different records share is saved only after the person has seen how many there are.
    """
    record_type = get_object_or_404(RecordType, slug=slug)
    form = KeysForm(request.POST if request.method == "POST" else None, record_type)
    conflicts = []
    choices = service.list_choices(record_type)
    if form.is_valid():
        chosen, per_page = form.chosen("keys"), form.chosen("per_page")
        for each in choices:
            if form.cleaned_data["use"] == (str(each.of_list.pk) if each.of_list else "pages"):
                chosen, per_page = each.use_proposal(chosen, per_page)
        conflicts = service.find_conflicts(record_type, chosen, per_page)
        if not conflicts or form.cleaned_data["confirmed"]:
            done = service.save_keys(record_type, chosen, per_page, gone_after=form.cleaned_data["gone_after"])
            joined = (
                gettext(" %(joined)s of them turned out to be another one.") % {"joined": write_number(done.joined)} if done.joined else ""
            )
            messages.success(
                request,
                gettext("Saved. %(things)s records have a new key.%(joined)s") % {"things": write_number(done.things), "joined": joined}
                if done.things
                else gettext("Saved."),
            )
            return redirect("record_type_keys", record_type.slug)
    else:
        chosen = {each.attribute.pk for one in choices for each in one.options if each.attribute.is_key}
        per_page = {one.of_list.pk for one in choices if one.of_list and one.of_list.key_per_page}
    context = {
        "record_type": record_type,
        "choices": choices,
        "form": form,
        "conflicts": conflicts,
        "chosen": chosen,
        "within": per_page,
        "gone_after": form.data.get("gone_after", record_type.gone_after),
    }
    return render(request, "extraction/records/keys.html", context, status=400 if request.method == "POST" else 200)
