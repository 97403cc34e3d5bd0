"""A rule written as a sentence, English or Spanish, read by a fixed grammar into a draft, or into questions back. Pure.

What is named (provisions, files, tags, quoted texts, days) is taken out of the sentence first and leaves a mark; then
the condition goes, then the action. A word that is left over was not understood: the author is asked, nothing is
guessed. Where that asks and the sentence has no comma, it is read with one before the verb of its action, if that can
be read in one way. No rule knows exceptions or leads to another site, so they are asked about too. A month means all of
it: until June is until 30 June.
"""

import re
from datetime import date
from difflib import get_close_matches

from retrieval.text.normalization import fold
from rules.authoring.grammar.actions import read_action
from rules.authoring.grammar.conditions import (
    BEFORE_VERB,
    CONDITION_FIRST,
    EXCEPTION,
    Days,
    days_in,
    names_unread_day,
    numeric_days,
    taken_criteria,
    unread_condition,
)
from rules.authoring.grammar.names import (
    LONGEST,
    NEAR,
    Clarification,
    Corpus,
    Draft,
    Sentence,
    unknown_targets,
    with_curated,
    with_described,
    with_names,
    with_near,
    with_provisions,
)

_PRIORITY = re.compile(
    r"[\s,]*(?:(?:and )?with |at |y con |con |a )?(?:priority|prioridad)(?: of| de)? (\d{1,4})\b"
)
# What people write beside what they ask for, and what is said of it.
_BESIDE: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"\bw/ ?", "with "),
        (r"\bppl\b", "people"),
        (r"[?!]+(?=\s|$)", ""),
        (r"^(?:hey|hi|hello|hola)\b[ ,]*", ""),
        (r"[\s,.]*\b(?:please|pls|thx|thanks|thank you|por favor|gracias)[\s.]*$", ""),
        (
            r"^(?:(?:can|could|would|will) (?:we|you|u)|(?:i|we) (?:want|need|would like)(?: you)? to|i'd like to|"
            r"(?:quiero|quisiera|necesito|queremos) que) (?:please )?",
            "",
        ),
        (r"[\s,]*\b(?:but not (?:the other way a?round|vice versa)|pero no al reves)\b", ""),
        (r"\bat all\b", ""),
        (r"[,;] (?:it|they|we|this) (?:is|are|was|were|has|have)\b[^@,]*$", ""),
        (r", (?:because|porque|ya que) [^@,]*$", ""),
        (r"\b(?:before searching|antes de buscar)\b|,? (?:and )?nothing else\b|,? y nada mas\b", ""),
    )
)
MOST_VERBS = 5  # each is a reading more
_CONDITIONAL = re.compile(r"\b(?:if|when|whenever|unless|only|si|cuando|salvo)\b")
_ADDRESS = re.compile(r"\bhttps?://\S+|\bwww\.\S+", re.IGNORECASE)  # rules lead to provisions only
_DOMAIN = re.compile(
    r"[\s,]*\b(?:in|within|of|en) (?:the |el )?(?:(?:domain|dominio)(?: of| de)? (?P<after>@q\d+@|"
    r"[^,;@]+?)(?=,|;|\.?$|\s(?:when|if|for|cuando|si|para)\b)"
    r"|(?P<before>@[tq]\d+@|(?:(?!\b(?:in|of|en)\b)[^,;@]){2,40}?) domain\b)"
)
_ROUTED = re.compile(
    r"[\s,]*\b(?:when(?:ever)?|if|cuando|si) (?:(?:the|a|an|la|una) )?"
    r"(?:(?:questions?|query|search) (?:is |are )?(?:most |very )?(?:probably|likely) about|"
    r"(?:preguntas?|consultas?) (?:muy )?probablemente (?:es |sea |trata |trate )?(?:sobre|acerca de|de))"
    r"(?:l| (?:the|la|el|los|las))? (?P<name>@[tq]\d+@|[^,;@]{2,60}?)"
    r"(?:(?P<further> (?:and|y) (?:also |tambien )?(?=(?:mentions?|contains?|cites?|menciona|contiene|cita)\b))"
    r"|(?=[,;]|\.?$))"
)


def draft(sentence: str, corpus: Corpus, *, today: date) -> Draft | tuple[Clarification, ...]:
    """The rule that the sentence asks for; or what to ask its author, where any of it is not understood."""
    read = as_written(sentence, corpus, today)
    if isinstance(read, Draft):
        return read
    others = (as_written(said, corpus, today) for said in with_commas(sentence[:LONGEST]))
    drafts = [other for other in others if isinstance(other, Draft)]
    return drafts[0] if len(drafts) == 1 else read


def with_commas(sentence: str) -> list[str]:
    """The sentence with a comma before each of its verbs, one of which may be that of the action. None where it begins
    with the action or has commas of its own.
    """
    said = Sentence.of(sentence)
    if "," in said.text or not CONDITION_FIRST.match(said.folded):
        return []
    starts = [match.start() for match in BEFORE_VERB.finditer(said.folded)]
    return [said.put(start, start, ",").text for start in starts[:MOST_VERBS]]


def as_written(sentence: str, corpus: Corpus, today: date) -> Draft | tuple[Clarification, ...]:
    named = without_asides(with_names(Sentence.of(sentence[:LONGEST]), corpus))
    found, rest = taken_days(named, today)
    if exception := EXCEPTION.search(rest.folded):
        return (Clarification("exception", exception[0]),)
    if address := _ADDRESS.search(rest.text):
        return (Clarification("target", address[0]),)
    rest = with_described(with_provisions(rest), corpus)
    domains, rest, unknown = taken_domains(rest, corpus)
    questions = [*unknown, *unknown_targets(rest, corpus)]
    match, rest = rest.taking(_PRIORITY)
    priority = int(match[1]) if match else 100
    if names_unread_day(rest.folded):
        questions.append(Clarification("date"))
    if unread := unread_condition(rest):
        return (*questions, Clarification("criterion", unread))
    routed, rest, unnamed = taken_route(rest, corpus)
    questions += unnamed
    criteria, rest = taken_criteria(rest)
    criteria = [*routed, *criteria]
    rest = with_curated(rest, corpus)
    criteria, targets, actions, asked = read_action(criteria, rest)
    if not (criteria or unnamed) and actions:
        asked = [*asked, Clarification("criterion")]
    known = {question.subject for question in questions}
    questions += [with_near(question, corpus) for question in asked if question.subject not in known]
    if questions:
        return tuple(questions)
    return Draft(criteria, targets, actions, found.first, found.last, domains, priority)


def taken_domains(sentence: Sentence, corpus: Corpus) -> tuple[list[str], Sentence, list[Clarification]]:
    match, rest = sentence.taking(_DOMAIN)
    if match is None:
        names = "|".join(re.escape(fold(name)) for name in corpus.domains)
        pattern = re.compile(rf"[\s,]+(?:for |in )?(?:the )?(?P<name>{names or '(?!)'}) only\b")
        only, rest = sentence.taking(pattern)
        known = {fold(name): slug for name, slug in corpus.domains.items()}
        return ([known[only["name"]]], rest, []) if only else ([], sentence, [])
    name = sentence.plain(sentence.group(match, "after" if match["after"] else "before"))
    slugs, unknown = domain_named(name, corpus)
    return slugs, rest, unknown


def domain_named(name: str, corpus: Corpus) -> tuple[list[str], list[Clarification]]:
    """By its name or slug; what to ask where there is none."""
    name = name.rstrip(".")
    known = {fold(known).rstrip("."): slug for known, slug in corpus.domains.items()}
    known |= {slug: slug for slug in corpus.domains.values()}
    if fold(name) in known:
        return [known[fold(name)]], []
    near = get_close_matches(name, list(corpus.domains), n=NEAR, cutoff=0.4)
    return [], [Clarification("domain", name, tuple(near), absent=True)]


def taken_route(sentence: Sentence, corpus: Corpus) -> tuple[list[dict], Sentence, list[Clarification]]:
    """“When a question is probably about the US Code”; what is joined to it by and is a condition of its own."""
    match = _ROUTED.search(sentence.folded)
    if match is None:
        return [], sentence, []
    slugs, unknown = domain_named(sentence.plain(sentence.group(match, "name")), corpus)
    rest = sentence.put(*match.span(), " when a question " if match["further"] else " ")
    return [{"kind": "route", "value": slug} for slug in slugs], rest, unknown


def without_asides(sentence: Sentence) -> Sentence:
    """Without greetings, thanks and reasons, which no rule holds; one that sets a condition stays, to be asked of."""
    for pattern, said in _BESIDE:
        for match in reversed(list(pattern.finditer(sentence.folded))):
            if not _CONDITIONAL.search(match[0]):
                sentence = sentence.put(*match.span(), said)
    return sentence


def taken_days(sentence: Sentence, today: date) -> tuple[Days, Sentence]:
    for span, day in reversed(numeric_days(sentence.folded)):
        sentence = sentence.put(*span, day)
    found, spans = days_in(sentence.folded, today)
    for start, end in sorted(spans, reverse=True):
        sentence = sentence.put(start, end, " ")
    return found, sentence
