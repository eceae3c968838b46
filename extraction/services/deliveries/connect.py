"""Reach a target: the sender of its kind, and a test that leaves nothing behind."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from django.utils import timezone

from extraction.fetching.hidden_texts import hide_secrets
from extraction.models import DeliveryTarget
from extraction.services.core.sealed_secrets import SecretError
from extraction.services.deliveries.record_lines import NotDelivered
from extraction.services.deliveries.secrets import open_secrets
from extraction.services.deliveries.senders import webhook
from extraction.services.deliveries.senders.files import FileSender, ReadyFile
from extraction.services.deliveries.senders.folder import FolderSender
from extraction.services.deliveries.senders.other import OtherSender
from extraction.services.deliveries.senders.reach import DeliveryError
from extraction.services.deliveries.senders.s3 import S3Sender
from extraction.services.deliveries.senders.sql_table import SqlSender
from extraction.services.deliveries.senders.time_limits import limit_time

TEST_S = 60.0
"""How long a test may take: a person waits for it, and a thread of the web server."""

TEST_NAME = "vertex-test.txt"


def make_file_sender(target: DeliveryTarget, secrets: Mapping[str, str]) -> FileSender:
    """Return what puts files into a target. Raises DeliveryError if the target cannot be used."""
    place = target.read_place()
    if target.kind == DeliveryTarget.Kind.FOLDER:
        return FolderSender(place.folder)
    if target.kind == DeliveryTarget.Kind.S3:
        return S3Sender(place, secrets.get("secret_key", ""))
    if target.kind == DeliveryTarget.Kind.SFTP:
        # Its library takes 10 MB, so only a process that needs it loads it.
        from extraction.services.deliveries.senders.sftp import SftpSender

        return SftpSender(place, secrets)
    return OtherSender(place.url, secrets.get("options", ""))


def send_test(target: DeliveryTarget) -> str:
    """Reach a target without delivering anything. Return why that failed, "" if it worked.

    A file is written and removed again; a webhook gets a signed request without changes; the database is asked for the table.
    """
    secrets: dict[str, str] = {}
    with limit_time(TEST_S) as limit:
        try:
            secrets = open_secrets(target)
            _test(target, secrets)
        except (DeliveryError, SecretError, NotDelivered) as error:
            slow = f"The test was given up after {TEST_S:.0f} seconds. " if limit.over else ""
            return slow + hide_secrets(str(error), secrets)
    return ""


def _test(target: DeliveryTarget, secrets: Mapping[str, str]) -> None:
    now = timezone.now()
    if target.kind == DeliveryTarget.Kind.WEBHOOK:
        webhook.send_batch(secrets, f"vertex-test-{target.pk}-{int(now.timestamp())}", webhook.write_test(target), now)
        return
    if target.kind == DeliveryTarget.Kind.SQL:
        with SqlSender(target.read_place(), secrets.get("password", ""), ()) as sender:
            sender.check()
        return
    sender_ = make_file_sender(target, secrets)
    with tempfile.TemporaryDirectory(prefix="vertex-delivery-") as folder:
        path = Path(folder) / TEST_NAME
        path.write_text(f"A test of {target.name} by Vertex.\n", encoding="utf-8")
        sender_.put_file(ReadyFile(path, TEST_NAME), lambda: None)
        sender_.remove_file(TEST_NAME)
