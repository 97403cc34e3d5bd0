"""Names in capitals that are common words in small letters (US, IT, WHO), told apart by how a text has them. Pure."""

import re
from functools import lru_cache

from retrieval.text.analyzer import LANGUAGES, stems
from retrieval.text.snippets import function_stems

_CAPITALS = re.compile(r"\b[^\W\d_]{2,}\b")
_BEHIND_THE = re.compile(r"\b[Tt]he (\w+)")


@lru_cache(maxsize=10_000)
def is_common_word(name: str, language: str) -> bool:
    """Whether a name, all in capitals, would be function words of this language in small letters."""
    if language not in LANGUAGES or not name.isupper():
        return False
    return frozenset(stems(name, language)) <= function_stems(language)


def may_mean(text: str, name: str, language: str) -> bool:
    """Whether a text that has the words of a name can mean it: a common word only in capitals, or behind "the"."""
    if not is_common_word(name, language):
        return True
    written = rf"(?<!\w)(?:{re.escape(name)}|[Tt]he {re.escape(name.lower())})(?!\w)"
    return re.search(written, text) is not None


def in_capitals(text: str) -> list[str]:
    """The common words that a text has in capitals, or behind "the": where these differ, texts may mean another thing.
    """
    named = _BEHIND_THE.sub(lambda found: f"the {found[1].upper()}", text)
    written = _CAPITALS.findall(named)
    return [word for word in written if any(is_common_word(word, language) for language in LANGUAGES)]
