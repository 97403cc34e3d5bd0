"""The fifteen features of the first ARF, as it computed them, and what became of each in `features`.

Pure, plain Python. Nothing is served by these: they are what `manage.py benchmark features` measures ours beside, and
what the tests hold to their formulas. A mended feature says what was wrong with the original.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

TOKEN = re.compile(r"\w+")
AVERAGE_LENGTH = 2_000  # tokens, of whatever corpus
DOMAIN_TYPES = {"us_constitution": 0, "code_of_federal_regulations": 1, "us_code": 2, "uscis_policy": 3}
LEVELS = ("title", "article", "chapter", "subchapter", "part", "section")


@dataclass(frozen=True, slots=True)
class Document:
    """What ARF read of a candidate. `texts`: text, summary, content and body in that order; `nested`: the texts of
    clauses and sections inside; `levels`: what is filled of LEVELS.
    """

    title: str
    score: float
    domain: str = "us_constitution"
    texts: Sequence[str] = ()
    nested: Sequence[str] = ()
    levels: Mapping[str, str] = field(default_factory=dict)
    embedding: Sequence[float] = ()
    bias: float = 0.0

    @property
    def full_text(self) -> str:
        own = next((text for text in self.texts if text), "")
        return " ".join([own, *self.nested]).strip()


@dataclass(frozen=True, slots=True)
class ArfQuestion:
    """What ARF knew of a question: titles that its aliases and its keyword patterns led to."""

    text: str
    embedding: Sequence[float] = ()
    aliases: Sequence[str] = ()
    keywords: Sequence[str] = ()


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text.lower())


def semantic_score(document: Document) -> float:
    return document.score


def bm25_score(question: ArfQuestion, document: Document) -> float:
    """Without any idf: "the" weighs as much as "warrant"."""
    words = tokens(document.full_text)
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    total = 0.0
    for word in tokens(question.text):
        tf = counts.get(word, 0)
        total += tf * 2.5 / (tf + 1.5 * (0.25 + 0.75 * len(words) / AVERAGE_LENGTH))
    return total


def alias_match(question: ArfQuestion, document: Document) -> float:
    return float(any(title.lower() == document.title.lower() for title in question.aliases))


def keyword_match(question: ArfQuestion, document: Document) -> float:
    return float(any(title.lower() == document.title.lower() for title in question.keywords))


def domain_type(document: Document) -> float:
    return float(DOMAIN_TYPES.get(document.domain, -1))


def document_length(document: Document) -> float:
    return math.log(1 + len(document.full_text))


def query_length(question: ArfQuestion) -> float:
    return float(len(question.text))


def section_depth(document: Document) -> float:
    return float(sum(bool(document.levels.get(level)) for level in LEVELS))


def embedding_cosine_similarity(question: ArfQuestion, document: Document) -> float:
    """0 without both embeddings; ARF's retrieval never handed on the document's, so it was always 0."""
    if not question.embedding or not document.embedding:
        return 0.0
    dot = sum(a * b for a, b in zip(question.embedding, document.embedding, strict=True))
    lengths = math.sqrt(sum(a * a for a in question.embedding)) * math.sqrt(
        sum(b * b for b in document.embedding)
    )
    return dot / lengths if lengths else 0.0


def match_type(question: ArfQuestion, document: Document) -> float:
    """2 exact, 1 substring, by keywords then aliases, the first that decides; else 1 for any shared word, "of" too."""
    title = document.title.lower()
    for name in (name.lower() for name in (*question.keywords, *question.aliases)):
        if name == title:
            return 2.0
        if name in title or title in name:
            return 1.0
    return float(bool(set(tokens(question.text)) & set(tokens(document.title))))


def score_gap_from_top(document: Document, top: float) -> float:
    return top - document.score


def query_term_coverage(question: ArfQuestion, document: Document) -> float:
    asked = set(tokens(question.text))
    return len(asked & set(tokens(document.full_text))) / len(asked) if asked else 0.0


def title_similarity(question: ArfQuestion, document: Document) -> float:
    """Jaccard."""
    asked, title = set(tokens(question.text)), set(tokens(document.title))
    return len(asked & title) / len(asked | title) if asked | title else 0.0


def has_nested_content(document: Document) -> float:
    return float(bool(document.nested))


def bias_adjustment(document: Document) -> float:
    return document.bias


def extract(question: ArfQuestion, documents: Sequence[Document]) -> list[list[float]]:
    """A row of fifteen for each document of a batch, in the order of MENDED."""
    top = max((document.score for document in documents), default=0.0)
    return [
        [
            semantic_score(document),
            bm25_score(question, document),
            alias_match(question, document),
            keyword_match(question, document),
            domain_type(document),
            document_length(document),
            query_length(question),
            section_depth(document),
            embedding_cosine_similarity(question, document),
            match_type(question, document),
            score_gap_from_top(document, top),
            query_term_coverage(question, document),
            title_similarity(question, document),
            has_nested_content(document),
            bias_adjustment(document),
        ]
        for document in documents
    ]


@dataclass(frozen=True, slots=True)
class Mended:
    """What stands for a formula in `features.FEATURES`, and what changed; without features it is not taken over."""

    features: tuple[str, ...]
    change: str


MENDED = {
    "semantic_score": Mended(
        ("fused", "fused_share", "dense_score"), "The fused score and the cosine apart; no bias inside."
    ),
    "bm25_score": Mended(
        ("bm25", "bm25_below_best", "lexical_score"),
        "Real document frequencies and mean length of the domain, stems, k1 1.2; a share of what the question can "
        "reach, so that long questions do not score higher.",
    ),
    "alias_match": Mended(
        ("alias_score", "alias_near_score"),
        "The alias hits that serving has: words of the name by how many share it, and the nearest name's cosine.",
    ),
    "keyword_match": Mended(
        ("citation_score", "cited_siblings"),
        "The citation that the grammar resolved, and how many provisions it names beside this one.",
    ),
    "domain_type": Mended(
        (), "An order of domains that means nothing; thresholds and frequencies are per domain."
    ),
    "document_length": Mended(
        ("words",), "Words of the section itself, not characters with everything nested."
    ),
    "query_length": Mended(("query_words",), "Distinct stems, not characters."),
    "section_depth": Mended(("depth", "amendment"), "Read off the locator, so that it is never missing."),
    "embedding_cosine_similarity": Mended(
        ("dense_score", "dense_reciprocal_rank", "alias_near_reciprocal_rank"),
        "The cosine that the dense leg measured, in training and in serving; it was 0 in both.",
    ),
    "match_type": Mended(
        ("alias_score", "heading_overlap", "breadcrumb_match"),
        "Three measures for three things; a shared stop word is no match.",
    ),
    "score_gap_from_top": Mended(
        ("dense_below_best", "lexical_below_best", "alias_near_below_best", "bm25_below_best"),
        "For each leg.",
    ),
    "query_term_coverage": Mended(
        ("terms_covered", "coverage"),
        "Stems weighed by idf, without function words; heading and plain name count.",
    ),
    "title_similarity": Mended(("heading_overlap",), "Stems of heading and plain name; Jaccard as before."),
    "has_nested_content": Mended(
        ("parent_score",),
        "Results have nothing nested; what stands beside them under one parent counts instead.",
    ),
    "bias_adjustment": Mended(
        ("prior",), "How often judged topics had the provision as an answer, not a number a programmer chose."
    ),
}
