"""The curated aliases and glossary: complete, unique, no citation in disguise. Pure: reads files only."""

import csv
import json
import re
import unicodedata
from collections import Counter, defaultdict
from xml.etree import ElementTree

import pytest

from evaluation.topics.leaks import leaks
from retrieval.answers.units import key_of, units
from retrieval.models import Domain, Section
from retrieval.text.analyzer import stems
from rules import defaults
from rules.models import Alias, DomainThreshold, GlossaryTerm
from rules.shipped import SPOKEN_GLOSSARY
from rules.thresholds.publishing import next_version, publish
from tests.builders import a_document, a_section
from tests.conftest import ROOT

NAMES = ROOT / "rules" / "fixtures" / "aliases.csv"
QUESTIONS = ROOT / "rules" / "fixtures" / "questions.csv"
TOPICS = ROOT / "evaluation" / "topics" / "data" / "us_constitution.jsonl"
GLOSSARY = ROOT / "rules" / "fixtures" / "glossary.csv"
CONSTITUTION = ROOT / "retrieval" / "corpora" / "us_constitution.xml"

MAX_LOCATORS = 4  # a name of more provisions than this tells them apart no longer

_UNIT = r"(?:amendments?|enmiendas?|articles?|articulos?|art|sections?|seccion|sec|clauses?|clausula|cl)"
_NUMBER = (
    r"(?:\d+(?:st|nd|rd|th|a)?|[ivx]+|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|\w+teenth|twentieth|twenty|primer[ao]?|segund[ao]|tercer[ao]?|cuart[ao]|quint[ao]|sext[ao]"
    r"|septim[ao]|octav[ao]|noven[ao]|(?:un|duo|vi)?decim\w*|vigesim\w*)"
)
CITATION = re.compile(rf"§|\b{_UNIT}\W+{_NUMBER}\b|\b{_NUMBER}\W+{_UNIT}\b")


def fold(text):
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def aliases():
    """Names, and the questions and situations that stand for a provision like names."""
    return rows(NAMES) + rows(QUESTIONS)


@pytest.fixture(scope="module")
def glossary():
    return [*rows(GLOSSARY), *rows(GLOSSARY.with_name(SPOKEN_GLOSSARY))]


@pytest.fixture(scope="module")
def identified():
    tree = ElementTree.parse(CONSTITUTION)
    return [e for e in tree.iter() if e.get("identifier", "").startswith("/us/const/")]


def is_lowest(element):
    return not any(inner.get("identifier") for inner in element.iter() if inner is not element)


def test_aliases_have_their_columns_and_no_empty_cell(aliases):
    assert set(aliases[0]) == {"locator", "alias", "language", "sentence"}
    assert all(cell == cell.strip() for row in aliases for cell in row.values())
    assert all(cell or name == "sentence" for row in aliases for name, cell in row.items())


def test_aliases_are_english_or_spanish(aliases):
    assert {row["language"] for row in aliases} == {"en", "es"}


def test_no_alias_row_is_repeated(aliases):
    counts = Counter((row["locator"], fold(row["alias"]), row["language"]) for row in aliases)
    assert [key for key, count in counts.items() if count > 1] == []


def test_no_provision_has_two_aliases_that_match_the_same_words(aliases):
    counts = Counter(
        (row["locator"], row["language"], *stems(row["alias"], row["language"])) for row in aliases
    )
    assert [key for key, count in counts.items() if count > 1] == []


def test_no_alias_is_shorter_than_three_letters(aliases):
    assert [row["alias"] for row in aliases if sum(c.isalnum() for c in row["alias"]) < 3] == []


def test_no_alias_is_a_citation(aliases):
    assert [row["alias"] for row in aliases if CITATION.search(fold(row["alias"]))] == []


@pytest.mark.parametrize(
    "text", ["14th amendment", "Article I", "Decimocuarta Enmienda", "art. 1", "sección 8", "§ 1"]
)
def test_citations_are_told_from_names(text):
    assert CITATION.search(fold(text))


def test_no_alias_points_at_too_many_locators(aliases):
    locators = defaultdict(set)
    for row in aliases:
        locators[row["language"], fold(row["alias"])].add(row["locator"])
    assert [key for key, found in locators.items() if len(found) > MAX_LOCATORS] == []


def test_every_alias_points_into_the_constitution(aliases, identified):
    known = {element.get("identifier") for element in identified}
    assert sorted({row["locator"] for row in aliases} - known) == []


def test_every_provision_has_three_english_and_two_spanish_aliases(aliases, identified):
    counts = Counter((row["locator"], row["language"]) for row in aliases)
    provisions = [element.get("identifier") for element in identified if is_lowest(element)]
    assert provisions
    assert [p for p in provisions if counts[p, "en"] < 3 or counts[p, "es"] < 2] == []


def test_no_example_question_is_one_that_is_measured_with():
    """Words alike, order apart; what only means the same was looked for by cosine when the file was made."""
    with TOPICS.open(encoding="utf-8") as stream:
        topics = [json.loads(line) for line in stream]
    held_out = [frozenset(stems(t["query"], t["language"])) for t in topics if t["split"] in ("tune", "test")]
    by_size = defaultdict(set)  # sets of which one has a tenth more than the other are not alike
    for asked in held_out:
        by_size[len(asked)].add(asked)
    examples = [(row["alias"], frozenset(stems(row["alias"], row["language"]))) for row in rows(QUESTIONS)]
    alike = [
        text
        for text, words in examples
        for size in range(int(0.9 * len(words)), int(len(words) / 0.9) + 2)
        if any(len(words & asked) >= 0.9 * len(words | asked) for asked in by_size[size])
    ]
    assert alike == []


def test_glossary_has_its_columns_and_no_empty_cell(glossary):
    assert set(glossary[0]) == {"spanish", "english"}
    assert all(cell and cell == cell.strip() for row in glossary for cell in row.values())


def test_every_spanish_term_is_translated_once(glossary):
    counts = Counter(fold(row["spanish"]) for row in glossary)
    assert [term for term, count in counts.items() if count > 1] == []


@pytest.mark.django_db
def test_loading_the_defaults_again_brings_back_nothing_staff_removed():
    gone = Alias.objects.get(text="double jeopardy")
    gone.delete()
    changed = GlossaryTerm.objects.first()
    changed.english = "something else"
    changed.save()
    assert defaults.load() == {"aliases": 0, "glossary": 0, "thresholds": 0}
    changed.refresh_from_db()
    assert changed.english == "something else"


@pytest.fixture(scope="module")
def waiting_files():
    return {path: list(defaults.names_in(path)) for path in sorted(defaults.WAITING.rglob("*.jsonl"))}


@pytest.fixture(scope="module")
def waiting(waiting_files):
    """By domain, those for answers alone among them."""
    names = defaultdict(list)
    for path, rows in waiting_files.items():
        names[path.stem] += rows
    return names


def test_questions_on_single_sentences_point_to_one(waiting_files):
    details = [row for path, rows in waiting_files.items() if path.parent.name == "details" for row in rows]
    assert details and all(row["sentence"] for row in details)


def test_names_of_other_law_are_complete_and_told_apart(waiting):
    assert "us_code" in waiting
    for names in waiting.values():
        assert all(row["alias"] == " ".join(row["alias"].split()) and len(row["alias"]) <= 200 for row in names)
        assert {row["language"] for row in names} == {"en", "es"}
        counts = Counter((row["locator"], row["language"], *stems(row["alias"], row["language"])) for row in names)
        assert [key for key, count in counts.items() if count > 1] == []
        shared = Counter((row["language"], fold(row["alias"])) for row in names)
        assert [key for key, count in shared.items() if count > MAX_LOCATORS] == []


def test_no_name_of_other_law_is_nearly_a_question_that_is_measured_with(waiting):
    held_out = [
        topic["query"]
        for path in TOPICS.parent.glob("*.jsonl")
        for topic in map(json.loads, path.read_text().splitlines())
        if topic["split"] in ("tune", "test")
    ]
    assert leaks((row["alias"] for names in waiting.values() for row in names), held_out) == []


@pytest.mark.django_db
def test_names_of_other_law_wait_for_their_provisions(tmp_path, monkeypatch):
    rows = (
        {"locator": "/us/usc/t29/s206", "en": ["federal minimum wage"], "es": ["salario mínimo"]},
        {"locator": "/us/usc/t29/s207", "en": ["overtime pay"]},
    )
    (tmp_path / "us_code.jsonl").write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.setattr(defaults, "WAITING", tmp_path)
    assert defaults.load_arrived() == 0
    code = Domain.objects.get(slug="us_code")
    a_section(a_document(code), locator="/us/usc/t29/s206")
    assert (defaults.load_arrived(), defaults.load_arrived()) == (2, 0)
    code.aliases.filter(language="es").update(text="sueldo mínimo")
    code.aliases.filter(language="en").delete()
    assert defaults.load_arrived() == 0  # staff worded one anew and took one away
    (tmp_path / "us_states.jsonl").write_text((tmp_path / "us_code.jsonl").read_text())
    assert defaults.load_arrived() == 0  # staff deleted the domain


@pytest.mark.django_db
def test_names_come_from_every_file_of_their_domain(tmp_path, monkeypatch):
    detail = {
        "locator": "/us/usc/t29/s206",
        "en": ["how much are waiters paid?"],
        "sentences": ["Every employer shall pay"],
        "answers": {"en": [1]},
    }
    (tmp_path / "details").mkdir()
    (tmp_path / "details" / "us_code.jsonl").write_text(json.dumps(detail))
    (tmp_path / "us_code.jsonl").write_text(json.dumps({"locator": "/us/usc/t29/s206", "en": ["minimum wage"]}))
    monkeypatch.setattr(defaults, "WAITING", tmp_path)
    code = Domain.objects.get(slug="us_code")
    a_section(a_document(code), locator="/us/usc/t29/s206")
    assert (defaults.load_arrived(), defaults.load_arrived()) == (2, 0)
    pointing = dict(code.aliases.values_list("text", "sentence"))
    assert pointing == {"how much are waiters paid?": "Every employer shall pay", "minimum wage": ""}


@pytest.mark.django_db
def test_sentences_that_ship_stand_in_their_provisions():
    pointing = Alias.objects.in_use().exclude(sentence="").select_related("domain")
    assert {alias.domain.slug for alias in pointing} >= {"us_constitution"}
    provisions = Section.objects.live().filter(valid_to=None, locator__in={alias.locator for alias in pointing})
    keys = defaultdict(set)
    for locator, text in provisions.values_list("locator", "text"):
        keys[locator] |= {key_of(text[unit.start : unit.end]) for unit in units(text)}
    assert [alias.text for alias in pointing if key_of(alias.sentence) not in keys[alias.locator]] == []


@pytest.mark.django_db
def test_names_that_shipped_before_learn_their_sentences_unless_staff_took_them_away(tmp_path, monkeypatch):
    row = {"locator": "/us/usc/t29/s206", "en": ["federal minimum wage", "lowest pay"], "es": ["salario mínimo"]}
    told = row | {"sentences": ["Every employer shall pay"], "answers": {"en": [1, 0], "es": [1]}}
    monkeypatch.setattr(defaults, "WAITING", tmp_path)
    code = Domain.objects.get(slug="us_code")
    a_section(a_document(code), locator="/us/usc/t29/s206")

    def shipped(line: dict) -> dict[str, str]:
        (tmp_path / "us_code.jsonl").write_text(json.dumps(line))
        defaults.load_arrived()
        return dict(code.aliases.values_list("text", "sentence"))

    assert not any(shipped(row).values())
    pointed = "Every employer shall pay"
    assert shipped(told) == {"federal minimum wage": pointed, "lowest pay": "", "salario mínimo": pointed}
    assert code.aliases.get(text="federal minimum wage").history.count() == 2
    alias = code.aliases.get(text="salario mínimo")
    alias.sentence = ""
    alias.save()
    assert shipped(told)["salario mínimo"] == ""
    code.aliases.all().delete()
    Alias.history.all().delete()
    assert shipped(told)["federal minimum wage"] == pointed


@pytest.mark.django_db
def test_thresholds_that_ship_replace_those_that_shipped_and_no_others():
    defaults.load()
    shipped = DomainThreshold.objects.get(domain__slug="us_constitution")
    DomainThreshold.objects.filter(pk=shipped.pk).update(reason="Calibration fitted on 12 topics.")
    assert defaults.load()["thresholds"] == 1
    newer = DomainThreshold.objects.get(domain=shipped.domain, active=True)
    assert (newer.version, newer.reason) == (2, shipped.reason)
    publish(next_version(newer, reason="We decline less."))
    assert defaults.load()["thresholds"] == 0
    assert DomainThreshold.objects.get(domain=shipped.domain, active=True).reason == "We decline less."
