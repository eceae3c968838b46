"""A server with SFTP."""

import base64
import contextlib
import hashlib
import io
import stat
from collections.abc import Iterator, Mapping

import paramiko
from django.utils.translation import gettext

from extraction.models.delivery import TargetPlace
from extraction.services.deliveries.senders.files import Beat, ReadyFile, WatchedFile, name_part
from extraction.services.deliveries.senders.reach import TIMEOUT_S, DeliveryError, describe_os_error, open_socket


class SftpSender:
    """Puts files on a server. The server must have the key whose fingerprint the target names."""

    def __init__(self, place: TargetPlace, secrets: Mapping[str, str]) -> None:
        self._place, self._secrets = place, secrets

    def put_file(self, file: ReadyFile, beat: Beat) -> None:
        """Write the file beside its place and rename it. Raises DeliveryError."""
        with self._open() as client, file.path.open("rb") as source:
            part, name = self._join(name_part(file.name)), self._join(file.name)
            _make_folders(client, self._place.folder)
            watched = WatchedFile(source, beat)
            client.putfo(watched, part, file_size=file.path.stat().st_size, confirm=True)
            _rename(client, part, name)

    def remove_file(self, name: str) -> None:
        """Remove a file. Raises DeliveryError."""
        with self._open() as client:
            client.remove(self._join(name))

    def _join(self, name: str) -> str:
        folder = self._place.folder.rstrip("/")
        return f"{folder}/{name}" if folder else name

    @contextlib.contextmanager
    def _open(self) -> Iterator[paramiko.SFTPClient]:
        where = f"{self._place.user}@{self._place.host}"
        transport = paramiko.Transport(open_socket(self._place.host, self._place.port))
        try:
            transport.start_client(timeout=TIMEOUT_S)
            self._check_key(transport)
            self._sign_in(transport)
            client = paramiko.SFTPClient.from_transport(transport)
            if client is None:
                raise DeliveryError(gettext("%(where)s offers no SFTP.") % {"where": where})
            client.get_channel().settimeout(TIMEOUT_S)
            yield client
        except paramiko.AuthenticationException as error:
            raise DeliveryError(gettext("%(where)s does not accept the password or key.") % {"where": where}) from error
        except paramiko.SSHException as error:
            raise DeliveryError(gettext("%(where)s broke off: %(error)s") % {"where": where, "error": error}) from error
        except (OSError, EOFError) as error:
            raise DeliveryError(
                f"{where}, {self._place.folder or 'its first folder'}: {describe_os_error(error) or 'broke off'}"
            ) from error
        finally:
            transport.close()

    def _check_key(self, transport: paramiko.Transport) -> None:
        found = name_fingerprint(transport.get_remote_server_key())
        if found != self._place.host_key:
            raise DeliveryError(
                gettext(
                    "The key of %(host)s is %(found)s, not %(host_key)s. If that is right, enter it for the target. Otherwise "
                    "somebody may pretend to be the server. Nothing was sent."
                )
                % {"host": self._place.host, "found": found, "host_key": self._place.host_key or "named"},
                again=False,
            )

    def _sign_in(self, transport: paramiko.Transport) -> None:
        text = self._secrets.get("private_key", "")
        if text:
            transport.auth_publickey(self._place.user, read_private_key(text))
        else:
            transport.auth_password(self._place.user, self._secrets.get("password", ""))


def read_private_key(text: str) -> paramiko.PKey:
    """Return a private key as OpenSSH writes it, without a passphrase. Raises DeliveryError; the message has nothing of the key."""
    for kind in (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey):
        with contextlib.suppress(paramiko.SSHException, ValueError, IndexError, TypeError):
            return kind.from_private_key(io.StringIO(text.strip() + "\n"))
    raise DeliveryError(
        gettext("The private key cannot be read. Enter a key of OpenSSH without a passphrase: Ed25519, ECDSA or RSA."), again=False
    )


def name_fingerprint(key: paramiko.PKey) -> str:
    """Return the fingerprint of a server's key as OpenSSH shows it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key.asbytes()).digest()).decode().rstrip("=")


def _make_folders(client: paramiko.SFTPClient, folder: str) -> None:
    made = "/" if folder.startswith("/") else ""
    for part in filter(None, folder.split("/")):
        made = f"{made}{part}"
        try:
            if not stat.S_ISDIR(client.stat(made).st_mode or 0):
                raise DeliveryError(gettext("%(made)s is not a folder.") % {"made": made}, again=False)
        except FileNotFoundError:
            client.mkdir(made)
        made += "/"


def _rename(client: paramiko.SFTPClient, part: str, name: str) -> None:
    """Rename a file over another. Servers without OpenSSH's extension cannot do this in one step: there the old file goes first."""
    try:
        client.posix_rename(part, name)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            client.remove(name)
        client.rename(part, name)
