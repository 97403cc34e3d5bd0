"""Fifty rule sets in which something is wrong, with what is to be found, and fifty tempting ones in which nothing is.

Written before the prover. Each case is a shape, said once, about subjects drawn with a seed; a small corpus made
here answers what a target selects: ten amendments of two passages in one domain, five sections in another.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from retrieval.targets import Part, Selection
from rules.linting.conflicts import Usage

SEED = 1791
TODAY = date(2026, 11, 21)
COUNTED_SINCE = date(2026, 1, 1)  # uses of rules
TOPICS = [
    ("soldiers", "quartering soldiers"),
    ("asylum", "asylum deadline"),
    ("rent", "rent increase"),
    ("jury", "jury trial"),
    ("speech", "hate speech"),
    ("arms", "bear arms"),
    ("search", "search warrant"),
    ("bail", "excessive bail"),
    ("press", "freedom of the press"),
    ("extranjería", "ley de extranjería"),
]  # a word, and a phrase with it
NUMERALS = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]
FEDERAL, STATE = "us_constitution", "ca_code"


@dataclass(frozen=True)
class SmallCorpus:
    """Passages by number under a locator; those of the state's domain begin at 100."""

    jurisdictions: Mapping[str, str]
    places: Mapping[int, str]

    def chunks(self, selection: Selection, domains: tuple[str, ...]) -> frozenset[int]:
        return frozenset(
            number
            for number, place in self.places.items()
            if (not domains or (STATE if number >= 100 else FEDERAL) in domains)
            and any(selects(part, number, place) for part in selection.parts)
        )


def selects(part: Part, number: int, place: str) -> bool:
    if part.kind == "chunk":
        return number in part.chunks
    if part.kind == "tag":
        return part.value == "law"  # every document has it
    if part.kind == "document":
        return place.startswith(f"{part.value}/")
    return part.kind == "section" and (place == part.value or place.startswith(f"{part.value}/"))


CORPUS = SmallCorpus(
    {FEDERAL: "us", STATE: "us-ca"},
    {n: f"/us/const/amendment/{NUMERALS[n // 2]}" for n in range(20)}
    | {100 + n: f"/us-ca/code/{n + 1}" for n in range(5)},
)


@dataclass(frozen=True)
class Case:
    """`wrong`: the findings expected, each a kind with the names of its rules."""

    name: str
    rules: tuple[dict, ...]
    wrong: frozenset[tuple[str, frozenset[str]]]


@dataclass(frozen=True)
class Subject:
    word: str
    phrase: str
    other: str  # a word of another subject
    here: str
    there: str
    position: int


# -- Builders


def keywords(*values: str, stemmed: bool = False) -> dict:
    return {"kind": "keywords", "value": list(values), "stemmed": stemmed}


def when(kind: str, value: str) -> dict:
    return {"kind": kind, "value": value}


def section(locator: str) -> dict:
    return {"kind": "section", "value": locator}


def rule(name: str, criteria: list | dict, action: str | dict, *targets: dict, **fields) -> dict:
    return {
        "name": name,
        "domains": [],
        "criteria": criteria if isinstance(criteria, list) else [criteria],
        "targets": list(targets),
        "actions": [{"kind": action} if isinstance(action, str) else action],
        "priority": 100,
        "valid_from": None,
        "valid_to": None,
    } | fields


def rewrite(text: str, phrase: str = "") -> dict:
    return {"kind": "rewrite", "text": text, "phrase": phrase}


def redirect(locator: str) -> dict:
    return {"kind": "redirect", "locator": locator}


ALWAYS = {"kind": "always"}
CONST = {"kind": "document", "value": "/us/const"}
LAW = {"kind": "tag", "value": "law"}


# -- What is wrong: (kind, names of rules, the set)

BAD: list[tuple[str, str, Callable[[Subject], list[dict]]]] = [
    (
        "contradictory",
        "a b",
        lambda s: [
            rule("a", keywords(s.word), "exclude", section(s.here)),
            rule("b", keywords(s.phrase), "pin", section(s.here)),
        ],
    ),
    (
        "contradictory",
        "a b",
        lambda s: [
            rule("a", when("starts_with", s.phrase), "exclude", CONST),
            rule(
                "b", when("exact", f"{s.phrase}?"), {"kind": "pin", "position": s.position}, section(s.here)
            ),
        ],
    ),
    (
        "contradictory",
        "a b",
        lambda s: [
            rule("a", when("contains", s.word[:4]), "exclude", section(s.here)),
            rule("b", keywords(s.word), "boost", section(s.here)),
        ],
    ),
    (
        "contradictory",
        "a b",
        lambda s: [
            rule("a", keywords(s.word), "boost", section(s.here)),
            rule("b", keywords(s.other, s.word), "bury", section(s.here)),
        ],
    ),
    (
        "contradictory",
        "a b",
        lambda s: [
            rule("a", keywords(s.word), redirect(s.here)),
            rule("b", keywords(s.phrase), redirect(s.there), priority=120),
        ],
    ),
    (
        "contradictory",
        "a b",
        lambda s: [
            rule("a", keywords(s.word), "restrict", section(s.there)),
            rule("b", keywords(s.phrase), "pin", section(s.here)),
        ],
    ),
    (
        "contradictory",
        "a b",
        lambda s: [
            rule("a", [keywords(s.word), when("domain", FEDERAL)], "exclude", LAW),
            rule("b", [keywords(s.phrase), when("jurisdiction", "us")], "alias", section(s.here)),
        ],
    ),
    (
        "shadowed",
        "a b",
        lambda s: [
            rule("a", ALWAYS, "exclude", CONST),
            rule("b", keywords(s.word), "exclude", section(s.here)),
        ],
    ),
    (
        "shadowed",
        "a b",
        lambda s: [
            rule("a", keywords(s.word), "abstain"),
            rule("b", keywords(s.phrase), "pin", section(s.here)),
        ],
    ),
    (
        "shadowed",
        "a b",
        lambda s: [
            rule("a", keywords(s.word, stemmed=True), {"kind": "synonym", "text": s.other}),
            rule("b", keywords(s.phrase), {"kind": "synonym", "text": s.other}),
        ],
    ),
    (
        "shadowed",
        "a b",
        lambda s: [
            rule("a", when("contains", s.word), {"kind": "note", "text": "See a lawyer."}),
            rule("b", when("starts_with", s.phrase), {"kind": "note", "text": "See a lawyer."}),
        ],
    ),
    (
        "shadowed",
        "a b",
        lambda s: [
            rule("a", keywords(s.word), redirect(s.here)),
            rule("b", keywords(s.phrase), redirect(s.here), valid_to="2027-01-31"),
        ],
    ),
    (
        "shadowed",
        "a b",
        lambda s: [
            rule("b", keywords(s.word), rewrite(f"law of {s.word}")),
            rule("a", ALWAYS, rewrite("the constitution"), priority=200),
        ],
    ),
    (
        "dead target",
        "b",
        lambda s: [
            rule("a", keywords(s.word), "pin", section(s.here)),
            rule("b", keywords(s.other), "pin", section(f"{s.here}/nowhere")),
        ],
    ),
    (
        "dead target",
        "a",
        lambda s: [rule("a", keywords(s.word), "boost", section(s.here), section("/us-ca/code/99"))],
    ),
    (
        "dead target",
        "a",
        lambda s: [rule("a", keywords(s.word), "exclude", section(s.here), domains=[STATE])],
    ),
    ("dead target", "a", lambda s: [rule("a", keywords(s.word), redirect("/us/const/amendment/XL"))]),
    (
        "cyclic rewrite",
        "a b",
        lambda s: [
            rule("a", keywords(s.word), rewrite(s.other, s.word)),
            rule("b", keywords(s.other), rewrite(s.word, s.other)),
        ],
    ),
    (
        "cyclic rewrite",
        "a b c",
        lambda s: [
            rule("a", when("exact", s.phrase), rewrite("first question")),
            rule("b", keywords("first question"), rewrite("second question")),
            rule("c", when("starts_with", "second"), rewrite(s.phrase)),
        ],
    ),
    (
        "expired",
        "a",
        lambda s: [
            rule("a", keywords(s.word), "pin", section(s.here), valid_to="2026-11-20"),
            rule("b", keywords(s.other), "pin", section(s.there), valid_to="2026-11-21"),
        ],
    ),
    (
        "never fired",
        "a",
        lambda s: [
            rule("a", keywords(s.word), "pin", section(s.here), published="2026-08-23"),
            rule("b", keywords(s.other), "pin", section(s.there), published="2026-02-01", used="2026-11-20"),
        ],
    ),
    (
        "never fired",
        "b",
        lambda s: [
            rule("a", keywords(s.other), "pin", section(s.there), published="2026-09-01"),
            rule("b", keywords(s.word), "boost", section(s.here), published="2025-02-01", used="2026-08-23"),
        ],
    ),
    (
        "never fired",
        "a",
        lambda s: [
            rule(
                "a",
                ALWAYS,
                "pin",
                section(s.here),
                published="2026-02-01",
                valid_from="2026-08-01",
                used="2026-03-01",
            ),
        ],
    ),
]

# -- What tempts, and is right

CLEAN: list[Callable[[Subject], list[dict]]] = [
    lambda s: [
        rule("a", keywords(s.word), "pin", section(s.here)),
        rule("b", keywords(s.phrase), "boost", section(s.there)),
    ],
    lambda s: [
        rule("a", keywords(s.word), "exclude", section(s.here), valid_to="2026-12-31"),
        rule("b", keywords(s.word), "pin", section(s.here), valid_from="2027-01-01"),
    ],
    lambda s: [
        rule("a", keywords(s.word), "exclude", LAW, domains=[STATE]),
        rule("b", keywords(s.word), "pin", section(s.here), domains=[FEDERAL]),
    ],
    lambda s: [
        rule("a", [keywords(s.word), when("language", "en")], "exclude", section(s.here)),
        rule("b", [keywords(s.word), when("language", "es")], "pin", section(s.here)),
    ],
    lambda s: [
        rule("a", keywords(s.word), rewrite(f"{s.word} {s.other}", s.word)),
        rule("b", keywords(s.other), rewrite("the constitution", s.other)),
    ],
    lambda s: [
        rule("a", when("exact", s.phrase), "exclude", section(s.here)),
        rule("b", when("exact", f"{s.phrase} now"), "pin", section(s.here)),
    ],
    lambda s: [
        rule("a", when("starts_with", f"what {s.word}"), "exclude", section(s.here)),
        rule("b", when("starts_with", f"when {s.word}"), "pin", section(s.here)),
    ],
    lambda s: [
        rule("a", keywords(s.phrase), "exclude", section(s.here)),
        rule("b", when("exact", s.word), "pin", section(s.here)),
    ],
    lambda s: [
        rule("a", keywords(s.word), "boost", CONST),
        rule("b", keywords(s.word), "bury", section(s.here)),
    ],
    lambda s: [
        rule("a", keywords(s.phrase), "abstain"),
        rule("b", keywords(s.word), "pin", section(s.here)),
    ],
    lambda s: [
        rule("a", [keywords(s.word), when("jurisdiction", "us-ca")], "exclude", section(s.here)),
        rule("b", [keywords(s.word), when("domain", FEDERAL)], "pin", section(s.here)),
    ],
    lambda s: [
        rule("a", [keywords(s.word), when("language", "en")], rewrite(s.other, s.word)),
        rule("b", [keywords(s.other), when("language", "es")], rewrite(s.word, s.other)),
    ],
    lambda s: [
        rule("a", keywords(s.word), "restrict", section(s.here)),
        rule("b", keywords(s.word), "restrict", section(s.there)),
        rule("c", keywords(s.phrase), "pin", {"kind": "document", "value": "/us/const"}),
    ],
    lambda s: [
        rule("a", keywords(s.word), "exclude", {"kind": "chunk", "value": [2]}),
        rule("b", keywords(s.word), "pin", section("/us/const/amendment/II")),
    ],
    lambda s: [
        rule("a", when("regex", f"^{s.word}$"), "exclude", section(s.here)),
        rule("b", when("regex", f"^{s.phrase}s?$"), "pin", section(s.here)),
    ],
    lambda s: [
        rule("a", keywords(s.phrase), {"kind": "note", "text": "See a lawyer."}),
        rule("b", keywords(s.word), {"kind": "note", "text": "Fees change in May."}),
    ],
    lambda s: [
        rule("a", keywords(s.word), redirect(s.here)),
        rule("b", when("exact", f"un{s.word}"), redirect(s.there)),
    ],
    lambda s: [
        rule("a", when("citation", "/us/const/amendment/I"), "exclude", section(s.here)),
        rule(
            "b", [when("citation", "/us/const/amendment/II"), when("exact", "2nd")], "boost", section(s.there)
        ),
    ],
    lambda s: [
        rule("a", ALWAYS, "exclude", section(s.there)),
        rule("b", keywords(s.word), "exclude", section(s.here)),
    ],
    lambda s: [
        rule("a", when("starts_with", f"{s.word} x"), rewrite(s.phrase)),
        rule("b", when("exact", s.phrase), rewrite(s.word)),
    ],
    lambda s: [
        rule("a", keywords(s.word), "pin", section(s.here), published="2026-08-24"),
        rule("b", keywords(s.other), "pin", section(s.there), published="2026-02-01", used="2026-08-24"),
    ],
    lambda s: [
        rule("a", keywords(s.word), "pin", section(s.here), published="2026-02-01", valid_from="2026-09-01"),
        rule(
            "b", keywords(s.other), "pin", section(s.there), published="2026-02-01", valid_from="2026-12-01"
        ),
    ],
]


def usage_of(rules: Sequence[dict]) -> Usage:
    """By number from 1; a rule of which no day of publication is told was published today."""

    def days(name: str) -> dict[int, date]:
        return {n: date.fromisoformat(r[name]) for n, r in enumerate(rules, start=1) if name in r}

    return Usage(COUNTED_SINCE, days("published"), days("used"))


def subject(draw: random.Random) -> Subject:
    (word, phrase), (other, _) = draw.sample(TOPICS, 2)
    here, there = draw.sample(NUMERALS, 2)
    places = f"/us/const/amendment/{here}", f"/us/const/amendment/{there}"
    return Subject(word, phrase, other, *places, draw.randint(1, 5))


def bad(count: int = 50) -> list[Case]:
    draw, cases = random.Random(SEED), []
    for n in range(count):
        kind, names, build = BAD[n % len(BAD)]
        wrong = frozenset({(kind, frozenset(names.split()))})
        cases.append(Case(f"{n}: {kind}", shuffled(build(subject(draw)), kind, draw), wrong))
    return cases


def clean(count: int = 50) -> list[Case]:
    draw = random.Random(SEED + 1)
    return [
        Case(f"{n}: clean", tuple(CLEAN[n % len(CLEAN)](subject(draw))), frozenset()) for n in range(count)
    ]


def shuffled(rules: list[dict], kind: str, draw: random.Random) -> tuple[dict, ...]:
    """In any order, save where the order is what is wrong; with a rule beside them that concerns nobody."""
    bystander = rule(
        "bystander", when("exact", "zebra crossing"), {"kind": "note", "text": "Look both ways."}
    )
    mixed = rules if kind == "shadowed" else draw.sample(rules, len(rules))
    return (*mixed, bystander)


# -- What hides judged-relevant text: sets about the Constitution as it ships, each with a judged question


@dataclass(frozen=True)
class Judged:
    """A question, a word of it, the section judged relevant to it, and one that is not."""

    question: str
    word: str
    here: str
    there: str


AMENDMENT = "/us/const/amendment/"
JUDGED = [
    Judged("Is excessive bail forbidden?", "bail", f"{AMENDMENT}VIII", f"{AMENDMENT}III"),
    Judged("Must I house soldiers in time of peace?", "soldiers", f"{AMENDMENT}III", f"{AMENDMENT}VII"),
    Judged(
        "Can the police search my house without a warrant?", "warrant", f"{AMENDMENT}IV", f"{AMENDMENT}XI"
    ),
]
A_WHOLE_PAGE = [f"/us/const/article/I/section/{number}" for number in range(1, 11)]
HIDES: list[Callable[[Judged], list[dict]]] = [
    lambda j: [rule("a", keywords(j.word), "exclude", section(j.here))],
    lambda j: [rule("a", ALWAYS, "exclude", section(j.here))],
    lambda j: [rule("a", keywords(j.word), "restrict", section(j.there))],
    lambda j: [rule("a", keywords(j.word), {"kind": "bury", "factor": 100}, section(j.here))],
    lambda j: [rule("a", keywords(j.word), rewrite("How is the President elected?"))],
    lambda j: [rule("a", keywords(j.word), {"kind": "abstain"})],
    lambda j: [rule("a", keywords(j.word), "pin", *map(section, A_WHOLE_PAGE))],
]
SPARES: list[Callable[[Judged], list[dict]]] = [
    lambda j: [rule("a", keywords(j.word), "exclude", section(j.there))],
    lambda j: [rule("a", keywords("zebra"), "exclude", section(j.here))],
    lambda j: [rule("a", keywords(j.word), "pin", section(j.here))],
    lambda j: [rule("a", keywords(j.word), "pin", section(j.there))],  # it pushes down, it hides nothing
    lambda j: [rule("a", keywords(j.word), "restrict", section(j.here))],
    lambda j: [rule("a", ALWAYS, {"kind": "note", "text": "See a lawyer."})],
    lambda j: [rule("a", ALWAYS, redirect(j.there))],
    lambda j: [rule("a", ALWAYS, {"kind": "boost", "factor": 2}, section(j.here))],
    lambda j: [rule("a", keywords(j.word), "exclude", section(j.here), valid_to="2020-01-01")],
    lambda j: [rule("a", when("language", "es"), "exclude", section(j.here))],
]


def judged_sets(shapes: list[Callable[[Judged], list[dict]]]) -> list[tuple[str, Judged, list[dict]]]:
    """Each shape about each question: (name, question, rules)."""
    return [(f"{n}: {j.word}", j, shape(j)) for j in JUDGED for n, shape in enumerate(shapes)]
