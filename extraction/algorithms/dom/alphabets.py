"""The letters of languages: a check of a guessed encoding (`dom.encoding`).

A text read in the wrong encoding has letters that no one language has together: ``Árvíztûrõ`` mixes Hungarian, French and Estonian ones.
The alphabets are those of the languages' orthographies, with the letters of common loan words. Letters of ASCII are in all of them.
"""

import re
from functools import cache

_LATIN = {
    "ca": "àçèéíïòóúü",
    "cs": "áčďéěíňóřšťúůýž",
    "da": "åæøéáü",
    "de": "äöüßéè",
    "en": "éèêëïôüñçâáíóö",
    "es": "áéíñóúüç",
    "et": "äõöšüž",
    "eu": "ñçü",
    "fi": "äöåšžé",
    "fr": "àâæçéèêëîïôœùûüÿ",
    "ga": "áéíóú",
    "gl": "áéíñóúü",
    "hr": "čćđšžé",
    "hu": "áéíóöőúüű",
    "is": "áðéíóöþúýæ",
    "it": "àèéìíîòóùú",
    "lt": "ąčęėįšųūž",
    "lv": "āčēģīķļņšūž",
    "mt": "ċġħżàèìòù",
    "nb": "åæøéèêóòô",
    "nl": "éëïóöüáíúèêàç",
    "pl": "ąćęłńóśźż",
    "pt": "áâãàçéêíóôõúü",
    "ro": "ăâîşţșțé",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "sl": "čšžćđé",
    "sq": "çë",
    "sv": "åäöéàü",
    "tr": "çğıöşüâîûi\u0307",
    "vi": "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ\u0300\u0301\u0303\u0309\u0323",
    "cy": "âêîôûŵŷáéíóúàèìòùäëïöü",
    "eo": "ĉĝĥĵŝŭ",
}
_CYRILLIC = {
    "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "uk": "абвгґдежзийклмнопрстуфхцчшщьюяєії",
    "bg": "абвгдежзийклмнопрстуфхцчшщъьюя",
    "be": "абвгдежзйклмнопрстуфхцчшыьэюяёіў",
    "sr": "абвгдежзиклмнопрстуфхцчшђјљњћџ",
    "mk": "абвгдежзиклмнопрстуфхцчшѓѕјљњќџ",
}
ALPHABETS: dict[str, frozenset[str]] = {language: frozenset(letters) for language, letters in (_LATIN | _CYRILLIC).items()}
"""{language: its letters that are not in ASCII, in lower case}"""

_BETWEEN = re.compile(r"(?<=[^\W\d_])[^\w\s\x00-\x7f’‘“”…–—™®»«°ªº\u0300-\u036f](?=[^\W\d_])|(?<=[^\W\d_]{2})[²³¹¼½¾](?=[^\W\d_])")
_SCRIPTS = ("\u0370-\u03ff\u1f00-\u1fff", "\u0590-\u05ff", "\u0600-\u06ff", "\u0e00-\u0e7f")
_IN_SCRIPT = tuple(re.compile(f"[{letters}]") for letters in _SCRIPTS)


def measure_fit(text: str, language: str | None = None) -> float:
    """Return the share of a text's letters outside ASCII that one alphabet or script has, at best; 1 if it has none.

    A sign in the middle of a word counts as a letter that no alphabet has.

    language: the text's language, if known; if its alphabet is here, only this one is tried.
    """
    lowered = text.lower()
    letters = [letter for letter in lowered if not letter.isascii() and (letter.isalpha() or letter in "\u0300\u0301\u0303\u0309\u0323")]
    foreign = len(_BETWEEN.findall(text)) + sum(letter == "\ufffd" or "\x80" <= letter < "\xa0" for letter in lowered)
    count = len(letters) + foreign
    if not count:
        return 1.0
    best = 0
    for alphabet in _tried(language):
        best = max(best, sum(letter in alphabet for letter in letters))
    for script in _IN_SCRIPT if language not in ALPHABETS else ():
        best = max(best, sum(bool(script.match(letter)) for letter in letters))
    return best / count


@cache
def _tried(language: str | None) -> tuple[frozenset[str], ...]:
    return (ALPHABETS[language],) if language in ALPHABETS else tuple(ALPHABETS.values())
