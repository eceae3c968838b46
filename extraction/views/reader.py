"""The language and the time zone in which a person reads the dashboard."""

from functools import cache
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import timezone, translation
from django.utils.translation.trans_real import DjangoTranslation

from extraction.models import ReaderSettings

LANGUAGE, ZONE = "language", "zone"
"""The entries of a session with what the person has chosen, so that no request looks it up."""


class ReaderMiddleware(LocaleMiddleware):
    """Chooses the language and the time zone of an answer.

    The language is the one that the person has chosen, else the first of the browser's that Vertex knows. Requests with a token are
    answered in English.
    """

    def process_request(self, request: HttpRequest) -> None:
        timezone.deactivate()
        if hasattr(request, "access"):
            translation.activate(settings.LANGUAGE_CODE)
            return
        super().process_request(request)
        if chosen := request.session.get(LANGUAGE):
            translation.activate(chosen)
            request.LANGUAGE_CODE = chosen
        if zone := request.session.get(ZONE):
            timezone.activate(ZoneInfo(zone))


def remember_reader(request: HttpRequest, user: User) -> None:
    """Put what a person has chosen into the session."""
    kept = ReaderSettings.objects.filter(user=user).first() or ReaderSettings()
    request.session[LANGUAGE], request.session[ZONE] = kept.language, kept.zone


def find_script_words() -> dict[str, str | list[str]]:
    """Return the texts of the scripts in the language of the page: {English: its translation, or those of one and of many}."""
    return _read_script_words(translation.get_language() or settings.LANGUAGE_CODE)


@cache
def _read_script_words(language: str) -> dict[str, str | list[str]]:
    found: dict[str, str | list[str]] = {}
    catalog = DjangoTranslation(language, domain="djangojs", localedirs=[str(path) for path in settings.LOCALE_PATHS])._catalog  # type: ignore[attr-defined]
    for key in catalog.keys() if language.partition("-")[0] != "en" else ():
        if isinstance(key, tuple):
            forms = found.setdefault(key[0], ["", ""])
            if isinstance(forms, list) and key[1] < 2:
                forms[key[1]] = catalog[key]
        elif key:
            found[key] = catalog[key]
    return found
