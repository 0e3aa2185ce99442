"""Numbers as the text has them."""


def number(value):
    """A Python number as the language writes it: 1e-5, 0.1, 3, true."""
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text


def shortest(value, accuracy):
    """The decimal number with the fewest digits within a relative accuracy."""
    for digits in range(1, 17):
        short = float(f"{value:.{digits - 1}e}")
        if abs(short - value) <= accuracy * abs(value):
            return short
    return value
