"""What a signed-in person changes about the own account."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from extraction.forms.sign_in import OwnPasswordForm
from extraction.models import Role
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.VIEWER)
def change_password(request: SignedInHttpRequest) -> HttpResponse:
    """Change one's own password. Other sessions of the same person are signed out."""
    form = OwnPasswordForm(request.user, request.POST if request.method == "POST" else None, request=request)
    if request.method == "POST" and form.is_valid():
        update_session_auth_hash(request, form.save())
        messages.success(request, "Your password is changed. You are signed out everywhere else.")
        return redirect("home")
    return render(request, "registration/password.html", {"form": form}, status=400 if form.errors else 200)
