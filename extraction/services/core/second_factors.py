"""Second factors: an app makes a code every half minute (TOTP, RFC 6238), which is asked for after the password.

A code is accepted once, and half a minute early or late, since clocks differ. Recovery codes replace the app, each once. The secret of
the app is encrypted; of recovery codes only digests are stored, made with the secret key, so that a copy of the database does not allow
guessing them.
"""

import hmac
import secrets
import time

import pyotp
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

from extraction.models import AuditKind, RecoveryCode, SecondFactor
from extraction.services.core import audit, sessions
from extraction.services.core.sealed_secrets import Purpose, open_secrets, seal_secrets

STEP_S = 30
"""How long a code holds. All apps use this."""

TOLERATED_STEPS = 1
"""How many steps early or late a code may be."""

RECOVERY_CODES = 10

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without letters and digits that look alike."""


class FactorError(Exception):
    """The change is refused. The message says why."""


def find_factor(user: User) -> SecondFactor | None:
    """Return a person's second factor, None if it is not set up."""
    return SecondFactor.objects.filter(user=user).exclude(confirmed_at=None).first()


def begin_factor(user: User) -> SecondFactor:
    """Return a factor to set up, with a secret that stays the same until it is confirmed. Raises FactorError if there is one."""
    found, _ = SecondFactor.objects.get_or_create(
        user=user, defaults={"secret": seal_secrets({"secret": pyotp.random_base32()}, Purpose.SIGN_IN)}
    )
    if found.confirmed_at is not None:
        raise FactorError(gettext("You have a second factor already."))
    return found


def read_secret(factor: SecondFactor) -> str:
    """Return the secret that the app needs, in letters and digits. Raises SecretError."""
    return open_secrets(factor.secret, Purpose.SIGN_IN, what="The second factor")["secret"]


def write_address(factor: SecondFactor, installation: str) -> str:
    """Return the address that the app reads from the picture. installation: by which the app names the account."""
    return pyotp.TOTP(read_secret(factor)).provisioning_uri(name=factor.user.get_username(), issuer_name=installation)


def confirm_factor(factor: SecondFactor, code: str) -> list[str] | None:
    """Turn a factor on if the code is right, and return its recovery codes. None if the code is wrong."""
    with transaction.atomic():
        if not _accept_step(factor, code):
            return None
        SecondFactor.objects.filter(pk=factor.pk).update(confirmed_at=timezone.now())
        audit.record(AuditKind.FACTOR_SET, factor.user.get_username())
        return _make_codes(factor)


def check_code(factor: SecondFactor, code: str) -> bool:
    """Return whether this is the app's code of now or an unused recovery code, and use it up."""
    text = code.replace(" ", "").replace("-", "").lower()
    if text.isdecimal() and len(text) == 6:
        return _accept_step(factor, text)
    with transaction.atomic():
        used = RecoveryCode.objects.filter(factor=factor, digest=_digest(text), used_at=None).update(used_at=timezone.now())
        if used:
            left = factor.recovery_codes.filter(used_at=None).count()
            audit.record(AuditKind.RECOVERY_CODE_USED, factor.user.get_username(), text=f"left: {left}")
    return bool(used)


def renew_codes(factor: SecondFactor) -> list[str]:
    """Make new recovery codes in place of the old ones."""
    with transaction.atomic():
        audit.record(AuditKind.RECOVERY_CODES_MADE, factor.user.get_username())
        return _make_codes(factor)


def remove_factor(user: User, *, by: User) -> bool:
    """Remove a person's second factor. If somebody else does it, all sessions of the person end. Return False if there was none."""
    with transaction.atomic():
        deleted, _ = SecondFactor.objects.filter(user=user).delete()
        if deleted:
            audit.record(AuditKind.FACTOR_REMOVED, user.get_username(), text="" if by.pk == user.pk else "by an administrator")
        if deleted and by.pk != user.pk:
            sessions.end_sessions(user)
    return bool(deleted)


def _accept_step(factor: SecondFactor, code: str) -> bool:
    """Return whether a code is that of a step of now which was not used yet. The first of two requests with the same code wins."""
    totp, now = pyotp.TOTP(read_secret(factor)), int(time.time()) // STEP_S
    for step in range(now - TOLERATED_STEPS, now + TOLERATED_STEPS + 1):
        if hmac.compare_digest(totp.generate_otp(step).encode(), code.strip().encode()):
            return bool(SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step).update(last_step=step))
    return False


def _make_codes(factor: SecondFactor) -> list[str]:
    made = ["".join(secrets.choice(_LETTERS) for _ in range(10)) for _ in range(RECOVERY_CODES)]
    factor.recovery_codes.all().delete()
    RecoveryCode.objects.bulk_create(RecoveryCode(factor=factor, digest=_digest(each)) for each in made)
    return [f"{each[:5]}-{each[5:]}" for each in made]


def _digest(code: str) -> str:
    return salted_hmac("vertex.recovery_code", code, algorithm="sha256").hexdigest()
