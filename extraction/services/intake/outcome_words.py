"""The names of the outcomes of an address on the screens."""

from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from extraction.fetching.crawl.messages import Outcome

QUEUED = "queued"
ABSENT = "absent"
"""Said of a page that an import does not contain although an earlier one did."""

WORDS: dict[str, StrOrPromise] = {
    Outcome.OK: gettext_lazy("Fetched"),
    Outcome.NOT_MODIFIED: gettext_lazy("Unchanged"),
    Outcome.DUPLICATE: gettext_lazy("Same as another page"),
    Outcome.NOT_FOUND: gettext_lazy("Not found"),
    Outcome.GONE: gettext_lazy("Gone"),
    Outcome.MOVED: gettext_lazy("Moved off the site"),
    Outcome.SERVER_ERROR: gettext_lazy("Server error"),
    Outcome.TIMEOUT: gettext_lazy("Timed out"),
    Outcome.REFUSED_BY_ROBOTS: gettext_lazy("Refused by robots.txt"),
    Outcome.LOGIN_OR_BOT: gettext_lazy("Behind a sign-in or a robot check"),
    Outcome.SIGNED_OUT: gettext_lazy("Signed out"),
    Outcome.SOFT_404: gettext_lazy("Reported missing"),
    Outcome.EMPTY: gettext_lazy("Empty"),
    Outcome.NOT_HTML: gettext_lazy("Not a page"),
    Outcome.TOO_LARGE: gettext_lazy("Too large"),
    Outcome.UNREADABLE: gettext_lazy("Could not be read"),
    Outcome.REFUSED_ADDRESS: gettext_lazy("Blocked for safety"),
    Outcome.UNREACHABLE: gettext_lazy("Unreachable"),
    ABSENT: gettext_lazy("Not in the import"),
    QUEUED: gettext_lazy("Waiting"),
}
"""{outcome: its name}."""
