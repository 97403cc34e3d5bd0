"""BM25 and word overlap of a query with many sections at once, on numbers: a stem's number is its CRC-32.

The numbers of a section are stored when it is ingested, and counted for each public domain; those of a candidate are
sorted, so that a word is looked up and not counted. Two of 100,000 stems share a number by chance: one word in 50,000
then counts for another. A process keeps the words of public sections: a section row never changes its text. Words of
private sections are read under the caller's scope at each search, never kept, and counted only over the candidates of
that search.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from zlib import crc32

import numpy as np
from cachetools import LRUCache
from django.db.models import F, QuerySet

from retrieval.corpus import statements
from retrieval.indexes import centroids
from retrieval.indexes.centroids import Centroids
from retrieval.models import ChunkVector, Domain, EmbeddingModel, Section, SectionTerms, Vocabulary
from retrieval.ranking import Candidate, Query
from retrieval.text.analyzer import LANGUAGES, stems, stop_stems

NUMBER = np.dtype("<u4")  # as stored
NONE = np.zeros(0, NUMBER)
K1, B = 1.2, 0.75  # BM25 as tantivy and most others count it


def numbers(text: str, language: str) -> np.ndarray:
    """(n,) of the stems in reading order, stop words too. A language other than en and es is read as English."""
    known = language if language in LANGUAGES else "en"
    return stem_numbers(stems(text, known))


def stem_numbers(these: Iterable[str]) -> np.ndarray:
    """(n,) of stems, in their order."""
    return np.array([crc32(stem.encode()) for stem in these], NUMBER)


@cache
def stop_numbers(language: str) -> np.ndarray:
    return stem_numbers(stop_stems(language))


@dataclass(frozen=True, slots=True)
class SectionWords:
    """Numbers of a section, sorted: of its `body` and its `breadcrumb` (the headings above) each as often as it occurs;
    of its `head` (heading and plain name) once.
    """

    body: np.ndarray
    head: np.ndarray
    breadcrumb: np.ndarray


NO_WORDS = SectionWords(NONE, NONE, NONE)


@dataclass(frozen=True, slots=True)
class QueryWords:
    """Numbers of a query, each once, sorted, and which of them are no stop words."""

    every: np.ndarray
    has_meaning: np.ndarray

    @classmethod
    def of(cls, texts: dict[str, str]) -> "QueryWords":
        """From the query in each language that is searched. Where all are stop words, all have meaning."""
        by_language = {language: np.unique(numbers(text, language)) for language, text in texts.items()}
        every = np.unique(np.concatenate([*by_language.values(), NONE]))
        content = [np.setdiff1d(words, stop_numbers(name)) for name, words in by_language.items()]
        has_meaning = np.isin(every, np.concatenate([*content, NONE]))
        return cls(every, has_meaning if has_meaning.any() else np.ones(len(every), bool))


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Counts of a domain: in how many of its `sections` each number occurs (`terms`, sorted), and their mean length."""

    sections: int
    mean_length: float
    terms: np.ndarray
    counts: np.ndarray

    def having(self, wanted: np.ndarray) -> np.ndarray:
        """(wanted,) how many sections have each."""
        if not len(self.terms):
            return np.zeros(len(wanted), int)
        places = np.searchsorted(self.terms, wanted)
        places[places == len(self.terms)] = 0
        return np.where(self.terms[places] == wanted, self.counts[places], 0)

    def idf(self, wanted: np.ndarray) -> np.ndarray:
        """(wanted,) of Robertson and Spärck Jones, as BM25 weighs them; never negative."""
        df = self.having(wanted)
        return np.log1p((self.sections - df + 0.5) / (df + 0.5))


def frequencies(sections: Sequence[SectionWords]) -> Frequencies:
    """Counts these sections."""
    once = [np.union1d(words.body, words.head) for words in sections]
    terms, counts = np.unique(np.concatenate([*once, NONE]), return_counts=True)
    total = sum(len(words.body) for words in sections)
    return Frequencies(len(sections), total / max(len(sections), 1), terms, counts.astype(np.int32))


@dataclass(frozen=True, slots=True)
class Cited:
    """How public sections cite one: how many do, and the numbers of what they call it, each once, sorted."""

    by: int
    called: np.ndarray


UNCITED = Cited(0, NONE)


@dataclass(frozen=True, slots=True)
class CandidateWords:
    """Words of the candidates, the counts of their domains: those of candidate n are `counted[domains[n]]`; and how
    each is cited.
    """

    words: Sequence[SectionWords]
    counted: Sequence[Frequencies]
    domains: np.ndarray
    cited: Sequence[Cited]


def occurrences(wanted: np.ndarray, texts: Sequence[np.ndarray]) -> np.ndarray:
    """(texts, wanted): how often each text, which is sorted, has each wanted number."""
    counts = [text.searchsorted(wanted, "right") - text.searchsorted(wanted) for text in texts]
    return np.array(counts, int).reshape(len(texts), len(wanted))


@dataclass(frozen=True, slots=True)
class Matched:
    """Words that candidates share with a query; each (candidates,), shares 0-1 of the query weighted by idf."""

    bm25: np.ndarray  # of the body, as a share of the most that the query can reach
    covered: np.ndarray  # by body, heading or plain name
    breadcrumb: np.ndarray  # by the headings above
    head: np.ndarray  # Jaccard similarity with heading and plain name, stop words too
    called: np.ndarray  # by what those that cite it call it
    cited_by: np.ndarray  # ln(1 + sections that cite it)
    length: np.ndarray  # ln(1 + words of the body)


def matched(query: QueryWords, candidates: CandidateWords) -> Matched:
    bodies = occurrences(query.every, [words.body for words in candidates.words])
    heads = occurrences(query.every, [words.head for words in candidates.words]) > 0
    breadcrumbs = occurrences(query.every, [words.breadcrumb for words in candidates.words]) > 0
    called = occurrences(query.every, [cited.called for cited in candidates.cited]) > 0
    idf = idf_for(query, candidates)
    shared = heads.sum(axis=1)
    either = len(query.every) + np.array([len(words.head) for words in candidates.words]) - shared
    return Matched(
        bm25=share_of(damped(bodies, candidates), idf),
        covered=share_of((bodies > 0) | heads, idf),
        breadcrumb=share_of(breadcrumbs, idf),
        head=shared / np.maximum(either, 1),
        called=share_of(called, idf),
        cited_by=np.log1p([cited.by for cited in candidates.cited]),
        length=np.log1p(lengths_of(candidates)),
    )


def bm25(query: QueryWords, candidates: CandidateWords) -> np.ndarray:
    """(candidates,) of their whole bodies, as in `matched`."""
    bodies = occurrences(query.every, [words.body for words in candidates.words])
    return share_of(damped(bodies, candidates), idf_for(query, candidates))


def having_all(texts: Mapping[str, str], candidates: CandidateWords) -> np.ndarray:
    """(candidates,) which have every word that means something of a question, by language, in one of its languages:
    in their bodies, headings or plain names. None has all of a question without such words.
    """
    having = np.zeros(len(candidates.words), bool)
    for language, text in texts.items():
        wanted = np.setdiff1d(numbers(text, language), stop_numbers(language))
        if len(wanted):
            bodies = occurrences(wanted, [words.body for words in candidates.words])
            heads = occurrences(wanted, [words.head for words in candidates.words])
            having |= (bodies + heads > 0).all(axis=1)
    return having


# "A02", "E33", "G-14", "K204b": no ordinals or amounts, "14th" and "20kg", and no numbers of sections.
CODE = re.compile(r"(?<![\w-])[^\W\d_]{1,4}-?\d{1,6}[^\W\d_]?(?![\w-])")


def having_codes(text: str, candidates: CandidateWords) -> np.ndarray:
    """(candidates,) what share of the codes that a question names each has in its body, heading or plain name."""
    having = [having_all({"en": code}, candidates) for code in dict.fromkeys(CODE.findall(text))]
    return np.mean(having, axis=0) if having else np.zeros(len(candidates.words))


def idf_for(query: QueryWords, candidates: CandidateWords) -> np.ndarray:
    """(candidates, words of the query) what each word weighs in the candidate's domain; nothing without meaning."""
    weights = np.array([counted.idf(query.every) for counted in candidates.counted])
    return weights[candidates.domains] * query.has_meaning


def share_of(having: np.ndarray, idf: np.ndarray) -> np.ndarray:
    """(candidates,) the weight of the words that each has, of all of the query's."""
    return (idf * having).sum(axis=1) / np.maximum(idf.sum(axis=1), 1e-9)


def damped(occurring: np.ndarray, candidates: CandidateWords) -> np.ndarray:
    """How often each word occurs, 0-1, as BM25 damps it in longer texts."""
    means = np.array([counted.mean_length for counted in candidates.counted])[candidates.domains]
    relative = lengths_of(candidates) / np.maximum(means, 1.0)
    return occurring / (occurring + (K1 * (1 - B + B * relative))[:, None])


def lengths_of(candidates: CandidateWords) -> np.ndarray:
    return np.array([len(words.body) for words in candidates.words], float)


KEPT = 32 * 2**20  # bytes of words in memory: 20,000 sections of 300 words
OVERHEAD = 400  # bytes that Python adds to a section's words
BATCH = 2_000  # sections counted at a time


# -- At ingest


def terms_of(section: Section, language: str) -> dict[str, bytes]:
    """The columns of its SectionTerms. `section` may be the historical model of a migration."""
    above = section.breadcrumb.split(" › ")[1:]
    texts = {
        "body": section.text,
        "head": f"{section.heading} {section.plain_name}",
        "way": " ".join(above),
    }
    return {name: numbers(text, language).tobytes() for name, text in texts.items()}


def save_terms(sections: Iterable[Section]) -> None:
    """Stores the words of the sections at their domain's result level; saving again replaces them."""
    SectionTerms.objects.bulk_create(
        [
            SectionTerms(
                section=section,
                domain_id=section.domain_id,
                private=section.private,
                **terms_of(section, section.document.language),
            )
            for section in sections
            if section.is_result
        ],
        update_conflicts=True,
        unique_fields=["section"],
        update_fields=["body", "head", "way"],
        batch_size=500,
    )


def count_again() -> int:
    """Counts the public domains whose corpus or embedder has changed since they were counted; returns how many."""
    public = Domain.objects.filter(visibility=Domain.Visibility.PUBLIC, corpus_version__gt=0)
    serving = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    changed = list(
        public.exclude(vocabulary__corpus_version=F("corpus_version"), vocabulary__embedded_by=serving)
    )
    for domain in changed:
        save_counts(domain, counted(of_current_texts(domain)), centroids.of(vectors_of(domain)))
    return len(changed)


def count_published(domain: Domain, version: int, *, added: Sequence[int], removed: Sequence[int]) -> None:
    """Counts what a publication that began at this corpus version has added and removed (section ids), so that its cost
    does not grow with the corpus; the whole domain only if its counts are not of that version.
    """
    domain.refresh_from_db(fields=["corpus_version"])
    if domain.is_private or domain.corpus_version == version:
        return
    serving = EmbeddingModel.Status.ACTIVE
    stored = Vocabulary.objects.filter(domain=domain, corpus_version=version, embedded_by__status=serving).first()
    if stored is None:
        save_counts(domain, counted(of_current_texts(domain)), centroids.of(vectors_of(domain)))
        return
    of_changed = SectionTerms.objects.filter(domain=domain)
    new, gone = (counted(of_changed.filter(section__in=ids)) for ids in (added, removed))
    centres = centroids.of(vectors_of(domain).filter(section__in=added))
    save_counts(domain, combined(counts_in(stored), new, gone), centroids.joined(centres_in(stored), centres))


@contextmanager
def unchanged(domain: Domain) -> Iterator[None]:
    """Around what moves sections: what was counted of the corpus before is true of it afterwards."""
    versions = Domain.objects.filter(pk=domain.pk).values_list("corpus_version", flat=True)
    before = versions.get()
    yield
    Vocabulary.objects.filter(domain=domain, corpus_version=before).update(corpus_version=versions.get())


def combined(before: Frequencies, new: Frequencies, gone: Frequencies) -> Frequencies:
    """The counts with those of new sections, without those of sections that are gone."""
    terms = np.union1d(before.terms, new.terms)
    counts = np.zeros(len(terms), np.int32)
    counts[np.searchsorted(terms, before.terms)] += before.counts
    counts[np.searchsorted(terms, new.terms)] += new.counts
    counts[np.searchsorted(terms, gone.terms)] -= gone.counts
    sections = before.sections + new.sections - gone.sections
    words = round(sum(sign * part.sections * part.mean_length for sign, part in ((1, before), (1, new), (-1, gone))))
    kept = counts > 0
    return Frequencies(sections, words / max(sections, 1), terms[kept], counts[kept])


def of_current_texts(domain: Domain) -> QuerySet[SectionTerms]:
    return SectionTerms.objects.filter(domain=domain, section__live=True, section__valid_to=None, private=False)


def vectors_of(domain: Domain) -> QuerySet[ChunkVector]:
    """Of its current texts, by the embedder that serves."""
    serving = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE)
    return ChunkVector.objects.live().in_force().filter(domain=domain, private=False, model__in=serving)


def counted(rows: QuerySet[SectionTerms]) -> Frequencies:
    words = rows.values_list("body", "head").iterator(chunk_size=BATCH)
    return frequencies([SectionWords(as_numbers(body), as_numbers(head), NONE) for body, head in words])


def save_counts(domain: Domain, counts: Frequencies, centres: Centroids) -> None:
    Vocabulary.objects.update_or_create(
        domain=domain,
        defaults={
            "corpus_version": domain.corpus_version,
            "sections": counts.sections,
            "mean_length": counts.mean_length,
            "terms": counts.terms.tobytes(),
            "frequencies": counts.counts.tobytes(),
            "centroids": centres.to_bytes(),
            "embedded_by": EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first(),
        },
    )


# -- At search


def as_numbers(stored: bytes) -> np.ndarray:
    return np.frombuffer(stored, NUMBER)


def texts_of(query: Query, candidates: Sequence[Candidate], *, cited: bool = True) -> CandidateWords:
    """The stored words of the candidates, the counts of their domains and, if `cited`, how others cite them. A domain
    without stored counts, as every private one, is counted over its candidates here.
    """
    private = {domain.id for domain in query.domains if domain.private}
    known = words_of(query, candidates, private)
    words = [known.get(candidate.section_id, NO_WORDS) for candidate in candidates]
    domains = list(dict.fromkeys(candidate.domain_id for candidate in candidates))
    numbered = np.array([domains.index(candidate.domain_id) for candidate in candidates], dtype=int)
    version = query.versions.get("vocabulary", 0)
    shared = [None if domain in private else stored_counts(domain, version) for domain in domains]
    counts = [
        found or frequencies([w for w, n in zip(words, numbered, strict=True) if n == number])
        for number, found in enumerate(shared)
    ]
    known_cited = how_cited([candidate.section_id for candidate in candidates]) if cited else {}
    return CandidateWords(
        words, counts, numbered, [known_cited.get(candidate.section_id, UNCITED) for candidate in candidates]
    )


CITED = "SELECT section_id, cited_by, called FROM retrieval_sectionterms WHERE section_id = ANY(%s) AND cited_by > 0"


def how_cited(sections: Sequence[int]) -> dict[int, Cited]:
    """By section id, of those that are cited; read anew in every search, since what cites them may change."""
    found = statements.rows(CITED, [list(sections)])
    return {section: Cited(by, numbers_called(called)) for section, by, called in found}


@lru_cache(maxsize=4_096)  # a search reads a hundred; the same are read again and again
def numbers_called(called: str) -> np.ndarray:
    return np.unique(numbers(called, "en"))


def bytes_of(words: SectionWords) -> int:
    return words.body.nbytes + words.head.nbytes + words.breadcrumb.nbytes + OVERHEAD


WORDS = """
SELECT section_id, body, head, way FROM retrieval_sectionterms
WHERE section_id = ANY(%s) AND section_id IN (SELECT id FROM ({readable}) AS readable)
"""
_kept: LRUCache[int, SectionWords] = LRUCache(KEPT, getsizeof=bytes_of)
_lock = Lock()


def words_of(query: Query, candidates: Sequence[Candidate], private: set[int]) -> Mapping[int, SectionWords]:
    """By section id; a section without stored words is missing."""
    domains = {candidate.section_id: candidate.domain_id for candidate in candidates}
    with _lock:
        found = {section: _kept[section] for section in domains if section in _kept}
    missing = [section for section in domains if section not in found]
    if not missing:
        return found
    readable, scope = statements.readable(query.caller, query.as_of, "id")
    rows = statements.rows_of_bytes(WORDS.format(readable=readable), [missing, *scope])
    read = {row[0]: as_words(*row[1:]) for row in rows}
    keep({section: words for section, words in read.items() if domains[section] not in private})
    return found | read


def as_words(body: bytes, head: bytes, breadcrumb: bytes) -> SectionWords:
    once = sorted(set(as_numbers(head).tolist()))  # `np.unique` of so few takes five times as long
    return SectionWords(np.sort(as_numbers(body)), np.array(once, NUMBER), np.sort(as_numbers(breadcrumb)))


def keep(words: Mapping[int, SectionWords]) -> None:
    with _lock:
        _kept.update({section: one for section, one in words.items() if bytes_of(one) <= KEPT})


@lru_cache(maxsize=16)
def stored_counts(domain: int, version: int) -> Frequencies | None:
    """The counts of a domain at this version of the vocabularies."""
    row = Vocabulary.objects.filter(domain=domain).first()
    if row is None:
        return None
    return counts_in(row)


@lru_cache(maxsize=16)
def stored_centres(domain: int, version: int, model: int) -> Centroids | None:
    """The centres of a domain's vectors by this embedder, at this version of the vocabularies."""
    row = Vocabulary.objects.filter(domain=domain, embedded_by=model).first()
    return row and centres_in(row)


def centres_in(row: Vocabulary) -> Centroids:
    """None of an embedder that does not serve any more."""
    stored = row.centroids if row.embedded_by and row.embedded_by.status == EmbeddingModel.Status.ACTIVE else b""
    return Centroids.from_bytes(stored)


def counts_in(row: Vocabulary) -> Frequencies:
    counts = np.frombuffer(row.frequencies, np.int32)
    return Frequencies(row.sections, row.mean_length, as_numbers(row.terms), counts)
