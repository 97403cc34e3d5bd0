"""Stores the words of sections as numbers, counts them for each public domain, and reads them for candidates.

A process keeps the words of public sections: a section row never changes its text. Words of private sections are read
under the caller's scope at each search, never kept, and counted only over the candidates of that search.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from django.db.models import F

from retrieval.indexes.terms import (
    NO_WORDS,
    NONE,
    NUMBER,
    CandidateWords,
    Frequencies,
    SectionWords,
    frequencies,
    numbers,
)
from retrieval.models import Domain, Section, SectionTerms, Vocabulary
from retrieval.ranking import Candidate, Query

KEPT = 20_000  # sections in memory: about 30 MB where each has 300 words
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
    """Counts the public domains whose corpus has changed since they were counted; returns how many."""
    public = Domain.objects.filter(visibility=Domain.Visibility.PUBLIC, corpus_version__gt=0)
    changed = list(public.exclude(vocabulary__corpus_version=F("corpus_version")))
    for domain in changed:
        count(domain)
    return len(changed)


def count(domain: Domain) -> None:
    rows = SectionTerms.objects.filter(
        domain=domain, section__live=True, section__valid_to=None, private=False
    )
    counts = counted(rows.values_list("body", "head").iterator(chunk_size=BATCH))
    Vocabulary.objects.update_or_create(
        domain=domain,
        defaults={
            "corpus_version": domain.corpus_version,
            "sections": counts.sections,
            "mean_length": counts.mean_length,
            "terms": counts.terms.tobytes(),
            "frequencies": counts.counts.tobytes(),
        },
    )


def counted(rows: Iterable[tuple[bytes, bytes]]) -> Frequencies:
    return frequencies([SectionWords(as_numbers(body), as_numbers(head), NONE) for body, head in rows])


# -- At search


def as_numbers(stored: bytes) -> np.ndarray:
    return np.frombuffer(stored, NUMBER)


def texts_of(query: Query, candidates: Sequence[Candidate]) -> CandidateWords:
    """The stored words of the candidates, and the counts of their domains. A domain without stored counts, as every
    private one, is counted over its candidates here.
    """
    private = {domain.id for domain in query.domains if domain.private}
    known = words_of(query, candidates, private)
    words = [known.get(candidate.section_id, NO_WORDS) for candidate in candidates]
    domains = list(dict.fromkeys(candidate.domain_id for candidate in candidates))
    numbered = np.array([domains.index(candidate.domain_id) for candidate in candidates], dtype=int)
    version = query.versions.get("vocabulary", 0)
    shared = [None if domain in private else stored(domain, version) for domain in domains]
    counts = [
        found or frequencies([w for w, n in zip(words, numbered, strict=True) if n == number])
        for number, found in enumerate(shared)
    ]
    return CandidateWords(words, counts, numbered)


_kept: dict[int, SectionWords] = {}


def words_of(query: Query, candidates: Sequence[Candidate], private: set[int]) -> Mapping[int, SectionWords]:
    """By section id; a section without stored words is missing."""
    domains = {candidate.section_id: candidate.domain_id for candidate in candidates}
    found = {section: _kept[section] for section in domains if section in _kept}
    missing = [section for section in domains if section not in found]
    if not missing:
        return found
    readable = Section.objects.readable(query.caller, query.as_of)
    rows = SectionTerms.objects.filter(section__in=missing).filter(section__in=readable)
    read = {row[0]: as_words(*row[1:]) for row in rows.values_list("section_id", "body", "head", "way")}
    keep({section: words for section, words in read.items() if domains[section] not in private})
    return found | read


def as_words(body: bytes, head: bytes, breadcrumb: bytes) -> SectionWords:
    return SectionWords(as_numbers(body), np.unique(as_numbers(head)), np.unique(as_numbers(breadcrumb)))


def keep(words: Mapping[int, SectionWords]) -> None:
    if len(_kept) + len(words) > KEPT:
        _kept.clear()
    _kept.update(words)


@lru_cache(maxsize=16)
def stored(domain: int, version: int) -> Frequencies | None:
    """The counts of a domain at this version of the vocabularies."""
    row = Vocabulary.objects.filter(domain=domain).first()
    if row is None:
        return None
    counts = np.frombuffer(row.frequencies, np.int32)
    return Frequencies(row.sections, row.mean_length, as_numbers(row.terms), counts)
