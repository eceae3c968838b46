"""Which currency a sign, a code or a word means.

A sign that means several currencies ($, ¥, kr) is kept as it stands, even on a page of one country: shops sell abroad. Everything else
becomes its ISO 4217 code.
"""

import re
import unicodedata
from functools import lru_cache

from babel.core import get_global

from extraction.algorithms.values.locales import find_territory, fold_word, list_currency_decimals, list_currency_names
from extraction.algorithms.values.reading import list_words


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.rsplit("=", 1) for pair in text.split())


CURRENCY_SIGNS = _pairs(
    "€=EUR £=GBP ₹=INR ₽=RUB ₺=TRY ₩=KRW ₫=VND ฿=THB ₴=UAH ₦=NGN ₱=PHP ₲=PYG ₡=CRC ₪=ILS ₸=KZT ₼=AZN ₾=GEL ₮=MNT ₭=LAK "
    "៛=KHR ৳=BDT ؋=AFN ₵=GHS ₿=BTC ֏=AMD 円=JPY 원=KRW $=$ ¥=¥ ￥=¥ ₨=Rs 元=元 圓=元 圆=元 US$=USD $US=USD U$S=USD USD$=USD A$=AUD "
    "AU$=AUD $AU=AUD C$=CAD CA$=CAD $CA=CAD $CAN=CAD CAN$=CAD CAD$=CAD NZ$=NZD $NZ=NZD HK$=HKD $HK=HKD NT$=TWD S$=SGD "
    "SG$=SGD R$=BRL MX$=MXN $MX=MXN RD$=DOP J$=JMD TT$=TTD BZ$=BZD EC$=XCD BDS$=BBD CDN$=CAD CI$=KYD FJ$=FJD GY$=GYD N$=NAD "
    "AR$=ARS CLP$=CLP COP$=COP COL$=COP $U=UYU CN¥=CNY JP¥=JPY £E=EGP E£=EGP IR£=IEP S/=PEN S/.=PEN B/.=PAB B/=PAB"
)
"""Signs that may stand against letters and digits without a space."""

CURRENCY_WORDS = _pairs(
    "euro=EUR euros=EUR zł=PLN zl=PLN złotych=PLN kč=CZK kc=CZK руб=RUB рубл=RUB рублей=RUB рубля=RUB рубль=RUB р=RUB "
    "грн=UAH гривень=UAH лв=BGN лева=BGN forint=HUF lei=RON leu=RON tl=TRY lira=TRY đ=VND đồng=VND vnđ=VND "
    "kn=HRK eur=EUR rp=IDR ksh=KES kshs=KES ush=UGX tsh=TZS sfr=CHF franken=CHF pound=GBP pounds=GBP quid=GBP "
    "rupees=Rs ر.س=SAR ريال=ريال د.إ=AED درهم=درهم ج.م=EGP د.ك=KWD ر.ق=QAR د.ب=BHD ر.ع=OMR د.أ=JOD تومان=تومان ریال=IRR "
    'شيكل=ILS ש"ח=ILS שח=ILS ден=MKD дин=RSD din=RSD rsd=RSD бел.руб=BYN тг=KZT тенге=KZT сом=KGS сум=UZS ლარი=GEL '
    "դր=AMD บาท=THB 人民币=CNY rmb=CNY nis=ILS cdn=CAD m.n=MXN kr=kr krone=kr kroner=kr kronor=kr kronur=kr rs=Rs fr=Fr. "
    "reais=BRL dólares=$ dolares=$ dólar=$ dollari=$ доллар=$ доллара=$ долларов=$ pesos=pesos peso=pesos francs=Fr. franc=Fr. "
    "korun=CZK koruna=CZK kuna=HRK динара=RSD dinara=RSD рупий=Rs रुपये=Rs টাকা=BDT جنيه=جنيه "
    "frs=Fr. bs=Bs dollar=$ dollars=$ yen=JPY yuan=CNY dh=dh dhs=dh"
)
"""Words for currencies, casefolded and without a final point. Those that several countries share stand for themselves."""

CAPITALS = {"R": "R", "F": "F", "L": "L", "KM": "BAM", "DM": "DEM", "RM": "MYR", "Ft": "HUF"}
"""Letters that count only in this case: `ft` are feet and `km` kilometres."""

_LOCAL_WORDS = {
    "din": ("sr", "bs", "hr", "mk", "sl"),
    "kn": ("hr", "bs"),
    "lira": ("tr",),
    "pound": ("en-gb", "en-ie"),
    "pounds": ("en-gb", "en-ie"),
    "km": ("bs", "sr", "hr"),
    "korun": ("cs",),
    "koruna": ("cs",),
    "dinara": ("sr", "bs"),
    "динара": ("sr",),
}
"""Words that mean a currency only in some languages, {word: the beginnings of their tags}."""

CRYPTO = frozenset(list_words("BTC ETH LTC XRP USDT USDC BNB SOL DOGE XBT"))

ENGLISH_WORDS = frozenset(list_words("ALL TOP CUP SOS LAK BAM MOP GEL BOB PEN COP MAD TRY RON SLL BAN NAD"))
"""Codes that are words, too. Beside another sign they are taken for words."""

DOUBTFUL = frozenset(list_words("ALL TOP CUP SOS BOB LAK MOP BAM"))
"""Those that are more often words than codes."""

COMMON = frozenset(
    list_words(
        "EUR USD GBP CHF JPY CNY RUB PLN CZK SEK NOK DKK HUF INR BRL AUD CAD NZD UAH KZT AED SAR THB IDR MYR PHP VND KRW SGD "
        "HKD TWD ZAR MXN CLP ARS RON BGN TRY ILS EGP PKR BYN RSD ISK QAR KWD"
    )
)
"""Codes that are also recognised when they are not in capitals."""


@lru_cache(maxsize=1)
def _codes() -> frozenset[str]:
    return frozenset(row[0] for rows in get_global("territory_currencies").values() for row in rows) | CRYPTO


@lru_cache(maxsize=20_000)
def find_currency(text: str, language: str) -> str:
    """Return the currency that a whole sign, code or word means: an ISO code, or a sign that several share. "" if it means none."""
    text = text.strip()
    if text in CURRENCY_SIGNS:
        return CURRENCY_SIGNS[text]
    squeezed = re.sub(r"\s|\.$", "", text)
    if squeezed.upper() in CURRENCY_SIGNS:
        return CURRENCY_SIGNS[squeezed.upper()]
    code = squeezed.upper()
    if len(squeezed) in (3, 4) and code in _codes() and (squeezed == code or (code in COMMON and not _is_word_of(language, squeezed))):
        return code
    if code == "EURO" or code == "EUROS":
        return "EUR"
    word = fold_word(text)
    if word in _LOCAL_WORDS and text != "KM" and not language.startswith(_LOCAL_WORDS[word]):
        return ""
    if text.rstrip(".") in CAPITALS:
        return CAPITALS[text.rstrip(".")]
    if word in CURRENCY_WORDS:
        return _home(CURRENCY_WORDS[word], language)
    found = list_currency_names(language).get(word, "")
    if (len(word) == 1 and word.isascii()) or (any(unicodedata.category(each) == "Sc" for each in text) and len(text) == 1):
        return found if text.isalpha() and not text.isascii() else ""
    return found


def _is_word_of(language: str, text: str) -> bool:
    """Return whether letters that are no capitals are more likely a word."""
    return text.islower() and text.casefold() in {"all", "try", "ars", "ron", "php", "ils", "nok"} and not language.startswith(("tr", "ro"))


_HOMES = {("CHE", "Fr."): "CHF", ("CH", "Fr."): "CHF", ("LI", "Fr."): "CHF"}


def _home(currency: str, language: str) -> str:
    """Return the currency of the page's own country where a word is the country's own."""
    return _HOMES.get((find_territory(language), currency), currency) if language else currency


def combine_currencies(before: str, after: str) -> str | None:
    """Return the currency of an amount that has one on either side: the code, where a sign agrees with it; None if they contradict."""
    if not before or not after or before == after:
        return before or after
    for sign, code in ((before, after), (after, before)):
        if sign in _SHARED and (code in _SHARED[sign] or code == sign):
            return code
    if before in ENGLISH_WORDS:
        return after
    return None


_SHARED = {
    "$": frozenset(
        list_words(
            "USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP UYU BRL DOP JMD TTD BBD BSD BZD FJD GYD LRD NAD SBD SRD XCD BMD KYD BND CVE NIO"
        )
    ),
    "¥": frozenset(("JPY", "CNY")),
    "元": frozenset(("CNY", "TWD", "HKD", "MOP")),
    "kr": frozenset(("SEK", "NOK", "DKK", "ISK")),
    "Rs": frozenset(("INR", "PKR", "LKR", "NPR", "MUR", "SCR")),
    "Fr.": frozenset(("CHF",)),
    "R": frozenset(("ZAR",)),
    "Bs": frozenset(("BOB", "VES")),
    "F": frozenset(("FRF", "XOF", "XAF", "CHF")),
}
"""{sign: codes that it may stand for}"""


def find_currency_decimal(currency: str, numeral: str) -> str:
    """Return the decimal mark that a currency tells, where the page's language does not; "" if it tells none.

    It is that of all countries that use the currency. In dollars, a comma before three digits groups them: no shop of a country that
    has dollars and a decimal comma writes three decimals.
    """
    if currency == "$" and "," in numeral:
        return "."
    marks = {list_currency_decimals(code) for code in _SHARED.get(currency, (currency,))}
    return marks.pop() if len(marks) == 1 else ""


_BY_LENGTH = sorted(CURRENCY_SIGNS, key=lambda sign: (-len(sign), sign))
SIGN_PATTERN = "|".join(map(re.escape, _BY_LENGTH))
SIGN_AT_START = re.compile(rf"\s?(?P<sign>{SIGN_PATTERN}|\$ (?:US|CA|AU|NZ|HK)(?![^\W\d_]))(?P<letters>[^\W\d_]*)")
SIGN_AT_END = re.compile(rf"(?P<letters>[^\W\d_]*)(?P<sign>{SIGN_PATTERN})\s?$")
