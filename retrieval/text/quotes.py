"""What a question puts in double quotes, straight or typographic. Pure."""

import re

MOST = 10  # different phrases of a question: each is looked for in every text that was found
QUOTES = re.compile('["“”„«»]')


def quoted(text: str) -> list[str]:
    """An unbalanced quote means nothing."""
    parts = QUOTES.split(text)
    return [part for part in parts[1::2] if part.strip()] if len(parts) % 2 else []


def too_many(text: str) -> bool:
    """Whether more different phrases are quoted than are looked for; capitals make none different."""
    return len({" ".join(phrase.casefold().split()) for phrase in quoted(text)}) > MOST
