"""Spanish beside the English words of law, which alone are authoritative: our own translation where there is one, else
a machine's, where that keeps what they say.
"""

import hashlib
import logging
import time
from collections.abc import Sequence
from functools import cached_property, lru_cache

from django.conf import settings
from django.utils.module_loading import import_string

from retrieval.answers.into_spanish import into_spanish, terms_of_law
from retrieval.answers.selection import Passage
from retrieval.answers.units import Span
from retrieval.corpus.translations import translation
from retrieval.engines import loaded
from retrieval.engines.apertium import Apertium, TranslationUnavailable
from retrieval.engines.translation import Glossary
from retrieval.models import Version
from retrieval.search import cache
from retrieval.text.sentences import sentences

logger = logging.getLogger(__name__)
OURS, MACHINE = "ours", "machine"
PATIENCE = 0.3  # s that an answer, or the summaries of a page, give the machine: it begins no sentence later
GAP = " … "  # between words that do not stand beside each other


def beside(passage: Passage, spans: Sequence[Span], machine: "Machine") -> dict | None:
    """{"text", "by", "official"} of the same sentences, where our text has as many; else of the whole provision. The
    machine's, where we have none, of all these words or of none.
    """
    if passage.language != "en":
        return None
    translated = "\n".join(translation(passage.locator, passage.text))
    if translated:
        return unofficial(same_sentences(passage.text, translated, spans) or translated, OURS)
    return machine.translation([passage.text[start:end] for start, end in spans], private=passage.private)


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


def unofficial(text: str, by: str) -> dict:
    return {"text": text, "by": by, "official": False}


# -- The machine's


class Machine:
    """The machine as one answer, or the summaries of a page, asks it: no sentence is begun once `patience` (s) is over,
    and the version of the glossary is read once.
    """

    def __init__(self, patience: float = PATIENCE):
        self.ends = time.monotonic() + patience

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.ends

    @cached_property
    def version(self) -> int:
        return Version.objects.filter(name="glossary").values_list("number", flat=True).first() or 0

    def translation(self, texts: Sequence[str], *, private: bool) -> dict | None:
        """As `beside` of these English words."""
        engine = loaded.apertium_into_spanish()
        if engine is None or self.is_over:
            return None
        made = []
        for text in texts:
            made.append(self.words(text, engine, private=private))
            if not made[-1]:
                return None
        return unofficial(GAP.join(made), MACHINE)

    def words(self, text: str, engine: Apertium, *, private: bool) -> str:
        """Kept by its words, but for those of private documents; nothing where it would not say the same, and once
        patience is over.
        """

        def made() -> dict:
            if self.is_over:
                raise TranslationUnavailable("The reader has waited long enough for translations.")
            return {"text": into_spanish(text, terms_at(self.version), engine), "degraded": []}

        words = hashlib.sha256(text.encode()).hexdigest()
        key = cache.key_of(kind=MACHINE, code=cache.code_version(), words=words, terms=self.version)
        try:
            return made()["text"] if private else cache.answers.get_or_make(key, made)[0]["text"]
        except TranslationUnavailable as problem:
            logger.warning("Law is shown without a translation: %s", problem.message)
            return ""


@lru_cache(maxsize=1)
def terms_at(version: int) -> Glossary:
    """The glossary's terms and those of law; where both have one, that of law, which is put in with its article."""
    return Glossary({**import_string(f"{settings.ARF_GLOSSARY}.spanish_terms")(version), **terms_of_law()})
