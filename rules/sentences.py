"""A rule said in a sentence, English or Spanish, read by a fixed grammar into a draft, or into questions back. Pure.

What is named (provisions, files, tags, quoted texts, days) is taken out of the sentence first and leaves a mark; then
the condition goes, then the action. Any word left over that says something was not understood: the author is asked,
nothing is guessed. No rule knows exceptions, so they are asked about too. A month stands for the whole of it: until
June is until 30 June.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from typing import Any

from retrieval.citations import find_citations
from retrieval.citations.numerals import words
from retrieval.textnorm import fold
from rules.sentence_days import Days, days_in, names_unread_day

LONGEST = 1_000  # characters of a sentence
NEAR = 5

_MARK = re.compile(r"@[tq]\d+@")
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|«([^»]+)»')
_LOCATOR = re.compile(r"(?<![\w/])/[a-z]{2}/[^\s,;]*[^\s,;.]")
_FILE = re.compile(r"[\w-]+\.(?:pdf|docx|html?|md|txt)\b")
_PAGES = re.compile(
    r"(?:pages?|pp?\.|paginas?|pags?\.) (\d+(?:\s?(?:-|to|a)\s?\d+)?(?:,\s?\d+(?:-\d+)?)*)"
    r" (?:of|in|from|de|del|en)(?: (?:the|el|la|los))?(?: (?:document|file|documento|archivo))? (@t\d+@)"
)
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
_PRIORITY = re.compile(
    r"[\s,]*(?:(?:and )?with |at |y con |con |a )?(?:priority|prioridad)(?: of| de)? (\d{1,4})\b"
)
_DOMAIN = re.compile(
    r"[\s,]*\b(?:in|within|en) (?:the |el )?(?:(?:domain|dominio)(?: of| de)? (?P<after>@q\d+@|"
    r"[^,;@]+?)(?=,|;|\.?$|\s(?:when|if|for|cuando|si|para)\b)"
    r"|(?P<before>[^,;@]{2,40}?) domain\b)"
)
_LANGUAGE = re.compile(
    r"[\s]*\b(?:(?:asked |written |hechas |escritas )?(?:in|en) (spanish|espanol|english|ingles|castellano))\b"
)
_EVERY = re.compile(
    r"[\s,]*\b(?:(?:for|from|in|on|to|de|para|en|a) (?:all|every|any|each|todas|toda|"
    r"cualquier)(?: the| las)? (?:questions?|quer(?:y|ies)|search(?:es)?"
    r"|preguntas?|consultas?|busquedas?)|whatever (?:is|people|anyone|someone) asks?(?:ed)?|"
    r"pregunten lo que pregunten)"
    r"(?= ?$| ?[,.;])"
)
_ASKED = r"(?:questions?|quer(?:y|ies)|search(?:es)?|preguntas?|consultas?|busquedas?)"
_WHO = (
    r"(?:somebody|someone|anybody|anyone|people|users?|clients?|they|a user|a client|a person|alguien|la gente|"
    r"un usuario|un cliente|usuarios|los usuarios|una persona|se)"
)
_VERBS = (
    r"(?:please |por favor,? )?(?:then |entonces )?(?:always |siempre )?(?:also |tambien )?(?:answer|"
    r"reply|respond|only|solo|redirect|send|lead|take|forward|search|look|use|restrict|limit|abstain|never|"
    r"do not|don't|hide|exclude|remove|suppress|leave|omit|bury|lower|demote|push|boost|raise|prefer|"
    r"favou?r|promote|rank|pin|"
    r"show|put|place|list|display|give|treat|read|replace|rewrite|responde|contesta|redirige|envia|"
    r"manda|lleva|dirige|busca|usa|limita|"
    r"restringe|abstente|nunca|no|oculta|esconde|excluye|quita|omite|baja|relega|degrada|sube|"
    r"prefiere|favorece|da|"
    r"prioriza|impulsa|potencia|fija|muestra|muestrale|pon|coloca|trata|lee|sustituye|reemplaza|"
    r"ensena|refuse|decline|keep)\b"
)
_END = (
    rf"(?=\s*[,:]\s*{_VERBS}|\s+(?:always |siempre )?{_VERBS}[^,]*@t\d+@|\s+(?:only )?(?:to|a)(?: the|"
    rf" la| el| las| los)? @t\d+@"
    r"|\s*[;.]?\s*$)"
)
_IF = r"(?:when(?:ever)?|if|every time|each time|cuando|si|siempre que|cada vez que)"
_FOR = r"(?:for|to|on|from|in|para|a|en|las|the|all|every|todas)"
_ABOUT = re.compile(
    rf"[\s,]*(?:\b{_IF}\s+(?:the |a |an |una |la )?(?:{_WHO}\s+|{_ASKED}\s+(?:is |are |es |sea |sean |"
    rf"trata |trate )?)?"
    rf"(?:(?:asks?|asking|pregunt[ae]n?|quier[ae]n? saber|wants? to know|consult[ae]n?)\s+)?"
    rf"(?:about|on|regarding|concerning|por|sobre|acerca de|de)"
    rf"|(?:\b{_FOR}\s+){{0,3}}\b{_ASKED}\s+(?:that are |que sean )?(?:about|on|regarding|concerning|"
    rf"sobre|acerca de|por))"
    rf"\s+(?P<said>.+?){_END}"
)
_WHICH = (
    rf"[\s,]*\b(?:(?:{_IF}|{_FOR})\s+(?:the |a |an |una |la |las )?(?:(?:{_WHO}|{_ASKED})\s+)?|{_ASKED}\s+)"
    r"(?:that |que )?"
)
_SAYS = re.compile(
    rf"{_WHICH}"
    r"(?:mention(?:s|ing)?|contain(?:s|ing)?|include?s?|says?|mencion(?:a|e|en|an)|contiene|contenga|"
    r"contengan|contienen|incluya|diga|dice)\s+"
    rf"(?P<said>.+?){_END}"
)
_EXACT = re.compile(
    rf"[\s,]*\b{_IF}\s+(?:(?:the|a|la|una)\s+)?(?:(?:{_WHO}|{_ASKED})\s+)?"
    rf"(?:is|are|asks?|reads?|says?|sea|es|pregunt[ae]n?|diga|dice)\s+(?:exactly|exactamente|precisely|"
    rf"literalmente)\s+(?P<said>.+?){_END}"
)
_STARTS = re.compile(
    rf"[\s,]*\b(?:{_IF}|{_FOR})\s+(?:(?:the|a|la|una|las)\s+)?(?:{_ASKED}\s+)?(?:that |que )?"
    rf"(?:(?:starts?|begins?|starting|beginning) with|(?:empie[cz][ae]n?|comien[cz][ae]n?) (?:con|"
    rf"por))\s+(?P<said>.+?){_END}"
)
_CITES = re.compile(
    rf"[\s,]*\b(?:{_IF}|{_FOR})\s+(?:(?:the|a|la|una|las)\s+)?(?:(?:{_WHO}|{_ASKED})\s+)?(?:that |que )?"
    r"(?:cit(?:es?|ing|a|e|an|en)|refers? to|se refier[ae]n? a)\s+(?:the |el |la )?(?P<place>@t\d+@)"
)
_PATTERN = re.compile(
    rf"{_WHICH}(?:match(?:es|ing)?|coincid[ae]n?(?: con)?|encaj[ae]n? (?:con|en))\s+(?:the |a |el |la |un |una )?"
    r"(?:pattern|regex|regular expression|patron|expresion regular)\s+(?P<said>@q\d+@)"
)
_MENTIONING = (
    r"(?:mentions?|contains?|includes?|says?|"
    r"mencion(?:a|e|en|an)|contiene|contenga|contienen|contengan|incluya)"
)
_SECOND = re.compile(
    rf"[\s,]+(?P<joined>and|y|e|or|o|u)\s+(?:also |tambien )?(?:(?:the question|the query|it|they|que|"
    rf"la pregunta)\s+)?(?:also |tambien )?"
    rf"(?:{_MENTIONING}\s+(?P<said>.+?){_END}|cit(?:es?|a|e|an|en)\s+(?:the |la |el )?(?P<place>@t\d+@))"
)
_CLAUSE = re.compile(r"\b(?:mentions|contains|cites|matches|menciona|mencione|contiene|contenga|coincide)\b")
_EXCEPTION = re.compile(
    r"\b(?:unless|except(?:ing)?|but not|apart from|without mention(?:ing)?|not mentioning|(?:is not|are not|"
    rf"isn't|aren't) (?:about|on)|(?:does not|do not|doesn't|don't) (?:{_MENTIONING}|cite|ask|start|begin|match)|"
    r"a menos que|a no ser que|salvo|excepto|pero no|con excepcion de|sin mencionar|"
    rf"(?:menos|no) (?:sea|es|trat[ae]|cit[ae]n?|pregunt[ae]n?|empie[cz][ae]|{_MENTIONING}))\b"
)
_BARE_CONDITION = re.compile(
    rf"[\s,]*\b(?:{_FOR}\s+(?:all |todas )?(?:the |las )?{_ASKED}|{_IF}\s+(?:the |a |la |"
    rf"una )?(?:{_WHO}\s+(?:asks?|pregunt[ae]n?|searches|escrib[ae]n?|writes?)"
    rf"|{_ASKED}\s+(?:is|are|es|sea|esta|este)))(?=\s*,|\s*\.?\s*$)"
)
_ALL = re.compile(r"\s*\b(?:all of|both|tanto|todas estas palabras:?|all the words|all)\s+")
_ANY = re.compile(r"\s*\b(?:any of|either|one of|cualquiera de|alguna de|any)\s+(?:the words )?")
_WORD_OF = re.compile(
    r"(?:the |la |las )?(?:words?|phrase|palabras?|frase|expresion)\s+|(?:the|an?|la|el|los|las|lo|una?|del)\s+"
)
_OR = re.compile(r"\s*,?\s+(?:or|o|u)\s+|\s*,\s*")
_LISTED = re.compile(r"\s*,?\s+(?:and|or|y|e|o|u|como)\s+|\s*,\s*")
_AND = re.compile(r"\s(?:and|y|e|como)\s")
_FACTOR = re.compile(
    r"\b(?:by|por|con|times|with)(?: a| un)?(?: factor(?: of| de)?)? (\d+(?:[.,]\d+)?)\b|"
    r"\b(\d+(?:\.\d+)?) (?:times|veces)\b|\b(?:el doble|doubly|twice as (?:high|low)|twice)\b"
)
_PLACES = {
    "first": 1, "top": 1, "primero": 1, "primera": 1, "primer": 1, "arriba": 1, "second": 2, "segundo": 2, "segunda": 2,
    "third": 3, "tercero": 3, "tercer": 3, "tercera": 3, "fourth": 4, "cuarto": 4, "fifth": 5, "quinto": 5,
}  # fmt: skip
_PLACE = re.compile(
    r"\b(?:(?:at|in|to|on|en) )?(?:the |el |la )?(?:(?:position|place|rank|posicion|lugar|"
    r"puesto) (?:number |numero )?(?P<number>\d{1,2})"
    rf"|(?P<word>{'|'.join(_PLACES)})(?: (?:place|position|result|lugar|posicion|puesto))?"
    r"|(?P<nth>\d{1,2})(?:st|nd|rd|th|º|o|ª) (?:place|position|lugar|posicion))\b"
)
_SAID = r"(@q\d+@|[^,;@]+?)"
_REWRITE = re.compile(
    rf"\b(?:treat|read|understand|interpret|rewrite|trata|lee|interpreta|entiende|"
    rf"reescribe) (?:the words? |la palabra )?{_SAID} (?:as|como) {_SAID}(?=[\s.]*$|,)"
    rf"|\b(?:replace|substitute|change|sustituye|reemplaza|cambia) (?:the words? |"
    rf"la palabra )?{_SAID} (?:with|by|to|into|por) {_SAID}"
    rf"(?=[\s.]*$|,| in {_ASKED}| en (?:las )?{_ASKED})"
)
_SYNONYM = re.compile(
    rf"{_SAID} (?:is a synonym (?:of|for)|means the same as|is the same as|es (?:un )?sinonimo de|"
    rf"significa lo mismo que|es lo mismo que) {_SAID}(?=[\s.]*$|,)"
    rf"|\b(?:also (?:search|look)(?: for)?|(?:search|look) also for|(?:search|look) for|busca tambien|"
    rf"tambien busca|busque tambien)(?: the words?| la palabra)? {_SAID}"
    r"(?: (?:too|as well|tambien))?(?=[\s.]*$|,)"
)
_NOTE = re.compile(
    r"\b(?:(?:answer|reply|respond|responde|contesta)(?: with| con)?|(?:show|display|add|give|muestra|"
    r"anade|pon|ensena))"
    r"(?: (?:the|a|this|la|una|esta))?(?: (?:note|message|text|nota|mensaje|texto))?:? (?P<note>@q\d+@)"
    r"|\b(?:show|display|add|give|answer|respond|reply|muestra|anade|responde|pon|contesta)(?: with|"
    r" con)?(?: (?:the|a|this|la|una|esta))? (?:note|message|nota|mensaje)\b"
)
_ABSTAIN = re.compile(
    r"\b(?:(?:do not|don't|never|refuse to|decline to) (?:answer|reply|respond)(?: to)?|(?:give|"
    r"return) no answers?|do not give (?:an|any) answer|abstain|"
    r"no (?:respondas|contestes|responder|contestar)(?: a)?|nunca respondas(?: a)?|no des (?:ninguna |"
    r"una )?respuesta|abstente(?: de responder)?)\b"
)
_AIMED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"\b(?:{words})\b"))
    for kind, words in (
        (
            "exclude",
            r"(?:never|do not|don't) (?:show|list|return|display|include|use)|hide|exclude|remove|"
            r"suppress|leave out|omit|"
            r"(?:nunca|no) (?:muestres|muestre|uses|incluyas|ensenes|mostrar)|oculta|excluye|esconde|"
            r"quita|omite|keep out",
        ),
        (
            "restrict",
            r"(?:search|look|use|answer|show) only|only (?:search|use|show|look|answer)|answer solely|"
            r"restrict(?: to)?|limit(?: to)?|"
            r"(?:busca|usa|responde|muestra|utiliza) (?:solo|solamente|unicamente)|(?:solo|solamente|"
            r"unicamente) (?:busca|usa|responde|muestra)|limita|restringe",
        ),
        ("redirect", r"redirect|send|lead|take|forward|direct|envia|redirige|lleva|manda|dirige"),
        (
            "bury",
            r"bury|lower|demote|push down|relega|degrada|baja|penaliza|rank (?P<low>.*?) lower|"
            r"push (?P<down>.*?) down",
        ),
        (
            "boost",
            r"boost|raise|prefer|(?<!por )favou?r|promote|sube|potencia|prefiere|favorece|"
            r"da(?: mas)? prioridad|prioriza|impulsa|"
            r"rank (?P<high>.*?) higher|push (?P<up>.*?) up",
        ),
        ("pin", r"pin|show|put|place|list|display|fija|muestra|pon|coloca|ensena"),
    )
)
_NEUTRAL = frozenset(
    words(
        "a al also always an and anyone archivo as at be by con consultas de del document documento "
        "documents e el en favor fichero file files for from in is it la las list lo los must of on only "
        "pages people please por pregunta preguntas provision que queries question questions result "
        "resultado resultados results se search section should siempre solo someone text texto the them "
        "then to top up users with y"
    )
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
class Question:
    """What the author must say: about the target, action, criterion, exception, date, domain or text; and what is near
    to it. `absent`: it is named, and is not there.
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


def draft(sentence: str, corpus: Corpus, *, today: date) -> Draft | tuple[Question, ...]:
    """The rule that the sentence asks for; or what to ask its author, where any of it is not understood."""
    found, rest = taken_days(with_names(Sentence.of(sentence[:LONGEST]), corpus), today)
    if exception := _EXCEPTION.search(rest.folded):
        return (Question("exception", exception[0]),)
    rest = with_described(with_provisions(rest), corpus)
    domains, rest, unknown = taken_domains(rest, corpus)
    questions = [*unknown, *unknown_targets(rest, corpus)]
    match, rest = rest.taking(_PRIORITY)
    priority = int(match[1]) if match else 100
    if names_unread_day(rest.folded):
        questions.append(Question("date"))
    if unread := unread_condition(rest):
        return (*questions, Question("criterion", unread))
    criteria, rest = taken_criteria(rest)
    criteria, targets, actions, asked = read_action(criteria, rest)
    if not criteria and actions:
        asked = [*asked, Question("criterion")]
    known = {question.subject for question in questions}
    questions += [with_near(question, corpus) for question in asked if question.subject not in known]
    if questions:
        return tuple(questions)
    return Draft(criteria, targets, actions, found.first, found.last, domains, priority)


# -- What is named


def with_names(sentence: Sentence, corpus: Corpus) -> Sentence:
    """Quoted texts, documents and files."""
    return with_documents(with_quotes(sentence, corpus), corpus)


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


def with_documents(sentence: Sentence, corpus: Corpus) -> Sentence:
    """Documents and files by name, the longest names first."""
    for name in sorted((*corpus.files, *corpus.documents), key=len, reverse=True):
        pattern = re.compile(rf"(?<![\w@]){re.escape(fold(name))}(?!\w)")
        while match := pattern.search(sentence.folded):
            sentence = sentence.marking(*match.span(), "t", named_document(name, corpus))
    return sentence


def with_provisions(sentence: Sentence) -> Sentence:
    """Locators and citations, files that are not there, and pages of any."""
    while match := _LOCATOR.search(sentence.text):
        sentence = sentence.marking(*match.span(), "t", {"kind": "section", "value": match[0]})
    for cited in sorted(find_citations(sentence.text), key=lambda cited: -cited.start):
        target = {"kind": "section", "value": cited.locator}
        sentence = sentence.marking(cited.start, cited.end, "t", target)
    while match := _FILE.search(sentence.folded):
        sentence = sentence.marking(
            *match.span(), "t", {"kind": "filename", "value": sentence.group(match, 0)}
        )
    while match := _CASE_NAME.search(sentence.text):
        sentence = sentence.put(*match.span())
    return with_pages(sentence)


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


def unknown_targets(sentence: Sentence, corpus: Corpus) -> list[Question]:
    asked = []
    for target in targets_in(sentence):
        if target["kind"] == "section" and "pages" in target:
            asked.append(Question("target", target["value"]))
        elif not corpus.has(target):
            asked.append(absent(target, corpus))
    return asked


def absent(target: Mapping[str, Any], corpus: Corpus) -> Question:
    return Question("target", written(target), tuple(corpus.near(target)), absent=True)


def written(target: Mapping[str, Any]) -> str:
    """What a target names, in a few words."""
    return " ".join(str(target[name]) for name in ("key", "value", "pages") if name in target)


def with_near(question: Question, corpus: Corpus) -> Question:
    """What was taken for the name of a target, with the names like it."""
    if question.subject != "target":
        return question
    return replace(question, near=near_names(question.words, corpus))


def near_names(name: str, corpus: Corpus) -> tuple[str, ...]:
    return tuple(get_close_matches(name, [*corpus.files, *corpus.documents], n=NEAR, cutoff=0.4))


def taken_domains(sentence: Sentence, corpus: Corpus) -> tuple[list[str], Sentence, list[Question]]:
    match, rest = sentence.taking(_DOMAIN)
    if match is None:
        return [], sentence, []
    name = sentence.plain(sentence.group(match, "after" if match["after"] else "before")).rstrip(".")
    known = {fold(known).rstrip("."): slug for known, slug in corpus.domains.items()}
    known |= {slug: slug for slug in corpus.domains.values()}
    if fold(name) in known:
        return [known[fold(name)]], rest, []
    near = get_close_matches(name, list(corpus.domains), n=NEAR, cutoff=0.4)
    return [], rest, [Question("domain", name, tuple(near), absent=True)]


def taken_days(sentence: Sentence, today: date) -> tuple[Days, Sentence]:
    found, spans = days_in(sentence.folded, today)
    for start, end in sorted(spans, reverse=True):
        sentence = sentence.put(start, end, " ")
    return found, sentence


# -- When


def taken_criteria(sentence: Sentence) -> tuple[list[dict[str, Any]], Sentence]:
    """What the question must be, then its language."""
    language, rest = sentence.taking(_LANGUAGE)
    rest = Sentence(" ".join(rest.text.split()), " ".join(rest.folded.split()), rest.named, rest.written)
    criteria, rest = taken_condition(rest)
    if language:
        criteria += [
            {
                "kind": "language",
                "value": "es" if language[1][0] in "sc" or language[1] == "espanol" else "en",
            }
        ]
        if len(criteria) == 1:
            _match, rest = rest.taking(_BARE_CONDITION)
    return criteria, rest


def unread_condition(sentence: Sentence) -> str:
    """Conditions joined by or, or another clause inside what is asked about: no rule is made of them."""
    second, rest = sentence.taking(_SECOND)
    if second and second["joined"] in ("or", "o", "u"):
        return sentence.plain(second[0]).strip(" ,")
    about = _ABOUT.search(rest.folded)
    if about is None:
        return ""
    described = [sentence.named[mark]["kind"] for mark in re.findall(r"@t\d+@", about["said"])]
    is_read = not _CLAUSE.search(about["said"]) and not set(described) - {"section", "document", "filename"}
    return "" if is_read else sentence.plain(rest.group(about, "said"))


def taken_condition(sentence: Sentence) -> tuple[list[dict[str, Any]], Sentence]:
    """One condition, or two that are joined by and."""
    match, rest = sentence.taking(_SECOND)
    if match is None:
        return taken_first(sentence)
    first, rest = taken_first(rest)
    if not first:
        return taken_first(sentence)
    if match["place"]:
        return [*first, {"kind": "citation", "value": sentence.named[match["place"]]["value"]}], rest
    return [*first, *mentioned(sentence, sentence.group(match, "said"))], rest


def taken_first(sentence: Sentence) -> tuple[list[dict[str, Any]], Sentence]:
    match, rest = sentence.taking(_CITES)
    if match:
        place = sentence.named[match["place"]]
        return [{"kind": "citation", "value": place["value"]}], rest
    for kind, pattern in (("exact", _EXACT), ("starts_with", _STARTS), ("regex", _PATTERN)):
        match, rest = sentence.taking(pattern)
        if match:
            return [{"kind": kind, "value": sentence.plain(sentence.group(match, "said"))}], rest
    match, rest = sentence.taking(_SAYS)
    if match:
        return mentioned(sentence, sentence.group(match, "said")), rest
    match, rest = sentence.taking(_ABOUT)
    if match:
        phrases = split(sentence, _OR, sentence.group(match, "said"))
        return [{"kind": "keywords", "value": phrases, "stemmed": True}], rest
    match, rest = sentence.taking(_EVERY)
    return ([{"kind": "always"}] if match else []), rest


def mentioned(sentence: Sentence, said: str) -> list[dict[str, Any]]:
    """Any of the phrases; all of them where the author says both, all of, or joins them by and."""
    folded = fold(said)
    any_of, all_of = _ANY.match(folded), _ALL.match(folded)
    lead = any_of or all_of
    phrases = split(sentence, _LISTED, said[lead.end() :] if lead else said)
    if all_of or (not any_of and _AND.search(folded)):
        return [{"kind": "keywords", "value": [phrase], "stemmed": False} for phrase in phrases]
    return [{"kind": "keywords", "value": phrases, "stemmed": False}]


def split(sentence: Sentence, by: re.Pattern[str], said: str) -> list[str]:
    if by is _OR and not re.search(r"\s(?:or|o|u)\s", fold(said)):
        pieces = [said]
    else:
        pieces = by.split(said)
    return [sentence.plain(bare(piece)) for piece in pieces if bare(piece)]


def bare(phrase: str) -> str:
    """Without articles before it and marks around it."""
    phrase = phrase.strip(" .,;:?¿!¡")
    while match := _WORD_OF.match(fold(phrase)):
        phrase = phrase[match.end() :]
    return phrase


# -- What it does

Read = tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]], list[Question]]


def read_action(criteria: list[dict[str, Any]], sentence: Sentence) -> Read:
    """Criteria (of its own, where a rewrite or synonym brings them), targets, actions, and what is to be asked."""
    for reader in (said_otherwise, noted, abstained, aimed):
        if (read := reader(criteria, sentence)) is not None:
            return read
    return criteria, [], [], [Question("action", sentence.plain(sentence.text).strip(" ,."))]


def said_otherwise(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    """Rewrites and synonyms; without another condition they fire upon the words themselves."""
    match, rest = sentence.taking(_REWRITE)
    kind = "rewrite" if match else "synonym"
    if match is None:
        match, rest = sentence.taking(_SYNONYM)
    if match is None:
        return None
    said = [sentence.plain(bare(sentence.group(match, n))) for n in range(1, match.re.groups + 1) if match[n]]
    phrase = said[0] if len(said) == 2 else ""
    action = {"kind": kind, "text": said[-1]} | ({"phrase": phrase} if kind == "rewrite" else {})
    if phrase and not criteria:
        criteria = [{"kind": "keywords", "value": [phrase], "stemmed": False}]
    return criteria, [], [action], left_over(rest, "action")


def noted(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    match, rest = sentence.taking(_NOTE)
    if match is None or not (match["note"] or not re.search(r"@t\d+@", rest.folded)):
        return None
    if not match["note"]:
        return criteria, [], [{"kind": "note"}], [Question("text")]
    if not re.search(
        r"not|mess|text|nota|mens|answer|repl|respon|contest", match[0].replace(match["note"], "")
    ):
        return None  # something quoted is to be shown, which is then a name
    action = {"kind": "note", "text": sentence.named[match["note"]]}
    return criteria, [], [action], left_over(rest, "action")


def abstained(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    match, rest = sentence.taking(_ABSTAIN)
    return (criteria, [], [{"kind": "abstain"}], left_over(rest, "action")) if match else None


def aimed(criteria: list[dict[str, Any]], sentence: Sentence) -> Read | None:
    """What acts upon targets. A redirect leads to just one provision."""
    kind, rest = next(
        (
            (kind, without_verb(sentence, match))
            for kind, pattern in _AIMED
            if (match := pattern.search(sentence.folded))
        ),
        ("", sentence),
    )
    if not kind:
        return None
    action, rest = with_amount(kind, rest)
    targets = [sentence.named[mark] for mark in re.findall(r"@t\d+@", rest.folded)]
    asked = left_over(rest, "target")
    if not targets and not asked:
        asked = [Question("target")]
    if kind == "redirect":
        if len(targets) != 1 or targets[0]["kind"] == "filename":
            return criteria, [], [action], asked or [Question("target")]
        return criteria, [], [{"kind": kind, "locator": targets[0]["value"]}], asked
    return criteria, targets, [action], asked


def without_verb(sentence: Sentence, match: re.Match[str]) -> Sentence:
    """The verb goes; what stands inside "rank … higher" stays."""
    inside = next((name for name, said in match.groupdict().items() if said is not None), None)
    return sentence.put(*match.span(), f" {sentence.group(match, inside)} " if inside else " ")


def with_amount(kind: str, sentence: Sentence) -> tuple[dict[str, Any], Sentence]:
    """The action with its place or factor, and the sentence without it."""
    if kind == "pin":
        match, rest = sentence.taking(_PLACE)
        if match is None:
            return {"kind": kind, "position": 1}, rest
        number = match["number"] or match["nth"]
        return {"kind": kind, "position": int(number) if number else _PLACES[match["word"]]}, rest
    if kind in ("boost", "bury"):
        match, rest = sentence.taking(_FACTOR)
        written = match and (match[1] or match[2])
        factor = float(written.replace(",", ".")) if written else 2.0
        return {"kind": kind, "factor": factor}, rest
    return {"kind": kind}, sentence


def left_over(sentence: Sentence, subject: str) -> list[Question]:
    """A question about what is left of the sentence, unless it says nothing."""
    without = re.sub(r"@t\d+@" if subject == "target" else r"(?!)", " ", sentence.folded)
    unread = [word for word in re.findall(r"@q\d+@|@t\d+@|[^\W_]+", without) if word not in _NEUTRAL]
    return [Question(subject, sentence.plain(" ".join(unread)))] if unread else []
