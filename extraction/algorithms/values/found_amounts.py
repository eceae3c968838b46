"""The amounts of a text: its numerals, each with the currency, the sign instead of cents and the multiplier beside it."""

import re
from dataclasses import dataclass

from extraction.algorithms.values.amounts import find_multiplier
from extraction.algorithms.values.currencies import CURRENCY_SIGNS, SIGN_AT_END, SIGN_AT_START, combine_currencies, find_currency
from extraction.algorithms.values.numerals import NUMERAL

_NO_CENTS = re.compile(r"[,.:/]\s?-{1,2}(?![\d-])|[=+]")
_WORDS_AFTER = re.compile(r"\s?(?P<words>[^\s\d()\[\]{}+*;:!?,~/|-][^\s\d()\[\]{}+*;:!?,~/|]*(?: [^\s\d()\[\]{}+*;:!?,~/|-]+){0,3})")
_WORDS_BEFORE = re.compile(r"(?P<words>[^\s\d()\[\]{}+*;:!?,~|/-]+(?: [^\s\d()\[\]{}+*;:!?,~|/-]+){0,2})\s?$")


@dataclass(frozen=True, slots=True)
class Amount:
    """A numeral of the text with what stands beside it.

    text: the numeral.
    start, end: its place in the text, with what stands instead of cents.
    before, after: the currency on either side, "" if there is none.
    from_, to: the place of the numeral with its currencies and multiplier.
    power: of ten, by which a word multiplies it; None if the word is in doubt.
    """

    text: str
    start: int
    end: int
    before: str
    after: str
    from_: int
    to: int
    power: int | None


def find_amounts(plain: str, language: str) -> list[Amount]:
    """Return the numerals of a text in their order, each with what belongs to it."""
    found: list[Amount] = []
    for match in NUMERAL.finditer(plain):
        end = match.end()
        cents = _NO_CENTS.match(plain, end)
        end = cents.end() if cents else end
        taken = found[-1].to if found else 0
        before, start = _currency_before(plain[taken : match.start()], language)
        multiplier = find_multiplier(plain[end:], language, counts="money" if before else "anything")
        power, length = multiplier if multiplier is not None else (None, 0)
        after, more = currency_after(plain[end + length :], language)
        if multiplier is None and after:
            power = 0
        elif multiplier is None and not before:
            again = find_multiplier(plain[end:], language, counts="money")
            if again and currency_after(plain[end + again[1] :], language)[0]:
                power, length = again
                after, more = currency_after(plain[end + length :], language)
        found.append(Amount(match[0], match.start(), end, before, after, taken + start, end + length + more, power))
    return found


def _currency_before(text: str, language: str) -> tuple[str, int]:
    """Return (currency that the text ends with, where it begins); a minus sign between it and the end is skipped."""
    text_end = re.sub(r"-?\s?$", "", text)
    sign = SIGN_AT_END.search(text_end)
    words = _WORDS_BEFORE.search(text_end)
    if sign:
        code = find_currency(text_end[max(sign.start("sign") - 4, 0) : sign.start("sign")].strip(), language)
        spaced = re.search(r"(?:^|\W)(US|CA|AU|NZ|HK|MX) $", text_end[: sign.start("sign")])
        if spaced and sign["sign"] == "$":
            return CURRENCY_SIGNS[f"{spaced[1]}$"], spaced.start(1)
        whole = (sign["letters"] + sign["sign"]).upper()
        if sign["letters"] and whole in CURRENCY_SIGNS:
            return CURRENCY_SIGNS[whole], sign.start()
        if re.fullmatch(r"[A-Z]{1,3}", sign["letters"]) and not find_currency(sign["letters"], language):
            return whole, sign.start()
        own = find_currency(sign["letters"], language) if sign["letters"] else ""
        both = combine_currencies(own or code, CURRENCY_SIGNS[sign["sign"]])
        return both or CURRENCY_SIGNS[sign["sign"]], sign.start()
    if words:
        parts = words["words"].split(" ")
        for count in range(len(parts), 0, -1):
            phrase = " ".join(parts[-count:])
            currency = find_currency(phrase, language)
            if currency:
                return currency, words.end("words") - len(phrase)
    if text_end.endswith(("S/", "B/", "S/.", "B/.")):
        return CURRENCY_SIGNS[text_end[-2:] if text_end.endswith("/") else text_end[-3:]], len(text_end) - 2
    return "", len(text)


def currency_after(text: str, language: str) -> tuple[str, int]:
    """Return (currency that the text begins with, its length)."""
    sign = SIGN_AT_START.match(text)
    words = _WORDS_AFTER.match(text)
    if sign:
        first = find_currency(sign["sign"], language)
        rest = _WORDS_AFTER.match(text, sign.end("sign"))
        code = find_currency(rest["words"].split(" ")[0], language) if rest else ""
        if rest and code:
            return combine_currencies(first, code) or first, rest.start("words") + len(rest["words"].split(" ")[0])
    if words:
        parts = words["words"].split(" ")
        for count in range(len(parts), 0, -1):
            phrase = " ".join(parts[:count])
            currency = find_currency(phrase, language)
            if currency:
                return currency, words.start("words") + len(phrase)
        stem = parts[0].split("-")[0]
        if not sign and find_currency(stem, language):
            return find_currency(stem, language), words.start("words") + len(stem)
    return (find_currency(sign["sign"], language), sign.end("sign")) if sign else ("", 0)
