"""A rule written as a sentence, English or Spanish, read by a fixed grammar into a draft, or into questions back. Pure.

What is named (provisions, files, tags, quoted texts, days) is taken out of the sentence first and leaves a mark; then
the condition goes, then the action. A word that is left over was not understood: the author is asked, nothing is
guessed. No rule knows exceptions, so they are asked about too. A month means all of it: until June is until 30 June.
"""

import re
from datetime import date
from difflib import get_close_matches

from retrieval.text.normalization import fold
from rules.authoring.grammar.actions import read_action
from rules.authoring.grammar.conditions import (
    EXCEPTION,
    Days,
    days_in,
    names_unread_day,
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
    with_described,
    with_names,
    with_near,
    with_provisions,
)

_PRIORITY = re.compile(
    r"[\s,]*(?:(?:and )?with |at |y con |con |a )?(?:priority|prioridad)(?: of| de)? (\d{1,4})\b"
)
_DOMAIN = re.compile(
    r"[\s,]*\b(?:in|within|en) (?:the |el )?(?:(?:domain|dominio)(?: of| de)? (?P<after>@q\d+@|"
    r"[^,;@]+?)(?=,|;|\.?$|\s(?:when|if|for|cuando|si|para)\b)"
    r"|(?P<before>[^,;@]{2,40}?) domain\b)"
)


def draft(sentence: str, corpus: Corpus, *, today: date) -> Draft | tuple[Clarification, ...]:
    """The rule that the sentence asks for; or what to ask its author, where any of it is not understood."""
    found, rest = taken_days(with_names(Sentence.of(sentence[:LONGEST]), corpus), today)
    if exception := EXCEPTION.search(rest.folded):
        return (Clarification("exception", exception[0]),)
    rest = with_described(with_provisions(rest), corpus)
    domains, rest, unknown = taken_domains(rest, corpus)
    questions = [*unknown, *unknown_targets(rest, corpus)]
    match, rest = rest.taking(_PRIORITY)
    priority = int(match[1]) if match else 100
    if names_unread_day(rest.folded):
        questions.append(Clarification("date"))
    if unread := unread_condition(rest):
        return (*questions, Clarification("criterion", unread))
    criteria, rest = taken_criteria(rest)
    criteria, targets, actions, asked = read_action(criteria, rest)
    if not criteria and actions:
        asked = [*asked, Clarification("criterion")]
    known = {question.subject for question in questions}
    questions += [with_near(question, corpus) for question in asked if question.subject not in known]
    if questions:
        return tuple(questions)
    return Draft(criteria, targets, actions, found.first, found.last, domains, priority)


def taken_domains(sentence: Sentence, corpus: Corpus) -> tuple[list[str], Sentence, list[Clarification]]:
    match, rest = sentence.taking(_DOMAIN)
    if match is None:
        return [], sentence, []
    name = sentence.plain(sentence.group(match, "after" if match["after"] else "before")).rstrip(".")
    known = {fold(known).rstrip("."): slug for known, slug in corpus.domains.items()}
    known |= {slug: slug for slug in corpus.domains.values()}
    if fold(name) in known:
        return [known[fold(name)]], rest, []
    near = get_close_matches(name, list(corpus.domains), n=NEAR, cutoff=0.4)
    return [], rest, [Clarification("domain", name, tuple(near), absent=True)]


def taken_days(sentence: Sentence, today: date) -> tuple[Days, Sentence]:
    found, spans = days_in(sentence.folded, today)
    for start, end in sorted(spans, reverse=True):
        sentence = sentence.put(start, end, " ")
    return found, sentence
