"""The names of the outcomes of an address on the screens."""

from extraction.fetching.crawl.messages import Outcome

QUEUED = "queued"
ABSENT = "absent"
"""Said of a page that an import does not contain although an earlier one did."""

WORDS: dict[str, str] = {
    Outcome.OK: "Fetched",
    Outcome.NOT_MODIFIED: "Unchanged",
    Outcome.DUPLICATE: "Same as another page",
    Outcome.NOT_FOUND: "Not found",
    Outcome.GONE: "Gone",
    Outcome.MOVED: "Moved off the site",
    Outcome.SERVER_ERROR: "Server error",
    Outcome.TIMEOUT: "Timed out",
    Outcome.REFUSED_BY_ROBOTS: "Refused by robots.txt",
    Outcome.LOGIN_OR_BOT: "Behind a sign-in or a robot check",
    Outcome.SIGNED_OUT: "Signed out",
    Outcome.SOFT_404: "Reported missing",
    Outcome.EMPTY: "Empty",
    Outcome.NOT_HTML: "Not a page",
    Outcome.TOO_LARGE: "Too large",
    Outcome.UNREADABLE: "Could not be read",
    Outcome.REFUSED_ADDRESS: "Blocked for safety",
    Outcome.UNREACHABLE: "Unreachable",
    ABSENT: "Not in the import",
    QUEUED: "Waiting",
}
"""{outcome: its name}."""
