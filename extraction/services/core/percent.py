"""Numbers and shares in per cent, for screens, messages and commands."""

from django.utils.formats import get_format
from django.utils.translation import get_language


def write_number(value: int) -> str:
    """Write a whole number with its thousands separated: by commas in English, elsewhere by a narrow space."""
    text = f"{value:,}"
    return text if (get_language() or "en").startswith("en") else text.replace(",", "\u202f")


def use_decimal_sign(text: str) -> str:
    """Write a number with the decimal sign of the reader's language."""
    return text.replace(".", get_format("DECIMAL_SEPARATOR"))


def write_percent(share: float) -> str:
    """Write a share from 0 to 1 in per cent. Only 1 is written as 100 %, and only 0 as 0 %, so neither hides an exception."""
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return use_decimal_sign(f"{int(share * 1000) / 10:g} %")
    return f"{share * 100:.0f} %"
