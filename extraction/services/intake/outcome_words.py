"""What each outcome of an address is called."""

from extraction.fetching.crawl.messages import Outcome

QUEUED = "queued"
WORDS: dict[str, str] = {
    Outcome.OK: "Fetched",
    Outcome.NOT_MODIFIED: "Unchanged",
    Outcome.DUPLICATE: "Same page as another",
    Outcome.NOT_FOUND: "Not found",
    Outcome.GONE: "Gone",
    Outcome.MOVED: "Moved out of the site",
    Outcome.SERVER_ERROR: "Server error",
    Outcome.TIMEOUT: "Too slow",
    Outcome.REFUSED_BY_ROBOTS: "Refused by robots.txt",
    Outcome.LOGIN_OR_BOT: "Asks to sign in, or against robots",
    Outcome.SOFT_404: "Said to be missing",
    Outcome.EMPTY: "Empty",
    Outcome.NOT_HTML: "Not a page",
    Outcome.TOO_LARGE: "Too large",
    Outcome.REFUSED_ADDRESS: "Refused for safety",
    Outcome.UNREACHABLE: "Unreachable",
    QUEUED: "Waiting",
}
"""What each outcome is called."""
