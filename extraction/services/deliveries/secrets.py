"""The passwords and keys of targets."""

from collections.abc import Mapping

from extraction.models import DeliveryTarget
from extraction.services.core import sealed_secrets
from extraction.services.core.sealed_secrets import Purpose


def seal_secrets(secrets: Mapping[str, str]) -> str:
    """Return the secrets of a target, encrypted; "" if all are empty."""
    return sealed_secrets.seal_secrets(secrets, Purpose.DELIVERIES)


def open_secrets(target: DeliveryTarget) -> dict[str, str]:
    """Return {name: secret} of a target. Raises SecretError."""
    return sealed_secrets.open_secrets(target.secret, Purpose.DELIVERIES, what=f"The password or key of {target.name}")
