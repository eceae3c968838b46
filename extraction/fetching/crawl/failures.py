"""Why there was no answer: Vertex's errors and Scrapy's, and how they are reported."""

import re
from datetime import UTC, datetime

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    StopDownload,
    UnsupportedURLSchemeError,
)
from twisted.internet.error import ConnectError, ConnectionDone, ConnectionLost
from twisted.python.failure import Failure

from extraction.fetching.crawl import outcomes
from extraction.fetching.crawl.messages import Address, Fetched, Outcome

DOWNLOAD_ERRORS = (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
    ConnectError,
    ConnectionDone,
    ConnectionLost,
)

_WORDS: dict[type[BaseException], tuple[Outcome, str]] = {
    DownloadTimeoutError: (Outcome.TIMEOUT, "it took too long"),
    DownloadCancelledError: (Outcome.TOO_LARGE, "it is larger than the limit"),
    CannotResolveHostError: (Outcome.UNREACHABLE, "its name has no address"),
    DownloadConnectionRefusedError: (Outcome.UNREACHABLE, "it refuses connections"),
    ResponseDataLossError: (Outcome.UNREACHABLE, "its answer was cut off"),
    UnsupportedURLSchemeError: (Outcome.REFUSED_ADDRESS, "it is not a web address"),
}


_TLS_REASON = re.compile(r"'([^']+)'\)")
"""The last text of each of OpenSSL's errors, which are shown as tuples."""


class Ended(IgnoreRequest):
    """A request that goes no further.

    outcome, message: what is reported for its address.
    final_url: the address that it had reached.
    """

    def __init__(self, outcome: Outcome, message: str, *, final_url: str = "") -> None:
        super().__init__(message)
        self.outcome = outcome
        self.message = message
        self.final_url = final_url


class Dropped(IgnoreRequest):
    """A request that had not started when the crawl was stopped. Its address stays queued."""


def judge_failure(error: BaseException, *, address: Address, url: str) -> Fetched:
    """Return what to report for an address that failed with this error. url: the address that the request had reached."""
    if isinstance(error, Ended):
        outcome, message, url = error.outcome, error.message, error.final_url or url
    elif isinstance(error, StopDownload) and error.response is not None:
        return _describe_stopped(error, address)
    elif isinstance(error, IgnoreRequest):
        outcome, message = _describe_ignored(str(error))
    elif "certificate verify failed" in str(error):
        outcome, message = Outcome.UNREACHABLE, "its certificate is not valid; the site's settings can allow this"
    elif "SSL routines" in str(error):
        outcome, message = Outcome.UNREACHABLE, _describe_tls(str(error), url)
    else:
        outcome, message = _WORDS.get(type(error), (Outcome.UNREACHABLE, f"no answer: {_read_reasons(error)}"[:300]))
    return Fetched(url=address.url, outcome=outcome, final_url=url, fetched_at=now(), depth=address.depth, message=message)


def _describe_tls(text: str, url: str) -> str:
    """Return what a failed handshake means. OpenSSL says "wrong version number" of a server that answers without TLS."""
    reason = (_TLS_REASON.findall(text) or ["no reason given"])[-1]
    if reason in ("wrong version number", "packet length too long", "http request"):
        return f"it does not use HTTPS; try http://{url.removeprefix('https://')}"
    return f"its HTTPS connection failed: {reason}"


def _read_reasons(error: BaseException) -> str:
    """Return the message of an error, or of the errors that it or its cause wraps."""
    wrapped = _list_wrapped(error) or _list_wrapped(error.__cause__)
    if any(isinstance(each.value, ConnectionDone | ConnectionLost) for each in wrapped):
        return "it closed the connection"
    return "; ".join(each.getErrorMessage() for each in wrapped) or str(error)


def _list_wrapped(error: BaseException | None) -> list[Failure]:
    given = error.args[0] if error is not None and error.args else None
    return [each for each in given if isinstance(each, Failure)] if isinstance(given, list) else []


def now() -> str:
    """Return the current time in the format of events."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _describe_stopped(error: StopDownload, address: Address) -> Fetched:
    """Return what to report for an answer that was not downloaded because it cannot be a page."""
    response = error.response
    if response is None:
        raise TypeError("a stopped download has a response")
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
    headers = {name.decode("latin-1").lower(): "" for name in response.headers}
    verdict = outcomes.judge_status(response.status, headers=headers) or outcomes.Verdict(Outcome.NOT_HTML, kind)
    return Fetched(
        url=address.url,
        outcome=verdict.outcome,
        final_url=response.url,
        status=response.status,
        headers={"content-type": kind},
        fetched_at=now(),
        depth=address.depth,
        message=verdict.message,
    )


def _describe_ignored(message: str) -> tuple[Outcome, str]:
    """Return what an error of Scrapy's own middlewares means. Only its message tells."""
    if "robots.txt" in message:
        return Outcome.REFUSED_BY_ROBOTS, "robots.txt disallows it"
    if "max redirections" in message:
        return Outcome.MOVED, "it redirects without end"
    if "DOWNLOAD_MAXSIZE" in message:
        return Outcome.TOO_LARGE, "it unpacks to more than the limit"
    return Outcome.UNREACHABLE, message
