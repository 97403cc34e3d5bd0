"""Spanish beside the English words of law, which alone are authoritative: our own translation where there is one. Pure
but for the file of translations.
"""

from collections.abc import Sequence

from retrieval.answers.selection import Passage
from retrieval.answers.units import Span, Unit
from retrieval.corpus.translations import translation
from retrieval.text.sentences import sentences

OURS = "ours"


def beside(passage: Passage, unit: Unit) -> dict | None:
    """{"text", "by", "official"} of the same sentences, where both texts have as many; else of the whole provision."""
    if passage.language != "en":
        return None
    translated = "\n".join(translation(passage.locator, passage.text))
    if not translated:
        return None
    return our_translation(same_sentences(passage.text, translated, unit.spans) or translated)


def same_sentences(text: str, translated: str, spans: Sequence[Span]) -> str:
    """Those of a translation that stand where these spans of the text stand; none where one text has more sentences."""
    english, spanish = sentences(text), sentences(translated)
    if len(english) != len(spanish):
        return ""
    quoted = [
        translated[start:end].strip()
        for (start, end), (first, last) in zip(spanish, english, strict=True)
        if any(first < b and a < last for a, b in spans)
    ]
    return " ".join(quoted)


def our_translation(text: str) -> dict:
    return {"text": text, "by": OURS, "official": False}
