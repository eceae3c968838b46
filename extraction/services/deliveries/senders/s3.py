"""S3 and stores that speak its language. An upload is atomic: the object appears when it is complete."""

import xml.etree.ElementTree as ET  # the answer of a store that an operator chose; expat of today refuses entity bombs
from typing import cast
from urllib.parse import quote

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from django.utils.translation import gettext

from extraction.models.delivery import TargetPlace
from extraction.services.core.percent import write_number
from extraction.services.deliveries.senders.files import Beat, ReadyFile, WatchedFile
from extraction.services.deliveries.senders.reach import DeliveryError, HttpAnswer, fail_on, read_address, send_request

MAX_BYTES = 5 * 1024**3
"""The largest object that S3 takes in one upload."""


class S3Sender:
    """Puts objects into a bucket. Requests are signed by botocore and sent over our own connections, whose addresses are judged."""

    def __init__(self, place: TargetPlace, secret_key: str) -> None:
        self._place = place
        self._endpoint = (place.endpoint or f"https://s3.{place.region or 'us-east-1'}.amazonaws.com").rstrip("/")
        self._credentials = Credentials(place.user, secret_key)

    def put_file(self, file: ReadyFile, beat: Beat) -> None:
        """Upload the file. Raises DeliveryError."""
        size = file.path.stat().st_size
        if size > MAX_BYTES:
            raise DeliveryError(
                gettext("%(file)s has %(size)s bytes; S3 takes %(max_bytes)s in one upload.")
                % {"file": file.name, "size": write_number(size), "max_bytes": write_number(MAX_BYTES)},
                again=False,
            )
        with file.path.open("rb") as source:
            answer = self._send("PUT", file.name, WatchedFile(source, beat), size)
        self._judge(answer, file.name)

    def remove_file(self, name: str) -> None:
        """Delete an object. Raises DeliveryError."""
        self._judge(self._send("DELETE", name, None, 0), name)

    def _send(self, method: str, name: str, body: WatchedFile | None, size: int) -> HttpAnswer:
        folder = self._place.folder.strip("/")
        key = f"{folder}/{name}" if folder else name
        url = f"{self._endpoint}/{quote(self._place.bucket)}/{quote(key)}"
        host = read_address(url).header
        request = AWSRequest(method=method, url=url, data=body, headers={"Host": host, "Content-Length": str(size)})
        S3SigV4Auth(self._credentials, "s3", self._place.region or "us-east-1").add_auth(request)
        if body is not None:
            body.seek(0)
        return send_request(method, url, headers=dict(request.headers.items()), body=cast("bytes | None", body))

    def _judge(self, answer: HttpAnswer, name: str) -> None:
        what = f"The store, asked for {self._place.bucket}/{name},"
        if code := _read_code(answer):
            raise DeliveryError(gettext("%(what)s answers %(status)s: %(code)s") % {"what": what, "status": answer.status, "code": code})
        fail_on(answer, what)


def _read_code(answer: HttpAnswer) -> str:
    """Return the code and message of an error of S3; "" if there are none. They may repeat the access key, never the secret one."""
    if answer.status < 400 or not answer.text:
        return ""
    try:
        root = ET.fromstring(answer.text)  # noqa: S314 - see above  # nosec B314
    except ET.ParseError:
        return ""
    return ", ".join(text for name in ("Code", "Message") if (text := (root.findtext(name) or "").strip()))[:300]
