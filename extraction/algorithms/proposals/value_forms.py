"""What values of an attribute look like: forms that are known beforehand, such as telephone numbers, and words that are typical."""

import re
from collections.abc import Mapping

_MONTH = (
    r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|mars|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|"
    r"set|ott|fev|out|maj|янв|фев|мар|апр|ма[йя]|июн|июл|авг|сен|окт|ноя|дек"
)
_AMOUNT = r"\d[\d.,' ’]*"
_CURRENCY = r"(?:[$€£¥₹₽₺₩฿₴]|(?-i:[A-Z]{3})\b|US\$|Rs\.?|kr\.?|zł|Kč|руб|Fr\.|lei|Ft)"
_UNIT = (
    r"(?:mm|cm|m|km|in|inch(?:es)?|ft|feet|yd|mi|miles?|kg|g|mg|lbs?|oz|l|ml|cl|gal|w|kw|hp|ps|v|mah|hz|ghz|mhz|gb|mb|tb|mp|"
    r"megapixels?|px|x|kcal|kj|cal|m²|m2|sq\.?\s?ft|sqft|acres?|ha|%|°|[\"”″'′])"
)


def _full(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{pattern})[\s|.,;–-]*", re.IGNORECASE)


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(rf".*?(?:{pattern}).*", re.IGNORECASE | re.DOTALL)


FORMS: Mapping[str, re.Pattern[str]] = {
    "price": _full(rf"(?:[^\d:]{{0,18}}[:\s]\s?)?-?{_CURRENCY}\s?{_AMOUNT}(?:\s?[-–]\s?{_CURRENCY}?\s?{_AMOUNT})?|{_AMOUNT}\s?{_CURRENCY}"),
    "date": _full(
        r".{0,60}\b(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|"
        rf"(?:\d{{1,2}}\w{{0,2}}\.?\s)?(?:de )?(?:{_MONTH})[^\W\d]*\.?,?\s.{{0,12}}\d{{2,4}}|"
        r"\d{4}年\d{1,2}月(?:\d{1,2}日)?|(?:1[89]|20)\d\d)\b.{0,20}"
    ),
    "year": _full(r"(?:1[0-9]|20)\d\d"),
    "number": _full(r"[-+−]?\d[\d.,' ]*"),
    "count": _full(r"[^\d]{0,12}\d[\d.,' ]*(?:\s?[^\W\d]+){0,3}"),
    "phone": _full(r"(?:[^\d+(]{0,12}[:.\s])?[+(]?\d(?:[\d\s().+/–-]|ext|x){6,24}"),
    "email": _full(r"(?:mailto:)?[^\s@]+@[^\s@]+\.\w+"),
    "url": _full(r"(?:https?://)?(?:www\.)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,12}(?:[:/?#]\S*)?"),
    "isbn": _full(r"(?:isbn\S*:?\s?)?(?:97[89][- ]?)?(?:\d[- ]?){9}[\dx]"),
    "code": _full(r"(?=.*\d)[\w./:-]{3,30}"),
    "postcode": _full(r"(?=.*\d)[\w -]{3,10}"),
    "rating": _full(r"\d(?:[.,]\d+)?\s?(?:/|out of|von|sur|de|su|van|★|%)?\s?\d{0,3}\s?(?:stars?|sterne|étoiles)?"),
    "duration": _full(
        r"(?:[^\d:]{0,20}[:\s]\s?)?(?:\d[\d.,½¼¾/:–-]*\s?(?:h|hrs?|hours?|m|mins?|minutes?|s|secs?|days?|weeks?|months?|years?|std\.?|stunden?|minuten?|tage?|"
        r"heures?|jours?|horas?|minutos?|ore|ora|minuti|uur|minuter|timm\w*|timer|godz\w*|мин\w*|час\w*|分|時間|小时|分钟|λεπτ\w*)\b\.?,?\s*(?:and|und|et|y|e|en|och)?\s*)+"
    ),
    "measure": _full(rf"(?:[^\d:]{{0,20}}[:\s])?{_AMOUNT}\s?{_UNIT}.{{0,40}}"),
    "weight": _full(r"\d[\d.,]*\s?(?:lbs?|pounds?|kg|kilo\w*|g|oz|кг|公斤|t)\b.{0,24}"),
    "length": _full(r"\d{1,3}\s?(?:-|'|’|′|ft|feet|m\b|cm|mm|in\b|inch|\"|м\b|см).{0,24}|\d[.,]\d{2}(?:\s?m)?"),
    "fuel_economy": _any(r"\d+(?:[.,]\d+)?\s*(?:mpg|city|cty|hwy|highway|l\s?/\s?100|km/l)|\d+\s?/\s?\d+\s*(?:mpg|city|$)"),
    "engine": _any(r"\d[.,]\d\s?-?\s?l(?:iter|itre)?\b|\b[vil]-?\d{1,2}\b|\bcyl|\bhp\b|\bcc\b|@\s?\d+\s?rpm|turbo|\bkw\b"),
    "yield": _full(
        r"(?:[^\d]{0,25})?\d+(?:\s?[-–/x]\s?\d+)?\s?(?:[^\W\d].{0,40})|[^\W\d]+ (?:servings|portions|portionen|people|personen|dozen)"
    ),
    "ingredient": _any(
        r"^[\W]{0,3}(?:\d|[½¼¾⅓⅔⅛])|\b(?:cups?|tbsp|tsp|teaspoons?|tablespoons?|ounces?|oz|grams?|g|ml|dl|cl|kg|l|lbs?|pounds?|pinch|cloves?|EL|TL|"
        r"Prise|Bund|cuill|c\.|cucharad|cucchia|colher|eetlepel|theelepel|msk|tsk|krm|spsk|łyż|ст\.|г|мл|salt|pepper|salz|sel|sal|sale|zout)\b"
    ),
    "address": _any(
        r"\d+\w?\s[^\W\d][\w.'-]*(?:\s[\w.#,'-]+){0,8}|[^\W\d]{3,}\s\d+\w?(?:,|$)|\b\d{4,6}\b|\b(?:street|st|ave|avenue|rd|road|blvd|hwy|str|straße|rue|calle|via|rua|ul)\b"
    ),
    "place": _full(r"[^\W\d][\w.'’ -]{1,40}(?:[,/-]\s?[\w.'’ -]{2,40}){0,3}(?:\s\d{4,6})?"),
    "person": _full(r"(?:[^\W\d_]{2,12} )?(?:[^\W\d_][\w.'’-]*)(?:[\s,&]+[^\W\d_][\w.'’-]*){1,6}"),
    "organization": _full(r"[\w&.,'’!()/ -]{2,70}"),
    "country": _full(r"[^\W\d_][^\W\d_ .'()-]*(?:[ ,/][^\W\d_ .'()-]+){0,4}"),
    "category": _full(r"[^\W\d_][\w&,'’/() -]{1,50}"),
    "time": _any(r"\d{1,2}[:.h]\d{2}|\d{1,2}\s?(?:am|pm|uhr|h)\b"),
    "language": _full(r"[^\W\d_]{2,20}(?:[,/ ]+[^\W\d_]{2,20}){0,5}"),
    "image": _full(r"\S+\.(?:jpe?g|png|gif|webp|svg)(?:\?\S*)?"),
    "name": _full(r".{2,200}"),
    "text": _full(r".{1,300}"),
    "long": _full(r".{60,5000}"),
    "step": _full(r".{25,3000}"),
    "list": _full(r".{1,600}"),
    "salary": _any(rf"{_CURRENCY}\s?\d|\d[\d.,]*\s?(?:k\b|per|/|an?\b|{_CURRENCY})"),
    "employment": _any(
        r"full|part|contract|permanent|temporary|intern|freelance|vollzeit|teilzeit|befristet|cdi|cdd|tiempo|jornada|pieno|integral|voltijd|heltid|etat"
    ),
    "control": _any(
        r"\b(?:public|private|proprietary|profit|independent|state|öffentlich|privat|kirchlich|publique|privé|pública|privad|pubblic|publiek)"
    ),
    "content_rating": _any(r"\brated\b|\b(?:g|pg|pg-13|r|nc-17|nr|tv-\w+)\b|\bfsk\b|\b(?:ab|from)\s?\d+|\d+\+"),
    "price_range": _full(r"[$€£¥]{1,5}|.*[$€£¥]\s?\d.*|(?:very )?(?:inexpensive|moderate|expensive|cheap|günstig|preiswert)"),
    "boolean": _full(r"yes|no|true|false|ja|nein|oui|non|sí|si|sim|não|tak|nie|да|нет"),
    "genre": _any(
        r"\b(?:action|adventure|animation|biograph\w*|comed\w*|crime|documentar\w*|dram\w*|family|fantas\w*|fiction|history|histor\w*|horror|music\w*|myster\w*|"
        r"romance|romantic|sci-?fi|sport\w*|thriller|war|western|rock|pop|jazz|blues|classical|electronic|hip.?hop|krimi|komödie|abenteuer|liebe\w*|comédie|"
        r"policier|aventure|comedia|terror|suspense|strategy|puzzle|rpg|shooter|racing|poetry|memoir|boeken|roman|novel)\b"
    ),
    "cuisine": _any(
        r"\b(?:american|italian\w*|mexican\w*|chinese|japanese|thai|indian|french|greek|mediterranean|spanish|korean|vietnamese|seafood|"
        r"steak\w*|pizza|sushi|bbq|barbecue|burgers?|diner|deli\w*|cafe|café|bakery|fast food|vegetarian|vegan|southern|cajun|latin|"
        r"brazilian|cuban|caribbean|asian|european|german|irish|turkish|middle eastern|african|continental|fusion|international|"
        r"contemporary|sandwich\w*|breakfast|dessert\w*|ice cream|coffee|pub|italienisch|deutsch|chinesisch|indisch|griechisch|türkisch|"
        r"italienne|française|chinoise|italiana|mexicana|china|japonesa)\b"
    ),
}
"""What a value looks like as a whole."""

VAGUE = frozenset(
    ("language", "name", "text", "list", "organization", "category", "place", "person", "country", "long", "step", "code", "count")
)
"""Forms that many other texts have, too."""


LONG = frozenset(("long", "step", "list", "text", "ingredient"))
"""Forms of running text."""

LONGEST, SHORT = 5_000, 300
"""Longest value of these forms and of others, in characters."""


def match_form(form: str, text: str) -> bool:
    """Return whether a text looks like a value of a form."""
    return len(text) <= (LONGEST if form in LONG else SHORT) and FORMS[form].fullmatch(text) is not None
