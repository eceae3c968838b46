"""Why there was no answer is said in words, not as the representation of an error."""

import pytest
from scrapy.exceptions import DownloadFailedError
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.python.failure import Failure
from twisted.web.client import ResponseNeverReceived

from extraction.fetching.crawl.failures import judge_failure
from extraction.fetching.crawl.messages import Address


def describe(error: Exception) -> str:
    return judge_failure(error, address=Address(url="https://shop.example/", depth=0, via=""), url="https://shop.example/").message


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("wrong version number", "it does not use HTTPS; try http://shop.example/"),
        ("sslv3 alert handshake failure", "its HTTPS connection failed: sslv3 alert handshake failure"),
    ],
)
def test_a_failed_handshake_is_named(reason: str, words: str) -> None:
    assert describe(Exception([Failure(OSError([("SSL routines", "", reason)]))])) == words


def test_a_wrapped_error_gives_its_own_message() -> None:
    assert describe(Exception([Failure(OSError("the line went dead"))])) == "no answer: the line went dead"


@pytest.mark.parametrize("kind", [ConnectionLost, ConnectionDone])
def test_a_connection_that_was_closed_is_named_without_a_representation(kind: type[Exception]) -> None:
    reasons = [Failure(kind())]
    error = DownloadFailedError(str(reasons))
    error.__cause__ = ResponseNeverReceived(reasons)
    assert describe(error) == "no answer: it closed the connection"
