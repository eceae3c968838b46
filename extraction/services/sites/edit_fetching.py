"""Change how the pages of a site are fetched. Secrets that were entered once are never shown again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cssselect
from cssselect import SelectorError
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from extraction.fetching.hidden_texts import HIDDEN
from extraction.fetching.request_headers import MAX_NUMBER, OPEN_HEADERS, SiteProxy, check_cookie, check_header, read_proxy, show_header
from extraction.fetching.sign_in_steps import Act, SignInStep, keep_texts, read_steps, write_steps
from extraction.models import AuditKind, SiteFetching
from extraction.services.core import audit
from extraction.services.core.percent import write_number
from extraction.services.core.sealed_secrets import SecretError
from extraction.services.sites import sources
from extraction.services.sites.fetching import PrivateSettings, read_private, store_private


class FetchingError(ValueError):
    """What a person entered cannot be used. field: the name of the field. The message is for people and shows no secret."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchingDraft:
    """The settings as people see and send them: a secret is `HIDDEN`, and one that is sent as `HIDDEN` stays as it is.

    unreadable: why the stored secrets cannot be read; "" if they can.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    proxy: str = ""
    steps: str = ""
    unreadable: str = ""


def describe_fetching(fetching: SiteFetching) -> FetchingDraft:
    """Return the settings with their secrets hidden."""
    try:
        private = read_private(fetching)
    except SecretError as error:
        return FetchingDraft(proxy=fetching.proxy, steps=_show_steps(fetching), unreadable=str(error))
    return FetchingDraft(
        headers={name: show_header(name, text) for name, text in private.headers.items()},
        cookies=dict.fromkeys(private.cookies, HIDDEN),
        proxy=_show_proxy(private.proxy),
        steps=_show_steps(fetching),
    )


def save_fetching(fetching: SiteFetching, changed: Sequence[str]) -> None:
    """Save the settings of a site. changed: the names of those that a person changed; the audit log gets no values, which may be secret."""
    with transaction.atomic():
        fetching.save()
        if changed:
            audit.record(AuditKind.FETCHING_CHANGED, fetching.site, text=f"changed: {', '.join(changed)}")


def take_draft(fetching: SiteFetching, draft: FetchingDraft) -> None:
    """Put headers, cookies and proxy as a person wants them into a row, which is not saved. Raises FetchingError."""
    try:
        before = read_private(fetching)
    except SecretError:
        before = PrivateSettings(proxy=SiteProxy(fetching.proxy))  # what is sent takes the place of what cannot be read
    headers = _merge("headers", draft.headers, before.headers)
    cookies = _merge("cookies", draft.cookies, before.cookies)
    proxy = _merge_proxy(draft.proxy, before.proxy)
    steps = _merge_steps(draft.steps, before.steps)
    store_private(fetching, PrivateSettings(headers=headers, cookies=cookies, proxy=proxy, steps=steps), before)


def _merge(field_name: str, given: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """Return what is given, with the stored values in place of hidden ones. Raises FetchingError."""
    check, what = (check_header, "header") if field_name == "headers" else (check_cookie, "cookie")
    if len(given) > MAX_NUMBER:
        raise FetchingError(
            field_name,
            (
                gettext("There are %(given)s headers; at most %(max_number)s are accepted.")
                if what == "header"
                else gettext("There are %(given)s cookies; at most %(max_number)s are accepted.")
            )
            % {"given": write_number(len(given)), "max_number": MAX_NUMBER},
        )
    known = {name.lower(): text for name, text in before.items()} if what == "header" else dict(before)
    found: dict[str, str] = {}
    for name, text in given.items():
        key = name.lower() if what == "header" else name
        if what == "header" and key in {each.lower() for each in found}:
            raise FetchingError(field_name, gettext("%(name)s stands there twice.") % {"name": name})
        if text == HIDDEN and key not in OPEN_HEADERS and key not in known:
            said = (
                gettext("The header %(name)s has no stored value. Enter its value.")
                if what == "header"
                else gettext("The cookie %(name)s has no stored value. Enter its value.")
            )
            raise FetchingError(field_name, said % {"name": name})
        value = known.get(key, text) if text == HIDDEN else text.strip()
        try:
            check(name, value)
        except ValueError as error:
            raise FetchingError(field_name, str(error)) from error
        found[name] = value
    return found


def _merge_proxy(text: str, before: SiteProxy) -> SiteProxy:
    """Return the proxy that is meant. A hidden password stays the stored one, but only for the same address and user."""
    try:
        given = read_proxy(text.replace(HIDDEN, "stored"))
    except ValueError as error:
        raise FetchingError("proxy", str(error)) from None
    if not given.address:
        return given
    if settings.VERTEX_CRAWL_PROXY:
        raise FetchingError(
            "proxy",
            gettext(
                "This installation sends all requests through a proxy of its own (VERTEX_CRAWL_PROXY), so a site cannot have another one."
            ),
        )
    try:
        sources.check_address(given.address)
    except sources.AddressError as error:
        said = gettext("This proxy cannot be used: %(reason)s") % {"reason": error.reason} if error.reason else str(error)
        raise FetchingError("proxy", said) from error
    if HIDDEN not in text:
        return given
    user = before.login.partition(":")[0]
    if given.address != before.address or given.login != f"{user}:stored" or not before.login:
        raise FetchingError("proxy", gettext("The address or the user of the proxy has changed. Enter its password, too."))
    return before


def _show_proxy(proxy: SiteProxy) -> str:
    user, colon, password = proxy.login.partition(":")
    shown = SiteProxy(proxy.address, user).url.replace(":@", "@") if proxy.login else proxy.address
    return shown.replace("@", f":{HIDDEN}@", 1) if colon and password else shown


def _merge_steps(text: str, before: Sequence[SignInStep]) -> tuple[SignInStep, ...]:
    """Return the steps of a text, with the stored texts in place of hidden ones. Raises FetchingError.

    Stored texts stay only while the addresses stay: otherwise, whoever may change the steps could send a password to any address.
    """
    try:
        steps = read_steps(text)
        opened, known = ([step.at for step in each if step.act is Act.OPEN] for each in (steps, before))
        if opened != known and any(step.text == HIDDEN for step in steps):
            raise ValueError(gettext("The addresses of the steps have changed. Enter again what is to be filled in."))
        steps = keep_texts(steps, {step.at: step.text for step in before if step.text}, HIDDEN)
        for step in steps:
            if step.act is Act.OPEN:
                sources.check_address(step.at)
            elif ">>" in step.at:
                raise ValueError(gettext("“%(at)s” is not a CSS selector.") % {"at": step.at})
            else:
                cssselect.parse(step.at)
    except SelectorError as error:
        raise FetchingError("steps", gettext("“%(at)s” is not a CSS selector, such as #password.") % {"at": step.at}) from error
    except ValueError as error:
        raise FetchingError("steps", str(error)) from error
    return steps


def _show_steps(fetching: SiteFetching) -> str:
    return write_steps([SignInStep(act=Act(each["act"]), at=each["at"]) for each in fetching.steps], HIDDEN)
