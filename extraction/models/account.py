"""What belongs to accounts: where people are signed in, and invitations."""

from typing import Self

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import models
from django.db.models import Q
from django.utils import timezone

from extraction.models.role import Role
from extraction.models.team import Team, find_first_team


class SignedInSession(models.Model):
    """A browser in which somebody is signed in. It goes with Django's session, which it belongs to.

    seen_at: the last request, to within a few minutes.
    address: the IP address of that request.
    agent: what the browser says of itself.
    """

    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="signed_in")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="signed_in_sessions")
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    address = models.CharField(max_length=45, blank=True)
    agent = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-seen_at", "-id"]

    def __str__(self) -> str:
        return f"session {self.pk} of {self.user}"


class ReaderSettings(models.Model):
    """How a person reads the dashboard.

    language: one of the settings' LANGUAGES; empty for what the browser says.
    zone: the time zone of times, such as Europe/Berlin; empty for the server's.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reader_settings")
    language = models.CharField(max_length=10, blank=True)
    zone = models.CharField(max_length=60, blank=True)

    class Meta:
        verbose_name_plural = "reader settings"

    def __str__(self) -> str:
        return f"reader settings of {self.user}"


class SecondFactor(models.Model):
    """An app that makes a code every half minute, which a person enters after the password.

    secret: what the app and Vertex share, encrypted.
    confirmed_at: when the first code was entered; until then, the factor is not asked for.
    last_step: the half minute of the last code that was accepted. No code is accepted twice.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="second_factor")
    secret = models.TextField()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    last_step = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"second factor of {self.user}"


class RecoveryCode(models.Model):
    """A code that replaces the app once. Only its digest is stored."""

    factor = models.ForeignKey(SecondFactor, on_delete=models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["factor", "digest"], name="one_recovery_code_per_digest")]

    def __str__(self) -> str:
        return f"recovery code of {self.factor}"


class ExternalIdentity(models.Model):
    """Who a person is at the provider with which they sign in (OpenID Connect). A provider never gives a subject to somebody else."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="external_identities")
    issuer = models.CharField(max_length=300)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "external identities"
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="one_person_per_subject")]

    def __str__(self) -> str:
        return f"{self.user} at {self.issuer}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Common queries on invitations."""

    def open(self) -> Self:
        """Invitations that can be accepted now."""
        return self.filter(used_at=None, revoked_at=None, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """A link with which somebody makes an account of their own, once. Only its digest is stored.

    note: whom it is for, in the inviter's words.
    team: the team that the person will be in; None for an administrator of the installation.
    role: the name of the role that the person will have there.
    """

    note = models.CharField(max_length=120)
    email = models.EmailField(blank=True)
    team = models.ForeignKey(Team, null=True, blank=True, default=find_first_team, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=[(role.group, role.word) for role in Role])
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(role__in=[role.group for role in Role]), name="an_invitation_is_for_a_known_role"),
            models.CheckConstraint(condition=Q(used_at=None) | Q(revoked_at=None), name="a_used_invitation_cannot_be_revoked"),
            models.CheckConstraint(
                condition=Q(team__isnull=False) | Q(role=Role.ADMIN.group), name="an_invitation_into_no_team_is_for_an_admin"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation for {self.note}"
