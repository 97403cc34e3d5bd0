"""The names of the states, in English and Spanish. Pure."""

import re

from retrieval.text.normalization import fold

# Without Washington, which is as often the city or the president.
_STATES = re.compile(
    r"\b(?:alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois"
    r"|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|misisipi|missouri"
    r"|montana|nebraska|nevada|(?:new|nuevo|nueva) (?:hampshire|jersey|mexico|york)"
    r"|carolina|dakota|ohio|oklahoma|oregon|pennsylvania|pensilvania|rhode island|tennessee|texas|tejas|utah|vermont"
    r"|virginia|wisconsin|wyoming)\b"
)


def names_a_state(text: str) -> bool:
    """Whether one of the fifty, but Washington, is named."""
    return _STATES.search(fold(text)) is not None
