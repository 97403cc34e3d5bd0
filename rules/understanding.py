"""What a question was meant to say: its misspelt words put right by the words of curated names and the glossary, and a
Spanish one, corrected first, put into the English of the law.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from retrieval.engines import loaded
from retrieval.engines.apertium import Apertium, TranslationUnavailable
from retrieval.engines.translation import Translation, translate
from retrieval.errors import NotRun
from retrieval.pipeline import unless_final
from retrieval.ranking import Query, Ranking
from retrieval.stages.citations import cited_in
from retrieval.text.analyzer import tokens
from retrieval.text.language import ENGLISH_FUNCTION_WORDS, SPANISH_FUNCTION_WORDS
from retrieval.text.normalization import fold
from retrieval.text.spelling import forms, long_words, often, respelled
from retrieval.text.spoken_spanish import STANDARD
from rules import published


@dataclass(frozen=True)
class Respell:
    """Puts right the words of an English question that neither the embedder nor any text or curated name here has, if
    a word of a curated name is one slip away.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.language != "en":
            return ranking.noting("the question is not in English", skipped=True)
        text = corrected_english(query)
        if text == query.text:
            return ranking.noting("no misspelt word", skipped=True)
        put = replace(query, text=text, respelled=text, citations=cited_in(query, text))
        return replace(ranking, query=put).noting(text)


def corrected_english(query: Query, *, slips: int = 1) -> str:
    """The text to look for; as it is where private documents are searched, whose names may look like slips."""
    words, named, index = words_read_whole(query), named_words(query, "en"), loaded.lexical_index()
    if not words or has_private(query):
        return query.text

    def is_word(word: str) -> bool:
        known = any(form in words or often(form, named) for form in forms(word))
        return known or word in ENGLISH_FUNCTION_WORDS or (not index.problem and index.has(word, "en"))

    cited = [(found.start, found.end) for found in cited_in(query, query.text)]
    return respelled(query.text, is_word, named, kept=cited, slips=slips)


def corrected_spanish(query: Query, engine: Apertium, *, slips: int = 1) -> str:
    """The question as typed but for words that the translator does not know. Raises TranslationUnavailable."""
    words = words_read_whole(query)
    if not words or has_private(query):
        return query.original
    version = query.versions.get("glossary", 0)
    named, terms = [*named_words(query, "es"), published.words_of_glossary(version)], published.glossary(version)
    cited = [(found.start, found.end) for found in query.citations]
    long = {fold(place[0]) for place in long_words(query.original, kept=cited)}
    known = {word for word in long if often(word, named) or word in STANDARD or word in terms}
    doubtful = sorted(long - SPANISH_FUNCTION_WORDS - words - known)
    if not doubtful:
        return query.original
    wrong = set(doubtful) & set(tokens(engine.translate(", ".join(doubtful))))
    return respelled(query.original, lambda w: w not in wrong, named, kept=cited, slips=slips)


def has_private(query: Query) -> bool:
    return any(domain.private for domain in query.domains)


def words_read_whole(query: Query) -> frozenset[str]:
    """English, by the embedder in force; none where it does not answer, which another stage tells."""
    with suppress(NotRun):
        return loaded.active_embedder(query.versions.get("embedding", 0)).embedder.words
    return frozenset()


def named_words(query: Query, language: str) -> list[Mapping[str, int]]:
    """How often each folded word stands in the curated names of each of the query's domains."""
    version = published.version_of("aliases", query.versions)
    return [published.alias_table(domain, version).words.get(language, {}) for domain in query.domain_ids]


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


def english_of(query: Query, *, slips: int = 1) -> tuple[Query, Translation, str]:
    """The query with its misspelt words put right, in English, and why the machine translator did not help where it
    could not.
    """
    glossary = published.glossary(query.versions.get("glossary", 0))
    engine, problem = loaded.apertium(), "Apertium is not installed"
    if engine is not None:
        try:
            query = with_corrected_text(query, corrected_spanish(query, engine, slips=slips))
            return query, translate(query.corrected_text, glossary, engine, protect=protected(query)), ""
        except TranslationUnavailable as unavailable:
            problem = unavailable.message
    return query, translate(query.corrected_text, glossary, protect=protected(query)), problem


def with_corrected_text(query: Query, text: str) -> Query:
    if text == query.original:
        return query
    return replace(query, respelled=text, citations=cited_in(query, text))


def protected(query: Query) -> list[tuple[int, int, str]]:
    return [(c.start, c.end, c.normalized) for c in query.citations]
