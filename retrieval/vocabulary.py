"""Words as numbers in Postgres: saved with each section, counted for each public domain, read for candidates.

Of public sections a process keeps what it read, for a section row is one version. Private ones are read under the
caller's scope at each search and never kept, nor counted beyond the candidates of that search.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from django.db.models import F

from retrieval.models import Domain, Section, SectionTerms, Vocabulary
from retrieval.ranking import Candidate, Query
from retrieval.terms import NO_WORDS, NONE, NUMBER, Frequencies, Texts, Words, frequencies, numbers

KEPT = 20_000  # sections in memory: about 30 MB where each has 300 words
BATCH = 2_000  # sections counted at a time


# -- At ingest


def terms_of(section: Section, language: str) -> dict[str, bytes]:
    """The columns of its SectionTerms. `section` may be a migration's."""
    above = section.breadcrumb.split(" › ")[1:]
    texts = {
        "body": section.text,
        "head": f"{section.heading} {section.plain_name}",
        "way": " ".join(above),
    }
    return {name: numbers(text, language).tobytes() for name, text in texts.items()}


def save_terms(sections: Iterable[Section]) -> None:
    """Of those at their domain's result level; saving again replaces."""
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
    """Counts the public domains whose corpus has changed since they were counted; gives how many those were."""
    public = Domain.objects.filter(visibility=Domain.Visibility.PUBLIC, corpus_version__gt=0)
    changed = list(public.exclude(vocabulary__corpus_version=F("corpus_version")))
    for domain in changed:
        count(domain)
    return len(changed)


def count(domain: Domain) -> None:
    rows = SectionTerms.objects.filter(
        domain=domain, section__live=True, section__valid_to=None, private=False
    )
    told = counted(rows.values_list("body", "head").iterator(chunk_size=BATCH))
    Vocabulary.objects.update_or_create(
        domain=domain,
        defaults={
            "corpus_version": domain.corpus_version,
            "sections": told.sections,
            "mean_length": told.mean_length,
            "terms": told.terms.tobytes(),
            "frequencies": told.counts.tobytes(),
        },
    )


def counted(rows: Iterable[tuple[bytes, bytes]]) -> Frequencies:
    return frequencies([Words(as_numbers(body), as_numbers(head), NONE) for body, head in rows])


# -- At search


def as_numbers(stored: bytes) -> np.ndarray:
    return np.frombuffer(stored, NUMBER)


def texts_of(query: Query, candidates: Sequence[Candidate]) -> Texts:
    """What is stored of the candidates' words, with the counts of each one's domain; a domain without any, as every
    private one, is counted over its candidates here.
    """
    private = {domain.id for domain in query.domains if domain.private}
    known = words_of(query, candidates, private)
    words = [known.get(candidate.section_id, NO_WORDS) for candidate in candidates]
    domains = list(dict.fromkeys(candidate.domain_id for candidate in candidates))
    of = np.array([domains.index(candidate.domain_id) for candidate in candidates], dtype=int)
    version = query.versions.get("vocabulary", 0)
    shared = [None if domain in private else stored(domain, version) for domain in domains]
    told = [
        found or frequencies([w for w, n in zip(words, of, strict=True) if n == number])
        for number, found in enumerate(shared)
    ]
    return Texts(words, told, of)


_kept: dict[int, Words] = {}


def words_of(query: Query, candidates: Sequence[Candidate], private: set[int]) -> Mapping[int, Words]:
    """By section. Sections that were never prepared are missing."""
    asked = {candidate.section_id: candidate.domain_id for candidate in candidates}
    found = {section: _kept[section] for section in asked if section in _kept}
    missing = [section for section in asked if section not in found]
    if not missing:
        return found
    readable = Section.objects.readable(query.caller, query.as_of)
    rows = SectionTerms.objects.filter(section__in=missing).filter(section__in=readable)
    read = {row[0]: as_words(*row[1:]) for row in rows.values_list("section_id", "body", "head", "way")}
    keep({section: words for section, words in read.items() if asked[section] not in private})
    return found | read


def as_words(body: bytes, head: bytes, way: bytes) -> Words:
    return Words(as_numbers(body), np.unique(as_numbers(head)), np.unique(as_numbers(way)))


def keep(words: Mapping[int, Words]) -> None:
    if len(_kept) + len(words) > KEPT:
        _kept.clear()
    _kept.update(words)


@lru_cache(maxsize=16)
def stored(domain: int, version: int) -> Frequencies | None:
    """A domain's counts at this version of the vocabularies."""
    row = Vocabulary.objects.filter(domain=domain).first()
    if row is None:
        return None
    counts = np.frombuffer(row.frequencies, np.int32)
    return Frequencies(row.sections, row.mean_length, as_numbers(row.terms), counts)
