"""Words that stand beside amounts in shops, as patterns: what makes a number a price, and what makes it something else."""

import re

from extraction.algorithms.values.reading import list_words

PERCENTAGE = re.compile(r"\s?(?:%|‰|percent|prozent|pct\b|pour cent|процент)", re.IGNORECASE)
"""What follows a percentage."""

TAX = re.compile(r"mwst|ust|tva|vat|iva|btw|moms|gst|dph|áfa|tax|ндс|пдв|kdv|mva|alv|pvn|pvm|км|消費税|税|marże", re.IGNORECASE)
"""Words for taxes, whose percentage may stand beside a price."""

MEASURE = re.compile(
    r"\s?(?:k?g|mg|gr|gramm?|lb|oz|ml|cl|dl|l|liter|litre|litro|[cmk]?m|mm|cm²|m²|m2|m³|qm|in|inch|zoll|ft|[kmgt]b|gib|[mg]?hz|k?w|kwh|mah|v|"
    r"г|кг|мл|л|гб|см|м|мм)(?:\b|(?=[\u3040-\u30ff\u4e00-\u9fff]))|\s?[\"″]",
    re.IGNORECASE,
)
"""Units of measure, right behind a number."""

PER = re.compile(r"(?:/|(?<!\w)(?:per|pro|je|par|por|pr\.?|för|for each|за|na|à|/each))\s?$", re.IGNORECASE)
"""Ends what stands before a number of units that the price is for: `/100 g`, `per 2`."""

AFTER_BARE = re.compile(
    r"\s?(?:$|[*).,!†¹]+$|[(*/+|]|(?:each|per|pro|je|inkl|incl|excl|exkl|only|net|netto|brutto|gross|ttc|ht|plus|zzgl|pp|p\.p|from|up)\b)",
    re.IGNORECASE,
)
"""What may follow a price without a currency."""

PRICE_WORD = re.compile(
    r"(?:^|\W)(?:price|now|only|from|total|sum|cost|sale|preis|ab|nur|jetzt|gesamt|summe|prix|dès|à partir de|"
    r"precio|desde|preço|por|prezzo|da|"
    r"prijs|vanaf|voor|pris|fra|från|pr|nu|hinta|alk|cena|od|ár|ára|preț|preţ|pret|de la|цена|от|ціна|від|τιμή|από|fiyat|fiyatı|giá|harga|"
    r"value|rrp|msrp|uvp|amount|fee)\W*$",
    re.IGNORECASE,
)
"""Words that say that a number behind them is a price, without doubt."""

_UNIT = r"(?P<unit>[^\W\d_]+[²³]?(?: [^\W\d_]+)?)(?![^\W\d_])"
_COUNT = r"(?:\d+(?:[.,]\d+)?\s?)?"

UNIT_FOLLOWS = re.compile(
    rf"\*?\s?(?:/\s?{_COUNT}|per\s?{_COUNT}|l'"
    rf"|(?:pro|je|par|por|pr\.?|för|for|à|a|an|the|за|na|le|la|al|il|el|o|os|der|das|den)\s{_COUNT}){_UNIT}",
    re.IGNORECASE,
)
"""What follows the amount of a base price, if `unit` begins with a unit: `/100 g`, ` per kg`, ` le kilo`."""

UNIT_BEFORE = re.compile(rf"{_COUNT}(?P<unit>[^\W\d_]+?[²³]?(?: [^\W\d_]+?)?)\.?\s?(?:=|あたり|当たり|当り)\s?$", re.IGNORECASE)
"""What stands before it: `1 kg = `, `100g当たり`."""

EACH_AFTER = re.compile(
    r"\s?(?:each|/each|ea\.?|/ea|apiece|a piece|chacune?|pièce|cad\.|cadauno|cadauna|c/u|cada un[ao]|per stuk)(?![^\W\d_])", re.IGNORECASE
)
EACH_BEFORE = re.compile(r"(?<![^\W\d_])(?:each|je|jeweils|per stuk|cada un[ao]|chacune?)\s?:?\s?$", re.IGNORECASE)

BASE_PRICE = re.compile(
    r"(?<![^\W\d_])(?:"
    r"grundpreis|basispreis|grundpris|jmf\.?-?pris|jmfr\.?\s?pris|jämförpris|jämförelsepris|sammenligningspris|enhedspris"
    r"|enhetspris|vertailuhinta|vergelijkingsprijs|prix au (?:kilo|kg|litre)|prezzo al (?:kg|chilo|litro)|precio por (?:kilo"
    r"|kg|litro)|preço por (?:quilo|kg|litro)|cena za (?:kg|litr|sztukę)"
    r")\s?[:=]?\s?$",
    re.IGNORECASE,
)
"""Words for a base price, right before it."""

OLD_PRICE = re.compile(
    r"(?<![^\W\d_])(?:"
    r"was|were|old price|old|previously|instead of|list price|regular price|before|rrp|msrp|statt|bisher|vorher|früher"
    r"|alter preis|uvp|streichpreis|ancien prix|au lieu de|avant|prix conseillé|antes|precio anterior|en lugar de|prima"
    r"|anziché|invece di|prezzo di listino|adviesprijs|oude prijs|i stället för|ord\.? ?pris|tidigare|förut|før|førpris"
    r"|vejl\.? ?pris|ennen|norm\.|zamiast|poprzednia cena|najniższa cena|místo|původní cena|dříve|helyett|eredeti ár|вместо"
    r"|старая цена|раньше|стара ціна|замість|yerine|eski fiyat"
    r")(?![^\W\d_])|通常価格|原价|原價|定价|定価",
    re.IGNORECASE,
)
"""Words that mark an old or a recommended price."""

NEW_PRICE = re.compile(
    r"(?<![^\W\d_])(?:"
    r"now|today|jetzt|heute|nur noch|maintenant|désormais|ahora|hoy|adesso|ora|agora|nu|nå|nyt|teraz|nyní|most|теперь|сейчас"
    r"|зараз|şimdi"
    r")(?![^\W\d_])",
    re.IGNORECASE,
)
"""Words that mark the price that holds now, if another stands before them."""

PIECES = frozenset(
    list_words(
        "stück stk st stck piece pieces pc pcs pce ea unit units item items unidad unidades ud uds u unité unités pièce pièces "
        "pza pieza pz pezzo pezzi peça un unidade stuk stuks szt sztuka sztukę ks kus db darab шт штука штуку штуки kpl kappale "
        "τεμ adet buc bucată kom kos gab vnt tk 個 个 件 枚 本 袋 盒 瓶 台 杯 包 支 斤 개 병 장 ชิ้น portion portionen portions serving "
        "person persons personen personne personnes persona pers pp paar pair pairs paire packung pack packs pkg box boxes "
        "rolle roll rolls rollen blatt sheet sheets tab tabs tablet tablets tablette tabletten kapsel kapseln capsule capsules dose doses "
        "wash washes waschgang waschladung wl beutel teebeutel bag bags bottle bottles flasche can cans set sets nacht night "
        "nights nuit noche notte natt kilo kilos quilo chilo ltr gr gm qm lfm rm meter metre litre kwh"
    )
)
"""Units that are not in CLDR: pieces, packs, people, and usual short forms of measures. Casefolded."""
