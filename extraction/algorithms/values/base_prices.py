"""A price with its base price: `12,99 € (25,98 €/kg)`. Which of several amounts of a text is the price.

    text    = price set-off {set-off}
    set-off = "(" base ")" | separator base | "(" base ")" before the price
    base    = amount "/" [number] unit | amount "per" [number] unit | amount "each"
            | [number] unit "=" amount | "each" amount | word for a base price [":"] amount

The price is the one amount that is no base price set off from the others. Everything else stays unread, because nothing tells which
amount is meant: two amounts that are not set off (`2,49 € 1,99 €/kg` may be an old price and a new one), an old price and a new one, prices
with and without tax, with postage or a deposit, a price and another currency.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from extraction.algorithms.values.currencies import combine_currencies
from extraction.algorithms.values.found_amounts import Amount
from extraction.algorithms.values.locales import fold_word, list_units
from extraction.algorithms.values.price_words import (
    BASE_PRICE,
    EACH_AFTER,
    EACH_BEFORE,
    NEW_PRICE,
    OLD_PRICE,
    PIECES,
    UNIT_BEFORE,
    UNIT_FOLLOWS,
)

_BEHIND_SEPARATOR = re.compile(
    r"(?:[|·•;,+]|(?<![^\W\d_])(?:soit|entspricht|das sind|ossia|pari a|equivale a|equivalente a|motsvarar|tilsvarer|svarer til))\s?$",
    re.IGNORECASE,
)
"""What separates a base price that is not in brackets from the price, apart from words for base prices themselves."""


@dataclass(frozen=True, slots=True)
class MainAmount:
    """The amount that is the price.

    rest: the other amounts, all of them base prices.
    """

    amount: Amount
    rest: tuple[Amount, ...]


def choose_main_amount(plain: str, amounts: Sequence[Amount], language: str) -> MainAmount | str:
    """Return the price among two or more amounts with a currency, or why none can be told from the others.

    plain: the text, as `normalise_text` gives it.
    amounts: its amounts with a currency, in their order.
    """
    if OLD_PRICE.search(plain):
        return "holds an old price beside another one"
    signs = [_find_sign_of_base(plain, each, language) for each in amounts]
    bracketed = [_is_in_brackets(plain, each) for each in amounts]
    apart = [_is_set_off(plain, sign, inside=inside) for sign, inside in zip(signs, bracketed, strict=True)]
    if apart.count(False) != 1:
        return "holds several amounts" if False in apart else "holds several prices for a unit"
    at = apart.index(False)
    main, rest = amounts[at], tuple(each for number, each in enumerate(amounts) if number != at)
    outside = [number for number in range(len(amounts)) if number != at and not bracketed[number]]
    if bracketed[at] or (outside and (signs[at] is not None or min(outside) < at)):
        return "holds several amounts, and none is clearly the price"
    currency = combine_currencies(main.before, main.after)
    if any(combine_currencies(each.before, each.after) != currency for each in rest):
        return "holds amounts in several currencies"
    return MainAmount(main, rest)


@dataclass(frozen=True, slots=True)
class _SignOfBase:
    """What shows that an amount is a base price.

    start: where the base price begins, with the words before it.
    certain: whether a word for a base price or a measure shows it. A piece, a person or a night may also be what a price is for.
    """

    start: int
    certain: bool
    named: bool = False


def _find_sign_of_base(plain: str, each: Amount, language: str) -> _SignOfBase | None:
    before, after = plain[: each.from_], plain[each.to :]
    follows = UNIT_FOLLOWS.match(after)
    measured = bool(follows and _is_unit(follows["unit"], language, pieces=False))
    word = BASE_PRICE.search(before)
    if word:
        return _SignOfBase(word.start(), certain=True, named=True)
    unit = UNIT_BEFORE.search(before)
    if unit and _is_unit(unit["unit"], language):
        return _SignOfBase(unit.start(), certain=_is_unit(unit["unit"], language, pieces=False))
    one = EACH_BEFORE.search(before)
    if one:
        return _SignOfBase(one.start(), certain=measured)
    if EACH_AFTER.match(after) or (follows and _is_unit(follows["unit"], language)):
        return _SignOfBase(each.from_, certain=measured)
    return None


def _is_set_off(plain: str, sign: _SignOfBase | None, *, inside: bool) -> bool:
    """Return whether an amount is a base price in brackets of its own, behind a separator, or behind words that say what it is."""
    if sign is None:
        return False
    before = plain[: sign.start]
    if inside:
        return not NEW_PRICE.search(re.split(r"[(\[]", before)[-1])
    return sign.named or (sign.certain and _BEHIND_SEPARATOR.search(before) is not None)


def _is_in_brackets(plain: str, each: Amount) -> bool:
    """Return whether brackets around an amount leave a number outside."""
    before, after = plain[: each.from_], plain[each.to :]
    opens = max(before.rfind("("), before.rfind("["))
    closes = re.search(r"[)\]]", after)
    if opens < 0 or closes is None or re.search(r"[)\]]", before[opens:]) or re.search(r"[(\[]", after[: closes.start()]):
        return False
    return re.search(r"\d", before[:opens] + after[closes.end() :]) is not None


@lru_cache(maxsize=5_000)
def _is_unit(words: str, language: str, *, pieces: bool = True) -> bool:
    """Return whether one or two words are a unit, or begin with one. pieces: whether pieces, packs and people count."""
    units = (list_units(language), list_units("en"), PIECES if pieces else frozenset[str]())
    forms = {fold_word(form).casefold() for form in (words, words.split(" ")[0])}
    return any(form in known for form in forms for known in units)
