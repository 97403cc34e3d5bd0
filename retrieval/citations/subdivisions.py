"""The case of subdivision letters, which people often type all small: (a)(6)(c)(i) is (a)(6)(C)(i). Pure."""

from collections.abc import Mapping

# What a letter is after a subdivision of the kind given; "" stands for none before it.
USC_LEVELS: Mapping[str, str] = {"": "lower", "number": "upper", "upper": "lower", "lower": "upper"}
CFR_LEVELS: Mapping[str, str] = {"": "lower", "number": "lower", "lower": "upper", "upper": "lower"}


def recased(subdivisions: tuple[str, ...], levels: Mapping[str, str]) -> tuple[str, ...]:
    """As written where small and capital letters are both used, else cased as the levels alternate."""
    letters = "".join(sub for sub in subdivisions if sub.isalpha())
    if not (letters.islower() or letters.isupper()):
        return subdivisions
    cased: list[str] = []
    before = ""
    for sub in subdivisions:
        before = levels[before] if sub.isalpha() else "number"
        cased.append(sub if before == "number" else sub.lower() if before == "lower" else sub.upper())
    return tuple(cased)
