"""What an answer is: a page of the site, or one of the ways in which a site refuses.

The status counts first, then known signs. Sites ask visitors to sign in or to prove that they are human with any status, even 200. The
signs below are documented by the makers of such walls, or their pages cannot work without them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from extraction.algorithms.dom import xml
from extraction.algorithms.dom.xml import HTML_TYPES, XML_TYPE, media_type
from extraction.fetching.crawl.messages import Outcome
from extraction.fetching.crawl.pages import ParsedView

FEW_WORDS = 120
"""A page with fewer words may be only a wall. The walls of the makers named below have 5 to 90 words; a real page with a captcha in its
comment form has more."""

WALL_HEADERS = {"cf-mitigated": "Cloudflare", "x-amzn-waf-action": "AWS WAF", "x-datadome": "DataDome", "x-px-block": "HUMAN"}

WALL_MARKS = tuple(
    (mark.encode(), name)
    for mark, name in {
        "/cdn-cgi/challenge-platform/": "Cloudflare",
        "cf-turnstile": "Cloudflare Turnstile",
        "_Incapsula_Resource": "Imperva",
        "captcha-delivery.com": "DataDome",
        "px-captcha": "HUMAN",
        "awsWafCookieDomainList": "AWS WAF",
        "g-recaptcha": "reCAPTCHA",
        "h-captcha": "hCaptcha",
        "sec-if-cpt-container": "Akamai",
        "/_sec/cp_challenge": "Akamai",
        "friendlycaptcha": "Friendly Captcha",
        "anubis_challenge": "Anubis",
    }.items()
)
"""Text in the source of a wall, and the maker of the wall. It counts only on pages with few words."""

WALL_TITLES = re.compile(
    r"just a moment|attention required|are you (a )?(human|robot)|access denied|access to this page has been denied"
    r"|verify(ing)? you are human|security check|pardon our interruption|robot check|bot verification|ddos.guard",
    re.IGNORECASE,
)

LOGIN_PATH = re.compile(
    r"/(log-?in|sign-?in|auth|sso|oauth2?|session/new|account/login|users/sign_in|wp-login\.php)(/|\.|\?|$)", re.IGNORECASE
)

LOGIN_WORDS = 250
"""A page with a password field and fewer words, header and footer included, is a sign-in page. Real pages have a sign-in form at their
top and more words."""

WALL_STATUS = {401: "it asks for a login", 403: "it refuses requests", 407: "a proxy asks for a login", 429: "it asks for slower requests"}

OPEN_TYPES = ("", "text/plain", "application/octet-stream", "binary/octet-stream")
"""Content types that say too little. The first bytes decide."""

HTML_START = re.compile(
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?>(?:<!--.*?-->\s*+)*)<(?:!doctype\s++html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer is, and the reason in words."""

    outcome: Outcome
    message: str = ""


def judge_status(status: int, *, headers: Mapping[str, str]) -> Verdict | None:
    """Return what the status and the headers say; None if the page itself must be read."""
    for name, maker in WALL_HEADERS.items():
        if status >= 400 and name in headers:
            return Verdict(Outcome.LOGIN_OR_BOT, f"{maker} asks for proof of a human visitor")
    if status == 304:
        return Verdict(Outcome.NOT_MODIFIED)
    if status == 410:
        return Verdict(Outcome.GONE)
    if status in WALL_STATUS:
        return Verdict(Outcome.LOGIN_OR_BOT, WALL_STATUS[status])
    if 300 <= status < 400:
        return Verdict(Outcome.MOVED, f"it answers {status} without a new address")
    if 400 <= status < 500:
        return Verdict(Outcome.NOT_FOUND, "" if status == 404 else f"it answers {status}")
    return Verdict(Outcome.SERVER_ERROR, f"it answers {status}") if status >= 500 or status < 200 else None


def may_be_page(content_type: str) -> bool:
    """Return whether a page can have this content type. Answers of other types are not downloaded."""
    kind = media_type(content_type)
    return kind in HTML_TYPES or kind in OPEN_TYPES or XML_TYPE.fullmatch(kind) is not None


def is_page(content: bytes, *, content_type: str, asked: bool = False) -> bool:
    """Return whether this is a page. Sitemaps and support files are not.

    asked: whether the address was given and not found by a link; only then is a feed a page.
    """
    kind = media_type(content_type)
    if kind in HTML_TYPES:
        return True
    if not may_be_page(content_type):
        return False
    if HTML_START.match(content[:4096].lstrip(b"\xef\xbb\xbf")):
        return True
    found = xml.what(content, content_type)
    return found == "xml" or (found == "feed" and asked)


def judge_no_page(content: bytes, *, content_type: str) -> str:
    """Return in words why an answer is not a page."""
    found = xml.what(content, content_type) if may_be_page(content_type) else ""
    said = {"sitemap": "a sitemap", "feed": "a feed that a page links to", "support": "a file beside pages"}.get(found)
    return said or content_type or "it has no content type and does not begin like a page"


def judge_wall(content: bytes, page: ParsedView, *, final_url: str, asked_url: str) -> Verdict | None:
    """Return a verdict if the page asks visitors to sign in or to prove that they are human; else None."""
    few = len(page.words) < FEW_WORDS
    if few and (mark := next((name for mark, name in WALL_MARKS if mark in content), "")):
        return Verdict(Outcome.LOGIN_OR_BOT, f"{mark} asks for proof of a human visitor")
    if few and WALL_TITLES.search(page.title):
        return Verdict(Outcome.LOGIN_OR_BOT, f"the page is “{page.title[:80]}”")
    if page.has_password and len(page.words) < LOGIN_WORDS:
        return Verdict(Outcome.LOGIN_OR_BOT, "the page is a form to sign in")
    if page.has_password and final_url != asked_url and LOGIN_PATH.search(final_url):
        return Verdict(Outcome.LOGIN_OR_BOT, "it leads to a page to sign in")
    return None


def is_empty(page: ParsedView) -> bool:
    """Return whether a page shows neither text nor pictures."""
    return not page.words and not page.pictures
