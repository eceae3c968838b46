"""Set up the sign-in of a site: its page as Vertex sees it, and the steps, which are tried at once."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from extraction.fetching.crawl.messages import TriedSignIn
from extraction.fetching.crawl.shown_forms import ShownField, ShownForm
from extraction.forms.sign_in_setup import SignInAddressForm, SignInChoiceForm
from extraction.models import Role, Site
from extraction.services.core.stored_texts import tell
from extraction.services.sites import sign_in_setup
from extraction.services.sites import sites as service
from extraction.views.policy import requires

READ, TRY = "read", "try"


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def set_up_sign_in(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for the page to sign in, show its forms, and try what a person chose there."""
    site = get_object_or_404(Site, slug=slug)
    if request.method != "POST":
        return _show(request, site, {"form": SignInAddressForm()})
    return _try_choice(request, site) if request.POST.get("act") == TRY else _read_page(request, site)


@require_POST
@requires(Role.EDITOR)
def try_sign_in(request: HttpRequest, slug: str) -> HttpResponse:
    """Try the stored steps."""
    site = get_object_or_404(Site, slug=slug)
    try:
        said = sign_in_setup.try_stored(site)
    except sign_in_setup.SetupError as error:
        messages.error(request, str(error))
        return redirect("site_fetching", site.slug)
    if said.failure:
        return _show(request, site, {"form": SignInAddressForm(), "said": _tell(said)})
    messages.success(request, gettext("Signed in. The page that was shown then: %(title)s.") % {"title": said.title or said.url})
    return redirect("site_fetching", site.slug)


def _read_page(request: HttpRequest, site: Site) -> HttpResponse:
    form = SignInAddressForm(request.POST)
    if not form.is_valid():
        return _show(request, site, {"form": form})
    try:
        page = sign_in_setup.read_page(site, form.cleaned_data["address"])
    except sign_in_setup.SetupError as error:
        form.add_error("address", str(error))
        return _show(request, site, {"form": form})
    offers = [_describe(each) | {"number": number} for number, each in enumerate(page.shown.forms, 1)]
    likely = [offer for offer in offers if offer["has_password"]] or [offer for offer in offers if not offer["is_search"]] or offers
    shown = {"offers": likely, "more_offers": [offer for offer in offers if offer not in likely]}
    told = {"notices": list(map(tell, page.shown.notices)), "elsewhere": page.shown.elsewhere, "page": page}
    return _show(request, site, {"form": form, "read": True, "url": page.url} | shown | told)


def _try_choice(request: HttpRequest, site: Site) -> HttpResponse:
    form = SignInChoiceForm(request.POST)
    tried = form.try_and_save(site) if form.is_valid() else None
    if tried and form.saved:
        said = _tell(tried.said)
        if said.failure:
            messages.warning(request, gettext("The steps were saved, although they failed: %(failure)s.") % {"failure": said.failure})
        else:
            messages.success(
                request, gettext("Signed in, and saved. The page that was shown then: %(title)s.") % {"title": said.title or said.url}
            )
        return redirect("site_fetching", site.slug)
    choices = form.read_choices()
    offer = {**choices, "choices": form.data.get("choices", ""), "chosen": form.data, "has_password": bool(choices["passwords"])}
    told = {"said": _tell(tried.said), "may_save": bool(tried.steps)} if tried else {}
    shown = {"form": form, "offers": [offer | {"complete": True, "number": 1}], "read": True, "url": form.data.get("address", "")}
    return _show(request, site, shown | told)


def _describe(form: ShownForm) -> dict[str, Any]:
    """Return the fields and buttons that a form offers, those with a selector of their own."""
    found = {"texts": _offer(form.texts), "passwords": _offer(form.passwords), "buttons": _offer([form.button] if form.button else [])}
    others = [each.label or each.name for each in form.fields if each.kind != "password" and each not in form.texts]
    chosen = {"name_field": found["texts"][0][0] if found["texts"] else ""}
    offer = {**found, "choices": json.dumps(found), "others": others, "chosen": chosen, "has_password": form.has_password}
    # If the form has a field for the password that no selector finds, it is not on a later page.
    fields = found["passwords"] if form.has_password else found["texts"]
    return offer | {"frame": form.frame, "is_search": form.is_search, "complete": bool(fields and found["buttons"])}


def _offer(fields: Iterable[ShownField]) -> list[tuple[str, str]]:
    return [(each.selector, each.label or each.selector) for each in fields if each.selector]


def _tell(said: TriedSignIn) -> TriedSignIn:
    """Return what came of steps, with the failure in the reader's language."""
    return replace(said, failure=tell(said.failure))


def _show(request: HttpRequest, site: Site, context: dict[str, Any]) -> HttpResponse:
    failed = bool(context["form"].errors or context.get("said"))
    usual = {"site": site, "head": service.summarize_site(site), "tab": "settings"}
    return render(request, "extraction/sites/sign_in.html", usual | context, status=400 if failed else 200)
