"""How the pages of a site are fetched that need more than a visit: its headers, cookies and proxy.

Values of headers and cookies and the login of the proxy are secrets. They are encrypted in the database, and only a crawl reads them.
Screens and the API get `edit_fetching.describe_fetching`, in which they are hidden.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils import timezone

from extraction.fetching.request_headers import SiteProxy
from extraction.fetching.sign_in_steps import Act, SignIn, SignInStep
from extraction.models import Site, SiteFetching
from extraction.services.core.sealed_secrets import Purpose, open_secrets, seal_secrets

_HEADER, _COOKIE, _LOGIN, _FILL, _SESSION = "header ", "cookie ", "login", "fill ", "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateSettings:
    """The settings with their secrets. Its text form shows none of them."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    proxy: SiteProxy = field(default_factory=SiteProxy, repr=False)
    steps: tuple[SignInStep, ...] = ()


def get_fetching(site: Site) -> SiteFetching:
    """Return the settings of a site; if it has none, new ones that are not saved yet."""
    return SiteFetching.objects.filter(site=site).first() or SiteFetching(site=site)


def read_private(fetching: SiteFetching) -> PrivateSettings:
    """Return the settings with their secrets. Raises SecretError."""
    found = open_secrets(fetching.secret, Purpose.FETCHING, what=f"How pages of {fetching.site.name} are fetched")
    return PrivateSettings(
        headers={name.removeprefix(_HEADER): text for name, text in found.items() if name.startswith(_HEADER)},
        cookies={name.removeprefix(_COOKIE): text for name, text in found.items() if name.startswith(_COOKIE)},
        proxy=SiteProxy(fetching.proxy, found.get(_LOGIN, "")),
        steps=tuple(
            SignInStep(act=Act(each["act"]), at=each["at"], text=found.get(f"{_FILL}{each['at']}", "") if each["act"] == Act.FILL else "")
            for each in fetching.steps
        ),
    )


def read_sign_in(fetching: SiteFetching) -> SignIn:
    """Return how the site is signed in to, with the stored session. Raises SecretError."""
    what = f"The session of {fetching.site.name}"
    session = open_secrets(fetching.session, Purpose.FETCHING, what=what).get(_SESSION, "")
    return SignIn(steps=read_private(fetching).steps, marker=fetching.signed_out, session=session)


def store_session(site: Site, session: str) -> None:
    """Store the session of a new sign-in, encrypted."""
    sealed = seal_secrets({_SESSION: session}, Purpose.FETCHING)
    SiteFetching.objects.filter(site=site).update(session=sealed, session_at=timezone.now())


def store_private(fetching: SiteFetching, private: PrivateSettings, before: PrivateSettings) -> None:
    """Put settings with their secrets into the row, which is not saved. before: those so far; other steps end the session."""
    secrets = {f"{_HEADER}{name}": text for name, text in private.headers.items()}
    secrets |= {f"{_COOKIE}{name}": text for name, text in private.cookies.items()}
    secrets |= {f"{_FILL}{step.at}": step.text for step in private.steps if step.act is Act.FILL}
    steps = [{"act": step.act.value, "at": step.at} for step in private.steps]
    fetching.proxy = private.proxy.address
    fetching.secret = seal_secrets({**secrets, _LOGIN: private.proxy.login}, Purpose.FETCHING)
    if private.steps != before.steps:
        fetching.session, fetching.session_at = "", None
    fetching.steps = steps
