"""Words that stand beside amounts in shops, as patterns: what makes a number a price, and what makes it something else."""

import re

PERCENTAGE = re.compile(r"\s?(?:%|‰|percent|prozent|pct\b|pour cent|процент)", re.IGNORECASE)
"""What follows a percentage."""

TAX = re.compile(r"mwst|ust|tva|vat|iva|btw|moms|gst|dph|áfa|tax|ндс|пдв|kdv|mva|alv|pvn|pvm|км|消費税|税|marże", re.IGNORECASE)
"""Words for taxes, whose percentage may stand beside a price."""

MEASURE = re.compile(
    r"\s?(?:k?g|mg|gr|gramm?|lb|oz|ml|cl|dl|l|liter|litre|litro|[cmk]?m|mm|cm²|m²|m2|m³|qm|in|inch|zoll|ft|[kmgt]b|gib|[mg]?hz|k?w|kwh|mah|v|"
    r"г|кг|мл|л|гб|см|м|мм)\b|\s?[\"″]",
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
