"""Spanish texts in the English that Spanish questions are put into, for an embedder that reads English."""

import logging
from collections.abc import Collection, Sequence

from django.conf import settings
from django.utils.module_loading import import_string

from retrieval.corpus.statements import current_versions
from retrieval.engines import loaded
from retrieval.engines.apertium import Apertium, TranslationUnavailable, TranslatorDown
from retrieval.engines.translation import Glossary, translate
from retrieval.models import Chunk, Document
from retrieval.text.sentences import sentences

logger = logging.getLogger(__name__)


def embedded_texts(chunks: Sequence[Chunk]) -> list[str]:
    """What is embedded of each: what its index reads, in English where its document is in Spanish and a machine
    translator is installed.
    """
    spanish, engine = spanish_of({chunk.document_id for chunk in chunks}), loaded.apertium_for_texts()
    if not spanish or engine is None:
        return [chunk.indexed_text for chunk in chunks]
    terms = import_string(f"{settings.ARF_GLOSSARY}.glossary")(current_versions().get("glossary", 0))
    return [
        in_english(chunk.indexed_text, terms, engine) if chunk.document_id in spanish else chunk.indexed_text
        for chunk in chunks
    ]


def spanish_of(documents: Collection[int]) -> set[int]:
    """Those that are in Spanish, or will be once what is staged of them is published."""
    found = Document.objects.filter(pk__in=documents).values_list("pk", "language", "staged_description")
    return {pk for pk, language, described in found if described.get("language", language) == "es"}


def in_english(text: str, terms: Glossary, engine: Apertium) -> str:
    """Sentence by sentence; one that the translator fails at stays as it is, and the log says so. Raises TranslatorDown
    where it cannot be started: the job goes on once it can.
    """
    made = []
    for line in text.split("\n"):
        for start, end in sentences(line):
            try:
                made.append(translate(line[start:end], terms, engine).text)
            except TranslatorDown:
                raise
            except TranslationUnavailable as problem:
                logger.warning("A sentence is embedded in Spanish: %s", problem.message)
                made.append(line[start:end])
        made.append("\n")
    return " ".join(made)
