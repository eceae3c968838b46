"""The parts of an address that say nothing about the page: who sent the visitor, and the session."""

import re

TRACKING = re.compile(
    r"utm_\w+|mc_[ce]id|_ga|_gl|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|igshid|twclid|ttclid|mkt_tok|_hs(enc|mi)|vero_id|oly_\w+_id"
    r"|pk_(campaign|source|medium|kwd)|matomo_\w+|ref_?src|spm",
    re.IGNORECASE,
)
"""Query keys that tell where a visitor came from and nothing about the page. The tools that add them document each one."""

SESSION = re.compile(
    r"(php|asp\.?net_?|j|cf)?_?sess(ion)?_?(id)?|phpsessid|jsessionid|aspsessionid\w*|sid|cfid|cftoken|oscsid|zenid", re.IGNORECASE
)
"""Query keys that contain a session id, if the value looks like one."""

SESSION_VALUE = re.compile(r"[0-9a-zA-Z_.,-]{8,}")

PATH_SESSION = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/;?]*", re.IGNORECASE)


def is_noise(name: str, value: str) -> bool:
    """Return whether a query pair says nothing about the page."""
    return bool(TRACKING.fullmatch(name) or (SESSION.fullmatch(name) and SESSION_VALUE.fullmatch(value)))


def strip_tracking(url: str) -> str:
    """Return an address without the query pairs that say where a visitor came from. The rest stays as it is written."""
    before, mark, rest = url.partition("?")
    query, hash_, fragment = rest.partition("#")
    if not mark:
        return url
    kept = [pair for pair in query.split("&") if not TRACKING.fullmatch(pair.partition("=")[0])]
    return url if len(kept) == query.count("&") + 1 else before + ("?" + "&".join(kept) if kept else "") + hash_ + fragment
