"""BM25 over chunks by tantivy: one index a node, built from the change log in Postgres, which can rebuild it any time.

It holds public chunks only. Hits are ids: callers read the rows from Postgres under the scope of who asks.
"""

import fcntl
import math
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tantivy
from tantivy import Occur, Query

from retrieval.errors import NotRun
from retrieval.indexes.integrity import Integrity
from retrieval.text import analyzer
from retrieval.text.analyzer import LANGUAGES, stems, terms
from retrieval.text.quotes import quoted
from retrieval.text.snippets import function_stems

FORMAT = f"4.{analyzer.VERSION}"  # of schema and analyzer: an index of another format is rebuilt
BUILDING = "building"  # a file that is there while the index is rebuilt
WRITER_LOCK = ".tantivy-writer.lock"
STEMS = "whitespace"  # tantivy is given stems apart by blanks and cuts nothing else
ALWAYS, NEVER = date.min.toordinal(), date.max.toordinal()
LOOKS_EVERY = 1.0  # seconds for which an index that was found well is not looked at again
K1_PLUS_ONE = 2.2  # what one term's BM25 tends to as its frequency grows, in units of its idf
DEEPEST = 1_000  # hits among which the prior chooses
LEAST_IDF = 0.1
BACKGROUND = 1_000  # sections of all law beside a body's own, where it is counted how rare its words are
SPARE = 1.5  # times as many hits are looked through where most of the index is searched


@dataclass(frozen=True, slots=True)
class Weights:
    """What a word counts in what stands above a text and in what those that cite it call it, beside 1 in the text; and
    what each e-fold of sections that cite it adds (`prior`). Chosen on questions to the US Code.
    """

    head: float = 0.6
    called: float = 1.0
    prior: float = 1.5

    @property
    def fields(self) -> dict[str, float]:
        return {"head": self.head, "body": 1.0, "called": self.called}


@dataclass(frozen=True, slots=True)
class Counted:
    """In how many of a body's `sections` each stem of a query stands."""

    sections: int
    having: Mapping[str, int]

    def idf(self, stem: str, share: float) -> float:
        """As if the body had `BACKGROUND` sections more, which have the stem as often as all law has (`share`, 0-1): a
        small body alone tells little of how rare a word is.
        """
        having, sections = self.having[stem] + BACKGROUND * share, self.sections + BACKGROUND
        return math.log1p((sections - having + 0.5) / (having + 0.5))


PLAIN = Weights(called=0.0, prior=0.0)  # by its words alone
FIELDS = tuple(PLAIN.fields)


def schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("chunk", "section", "domain", "valid_from", "valid_to"):
        builder.add_unsigned_field(name, indexed=True, fast=True)
    builder.add_unsigned_field("cited_by", fast=True)
    builder.add_text_field("language", tokenizer_name=STEMS)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name=STEMS)
    return builder.build()


def term_of(stem: str, language: str) -> str:
    """Texts of all languages share their fields. In fields of their own, of which most texts have nothing, a text would
    count as far longer than usual, since tantivy divides their words by the number of all texts.
    """
    return f"{language}:{stem}"


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """What the index needs to know of a chunk."""

    chunk: int
    section: int
    domain: int
    language: str
    head: str
    body: str
    valid_from: date | None
    valid_to: date | None
    called: str = ""  # what those that cite its section call it
    cited_by: int = 0


class Hit(NamedTuple):
    """A chunk found. `score` is BM25 of its fields and what citations of its section add; `coverage` is the share of
    BM25, 0-1, in the most that the query's terms can score in one field.
    """

    chunk: int
    section: int
    score: float
    coverage: float


class BuiltAnew(NotRun):
    """What was read of an index cannot be believed, as its writer began anew; another search reads what is there."""


class LexicalIndex:
    """Reads this node's index, and sees new commits of the writer within a second."""

    def __init__(self, path: Path):
        self.path = path
        self.schema = schema()
        self.integrity = Integrity(path)
        self._opened: tuple[tantivy.Index, tuple[int, int]] | None = None  # and which one on the disk
        self._well_until = 0.0

    @property
    def exists(self) -> bool:
        return self.format == FORMAT

    @property
    def format(self) -> str:
        """Empty where there is no index."""
        try:
            return (self.path / "format").read_text(errors="replace")
        except OSError:
            return ""

    @property
    def position(self) -> int:
        """The id of the last change in the index; 0 when there is none, or none that can be read."""
        try:
            return int((self.path / "position").read_text())
        except (OSError, ValueError):
            return 0

    @property
    def problem(self) -> str:
        """Why it cannot be searched; empty when it can. An index that was well a moment ago still is."""
        return "" if time.monotonic() < self._well_until else self.look()

    def look(self) -> str:
        """The problem at this very moment: after a search it tells whether what was read can be believed."""
        problem = self._problem()
        if problem:
            self._opened, self._well_until = None, 0.0  # the one that the writer makes instead is opened anew
        else:
            self._well_until = time.monotonic() + LOOKS_EVERY
        return problem

    def _problem(self) -> str:
        if not self.exists:
            return "there is no lexical index yet: start `manage.py lexical_writer`"
        if (self.path / BUILDING).exists():
            return "the lexical index is being built"
        if damaged := self.integrity.damaged():
            return f"the lexical index is damaged ({damaged}): `manage.py lexical_writer` builds another"
        return ""

    def _built(self) -> tuple[int, int]:
        """What is another once a writer has begun, which may empty the index and fill it again."""
        try:
            found = (self.path / "format").stat()
        except OSError:
            return 0, 0
        return found.st_ino, found.st_mtime_ns

    def open(self) -> tantivy.Index:
        return self._current()[0]

    def _current(self) -> tuple[tantivy.Index, tuple[int, int] | None]:
        """The index, and when its writer began. One that is being built is not kept, and has no such time: a reader
        sees what is added later only a while later.
        """
        if (opened := self._opened) and opened[1] == self._built():
            return opened
        built, is_whole = self._built(), not (self.path / BUILDING).exists()
        index = open_index(self.path, self.schema)
        index.config_reader("commit")
        self._opened = (index, built) if is_whole else None
        return index, built if is_whole else None

    def reload(self) -> None:
        """Sees the last commit at once."""
        self.open().reload()

    def has(self, word: str, language: str) -> bool:
        """Whether any text or heading has the word in some form."""
        searcher = self.open().searcher()
        return any(
            searcher.doc_freq(field, term_of(stem, language))
            for stem in stems(word, language)
            for field in ("body", "head")
        )

    def chunks_between(self, first: int, last: int) -> list[int]:
        """The chunks with these ids and all between that are in the index; one that is there twice, twice."""
        searcher = self.open().searcher()
        among = Query.range_query(self.schema, "chunk", tantivy.FieldType.Unsigned, first, last)
        found = searcher.search(among, max(1, searcher.num_docs), count=False).hits
        return [int(chunk) for chunk in searcher.fast_field_values("chunk", [at for _, at in found])]

    def last_chunk(self) -> int:
        """The highest id of a chunk in the index; 0 where it is empty."""
        searcher = self.open().searcher()
        found = searcher.search(Query.all_query(), 1, count=False, order_by_field="chunk").hits
        return int(searcher.fast_field_values("chunk", [at for _, at in found])[0]) if found else 0

    def search(
        self,
        texts: dict[str, str],
        *,
        domains: Sequence[int],
        as_of: date | None,
        limit: int,
        among: Sequence[Mapping[str, Sequence[int]]] = (),
        exclude: Mapping[str, Sequence[int]] | None = None,
        weights: Weights = Weights(),
        every: bool = False,
        counted: Counted | None = None,
    ) -> list[Hit]:
        """The best chunks for a query given once per language of the index; phrases in quotes must occur, and, if
        `every`, all words that say what it is about. `counted`: the body of law that is searched, whose words weigh
        what they do there; by default what they do in the whole index.

        `exclude` and each of `among` name rows by the values that "section", "chunk" or "domain" has in them.
        """
        index, built = self._current()
        searcher = index.searcher()
        words, ideal = [], 0.0
        for language, text in texts.items():
            for term in terms(text, language):
                having, its = self._having(searcher, term, language), self._texts(searcher, language)
                weighs = counted.idf(term, having / max(its, 1)) if counted else idf(having, its)
                boost = weighs / idf(having, searcher.num_docs)
                words += any_of(self._term(term, language, weights, boost=boost))
                ideal += weighs * K1_PLUS_ONE
        if not words or not domains:
            return []
        clauses = [(Occur.Must, Query.boolean_query(words))]
        clauses += self._phrases(texts)
        clauses += [(Occur.Must, self._having_all(texts, weights))] if every else []
        clauses += [(Occur.Must, self._named(rows)) for rows in among]
        clauses += [(Occur.MustNot, self._named(exclude))] if exclude else []
        found = self._found(searcher, clauses, domains, as_of, max(limit, DEEPEST))
        best = self._best(searcher, found, limit, most=ideal or math.inf, prior=weights.prior)
        if built != self._built():  # it may have been seen emptied
            raise BuiltAnew("the lexical index was built anew while it was searched")
        return best

    def _found(
        self, searcher: tantivy.Searcher, clauses: list, domains: Sequence[int], as_of: date | None, limit: int
    ) -> list:
        """The best (score, address) in these domains on that day. Where they are most of the index, filters take longer
        than the search: more is found without them, and what is of other domains or has ended is left out.
        """
        if as_of is None and sum(searcher.doc_freq("domain", one) for one in domains) > searcher.num_docs / 2:
            wider = int(limit * SPARE)
            found = searcher.search(Query.boolean_query(clauses), wider, count=False).hits
            left = self._in_force(searcher, found, domains)
            if len(left) >= limit or len(found) < wider:
                return left[:limit]
        filtered = Query.boolean_query([*clauses, *self._filters(domains, as_of)])
        return searcher.search(filtered, limit, count=False).hits

    def _in_force(self, searcher: tantivy.Searcher, found: list, domains: Sequence[int]) -> list:
        addresses = [address for _, address in found]
        ends = searcher.fast_field_values("valid_to", addresses)
        of = searcher.fast_field_values("domain", addresses)
        return [hit for hit, end, domain in zip(found, ends, of, strict=True) if end == NEVER and domain in domains]

    def _best(
        self, searcher: tantivy.Searcher, found: list, limit: int, *, most: float, prior: float
    ) -> list[Hit]:
        """The first, with what citations add; those that it leaves equal in the order they were found."""
        cited = searcher.fast_field_values("cited_by", [address for _, address in found])
        bm25 = np.array([score for score, _ in found])
        scores = bm25 + prior * np.log1p(np.asarray(cited, dtype=float))
        shares = np.minimum(bm25 / most, 1.0)
        order = np.argsort(-scores, kind="stable")[:limit]
        best = [found[n][1] for n in order]
        chunks, sections = (map(int, searcher.fast_field_values(name, best)) for name in ("chunk", "section"))
        return list(map(Hit, chunks, sections, scores[order].tolist(), shares[order].tolist()))

    def _term(self, term: str, language: str, weights: Weights, *, boost: float = 1.0) -> list[Query]:
        return [
            Query.boost_query(Query.term_query(self.schema, field, term_of(term, language), "freq"), weight * boost)
            for field, weight in weights.fields.items()
            if weight
        ]

    def _having_all(self, texts: dict[str, str], weights: Weights) -> Query:
        """What has them in one of the languages."""
        languages = []
        for language, text in texts.items():
            words = terms(text, language)
            meant = [word for word in words if word not in function_stems(language)] or words
            each = [Query.boolean_query(any_of(self._term(word, language, weights))) for word in meant]
            languages += [Query.boolean_query([(Occur.Must, query) for query in each])] if each else []
        return Query.const_score_query(Query.boolean_query(any_of(languages)), 0.0)

    def _texts(self, searcher: tantivy.Searcher, language: str) -> int:
        """How many are in a language."""
        return min(searcher.doc_freq("language", language), searcher.num_docs)

    def _having(self, searcher: tantivy.Searcher, term: str, language: str) -> int:
        """How many texts have it; tantivy counts deleted ones too until their segment is merged."""
        return min(searcher.doc_freq("body", term_of(term, language)), searcher.num_docs)

    def _filters(self, domains: Sequence[int], as_of: date | None) -> list[tuple[Occur, Query]]:
        """Filters do not score: each is a constant of 0."""
        kind = tantivy.FieldType.Unsigned
        if as_of is None:
            validity = [Query.term_query(self.schema, "valid_to", NEVER)]
        else:
            day = as_of.toordinal()
            validity = [
                Query.range_query(self.schema, "valid_from", kind, 0, day),
                Query.range_query(self.schema, "valid_to", kind, day + 1, NEVER),
            ]
        if len(domains) == 1:
            among = Query.term_query(self.schema, "domain", domains[0])
        else:
            among = Query.term_set_query(self.schema, "domain", list(domains))
        queries = [among, *validity]
        return [(Occur.Must, Query.const_score_query(query, 0.0)) for query in queries]

    def _named(self, rows: Mapping[str, Sequence[int]]) -> Query:
        sets = [
            (Occur.Should, Query.term_set_query(self.schema, field, np.asarray(values).tolist()))
            for field, values in rows.items()
        ]
        return Query.const_score_query(Query.boolean_query(sets), 0.0)

    def _phrases(self, texts: dict[str, str]) -> list[tuple[Occur, Query]]:
        """What a chunk must have that is quoted: all of it, in the language of the chunk."""
        each = []
        for language, text in texts.items():
            phrases = sorted({tuple(stems(phrase, language)) for phrase in quoted(text)} - {()})
            together = [self._together([term_of(word, language) for word in words]) for words in phrases]
            each += [Query.boolean_query([(Occur.Must, words) for words in together])] if together else []
        return [(Occur.Must, Query.const_score_query(Query.boolean_query(any_of(each)), 0.0))] if each else []

    def _together(self, words: list[str]) -> Query:
        if len(words) == 1:
            return Query.term_query(self.schema, "body", words[0])
        return Query.phrase_query(self.schema, "body", words)


def idf(having: int, texts: int) -> float:
    """As tantivy weighs a word that so many of the texts have; never next to nothing: what weighs in one body is told
    as a multiple of it.
    """
    return max(math.log1p((max(texts, having) - having + 0.5) / (having + 0.5)), LEAST_IDF)


def any_of(queries: Iterable[Query]) -> list[tuple[Occur, Query]]:
    return [(Occur.Should, query) for query in queries]


def open_index(path: Path, made_by: tantivy.Schema) -> tantivy.Index:
    """Opens or makes the index."""
    path.mkdir(parents=True, exist_ok=True)
    return tantivy.Index(made_by, path=str(path), reuse=True)


def document_of(chunk: IndexedChunk) -> tantivy.Document:
    """What the index holds of a chunk. A language that has no field of its own is read as English."""
    document = tantivy.Document()
    document.add_unsigned("chunk", chunk.chunk)
    document.add_unsigned("section", chunk.section)
    document.add_unsigned("domain", chunk.domain)
    document.add_unsigned("valid_from", chunk.valid_from.toordinal() if chunk.valid_from else ALWAYS)
    document.add_unsigned("valid_to", chunk.valid_to.toordinal() if chunk.valid_to else NEVER)
    document.add_unsigned("cited_by", chunk.cited_by)
    language = chunk.language if chunk.language in LANGUAGES else "en"
    document.add_text("language", language)
    texts = {"head": chunk.head, "body": chunk.body, "called": chunk.called}
    for field, text in texts.items():
        document.add_text(field, " ".join(term_of(stem, language) for stem in stems(text, language)))
    return document


class LexicalWriter:
    """The node's one writer: applies changes in batches. tantivy's lock keeps a second one out."""

    def __init__(self, path: Path):
        self.path = path
        if not LexicalIndex(path).exists:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(parents=True)
            (path / BUILDING).touch()  # until it has caught up: an empty index would be searched in vain
        self.index = open_index(path, schema())
        self.writer = self.index.writer(heap_size=64_000_000, num_threads=1)
        (path / "format").write_text(FORMAT)
        self.integrity = Integrity(path)
        self.position = LexicalIndex(path).position

    @property
    def is_damaged(self) -> bool:
        """Whether any file of the index is no longer as it was written."""
        index = LexicalIndex(self.path)
        return not index.exists or index.position != self.position or bool(self.integrity.damaged())

    def apply(
        self, changed: Iterable[int], present: Iterable[IndexedChunk], position: int, *, by: str = "chunk"
    ) -> None:
        """Replaces what is of the changed chunks, or of sections if `by` says so, by those still present and commits;
        applying twice changes nothing.
        """
        for pk in changed:
            self.writer.delete_documents_by_query(Query.term_query(self.index.schema, by, pk))
        for chunk in present:
            self.writer.add_document(document_of(chunk))
        self.writer.commit()
        self._remember(position)

    def clear(self) -> None:
        """Empties the index before a rebuild; it is not searched until that is complete."""
        (self.path / BUILDING).touch()
        (self.path / "format").touch()  # who reads it opens it anew
        self.writer.delete_all_documents()
        self.writer.commit()
        self._remember(0)

    def complete(self) -> None:
        (self.path / BUILDING).unlink(missing_ok=True)

    def close(self) -> None:
        self.writer.wait_merging_threads()

    def abandon(self) -> None:
        """Lets go of a damaged index and of its lock, without another commit."""
        self.writer = self.index = None

    def _remember(self, position: int) -> None:
        temporary = self.path / "position.new"
        temporary.write_text(str(position))
        temporary.replace(self.path / "position")
        self.position = position


def set_aside(path: Path) -> Path:
    """Renames a damaged index, so that another can be built and this one looked into; the last such is kept. Raises
    ValueError while a writer has it open.
    """
    with (path / WRITER_LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise ValueError(f"Another writer holds the lock of {path}.") from problem
        aside = path.with_name(f"{path.name}.damaged")
        shutil.rmtree(aside, ignore_errors=True)
        return path.rename(aside)
