"""A sentence in which what is named is replaced by marks, and what it becomes: a draft or questions back. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from typing import Any

from retrieval.citations.finding import find_citations
from retrieval.text.normalization import fold

LONGEST = 1_000  # characters of a sentence
NEAR = 5
ASKED = r"(?:questions?|quer(?:y|ies)|search(?:es)?|preguntas?|consultas?|busquedas?)"
_MARK = re.compile(r"@[tq]\d+@")
_WORD_OF = re.compile(
    r"(?:the |la |las )?(?:words?|phrase|palabras?|frase|expresion)\s+|(?:the|an?|la|el|los|las|lo|una?|del)\s+"
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What an author can name: domains and documents by name, files, and provisions by locator."""

    domains: Mapping[str, str]  # name: slug
    documents: Mapping[str, str]  # name: locator
    files: Sequence[str]
    tags: Sequence[str]
    has: Callable[[Mapping[str, Any]], bool]  # whether a target selects anything
    near: Callable[[Mapping[str, Any]], Sequence[str]]  # names like that of a target that selects nothing
    names: Mapping[str, str] = field(default_factory=dict)  # curated names of provisions: locator
    cited: Mapping[str, str] = field(default_factory=dict)  # citations of documents of one's own: locator, there or not


@dataclass(frozen=True, slots=True)
class Draft:
    """What a rule made of the sentence would hold, as `rules.models.Rule` has it."""

    criteria: list[dict[str, Any]]
    targets: list[dict[str, Any]]
    actions: list[dict[str, Any]]
    valid_from: date | None = None
    valid_to: date | None = None
    domains: list[str] = field(default_factory=list)
    priority: int = 100


@dataclass(frozen=True, slots=True)
class Clarification:
    """What the author must say: about the target, action, acts, criterion, exception, date, domain, text or rule; and
    what is near to it. `absent`: it is named, and is not there.
    """

    subject: str
    words: str = ""
    near: tuple[str, ...] = ()
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentence with marks (@t0@, @q1@) in place of what is named; `folded` has the same offsets."""

    text: str
    folded: str
    named: Mapping[str, Any]  # mark: target, or quoted text
    written: Mapping[str, str]  # mark: as it stood in the sentence

    @classmethod
    def of(cls, text: str) -> "Sentence":
        text = " ".join(_MARK.sub(" ", text.replace("’", "'")).split())
        return cls(text, fold(text), {}, {})

    def marking(self, start: int, end: int, kind: str, named: Any) -> "Sentence":
        mark = f"@{kind}{len(self.named)}@"
        named_now = dict(self.named) | {mark: named}
        written = dict(self.written) | {mark: self.plain(self.text[start:end])}
        return replace(self.put(start, end, mark), named=named_now, written=written)

    def put(self, start: int, end: int, by: str = "") -> "Sentence":
        text = self.text[:start] + by + self.text[end:]
        return replace(self, text=text, folded=self.folded[:start] + by + self.folded[end:])

    def plain(self, text: str) -> str:
        """With what the marks stand for."""
        for mark in reversed(self.written):
            named = self.named[mark]
            text = text.replace(mark, named if isinstance(named, str) else self.written[mark])
        return text.strip()

    def taking(self, pattern: re.Pattern[str]) -> "tuple[re.Match[str] | None, Sentence]":
        match = pattern.search(self.folded)
        return (match, self.put(*match.span(), " ")) if match else (None, self)

    def group(self, match: re.Match[str], name: str | int) -> str:
        return self.text[slice(*match.span(name))]


def bare(phrase: str) -> str:
    """Without articles before it and marks around it."""
    phrase = phrase.strip(" .,;:?¿!¡")
    while match := _WORD_OF.match(fold(phrase)):
        phrase = phrase[match.end() :]
    return phrase


_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|«([^»]+)»')
_LOCATOR = re.compile(r"(?<![\w/])/[a-z]{2}/[^\s,;]*[^\s,;.]")
_FILE = re.compile(r"[\w-]+\.(?:pdf|docx|html?|md|txt)\b")
_PAGES = re.compile(
    r"(?:pages?|pp?\.|paginas?|pags?\.) (\d+(?:\s?(?:-|to|a)\s?\d+)?(?:,\s?\d+(?:-\d+)?)*)"
    r" (?:of|in|from|de|del|en)(?: (?:the|el|la|los))?(?: (?:document|file|documento|archivo))? (@t\d+@)"
)
_TITLE = re.compile(
    r"\b(?:title|titulo) (?P<number>\d{1,2}) (?:of|del?) (?:the |el )?"
    r"(?:(?P<usc>u\.?s\.? ?c(?:ode)?\b\.?|united states code|codigo de (?:los )?(?:ee\. ?uu\.|estados unidos))"
    r"|c\.?f\.?r\b\.?|code of federal regulations)"
)
_PLACED = re.compile(r"(?<=[\d)] )(?:first|second|third|fourth|fifth)\b", re.IGNORECASE)  # no amendment
_CASE_NAME = re.compile(r"(?:(?:Matter of|In re) )[^,@]{2,60},? (?=@t\d+@)")
_SOURCES = (
    r"(?:(?:all|any|every|the|todas|todos|las|los) )*(?:documents?|files?|sources?|provisions?|sections?|texts?|cases?|"
    r"decisions?|opinions?|laws?|statutes?|regulations?|contracts?|everything|anything|whatever|documentos?|"
    r"archivos?|ficheros?|fuentes?|disposiciones|disposicion|secciones|seccion|textos?|casos?|sentencias?|leyes|"
    r"normas?|contratos?|cualquier cosa|todo lo|todo|lo)"
)
_TAGGED = (
    rf"\b{_SOURCES} (?:(?:(?:that|which) )?(?:is |are )?(?:tagged|labell?ed)(?: as| with)?|with the (?:tag|label)|"
    r"(?:que (?:este|esta|esten|estan) )?(?:etiquetad[oa]s?)(?: como| con)?|con la etiqueta)"
)
_WHOSE = re.compile(
    rf"\b{_SOURCES} (?:whose|cuy[oa]s?) (?P<key>[\w-]+(?: [\w-]+)??) (?:(?:is |are |sea |es )?(?:"
    r"(?P<least>at least|no less than|al menos|como minimo|por lo menos)|"
    r"(?P<most>at most|no more than|como mucho|como maximo|a lo sumo)) |"
    r"(?P<contains>contains?|includes?|contenga|contiene|incluya|incluye) |(?:is|are|equals|sea|sean|es|son) )"
    r"(?P<value>@q\d+@|(?!(?:not|no) )[^,;@]+?)"
    r"(?=\s*[,;.]?$|\s*[,;]|\s(?:when|whenever|if|for|cuando|si|para|first|second|third|"
    r"on top|at the top|at position|in (?:first|second|third)|primero|en (?:primer|segundo|tercer)|"
    r"(?:by|por) \d|higher|lower|with priority|con prioridad|y|and)\b)"
)
_CITING = re.compile(
    rf"\b{_SOURCES} (?:(?:that|which|que) )?(?:cit(?:es?|ing|[ae]n?)|refers? to|se refier[ae]n? a)"
    r" (?:the |la |el )?(?P<place>@t\d+@)"
)
_DEFINITIONS = re.compile(
    r"\b(?:the |las )?(?:definitions?|definiciones|definicion) (?:(?:that |which |que )?(?:the |la |el )?"
    r"(?P<before>@t\d+@) (?:uses?|needs?|usa|utiliza|emplea)|"
    r"(?:used (?:by|in)|que (?:usa|utiliza|emplea)|(?:usad|utilizad|emplead)as? (?:por|en)) (?:the |la |el )?"
    r"(?P<after>@t\d+@))"
)


def with_names(sentence: Sentence, corpus: Corpus) -> Sentence:
    """Quoted texts, sections of documents of one's own, documents and files."""
    return with_documents(with_cited(with_quotes(sentence, corpus), corpus), corpus)


def with_quotes(sentence: Sentence, corpus: Corpus) -> Sentence:
    while match := _QUOTED.search(sentence.text):
        said = next(group for group in match.groups() if group).strip()
        target = named_document(said, corpus)
        sentence = sentence.marking(*match.span(), *(("t", target) if target else ("q", said)))
    return sentence


def named_document(name: str, corpus: Corpus) -> dict[str, Any] | None:
    files = {fold(file): file for file in corpus.files}
    documents = {fold(known): locator for known, locator in corpus.documents.items()}
    if fold(name) in files:
        return {"kind": "filename", "value": files[fold(name)]}
    return {"kind": "document", "value": documents[fold(name)]} if fold(name) in documents else None


def with_cited(sentence: Sentence, corpus: Corpus) -> Sentence:
    for said in sorted(corpus.cited, key=len, reverse=True):
        pattern = re.compile(rf"(?<![\w@]){re.escape(fold(said))}(?!\w)")
        while match := pattern.search(sentence.folded):
            sentence = sentence.marking(*match.span(), "t", {"kind": "section", "value": corpus.cited[said]})
    return sentence


def with_documents(sentence: Sentence, corpus: Corpus) -> Sentence:
    """Documents and files by name, the longest names first; not where a citation goes on, as to a volume."""
    cited = [(each.start, each.end) for each in find_citations(sentence.text)]
    names = [*corpus.files, *(name for name in corpus.documents if not goes_on(name, sentence.folded, cited))]
    for name in sorted(names, key=len, reverse=True):
        pattern = re.compile(rf"(?<![\w@]){re.escape(fold(name))}(?!\w)")
        while match := pattern.search(sentence.folded):
            sentence = sentence.marking(*match.span(), "t", named_document(name, corpus))
    return sentence


def goes_on(name: str, folded: str, cited: Sequence[tuple[int, int]]) -> bool:
    start = folded.find(fold(name))
    return any(first <= start and start + len(name) < end for first, end in cited)


def with_provisions(sentence: Sentence) -> Sentence:
    """Locators and citations, files that are not there, and pages of any."""
    while match := _LOCATOR.search(sentence.text):
        sentence = sentence.marking(*match.span(), "t", {"kind": "section", "value": match[0]})
    while match := _TITLE.search(sentence.folded):
        locator = f"/us/{'usc' if match['usc'] else 'cfr'}/t{match['number']}"
        sentence = sentence.marking(*match.span(), "t", {"kind": "section", "value": locator})
    text = _PLACED.sub(lambda match: "#" * len(match[0]), sentence.text)
    for cited in sorted(find_citations(text), key=lambda cited: -cited.start):
        target = {"kind": "section", "value": cited.locator}
        sentence = sentence.marking(cited.start, cited.end, "t", target)
    while match := _FILE.search(sentence.folded):
        sentence = sentence.marking(
            *match.span(), "t", {"kind": "filename", "value": sentence.group(match, 0)}
        )
    while match := _CASE_NAME.search(sentence.text):
        sentence = sentence.put(*match.span())
    return with_pages(sentence)


def with_curated(sentence: Sentence, corpus: Corpus) -> Sentence:
    """Provisions by their curated names; “… of the First Amendment” may follow, if the provision lies there."""
    for name in sorted(corpus.names, key=len, reverse=True):
        target = {"kind": "section", "value": corpus.names[name]}
        pattern = re.compile(
            rf"(?<![\w@]){re.escape(fold(name))}(?!\w)(?: (?:of|in|de|del|en) (?:the |la |el )?(?P<within>@t\d+@))?"
        )
        while match := pattern.search(sentence.folded):
            end = match.end()
            if match["within"]:
                within = sentence.named[match["within"]].get("value", "")
                if not f"{target['value']}/".startswith(f"{within}/"):
                    end = match.start() + len(name)
            sentence = sentence.marking(match.start(), end, "t", target)
    return sentence


def with_pages(sentence: Sentence) -> Sentence:
    while match := _PAGES.search(sentence.folded):
        pages = re.sub(r"\s?(?:-|to|a)\s?", "-", match[1]).replace(" ", "").replace(",", ", ")
        target = {**sentence.named[match[2]], "pages": pages}
        sentence = sentence.marking(*match.span(), "t", target)
    return sentence


def with_described(sentence: Sentence, corpus: Corpus) -> Sentence:
    """Documents by tag or metadata, whatever cites a place, and the definitions that a place uses."""
    known = "|".join(re.escape(fold(tag)) for tag in sorted(corpus.tags, key=len, reverse=True))
    tagged = re.compile(rf"{_TAGGED} (?P<tag>@q\d+@|(?:{known or '(?!)'})\b|[\w-]+)")
    readers: tuple[tuple[re.Pattern[str], Callable[[Sentence, re.Match[str]], dict[str, Any]]], ...] = (
        (tagged, lambda within, match: by_tag(within, match, corpus)),
        (_WHOSE, by_metadata),
        (_CITING, lambda within, match: by_place(within, "cites", match["place"])),
        (
            _DEFINITIONS,
            lambda within, match: by_place(within, "definitions", match["before"] or match["after"]),
        ),
    )
    for pattern, described in readers:
        while match := pattern.search(sentence.folded):
            sentence = sentence.marking(*match.span(), "t", described(sentence, match))
    return sentence


def by_tag(sentence: Sentence, match: re.Match[str], corpus: Corpus) -> dict[str, Any]:
    said = sentence.plain(sentence.group(match, "tag"))
    spelled = {fold(tag): tag for tag in corpus.tags}
    return {"kind": "tag", "value": spelled.get(fold(said), said)}


def by_metadata(sentence: Sentence, match: re.Match[str]) -> dict[str, Any]:
    """What is compared in size is a number where it can be one."""
    value: str | int = sentence.plain(sentence.group(match, "value"))
    comparison = next((name for name in ("least", "most", "contains") if match[name]), "is")
    if comparison in ("least", "most"):
        comparison, value = f"at_{comparison}", int(value) if value.isdecimal() else value
    return {
        "kind": "metadata",
        "key": sentence.group(match, "key"),
        "comparison": comparison,
        "value": value,
    }


def by_place(sentence: Sentence, kind: str, mark: str) -> dict[str, Any]:
    return {"kind": kind, "value": sentence.named[mark]["value"]}


def named_targets(text: str, corpus: Corpus) -> list[Mapping[str, Any]]:
    """The parts of the corpus that a sentence names, there or not."""
    named = with_names(Sentence.of(text[:LONGEST]), corpus)
    return targets_in(with_described(with_provisions(named), corpus))


def targets_in(sentence: Sentence) -> list[Mapping[str, Any]]:
    return [value for mark, value in sentence.named.items() if mark in sentence.text and mark[1] == "t"]


def unknown_targets(sentence: Sentence, corpus: Corpus) -> list[Clarification]:
    asked = []
    for target in targets_in(sentence):
        if target["kind"] == "section" and "pages" in target:
            asked.append(Clarification("target", target["value"]))
        elif not corpus.has(target):
            asked.append(absent(target, corpus))
    return asked


def absent(target: Mapping[str, Any], corpus: Corpus) -> Clarification:
    return Clarification("target", written(target), tuple(corpus.near(target)), absent=True)


def written(target: Mapping[str, Any]) -> str:
    """What a target names, in a few words."""
    return " ".join(str(target[name]) for name in ("key", "value", "pages") if name in target)


def with_near(question: Clarification, corpus: Corpus) -> Clarification:
    """What was taken for the name of a target, with the names like it."""
    if question.subject != "target":
        return question
    return replace(question, near=near_names(question.words, corpus))


def near_names(name: str, corpus: Corpus) -> tuple[str, ...]:
    return tuple(get_close_matches(name, [*corpus.files, *corpus.documents], n=NEAR, cutoff=0.4))
