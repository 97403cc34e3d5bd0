"""The legs that find chunks: the nearest in meaning, public ones by their words (BM25), private ones by SQL alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import F, Q, QuerySet

from retrieval.corpus.filters import chosen, public_ids
from retrieval.engines import loaded
from retrieval.errors import NotRun
from retrieval.indexes.lexical import BuiltAnew, Counted, Hit, Weights
from retrieval.indexes.nearest import nearest
from retrieval.indexes.terms import stem_numbers, stored_counts
from retrieval.models import Chunk, Document, Section
from retrieval.ranking import Candidate, Query, Ranking
from retrieval.stages.fusion import CHUNKS_A_SECTION, fold, ranking_of, texts_by_language
from retrieval.text.analyzer import terms
from retrieval.text.snippets import function_stems


@dataclass(frozen=True)
class DenseRetriever:
    """Nearest chunks by cosine similarity, private ones if granted."""

    k: int = 100
    weight: float = 1.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if query.vector is None:
            raise NotRun("the question has no vector")
        hits, way = nearest(query, self.k * CHUNKS_A_SECTION)
        candidates = fold("dense", ((s, c, 1.0 - far) for s, c, far in hits), k=self.k)
        return ranking_of(ranking, candidates).noting(way)


def hits_of(
    query: Query, k: int, *, among: Sequence[Mapping] = (), weights: Weights = Weights()
) -> list[Hit]:
    """Public chunks by this node's index, in what caller and rules leave and in each of `among`. One that was built
    anew meanwhile is searched again. Raises NotRun.
    """
    index, texts = loaded.lexical_index(), texts_by_language(query)
    if problem := index.problem:
        raise NotRun(problem)
    look_up = partial(
        index.search,
        texts,
        domains=query.domain_ids,
        as_of=query.as_of,
        among=[*among, *(public_ids(query, selection) for selection in query.selections)],
        exclude=query.exclude and public_ids(query, query.exclude),
        limit=k * CHUNKS_A_SECTION,
        weights=weights,
        counted=counted_in(query, texts),
    )
    try:
        hits = look_up()
    except BuiltAnew:
        hits = look_up()
    if problem := index.look():
        raise NotRun(problem)
    return hits


def counted_in(query: Query, texts: Mapping[str, str]) -> Counted | None:
    """How often the one public body of law that is searched has each stem, so that what it ranks first depends little
    on what is loaded beside it; None where several are searched, or where its words are not counted yet.
    """
    public = [domain for domain in query.filled if not domain.private]
    counts = stored_counts(public[0].id, query.versions.get("vocabulary", 0)) if len(public) == 1 else None
    if counts is None:
        return None
    asked = list({stem for language, text in texts.items() for stem in terms(text, language)})
    return Counted(counts.sections, dict(zip(asked, counts.having(stem_numbers(asked)).tolist(), strict=True)))


@dataclass(frozen=True)
class LexicalRetriever:
    """BM25 over the chunks of public domains by this node's index; if `called`, also over what other sections call
    theirs, and if `cited`, with how many cite them.
    """

    k: int = 100
    weight: float = 1.0
    called: bool = True
    cited: bool = True

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        usual = Weights()
        weights = Weights(called=usual.called * self.called, prior=usual.prior * self.cited)
        hits = hits_of(query, self.k, weights=weights)
        coverage = {hit.chunk: hit.coverage for hit in hits}
        folded = fold("lexical", ((hit.section, hit.chunk, hit.score) for hit in hits), k=self.k)
        return ranking_of(
            ranking, [c.but(scores={**c.scores, "coverage": coverage[c.chunk_id]}) for c in folded]
        )


COUNTED = 10  # candidates of which it is told how much of the question they have: a first page
COVERAGE = "private_coverage"
CONFIGS = {"en": "english", "es": "spanish"}  # of PostgreSQL's text search


@dataclass(frozen=True)
class PrivateLexicalRetriever:
    """Words in the caller's granted private documents, by SQL alone: they share no index and no statistics."""

    k: int = 100
    weight: float = 2.0  # private documents have no lexical leg and no curated names beside it

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        private = [domain.id for domain in query.domains if domain.private]
        if not private or not query.caller.principals:
            return ranking.noting("no private documents granted", skipped=True)
        asked = {language: terms(text, language) for language, text in texts_in_each(query).items()}
        if not any(asked.values()):
            return ranking.noting("no words to look for", skipped=True)
        rows = [row for language, stems in asked.items() for row in self._hits(query, private, language, stems)]
        ranked = sorted(rows, key=lambda row: (-row[2], row[1]))
        found = fold("private", ranked, k=self.k)
        shares = shares_of(asked, found[:COUNTED])
        covered = [c.but(scores=c.scores | {COVERAGE: shares.get(c.chunk_id, 0.0)}) for c in found[:COUNTED]]
        return ranking_of(ranking, covered + found[COUNTED:])

    def _hits(self, query: Query, domains: list[int], language: str, stems: list[str]) -> QuerySet | tuple:
        """(section, chunk, score) in the caller's documents of this language."""
        words = any_of(stems, CONFIGS[language])
        if words is None:
            return ()
        left = chosen(query)
        readable = Section.objects.readable(query.caller, query.as_of)
        return (
            Chunk.objects.filter(
                Q() if left is None else Q(pk__in=left.values("pk")),
                private=True,
                domain__in=domains,
                section__in=readable.filter(written_in(language), document__in=granted_documents(query)),
            )
            .annotate(score=SearchRank(F("words"), words))
            .filter(words=words)
            .order_by("-score", "pk")
            .values_list("section_id", "pk", "score")[: self.k * CHUNKS_A_SECTION]
        )


def texts_in_each(query: Query) -> dict[str, str]:
    """What to look for in private texts of each language, whatever languages a domain is said to have: what a private
    one holds is told to nobody.
    """
    return dict.fromkeys(CONFIGS, query.text) | {
        language: query.corrected_text for language in CONFIGS if language == query.language != "en"
    }


def written_in(language: str) -> Q:
    """Sections of documents in this language; those in others than these are read as English ones."""
    if language == "en":
        return ~Q(document__language__in=[other for other in CONFIGS if other != "en"])
    return Q(document__language=language)


def shares_of(asked: dict[str, list[str]], candidates: list[Candidate]) -> dict[int, float]:
    """By chunk, how much of the question's stems that say what it is about it has."""
    chunks = Chunk.objects.filter(pk__in=[candidate.chunk_id for candidate in candidates])
    meant = {language: set(stems) - function_stems(language) for language, stems in asked.items()}
    shares = {}
    for pk, context, text, written in chunks.values_list("pk", "context", "text", "section__document__language"):
        language = written if written in CONFIGS else "en"
        wanted = meant[language]
        shares[pk] = len(wanted & set(terms(f"{context} {text}", language))) / max(len(wanted), 1)
    return shares


def granted_documents(query: Query) -> QuerySet:
    """The private documents this caller owns or was granted, as a subquery."""
    return Document.objects.held_by(query.caller).values("id")


def any_of(stems: list[str], config: str) -> SearchQuery | None:
    """An OR query of stems."""
    queries = [SearchQuery(stem, config=config) for stem in stems]
    return reduce(or_, queries) if queries else None
