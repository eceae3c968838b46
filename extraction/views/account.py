"""What a signed-in person sees and changes about the own account, and the way back in after a forgotten password."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView, PasswordResetView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext, ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.people import EmailForm, ForgottenForm, ReaderForm
from extraction.forms.repeating import list_zones
from extraction.forms.sign_in import OwnPasswordForm
from extraction.models import ReaderSettings, Role, SignedInSession, reach_of
from extraction.services.core import (
    people,
    second_factors,
    sessions,
)
from extraction.views.core.keyset import read_numbered_page
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import note_use, requires
from extraction.views.reader import LANGUAGE, remember_reader


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.VIEWER)
def change_password(request: SignedInHttpRequest) -> HttpResponse:
    """Change one's own password. Other sessions of the same person are signed out."""
    form = OwnPasswordForm(request.user, request.POST if request.method == "POST" else None, request=request)
    if request.method == "POST" and form.is_valid():
        sessions.end_sessions(request.user, but=request.session.session_key)
        people.change_password(request.user, form.cleaned_data["new_password1"])
        update_session_auth_hash(request, request.user)
        note_use(request, request.user, timezone.now())  # Django has given the session a new key
        messages.success(request, gettext("Your password is changed. You are signed out everywhere else."))
        return redirect("home")
    return render(request, "registration/password.html", {"form": form}, status=400 if form.errors else 200)


@require_safe
@requires(Role.VIEWER)
def show_account(request: SignedInHttpRequest) -> HttpResponse:
    """Show where one is signed in, and the e-mail address."""
    return _show_account(request, EmailForm(instance=request.user))


@require_POST
@requires(Role.VIEWER)
def change_email(request: SignedInHttpRequest) -> HttpResponse:
    """Change one's own e-mail address, to which a forgotten password's link goes."""
    form = EmailForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if not form.is_valid():
        return _show_account(request, form)
    people.change_email(request.user, form.cleaned_data["email"])
    messages.success(
        request, gettext("Your e-mail address is changed.") if form.cleaned_data["email"] else gettext("Your e-mail address is removed.")
    )
    return redirect("account")


@require_POST
@requires(Role.VIEWER)
def change_reader(request: SignedInHttpRequest) -> HttpResponse:
    """Change the language and the time zone in which one reads the dashboard."""
    form = ReaderForm(request.POST)
    if not form.is_valid():
        return _show_account(request, EmailForm(instance=request.user), form)
    people.change_reader(request.user, language=form.cleaned_data["language"], zone=form.cleaned_data["zone"])
    remember_reader(request, request.user)
    with translation.override(request.session[LANGUAGE] or translation.get_language_from_request(request)):
        messages.success(request, gettext("Saved. Your other browsers follow when you sign in there again."))
    return redirect("account")


@require_safe
@requires(Role.ADMIN, everywhere=True)
def list_sessions(request: SignedInHttpRequest) -> HttpResponse:
    """Show where everybody is signed in."""
    pages = read_numbered_page(sessions.list_sessions(), request.GET, per_page=100)
    context = {"sessions": pages, "pages": pages, "own": request.session.session_key, "everybody": True}
    return render(request, "extraction/people/sessions.html", context)


@require_POST
@requires(Role.VIEWER)
def end_session(request: SignedInHttpRequest, session_id: int) -> HttpResponse:
    """Sign out in another browser. Administrators of the installation may do that for everybody."""
    visible = SignedInSession.objects.all() if reach_of(request.user).everywhere else SignedInSession.objects.filter(user=request.user)
    found = get_object_or_404(visible.select_related("user"), pk=session_id)
    sessions.end_session(found)
    messages.success(request, gettext("The session was ended."))
    return redirect("account" if found.user_id == request.user.pk else "sessions")


@require_POST
@requires(Role.VIEWER)
def end_other_sessions(request: SignedInHttpRequest) -> HttpResponse:
    """Sign out everywhere but here."""
    ended = sessions.end_sessions(request.user, but=request.session.session_key)
    messages.success(
        request,
        ngettext("%(ended)s session ended. You are still signed in here.", "%(ended)s sessions ended. You are still signed in here.", ended)
        % {"ended": ended},
    )
    return redirect("account")


class ForgottenView(PasswordResetView):
    """Sends a link to a new password, if a mail server is configured."""

    template_name = "registration/forgotten.html"
    email_template_name = "registration/forgotten_mail.txt"
    subject_template_name = "registration/forgotten_subject.txt"
    form_class = ForgottenForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"request": self.request}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"can_mail": can_mail()}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not can_mail():
            raise PermissionDenied(gettext("No mail server is configured."))
        return super().post(request, *args, **kwargs)


class NewPasswordView(PasswordResetConfirmView):
    """Takes the new password of a person who followed the link. All sessions of the person end."""

    template_name = "registration/new_password.html"

    def form_valid(self, form: Any) -> HttpResponse:
        sessions.end_sessions(form.user)
        answer = super().form_valid(form)
        people.record_new_password(form.user)
        return answer


def can_mail() -> bool:
    """Return whether mail can be sent: a server is configured, or the installation is being tested."""
    return bool(settings.EMAIL_HOST)


def _show_account(request: SignedInHttpRequest, form: EmailForm, reading: ReaderForm | None = None) -> HttpResponse:
    reading = reading or ReaderForm(instance=ReaderSettings.objects.filter(user=request.user).first())
    factor = second_factors.find_factor(request.user)
    context = {
        "sessions": sessions.list_sessions(request.user),
        "own": request.session.session_key,
        "memberships": request.user.memberships.select_related("team"),
        "factor": factor,
        "codes_left": factor.recovery_codes.filter(used_at=None).count() if factor else 0,
        "factor_required": reach_of(request.user).second_factor,
        "provider": settings.VERTEX_OIDC_NAME if settings.VERTEX_OIDC_ISSUER else "",
        "identity": request.user.external_identities.first(),
        "form": form,
        "reading": reading,
        "zones": list_zones(),
        "server_zone": settings.TIME_ZONE,
        "can_mail": can_mail(),
    }
    return render(request, "extraction/people/account.html", context, status=400 if form.errors or reading.errors else 200)
