"""What an answer is: a page of the site, or one of the ways in which a site says no.

What a status says counts first, then known signs. Sites say "sign in" and "prove that you are a person" with any status, 200 too; the
signs below are those that the makers of such walls document or that their pages cannot do without.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from extraction.algorithms.dom import xml
from extraction.algorithms.dom.xml import HTML_TYPES, XML_TYPE, media_type
from extraction.fetching.crawl.messages import Outcome
from extraction.fetching.crawl.pages import PageView

FEW_WORDS = 120
"""Words of a page that may still be nothing but a wall. The walls of the makers named below have 5 to 90; a real page with a captcha in its
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
"""What stands in the source of a wall, and whose it is. It counts on pages of few words only."""

WALL_TITLES = re.compile(
    r"just a moment|attention required|are you (a )?(human|robot)|access denied|access to this page has been denied"
    r"|verify(ing)? you are human|security check|pardon our interruption|robot check|bot verification|ddos.guard",
    re.IGNORECASE,
)

LOGIN_PATH = re.compile(
    r"/(log-?in|sign-?in|auth|sso|oauth2?|session/new|account/login|users/sign_in|wp-login\.php)(/|\.|\?|$)", re.IGNORECASE
)

LOGIN_WORDS = 250
"""Words of a page with a password field that is a sign-in page: with its header and footer; real pages have one at their top."""

WALL_STATUS = {401: "it asks for a login", 403: "it refuses requests", 407: "a proxy asks for a login", 429: "it asks for slower requests"}

OPEN_TYPES = ("", "text/plain", "application/octet-stream", "binary/octet-stream")
"""Content types that say too little: the first bytes decide."""

HTML_START = re.compile(rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer is, and why in words."""

    outcome: Outcome
    message: str = ""


def of_status(status: int, *, headers: Mapping[str, str]) -> Verdict | None:
    """What the status and headers say; None when the page itself has to be looked at."""
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
    """Whether a page can have this content type: what else comes is not worth downloading."""
    kind = media_type(content_type)
    return kind in HTML_TYPES or kind in OPEN_TYPES or XML_TYPE.fullmatch(kind) is not None


def is_page(content: bytes, *, content_type: str, asked: bool = False) -> bool:
    """Whether this is a page. Sitemaps and what stands beside pages are none; a feed is one only where it was asked for by its address."""
    kind = media_type(content_type)
    if kind in HTML_TYPES:
        return True
    if not may_be_page(content_type):
        return False
    if HTML_START.match(content[:4096].lstrip(b"\xef\xbb\xbf")):
        return True
    found = xml.what(content, content_type)
    return found == "xml" or (found == "feed" and asked)


def no_page(content: bytes, *, content_type: str) -> str:
    """Why an answer is no page, in words."""
    found = xml.what(content, content_type) if may_be_page(content_type) else ""
    said = {"sitemap": "a sitemap", "feed": "a feed that a page links to", "support": "a file beside pages"}.get(found)
    return said or content_type or "it has no content type and does not begin like a page"


def of_wall(content: bytes, page: PageView, *, final_url: str, asked_url: str) -> Verdict | None:
    """Whether a page is one that asks to sign in or to prove something; None when it is not."""
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


def is_empty(page: PageView) -> bool:
    """Whether a page shows nothing."""
    return not page.words and not page.pictures
