"""Prices: one amount of money, with the words that stand around it in shops.

    price    = {other} amount {other}
    amount   = [sign] [currency] [sign] numeral [no cents] [multiplier] [currency]
             | numeral currency 2 digits                            12 € 50
             | "(" amount ")"                                       a negative amount, where the language writes accounts so
    no cents = ",-" | ".-" | ":-" | "/-" | ",--"
    other    = words, a base price (`base_prices.py`), and numerals that are no amounts: percentages of tax, what stands in
               brackets, measures, what the price is for ("/100 g", "per 2")

A currency is a whole word, or a sign. Other texts with two amounts, ranges, telephone numbers and dates are no price.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from extraction.algorithms.values.amounts import (
    ATTACHED_BEFORE,
    FRACTION,
    LETTER,
    MINUS_WORD,
    OTHER_NUMBERS,
    choose_decimal,
    multiply,
)
from extraction.algorithms.values.base_prices import choose_main_amount
from extraction.algorithms.values.currencies import (
    DOUBTFUL,
    combine_currencies,
    find_currency,
    find_currency_decimal,
)
from extraction.algorithms.values.digits import normalise_text
from extraction.algorithms.values.evidence import ColumnEvidence
from extraction.algorithms.values.found_amounts import Amount, currency_after, find_amounts
from extraction.algorithms.values.locales import (
    count_currency_digits,
    groups_with_spaces,
    writes_negative_in_parentheses,
)
from extraction.algorithms.values.numerals import read_numeral, write_number
from extraction.algorithms.values.price_words import AFTER_BARE, MEASURE, PER, PERCENTAGE, PRICE_WORD, TAX
from extraction.algorithms.values.reading import Reading, refuse_value

LONGEST_BARE = 9
"""The largest number of digits that a whole number without a currency may have; longer ones are article numbers."""

_DASH_AT_END = re.compile(r"(?P<before>.?)(?P<sign>-)(?P<space>\s?)$")
_SIGNS_BETWEEN = re.compile(r"(?P<whole>\d+)(?P<space>\s?)(?P<sign>[€£$₣F]|EUR)(?P=space)(?P<cents>\d\d)\*?")
_SIGN_OUTSIDE = re.compile(r"(?P<sign>[^\s\d()]{1,4})\s?\((?P<amount>\d[\d.,' ]*)\)")


@lru_cache(maxsize=20_000)
def read_price(text: str, language: str, column: ColumnEvidence) -> Reading:
    """Return the reading of a text as a price: "12.90 EUR", without a currency where none is given."""
    plain = _join_cents(normalise_text(text), language)
    found = find_amounts(plain, language)
    if not found:
        return refuse_value(text, "contains no price")
    if FRACTION.search(plain):
        return refuse_value(text, "holds a fraction")
    if OTHER_NUMBERS.search(plain):
        return refuse_value(text, "is a telephone or other number, no price")
    if any(_inside_word(plain, each) for each in found):
        return refuse_value(text, "holds digits inside of a word")
    priced = [each for each in found if each.before or each.after]
    main, base = priced[0] if priced else found[0], tuple[Amount, ...]()
    if len(priced) > 1:
        chosen = choose_main_amount(plain, priced, language)
        if isinstance(chosen, str):
            return refuse_value(text, chosen)
        main, base = chosen.amount, chosen.rest
    others = [each for each in found if each is not main and each not in base]
    if not all(_is_explained(plain, each, main, bool(priced)) or _shares_brackets(plain, each, base) for each in others):
        return refuse_value(text, f"holds {len(found)} numbers, and not all can be told from the price")
    why = _find_doubt(plain, main, language) if priced else _find_doubt_bare(plain, main, language)
    return refuse_value(text, why) if why else _read_amount(text, plain, main, language, column)


def _join_cents(plain: str, language: str) -> str:
    """Return the text with the cents of `12 € 50` and `499:90 kr` behind a decimal mark."""
    outside = _SIGN_OUTSIDE.fullmatch(plain)
    if outside and find_currency(outside["sign"], language):
        return f"({outside['sign']}{outside['amount']})"
    joined = _SIGNS_BETWEEN.fullmatch(plain)
    if joined:
        return f"{joined['whole']}.{joined['cents']} {joined['sign']}"
    plain = re.sub(r"(?<=\d)\s?([tm])kr\b", lambda match: f"{'k' if match[1] == 't' else 'm'} kr", plain)
    if language[:2] in ("sv", "nb", "no", "da", "nn") or re.search(r"kr\b", plain):
        return re.sub(r"^(\D*\d+):(\d\d)(?!\d)(?=\D*$)", r"\1.\2", plain)
    return plain


def _inside_word(plain: str, each: Amount) -> bool:
    """Return whether a letter touches the numeral that belongs to no currency, multiplier or unit."""
    if not each.before and ATTACHED_BEFORE.search(plain[: each.start]):
        return True
    touching = re.match(rf"{LETTER}+\d*", plain[each.end :])
    if not touching or each.to > each.end or ord(touching[0][0]) > 0x0590:
        return False
    return not MEASURE.match(plain, each.end) and each.power == 0 and not currency_after(plain[each.end :], "")[0]


def _is_explained(plain: str, each: Amount, main: Amount, priced: bool) -> bool:
    """Return whether a numeral beside the price is something else without doubt."""
    if not priced:
        return False
    before, after = plain[: each.start], plain[each.to :]
    in_brackets = before.count("(") + before.count("[") > before.count(")") + before.count("]") and re.search(r"[)\]]", after) is not None
    if re.search(r"[-~–/x×]\s?$", before) and each.start - main.to <= 2 and "/" not in before[main.to :]:
        return False
    if PERCENTAGE.match(after):
        return in_brackets or each.start > main.start or bool(TAX.search(after[:16]))
    if in_brackets and not main.start < each.start < main.to:
        return bool(re.search(r"[(\[]", plain[min(main.to, each.to) : max(main.start, each.start)]))
    if each.start >= main.to and PER.search(before) and re.match(rf"\s?{LETTER}", after):
        return True
    return bool(MEASURE.match(after)) and not re.search(r"[-~/x×]\s?$", before)


def _shares_brackets(plain: str, each: Amount, base: Sequence[Amount]) -> bool:
    """Return whether a numeral stands in the same brackets as a base price, before or after it."""
    closed = re.match(r"[^(\[]*[)\]]", plain[each.end :]) is not None
    return closed and any(not re.search(r"[()\[\]]", plain[min(each.end, one.to) : max(each.start, one.from_)]) for one in base)


def _find_doubt(plain: str, main: Amount, language: str) -> str:
    """Return why an amount with a currency cannot be read, "" if it can."""
    currency = combine_currencies(main.before, main.after)
    if currency is None:
        return f"names two currencies, {main.before} and {main.after}"
    written = currency in DOUBTFUL and re.search(rf"(?<!{LETTER}){currency}(?!{LETTER})", plain)
    if written and (not re.fullmatch(rf"[\W\d]*{currency}[\W\d]*", plain) or (main.before and language[:2] in ("", "en"))):
        return f"holds {currency}, which may be a word or a currency"
    if main.power is None:
        return "has a word or letter that may multiply it"
    if PERCENTAGE.match(plain, main.end):
        return "is a percentage"
    return _find_doubt_spaces(plain, main, language)


def _find_doubt_spaces(plain: str, main: Amount, language: str) -> str:
    """Return a doubt if the first group of digits may be part of a name: `iPhone 13 999 €`."""
    before = plain[: main.from_].rstrip()
    named = " " in main.text and not main.before and before[-1:].isalpha() and not PRICE_WORD.search(before)
    if named:
        return "has a space between digits that may separate two numbers"
    if " " in main.text and language and not groups_with_spaces(language) and not main.before and before[-1:].isalnum():
        return "has a space between digits that may separate two numbers"
    return ""


def _find_doubt_bare(plain: str, main: Amount, language: str) -> str:
    """Return why a number without a currency is no price, "" if it is one."""
    before, after = plain[: main.start], plain[main.to :]
    if PERCENTAGE.match(after):
        return "is a percentage"
    if main.power is None:
        return "has a word or letter that may multiply it"
    if main.text.isdigit() and (len(main.text) > LONGEST_BARE or (before.endswith("+") and len(main.text) > 5)):
        return "has no currency and is too long for a price"
    if not AFTER_BARE.match(after):
        return "counts something else than money"
    words = re.search(LETTER, before)
    if words and not re.search(r"[.,٫]\d\d$", main.text) and not PRICE_WORD.search(before):
        return "has no currency, and the words before it do not say that it is a price"
    return _find_doubt_spaces(plain, main, language)


def _read_amount(text: str, plain: str, main: Amount, language: str, column: ColumnEvidence) -> Reading:
    currency = combine_currencies(main.before, main.after) or ""
    if re.match(r"0\d", main.text):
        return refuse_value(text, "begins with a zero, as no price does")
    decimal = choose_decimal(language, column) or ("" if column.decimal else find_currency_decimal(currency, main.text))
    if count_currency_digits(currency) == 0 and re.fullmatch(r"\d{1,3}[.,]\d{3}", main.text) and column.decimal in ("", "mixed"):
        decimal = "," if "." in main.text else "."
    numeral = read_numeral(main.text, decimal)
    if numeral.number is None:
        why = "has a point or comma that may separate thousands or decimals" if numeral.ambiguous else "is not a price"
        return refuse_value(text, why)
    negative = _find_sign(plain, main, language)
    if negative is None:
        return refuse_value(text, "has a dash, brackets or a word that may mean minus")
    number = multiply(numeral.number, main.power or 0)
    return Reading(f"{write_number(-number if negative and number else number)} {currency}".strip())


def _find_sign(plain: str, main: Amount, language: str) -> bool | None:
    """Return whether the amount is negative; None where a dash may be a minus sign or separate words."""
    if re.match(r"\s?-\s?(?!\w)", plain[main.to :]) or re.match(r"-", plain[main.end :]):
        return None
    before = plain[: main.start]
    if MINUS_WORD.search(before):
        return None
    inner = re.search(r"-\s?$", before)
    if inner and (main.before or not before[: inner.start()].strip()):
        return True
    outer = _DASH_AT_END.search(before if not main.before else plain[: main.from_])
    if outer:
        if outer["before"].isalnum() or (outer["space"] and plain[: outer.start("sign")].strip()):
            return None
        return True
    if plain.startswith("(") and plain.endswith(")") and not re.search(LETTER, plain[1 : main.from_] + plain[main.to : -1]):
        return True if writes_negative_in_parentheses(language) and "/" not in plain else None
    return False
