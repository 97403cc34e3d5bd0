"""Rules in a curator's own words; what a sentence may name is what the caller may see. Saves drafts only."""

from datetime import date

from django.core.exceptions import ValidationError
from django.db.models import F, Value
from django.utils.translation import gettext as _

from retrieval.models import Document, Domain
from retrieval.ranking import Caller
from retrieval.selection import Part
from rules import workflow
from rules.models import Rule
from rules.sentences import Corpus, Draft, Question, draft


def read_sentence(sentence: str, caller: Caller, *, today: date) -> Draft | tuple[Question, ...]:
    """What no rule may hold, such as a factor below 1, is asked about too."""
    made = draft(sentence, corpus_for(sentence, caller), today=today)
    if isinstance(made, Draft):
        try:
            rule_of(sentence, made).full_clean(validate_unique=False)
        except ValidationError as problem:
            return (Question("rule", " ".join(problem.messages)),)
    return made


def corpus_for(sentence: str, caller: Caller) -> Corpus:
    domains, documents = Domain.objects.visible_to(caller), Document.objects.visible_to(caller)
    files = documents.exclude(filename="").values_list("filename", flat=True).distinct().order_by("filename")
    return Corpus(
        domains={name: domain.slug for domain in domains for name in (domain.name, domain.name_es) if name},
        documents=titles_in(sentence, caller),
        files=list(files[: workflow.COMPARED]),
        has=lambda place: workflow.matching(Part("section", place), Rule(), caller).exists(),
        near=lambda place: workflow.nearest_locators(place, Rule(), caller),
    )


def titles_in(sentence: str, caller: Caller) -> dict[str, str]:
    """Titles that stand in the sentence, with their locators; a title of two documents names neither."""
    said = Document.objects.visible_to(caller).annotate(said=Value(sentence))
    found = list(said.filter(said__icontains=F("title")).values_list("title", "locator").distinct())
    titles = [title for title, _locator in found]
    return {title: locator for title, locator in found if title and titles.count(title) == 1}


def rule_of(sentence: str, made: Draft) -> Rule:
    """Named after its sentence, which is kept as the rationale."""
    return Rule(
        name=" ".join(sentence.split()).rstrip(".")[:100],
        domains=made.domains,
        criteria=made.criteria,
        targets=made.targets,
        actions=made.actions,
        priority=made.priority,
        valid_from=made.valid_from,
        valid_to=made.valid_to,
        rationale=sentence,
    )


def save(sentence: str, made: Draft, *, by) -> Rule:
    rule = rule_of(sentence, made)
    if Rule.objects.filter(name=rule.name).exists():
        rule.name = workflow.free_name(rule.name)
    return workflow.save_draft(rule, by=by, reason=_("written in words"))


def told(question: Question) -> str:
    """The question to the author, with what is near to what was named."""
    if question.subject == "rule":
        return _("No rule can say this: %s") % question.words
    asked = {
        "target": _("Which provision, document or file is meant?"),
        "action": _("What shall it do?"),
        "criterion": _("When shall it fire?"),
        "date": _("From which day to which?"),
        "domain": _("Which domain is meant?"),
        "text": _("Which text? Put it between quotation marks."),
    }[question.subject]
    unread = " " + _("Not understood: “%s”.") % question.words if question.words else ""
    near = " " + _("Near to it: %s.") % ", ".join(question.near) if question.near else ""
    return asked + unread + near
