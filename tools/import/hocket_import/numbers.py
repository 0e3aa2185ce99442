"""Numbers as the text has them."""

import struct


def number(value):
    """A Python number as the language writes it: 1e-5, 0.1, 3, true."""
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text


def short(value):
    """The shortest text of a number that float32 has."""
    exact = struct.pack("f", value)
    return next(number(float(f"{value:.{digits}g}")) for digits in range(1, 18)
                if struct.pack("f", float(f"{value:.{digits}g}")) == exact)


def shortest(value, accuracy):
    """The decimal number with the fewest digits within a relative accuracy."""
    for digits in range(1, 17):
        short = float(f"{value:.{digits - 1}e}")
        if abs(short - value) <= accuracy * abs(value):
            return short
    return value
