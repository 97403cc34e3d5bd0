"""Notes that have the words of a question, where the caller asks for them: told apart from what answers, so that they
are never ranked with it, judged or quoted as law.
"""

from collections.abc import Iterable, Mapping
from itertools import chain, zip_longest

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import F, Q

from retrieval.corpus.filters import inside, sections_within
from retrieval.engines import loaded
from retrieval.errors import NotRun
from retrieval.indexes.notes import BY_WORDS, note_of
from retrieval.models import Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.ranking import Query
from retrieval.search.response import shown, wanted_stems
from retrieval.stages.fusion import texts_by_language
from retrieval.stages.legs import CONFIGS, granted_documents, texts_in_each, written_in
from retrieval.text.snippets import best_snippet, marked_words

DEEPEST = 1_000  # notes among which those are that the caller may read on the day asked for
TOLD = (
    "locator", "citation", "title", "title_es", "breadcrumb", "url", "source_url", "valid_from", "valid_to", "status",
)  # fmt: skip
Noted = tuple[int, int | None]  # a section and the number of its note, where that is known


def notes_with(query: Query, most: int) -> list[dict]:
    """Notes that have all the words that say what the question is about, one of a section, the best first: those of
    public sections by an index of their own, those of private ones by SQL alone. Raises NotRun.
    """
    together = chain.from_iterable(zip_longest(private_notes(query, most), public_notes(query)))
    best: dict[int, int | None] = {}
    for section, number in filter(None, together):
        best.setdefault(section, number)
    return list(with_snippets(query, {section: best[section] for section in [*best][:most]}))


def searched(query: Query) -> SectionQuerySet:
    """What the caller may read on the day, where the search looks; rules leave those of which they leave a chunk."""
    readable = Section.objects.readable(query.caller, query.as_of)
    readable = readable.filter(inside(query.within), domain__in=query.domain_ids)
    return readable.filter(sections_within(query)) if query.include or query.exclude else readable


def public_notes(query: Query) -> list[Noted]:
    """The best first. Raises NotRun where there is no index."""
    public = [domain.id for domain in query.domains if not domain.private]
    if not public:
        return []
    index = loaded.notes_index()
    if problem := index.problem:
        raise NotRun(problem)
    hits = index.search(
        texts_by_language(query), domains=public, as_of=None, limit=DEEPEST, weights=BY_WORDS, every=True
    )
    if problem := index.look():
        raise NotRun(problem)
    here = {hit.section for hit in hits}
    readable = set(searched(query).filter(private=False, pk__in=here).values_list("pk", flat=True)) if here else set()
    return [note_of(hit.chunk) for hit in hits if hit.section in readable]


def private_notes(query: Query, most: int) -> list[Noted]:
    """Of documents that the caller owns or was granted, the best first."""
    private = [domain.id for domain in query.domains if domain.private]
    if not private or not query.caller.principals:
        return []
    held = Q(private=True, domain__in=private, document__in=granted_documents(query))
    among = searched(query).filter(held)
    found: list[tuple[float, int]] = []
    for language, text in texts_in_each(query).items():
        wanted = SearchQuery(text, config=CONFIGS[language], search_type="websearch")
        having = among.filter(written_in(language), note_words=wanted)
        ranked = having.annotate(score=SearchRank(F("note_words"), wanted)).order_by("-score", "pk")
        found += ranked.values_list("score", "pk")[:most]
    return [(pk, None) for _, pk in sorted(found, key=lambda row: (-row[0], row[1]))]


def with_snippets(query: Query, best: Mapping[int, int | None]) -> Iterable[dict]:
    """Each with the piece of its note that has the words. Of a day before the last change, the source's notes tell of
    what was still to come: they are left out.
    """
    wanted = wanted_stems(query.text)
    sections = searched(query).select_related("document", "domain").defer("text").in_bulk([*best])
    for section, number in ((sections[pk], number) for pk, number in best.items() if pk in sections):
        language, document = section.document.language, section.document
        account = shown(section, query.as_of, document.source_url, amended=False)
        if not account["notes"]:
            continue
        if number is None:
            number = max(
                range(len(section.notes)), key=lambda n: len(marked_words(section.notes[n], wanted, language))
            )
        note = section.notes[number]
        snippet = best_snippet(note, wanted, language=language)
        yield {name: account[name] for name in TOLD} | {
            "domain": section.domain.slug,
            "language": language,
            "note": number + 1,
            "snippet": snippet.text,
            "marks": [list(mark) for mark in snippet.marks],
            "passage": [snippet.start, snippet.end],
            "goes_on": snippet.end < len(note),
        }
