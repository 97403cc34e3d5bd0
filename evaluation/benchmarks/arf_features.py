"""The fifteen features of the first ARF, as it computed them. docs/reranker.md tells what became of each.

Pure, plain Python. Nothing is served by these: they are what `manage.py benchmark features` measures ours beside, and
what the tests hold to their formulas.
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


def extract(question: ArfQuestion, documents: Sequence[Document]) -> list[dict[str, float]]:
    """The fifteen of each document of a batch, by name."""
    top = max((document.score for document in documents), default=0.0)
    return [row(question, document, top) for document in documents]


def row(question: ArfQuestion, document: Document, top: float) -> dict[str, float]:
    """`top`: the best score of the batch."""
    asked, title = set(tokens(question.text)), set(tokens(document.title))
    return {
        "semantic_score": document.score,
        "bm25_score": bm25(question, document),
        "alias_match": is_titled(question.aliases, document),
        "keyword_match": is_titled(question.keywords, document),
        "domain_type": float(DOMAIN_TYPES.get(document.domain, -1)),
        "document_length": math.log(1 + len(document.full_text)),
        "query_length": float(len(question.text)),
        "section_depth": float(sum(bool(document.levels.get(level)) for level in LEVELS)),
        "embedding_cosine_similarity": cosine(question.embedding, document.embedding),
        "match_type": match_type(question, document),
        "score_gap_from_top": top - document.score,
        "query_term_coverage": len(asked & set(tokens(document.full_text))) / len(asked) if asked else 0.0,
        "title_similarity": len(asked & title) / len(asked | title) if asked | title else 0.0,
        "has_nested_content": float(bool(document.nested)),
        "bias_adjustment": document.bias,
    }


def bm25(question: ArfQuestion, document: Document) -> float:
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


def is_titled(names: Sequence[str], document: Document) -> float:
    return float(any(name.lower() == document.title.lower() for name in names))


def cosine(asked: Sequence[float], embedding: Sequence[float]) -> float:
    """0 without both embeddings; ARF's retrieval never handed on the document's, so it was always 0."""
    if not asked or not embedding:
        return 0.0
    lengths = math.sqrt(sum(a * a for a in asked)) * math.sqrt(sum(b * b for b in embedding))
    dot = sum(a * b for a, b in zip(asked, embedding, strict=True))
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
