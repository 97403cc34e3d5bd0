"""A sentence that the grammar does not understand, read by a language model under the schema of a rule.

What it answers is read as strictly as a rule written by hand, and is only ever a draft: it knows no word for
publishing. Names are looked up here, never by the model. Asks and reads; keeps nothing.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError

from retrieval.citations.finding import find_citations
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.answers import (
    NUMBER,
    TEXT,
    TEXTS,
    TRUTH,
    WHOLE,
    Unusable,
    conforms,
    listed,
    strict,
)
from retrieval.engines.llm.requests import Form, LLMUnavailable
from retrieval.stages.llm_verifier import STEERING, fenced, harmless
from retrieval.targets import COMPARISONS
from retrieval.text.normalization import fold
from retrieval.text.personal_data import scrub
from rules.authoring.grammar.names import Clarification, Corpus, Draft, absent, named_targets
from rules.engine.clauses import ACTIONS, CRITERIA, TARGETS, read

TEMPLATE = "rules/prompts/rule.txt"
PURPOSE = "rule"
REQUESTS = 2  # of one sentence, a retry included
TOKENS = 900  # of an answer: a rule with some targets
# A rule has its domains beside.
ASKED = tuple(kind for kind in CRITERIA if kind not in ("domain", "jurisdiction"))
SOUGHT = tuple(kind for kind in TARGETS if kind != "chunk")  # nobody says the numbers of passages
PLACES = ("section", "cites", "definitions")
SCHEMA = strict(
    understood=TRUTH,
    instructs=TRUTH,
    criteria=listed(kind={**TEXT, "enum": list(ASKED)}, values=TEXTS, stemmed=TRUTH),
    targets=listed(
        kind={**TEXT, "enum": list(SOUGHT)},
        value=TEXT,
        pages=TEXT,
        key=TEXT,
        comparison={**TEXT, "enum": list(COMPARISONS)},
    ),
    actions=listed(
        kind={**TEXT, "enum": list(ACTIONS)}, position=WHOLE, factor=NUMBER, text=TEXT, phrase=TEXT
    ),
    domains=TEXTS,
    first_day=TEXT,
    last_day=TEXT,
    priority=WHOLE,
)
AMOUNTS = {  # of each kind of action: what it needs besides its kind
    "pin": ("position",), "boost": ("factor",), "bury": ("factor",), "rewrite": ("text", "phrase"),
    "synonym": ("text",), "note": ("text",),
}  # fmt: skip


def asked(sentence: str, today: date) -> Mapping[str, Any] | None:
    """The model's answer as the schema has it; None where it says that it does not understand. Raises
    LLMUnavailable, also for an answer that is of no use.
    """
    if STEERING.search(sentence):
        raise LLMUnavailable("injected", "the sentence speaks to the model")
    prompt = fenced(TEMPLATE, {"sentence": harmless(scrub(sentence))}, today=today.isoformat())
    result = llm.ask_all([prompt], FORM, purpose=PURPOSE, requests=REQUESTS)
    if result.problem:
        raise LLMUnavailable(result.problem, f"the language model gave no useful answer ({result.problem})")
    answer = result.answers[0].value
    return answer if answer["understood"] else None


def checked(answer: Any) -> Mapping[str, Any]:
    """Exactly what the schema says, or Unusable."""
    conforms(answer, SCHEMA)
    if answer["instructs"]:
        raise Unusable("injected")
    return answer


FORM = Form("rule", SCHEMA, checked, TOKENS)


# -- What the answer means here


def drafted(answer: Mapping[str, Any], corpus: Corpus) -> Draft | tuple[Clarification, ...]:
    """The rule with its names looked up; what is not there is asked about. Raises ValueError for no rule at all."""
    made = Draft(
        criteria=[criterion(row, corpus) for row in answer["criteria"]],
        targets=[target(row, corpus) for row in answer["targets"]],
        actions=[action(row) for row in answer["actions"]],
        valid_from=day(answer["first_day"]),
        valid_to=day(answer["last_day"]),
        domains=[slug_of(name, corpus) or name for name in answer["domains"]],
        priority=answer["priority"],
    )
    redirects = [{"kind": "section", "value": row["locator"]} for row in made.actions if "locator" in row]
    known = set(corpus.domains.values())
    named = [*made.domains, *(row["value"] for row in made.criteria if row["kind"] == "route")]
    unknown = [
        *(absent(row, corpus) for row in (*made.targets, *redirects) if not is_there(row, corpus)),
        *(Clarification("domain", name, absent=True) for name in named if name not in known),
    ]
    if unknown:
        return tuple(unknown)
    try:
        read(made.criteria, made.targets, made.actions)
    except ValidationError as problem:
        raise ValueError(" ".join(problem.messages)) from problem
    return made


def is_there(row: Mapping[str, Any], corpus: Corpus) -> bool:
    """Raises ValueError for what is no target."""
    if row["kind"] in PLACES and not row["value"].startswith("/"):
        return False  # words that cite no one place
    return corpus.has(row)


def chosen_by_model(made: Draft, sentence: str, corpus: Corpus) -> tuple[str, ...]:
    """Targets that the sentence does not name: the model thought of them."""
    said = {str(row["value"]) for row in named_targets(sentence, corpus)}
    values = [str(row["value"]) for row in made.targets if "value" in row]
    values += [row["locator"] for row in made.actions if "locator" in row]
    return tuple(value for value in values if value not in said and fold(value) not in fold(sentence))


def criterion(row: Mapping[str, Any], corpus: Corpus) -> dict[str, Any]:
    kind, values = row["kind"], list(row["values"])
    if kind == "always":
        return {"kind": kind}
    if kind == "keywords":
        return {"kind": kind, "value": values, "stemmed": row["stemmed"]}
    if len(values) > 1:
        raise ValueError(f"{kind} takes one value")
    value = values[0] if values else ""
    if kind == "route":
        return {"kind": kind, "value": slug_of(value, corpus) or value}
    return {"kind": kind, "value": place(value) if kind == "citation" else value}


def target(row: Mapping[str, Any], corpus: Corpus) -> dict[str, Any]:
    kind, value = row["kind"], row["value"]
    if kind in PLACES:
        return {"kind": kind, "value": place(value)}
    if kind == "heading":
        return {"kind": kind, "value": value}
    if kind == "pages":
        return {"kind": kind, "pages": row["pages"]}
    if kind == "metadata":
        is_number = row["comparison"].startswith("at_") and value.isdecimal()
        compared = {"key": row["key"], "comparison": row["comparison"]}
        return {"kind": kind, **compared, "value": int(value) if is_number else value}
    if kind == "tag":
        return {"kind": kind, "value": spelled(value, {tag: tag for tag in corpus.tags})}
    pages = {"pages": row["pages"]} if row["pages"] else {}
    if (document := spelled(value, corpus.documents)) != value:
        return {"kind": "document", "value": document, **pages}
    return {"kind": "filename", "value": spelled(value, {file: file for file in corpus.files}), **pages}


def action(row: Mapping[str, Any]) -> dict[str, Any]:
    if row["kind"] == "redirect":
        return {"kind": "redirect", "locator": place(row["text"])}
    return {name: row[name] for name in ("kind", *AMOUNTS.get(row["kind"], ()))}


def place(named: str) -> str:
    """The locator that a citation leads to; what cites no one place as it is."""
    cited = find_citations(named)
    return cited[0].locator if len(cited) == 1 else named.strip()


def spelled(name: str, names: Mapping[str, str]) -> str:
    """What a name stands for, however its case and accents are."""
    return {fold(known): meant for known, meant in names.items()}.get(fold(name), name)


def slug_of(name: str, corpus: Corpus) -> str:
    slugs = dict(corpus.domains) | {slug: slug for slug in corpus.domains.values()}
    found = spelled(name, slugs)
    return found if found in corpus.domains.values() else ""


def day(written: str) -> date | None:
    """Raises ValueError."""
    return date.fromisoformat(written) if written else None
