"""Names with which people sign in: which of them a new account may have.

A name is what others see of a person, in comments, in the audit log and behind an @. So a new name must not look like one that somebody
has, and must not be one that Vertex uses itself.
"""

import unicodedata

from django.contrib.auth.models import User
from django.utils.translation import gettext

COMMAND_LINE = "command-line"
"""The account for which local commands act. It is nobody's."""

_CYRILLIC = (
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u050c\u051a\u051c"
    "\u0430\u0435\u0455\u0456\u0458\u043a\u043c\u043e\u0440\u0441\u0443\u0442\u0445\u04bb\u0501\u051b\u051d\u04cf",
    "ABESIJKMHOPCTXYGQWaesijkmopcytxhdqwl",
)
_GREEK = (
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03b3",
    "ABEZHIKMNOPTYXaikvoptuxy",
)
_ARMENIAN = ("\u054d\u054f\u0555\u0585\u057d\u0578\u0570\u0581\u0566", "USOounhgq")
"""Letters, and the Latin ones that look like them, from the confusables of Unicode's security mechanisms (UTS 39)."""

_LATIN = str.maketrans({letter: like for pair in (_CYRILLIC, _GREEK, _ARMENIAN) for letter, like in zip(*pair, strict=True)})
_ALIKE = str.maketrans("01i\u0131\u0251\u0261", "olllag")


def find_name_problem(name: str) -> str:
    """Return why a new account cannot have a name; "" if it can."""
    looks = _reduce_name(name)
    if looks == _reduce_name(COMMAND_LINE):
        return gettext("This name is reserved for commands on the server. Choose another.")
    if any(_reduce_name(each) == looks for each in User.objects.values_list("username", flat=True).iterator()):
        return gettext("Somebody has this name already, or one that looks like it. Choose another.")
    return ""


def _reduce_name(name: str) -> str:
    """Return what names that look alike have in common, without case and letters of other scripts that look the same."""
    return unicodedata.normalize("NFKC", name).translate(_LATIN).casefold().translate(_ALIKE)
