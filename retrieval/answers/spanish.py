"""Spanish beside the English words of law, which alone are authoritative: our own translation where there is one. Pure
but for the file of translations.
"""

from retrieval.answers.selection import Passage
from retrieval.answers.units import Unit
from retrieval.corpus.translations import translation
from retrieval.text.sentences import sentences

OURS = "ours"


def beside(passage: Passage, unit: Unit) -> dict | None:
    """{"text", "by", "official"} of the same sentences, where both texts have as many; else of the whole provision."""
    if passage.language != "en" or passage.offset:
        return None
    translated = "\n".join(translation(passage.locator, passage.text))
    if not translated:
        return None
    english, spanish = sentences(passage.text), sentences(translated)
    if len(english) != len(spanish):
        return our_translation(translated)
    quoted = [
        translated[start:end].strip()
        for (start, end), (first, last) in zip(spanish, english, strict=True)
        if any(first < b and a < last for a, b in unit.spans)
    ]
    return our_translation(" ".join(quoted))


def our_translation(text: str) -> dict:
    return {"text": text, "by": OURS, "official": False}
