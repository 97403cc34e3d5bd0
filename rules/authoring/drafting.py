"""Rules in a curator's own words; what a sentence may name is what the caller may see. Saves drafts only.

The grammar reads first. Where a language model is configured, it reads what the grammar does not understand, unless
the sentence names something that is not there, or not public.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from django.core import signing
from django.core.exceptions import ValidationError
from django.db.models import F, Func, Value
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.citations.finding import find_citations
from retrieval.citations.titled import beside
from retrieval.corpus import titled
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.requests import LLMUnavailable
from retrieval.models import Document, Domain
from retrieval.search.service import reading as reading_as
from retrieval.targets import Part
from retrieval.text.normalization import fold
from rules.authoring import llm_parser, rule_checks, workflow
from rules.authoring.grammar.names import LONGEST, Clarification, Corpus, Draft, Sentence, named_targets
from rules.authoring.rule_checks import COMPARED, Scope, similar_names
from rules.engine.clauses import part
from rules.models import Alias, Rule

SALT = "a model's reading of a sentence"
KEPT_FOR = 24 * 3600  # s that a reading which was shown may be kept as a draft
FOR_NO_MODEL = ("exception", "rule", "acts")  # what no rule can say, whoever reads it
NUMBER = r"\d\w{0,9}(?:[.-]\w{1,9}){0,5}\b"  # of a section
WHY_NOT = {
    "over_budget": gettext_lazy("today's budget for language models is spent"),
    "resting": gettext_lazy("it failed before and rests"),
    "timeout": gettext_lazy("it did not answer in time"),
    "injected": gettext_lazy("the sentence speaks to the model, not of a rule"),
}
NO_USE = gettext_lazy("it gave no useful answer")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence was read as. `model`: which one read it, empty for the grammar; `chosen`: targets that it thought
    of itself; `token`: its answer, signed, to be kept as it was shown; `problem`: why no model helped.
    """

    made: Draft | tuple[Clarification, ...]
    model: str = ""
    chosen: tuple[str, ...] = ()
    token: str = ""
    problem: str = ""


def read(sentence: str, caller: Caller, *, today: date) -> Reading:
    """Asks the model at most once, and only where the grammar asks back."""
    corpus = corpus_for(sentence, caller)
    made = by_grammar(sentence, corpus, caller, today=today)
    endpoint = llm.endpoint()
    if isinstance(made, Draft) or endpoint is None or not may_be_put(made):
        return Reading(made)
    if names_private(sentence, corpus, caller):
        return Reading(made, problem=_("The sentence names what is not public: no language model was asked."))
    try:
        answer = llm_parser.asked(sentence, today)
    except LLMUnavailable as problem:
        message = _("The language model was no help: %s.") % WHY_NOT.get(problem.reason, NO_USE)
        return Reading(made, problem="" if problem.reason == "off" else message)
    if answer is None:
        return Reading(made, problem=_("The language model did not understand it either."))
    return interpreted(sentence, answer, endpoint.model, corpus, caller) or Reading(
        made, problem=_("What the language model answered is no rule.")
    )


def reading_kept(sentence: str, token: str, caller: Caller) -> Reading | None:
    """The reading that was shown, looked up again; None for another sentence's, an old or a forged token."""
    try:
        kept = signing.loads(token, salt=SALT, max_age=KEPT_FOR)
    except signing.BadSignature:
        return None
    if kept["sentence"] != sentence:
        return None
    return interpreted(sentence, kept["answer"], kept["model"], corpus_for(sentence, caller), caller)


def interpreted(
    sentence: str, answer: Mapping[str, Any], model: str, corpus: Corpus, caller: Caller
) -> Reading | None:
    """None where the answer is no rule."""
    try:
        made = llm_parser.drafted(answer, corpus)
        if isinstance(made, Draft):
            made = confined(sentence, made, caller)
    except (ValueError, ValidationError):
        return None
    if not isinstance(made, Draft):
        return Reading(made, model)
    token = signing.dumps({"sentence": sentence, "answer": answer, "model": model}, salt=SALT)
    return Reading(made, model, llm_parser.chosen_by_model(made, sentence, corpus), token)


def may_be_put(questions: tuple[Clarification, ...]) -> bool:
    return not any(question.absent or question.subject in FOR_NO_MODEL for question in questions)


def names_private(sentence: str, corpus: Corpus, caller: Caller) -> bool:
    """Whether it names a domain or a part of the corpus that the public cannot see."""
    public = corpus if caller == ANONYMOUS else corpus_for(sentence, ANONYMOUS)
    hidden = set(Domain.objects.visible_to(caller)) - set(Domain.objects.visible_to(ANONYMOUS))
    names = [fold(name) for domain in hidden for name in (domain.name, domain.name_es, domain.slug) if name]
    return any(name in fold(sentence) for name in names) or not all(
        map(public.has, named_targets(sentence, corpus))
    )


def read_sentence(sentence: str, caller: Caller, *, today: date) -> Draft | tuple[Clarification, ...]:
    """By the grammar. What no rule may hold, such as a factor below 1, is asked about too."""
    return by_grammar(sentence, corpus_for(sentence, caller), caller, today=today)


def by_grammar(
    sentence: str, corpus: Corpus, caller: Caller, *, today: date
) -> Draft | tuple[Clarification, ...]:
    from rules.authoring.grammar.parser import draft  # 100 ms to import, for those who use it

    made = draft(sentence, corpus, today=today)
    if isinstance(made, Draft):
        try:
            return confined(sentence, made, caller)
        except ValidationError as problem:
            return (Clarification("rule", " ".join(problem.messages)),)
    return made


def confined(sentence: str, made: Draft, caller: Caller) -> Draft:
    """In the private domains that it names parts of, too. Raises ValidationError for what no rule may hold."""
    rule = rule_of(sentence, made)
    rule.full_clean(validate_unique=False, validate_constraints=False)
    return replace(made, domains=[*made.domains, *rule_checks.undeclared(rule, caller)])


def corpus_for(sentence: str, caller: Caller) -> Corpus:
    scope, titles = Scope.of((), caller), titles_in(sentence, caller)
    documents = Document.objects.visible_to(caller)
    files = documents.exclude(filename="").values_list("filename", flat=True).distinct().order_by("filename")
    tags = documents.exclude(tags=[]).annotate(tag=Func("tags", function="unnest"))
    return Corpus(
        domains={
            name: domain.slug for domain in scope.domains for name in (domain.name, domain.name_es) if name
        },
        documents=titles,
        files=list(files[:COMPARED]),
        tags=list(tags.order_by("tag").values_list("tag", flat=True).distinct()[:COMPARED]),
        has=lambda target: bool((named := named_by(target)) and scope.chunks(named).exists()),
        near=lambda target: similar_names(named, scope) if (named := named_by(target)) else [],
        names=names_in(sentence, scope),
        cited=cited_in(sentence, titles, caller),
    )


def named_by(target: Mapping[str, Any]) -> Part | None:
    with suppress(ValueError):
        return part(dict(target))
    return None  # no target: a file is no place


def titles_in(sentence: str, caller: Caller) -> dict[str, str]:
    """Titles that stand in the sentence, with their locators; a title of two documents names neither."""
    said = Document.objects.visible_to(caller).annotate(said=Value(sentence))
    found = list(said.filter(said__icontains=F("title")).values_list("title", "locator").distinct())
    titles = [title for title, _locator in found]
    return {title: locator for title, locator in found if title and titles.count(title) == 1}


def names_in(sentence: str, scope: Scope) -> dict[str, str]:
    """Curated names that stand in the sentence, such as “Takings Clause”, with the one place that each names, where
    the author may read it.
    """
    known = Alias.objects.in_use().filter(domain__in=scope.domains).annotate(said=Value(sentence))
    found = set(known.filter(said__icontains=F("text")).values_list("text", "locator"))
    names = [name for name, _locator in found]
    return {
        name: locator
        for name, locator in found
        if names.count(name) == 1 and scope.chunks(Part("section", locator)).exists()
    }


def cited_in(sentence: str, titles: Iterable[str], caller: Caller) -> dict[str, str]:
    """What the sentence cites of documents of one's own, with its locator, whether it is there or not: also by a number
    right behind one of these titles. Its first letter is a capital as no name's is: "Pin Staff Manual § 3".
    """
    text = Sentence.of(sentence[:LONGEST]).text
    text, query = text[:1].lower() + text[1:], reading_as(caller)
    own = titled.cited_in(text, query, asked=True, ever=True)
    found = [one for one in beside(find_citations(text), own) if one.text and one in own]
    for title in titles:
        for match in re.finditer(rf"\b{re.escape(title)},? {NUMBER}", text, re.IGNORECASE):
            found += titled.cited_whole(match[0], query) or titled.lacking(match[0], query)
    return {one.text: one.locator for one in found}


def rule_of(sentence: str, made: Draft, *, model: str = "") -> Rule:
    """Named after its sentence, which is kept as the rationale; so is the model that read it."""
    name = " ".join(sentence.split()).rstrip(".")[:100]
    by_model = "\n\n" + _("Read from this sentence by the language model %s.") % model if model else ""
    return Rule(
        name=workflow.free_name(name, made.domains),
        rationale=sentence + by_model,
        **asdict(made),
    )


def warnings(sentence: str, made: Draft, caller: Caller) -> list[str]:
    """What saving it in the form would tell, before it is kept."""
    return workflow.warnings(rule_of(sentence, made), caller)


def save(sentence: str, made: Draft, *, by, model: str = "") -> Rule:
    reason = _("written in words, read by %s") % model if model else _("written in words")
    return workflow.save_draft(rule_of(sentence, made, model=model), by=by, reason=reason)


def question_text(question: Clarification) -> str:
    """The question to the author, with what is near to what was named."""
    if question.subject == "rule":
        return _("No rule can say this: %s") % question.words
    asked = {
        "target": _("Which provision, document or file is meant?"),
        "action": _("What shall it do?"),
        "criterion": _("When shall it fire?"),
        "exception": _(
            "A rule fires when all it names is there; it knows no exceptions. Which rule is meant?"
        ),
        "acts": _("A rule does one thing. Write another rule for the other."),
        "date": _("From which day to which?"),
        "domain": _("Which domain is meant?"),
        "text": _("Which text? Put it between quotation marks."),
    }[question.subject]
    unread = " " + _("Not understood: “%s”.") % question.words if question.words else ""
    near = " " + _("Near to it: %s.") % ", ".join(question.near) if question.near else ""
    return asked + unread + near
