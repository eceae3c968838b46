"""Shares in per cent, for screens, messages and commands."""


def write_percent(share: float) -> str:
    """Write a share from 0 to 1 in per cent. Only 1 is written as 100 %, and only 0 as 0 %, so neither hides an exception."""
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return f"{int(share * 1000) / 10:g} %"
    return f"{share * 100:.0f} %"
