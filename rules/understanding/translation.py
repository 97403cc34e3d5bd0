"""The stage that puts a Spanish question into the English of the law, corrected first where it is misspelt."""

from dataclasses import dataclass, replace

from retrieval.citations.finding import find_citations
from retrieval.engines import loaded
from retrieval.engines.apertium import TranslationUnavailable
from retrieval.engines.translation import Translation, translate
from retrieval.ranking import Query, Ranking
from rules import published
from rules.understanding.respelling import corrected_spanish


@dataclass(frozen=True)
class Translate:
    """Puts a Spanish question into the English of the law, citations and glossary terms kept exact."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.language != "es":
            return ranking.noting("the question is in English", skipped=True)
        query, translation, problem = english_of(query)
        translated = replace(query, text=translation.text, translated=translation.text)
        degraded = (*ranking.degraded, type(self).__name__) if problem else ranking.degraded
        note = f"{translation.engine}: {translation.text}" + (f" ({problem})" if problem else "")
        return replace(ranking, query=translated, degraded=degraded).noting(note)


def english_of(query: Query) -> tuple[Query, Translation, str]:
    """The query with its misspelt words put right, in English, and why the machine translator did not help where it
    could not.
    """
    glossary = published.glossary(query.versions.get("glossary", 0))
    engine, problem = loaded.apertium(), "Apertium is not installed"
    if engine is not None:
        try:
            query = with_corrected_text(query, corrected_spanish(query, engine))
            return query, translate(query.corrected_text, glossary, engine, protect=protected(query)), ""
        except TranslationUnavailable as unavailable:
            problem = unavailable.message
    return query, translate(query.corrected_text, glossary, protect=protected(query)), problem


def with_corrected_text(query: Query, text: str) -> Query:
    if text == query.original:
        return query
    return replace(query, respelled=text, citations=find_citations(text))


def protected(query: Query) -> list[tuple[int, int, str]]:
    return [(c.start, c.end, c.normalized) for c in query.citations]
