"""Any other store for which fsspec has a driver, such as FTP, SMB, WebDAV or Google Cloud Storage.

The driver connects by itself, so Vertex cannot judge the address. Only the protocols that the administrator lists in
VERTEX_DELIVERY_PROTOCOLS are used, and never those that reach files of this machine.
"""

from typing import Any

import fsspec
from django.conf import settings
from django.utils.translation import gettext

from extraction.algorithms.json_texts import parse_json
from extraction.services.deliveries.senders.files import Beat, ReadyFile, WatchedFile, name_part
from extraction.services.deliveries.senders.reach import DeliveryError

REFUSED = frozenset({"file", "local", "arrow_hdfs", "dir", "root", "reference", "data"})
"""Protocols that reach this machine's files. Targets of the kind “folder” are for them."""


class OtherSender:
    """Puts files into a store by its fsspec address.

    options: what the driver needs, a JSON object as text: passwords, tokens.
    """

    def __init__(self, url: str, options: str) -> None:
        self._url = url.rstrip("/")
        check_url(url)
        self._options = read_options(options)

    def put_file(self, file: ReadyFile, beat: Beat) -> None:
        """Write the file beside its place and rename it. Raises DeliveryError."""
        try:
            system, folder = self._open()
            part, name = f"{folder}/{name_part(file.name)}", f"{folder}/{file.name}"
            system.makedirs(folder, exist_ok=True)
            with file.path.open("rb") as source, system.open(part, "wb") as copy:
                watched = WatchedFile(source, beat)
                while piece := watched.read(1024 * 1024):
                    copy.write(piece)
            if system.exists(name):
                system.rm_file(name)
            system.mv(part, name)
        except DeliveryError:
            raise
        except Exception as error:
            raise DeliveryError(
                gettext("%(url)s/%(file)s cannot be written: %(name)s: %(error)s")
                % {"url": self._url, "file": file.name, "name": type(error).__name__, "error": error}
            ) from error

    def remove_file(self, name: str) -> None:
        """Remove a file. Raises DeliveryError."""
        try:
            system, folder = self._open()
            system.rm_file(f"{folder}/{name}")
        except Exception as error:
            raise DeliveryError(
                gettext("%(url)s/%(name)s cannot be removed: %(name_2)s: %(error)s")
                % {"url": self._url, "name": name, "name_2": type(error).__name__, "error": error}
            ) from error

    def _open(self) -> tuple[Any, str]:
        system, folder = fsspec.core.url_to_fs(self._url, **self._options)
        return system, str(folder).rstrip("/")


def check_url(url: str) -> None:
    """Raise DeliveryError unless the administrator allows the protocol of the address."""
    protocol = url.partition("://")[0].lower()
    allowed = [each.lower() for each in settings.VERTEX_DELIVERY_PROTOCOLS]
    if "::" in url or "://" not in url or protocol in REFUSED or protocol not in allowed:
        listed = ", ".join(allowed) or "none"
        raise DeliveryError(
            gettext("The protocol “%(protocol)s” is not allowed. Allowed (VERTEX_DELIVERY_PROTOCOLS): %(listed)s.")
            % {"protocol": protocol[:40], "listed": listed},
            again=False,
        )


def read_options(text: str) -> dict[str, Any]:
    """Return the options of a driver. Raises DeliveryError; the message has nothing of them."""
    if not text:
        return {}
    try:
        found = parse_json(text)
    except ValueError as error:
        raise DeliveryError(gettext("The options are not JSON."), again=False) from error
    if not isinstance(found, dict):
        raise DeliveryError(gettext("The options must be a JSON object."), again=False)
    return found
