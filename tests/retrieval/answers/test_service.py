"""Answers over the shipped Constitution."""

from datetime import date

import pytest

from retrieval.access.caller import Caller
from retrieval.answers import selection, service
from retrieval.answers.selection import Passage, Scored
from retrieval.answers.service import FULL, AnswerRequest, answer
from retrieval.answers.units import units
from retrieval.corpus import decided_cases
from retrieval.engines import loaded
from retrieval.engines.cross_encoders import CrossEncoderUnavailable
from retrieval.engines.embedders import EmbeddingUnavailable
from retrieval.models import CacheEntry, Domain, SearchLog, Section
from rules.aliases.embedding import embed_missing
from rules.models import Alias
from tests.builders import a_case_file, a_document, a_section, embedded
from tests.rules.rule_pages import THIRD, in_force

pytestmark = pytest.mark.django_db


def ask(text: str, caller: Caller = Caller(), **fields) -> dict:
    return answer(AnswerRequest(text, **fields), caller)


def law(made: dict) -> list[str]:
    return [one["text"] for one in made["answer"] if one["kind"] == "law"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who can declare war?", "To declare War"),
        ("How old must the president be?", "thirty five Years"),
        ("Can they search my phone?", "unreasonable searches"),
        ("Can a state print money?", "No State shall"),
        ("¿Quién puede declarar la guerra?", "To declare War"),
    ],
)
def test_the_words_that_answer_are_quoted_first(question, words):
    assert words in law(ask(question))[0]


@pytest.mark.parametrize("question", ["q dice la 1ra y la 2da enmienda", "what do amendments 1 and 2 say"])
def test_of_a_list_of_citations_each_is_quoted(question):
    made = ask(question)
    assert [said.split()[:2] for said in law(made)] == [["Congress", "shall"], ["A", "well"]]
    assert [part["question"] for part in made["parts"]] == ["U.S. Const. amend. I", "U.S. Const. amend. II"]


def test_where_nothing_is_embedded_words_alone_choose_and_that_is_told(monkeypatch):
    def fails(*args):
        raise EmbeddingUnavailable("no")

    whole = ask("Who can declare war?")
    monkeypatch.setattr(loaded.ActiveEmbedder, "vector_of", fails)
    made = ask("Who can declare war?")
    assert "To declare War" in law(made)[0]
    assert (whole["degraded"], made["degraded"]) == ([], ["EmbedQuery"])
    fresh = ask("Who may declare a war?")
    assert "To declare War" in law(fresh)[0] and "EmbedQuery" in fresh["degraded"]


def test_where_the_sentence_ranker_does_not_run_all_else_chooses_and_that_is_told(monkeypatch):
    def refused() -> None:
        raise CrossEncoderUnavailable("damaged")

    monkeypatch.setattr(loaded, "sentence_ranker", refused)
    monkeypatch.setattr(selection, "CLOSE", 1e-9)
    made = ask("What becomes of a bill that the President keeps?")
    assert law(made) and made["degraded"] == ["SentenceRanker"]


def test_the_sentence_that_a_curated_name_points_to_is_quoted():
    document = a_document(Domain.objects.get(slug="us_code"))
    text = "Rule 7 governs boats on lakes. Rule 9 governs boats on rivers."
    section = a_section(document, text)
    embedded(section)
    asked = "which rule governs kayaks"
    assert law(ask(asked, domains=("us_code",)))[0] != "Rule 9 governs boats on rivers."
    Alias.objects.create(
        domain=document.domain, text="rules for kayaks", locator=section.locator,
        sentence="Rule 9 governs boats on rivers.",
    )  # fmt: skip
    embed_missing()
    assert law(ask(asked, domains=("us_code",)))[0] == "Rule 9 governs boats on rivers."


def test_every_quotation_stands_where_it_is_said_to_stand():
    for style in ("short", "full"):
        made = ask("How is a bill vetoed and passed again?", style=style)
        places = [place for one in made["answer"] for place in one["citations"] if place["quote"]]
        assert places
        for place in places:
            text = Section.objects.get(locator=place["locator"], live=True, valid_to=None).text
            assert text[place["start"] : place["end"]] == place["quote"]


def test_each_place_that_is_quoted_has_a_pin_of_its_own():
    text = "(a) The Board shall—\n(1) meet;\n(2) report."
    passage = Passage(7, "/x/s1", "§ 1", text, 1, 0.9, "en", (0, 0))
    pins = {(7, 0): "/x/s1/a", (7, text.index("(2)")): "/x/s1/a/2"}
    item = service.law_item(Scored(passage, units(text)[-1], 0.9), pins, "en", None)
    assert [(place["quote"], place["pin"]) for place in item["citations"]] == [
        ("(a) The Board shall—", "/x/s1/a"),
        ("(2) report.", "/x/s1/a/2"),
    ]


def test_where_nothing_has_the_words_in_quotes_it_says_so():
    made = ask('Who can "declare zebras" and declare war?')
    assert made["answer"] and "these words together: “declare zebras”" in made["notice"]
    made = ask('¿Quién puede declarar la guerra con "cebras moradas"?')
    assert made["answer"] and "estas palabras juntas: “cebras moradas”" in made["notice"]


def test_the_lead_is_marked_as_ours_and_in_the_readers_language():
    lead = ask("¿Quién puede declarar la guerra?")["answer"][0]
    assert lead["kind"] == "lead" and lead["verdict"] == "not_a_claim" and "guerra" in lead["text"]


def test_a_full_answer_quotes_more_in_reading_order():
    short, full = (ask("How is a bill vetoed and passed again?", style=style) for style in ("short", "full"))
    assert len(law(full)) > len(law(short))
    places = [one["citations"][0] for one in full["answer"] if one["kind"] == "law"]
    of_first = [place["start"] for place in places if place["locator"] == places[0]["locator"]]
    assert of_first == sorted(of_first)


def test_words_that_lead_in_to_other_provisions_are_not_quoted_without_them():
    assert "The Congress shall have Power" not in law(ask("What are the powers of Congress?", style="full"))


def test_it_says_that_it_does_not_know_in_both_languages():
    for question, language, words in (
        ("how do I bake bread", "en", "I don't know"),
        ("¿cómo se hornea el pan de maíz?", "es", "No lo sé"),
    ):
        made = ask(question, language=language)
        assert made["answer"] == [] and not made["verified"] and words in made["not_found"]["message"]
        assert made["verification"] == "nothing_to_verify" and made["not_found"]["would_help"]


def test_what_is_too_improbable_is_not_quoted_but_named(monkeypatch):
    monkeypatch.setattr(service, "may_answer", lambda results, doubtful: False)
    made = ask("Who can declare war?")
    assert made["answer"] == [] and "I don't know" in made["not_found"]["message"]
    looked_at = [one["locator"] for one in made["not_found"]["looked_at"]]
    assert looked_at == [one["locator"] for one in made["sources"][:3]]


def test_hotlines_take_the_place_of_an_answer_or_stand_beside_it():
    made = ask("I want to kill myself")
    assert "988" in made["not_found"]["message"] and not made["not_found"]["would_help"]
    made = ask("My ex is going to kill me. Can a judge order a trial by jury of him?")
    assert "1-800-799-7233" in made["notice"]


def test_who_asks_about_another_countrys_law_is_told_so_in_place_of_an_answer():
    told = ask("How long is paternity leave in Portugal?")
    assert "law of the United States" in told["not_found"]["message"] and told["not_found"]["looked_at"]
    assert not told["not_found"]["would_help"] and "another country" not in told["notice"]
    told = ask("Who can declare war? How long is paternity leave in Portugal?")
    assert told["answer"] and "another country" in told["notice"]


def test_what_had_ended_what_is_cited_is_told():
    made = ask("What does the 18th amendment say?", as_of=date(1940, 1, 1))
    told = made["not_found"]["would_help"]
    assert told[0] == "There was no U.S. Const. amend. XVIII in force on Jan. 1, 1940."
    assert told[1] == "Repealed on Dec. 5, 1933 by U.S. Const. amend. XXI, § 1."


def test_that_law_which_is_not_here_was_not_in_force_is_not_told():
    told = ask("8 USC 1158", as_of=date(2020, 1, 1))["not_found"]["would_help"]
    assert told[0] == "Check the citation: 8 U.S.C. § 1158 is not among the law here."


def test_an_unknown_citation_is_named_among_what_would_help():
    made = ask("8 USC 1158")
    assert any("8 U.S.C. § 1158" in one for one in made["not_found"]["would_help"])


def test_the_law_of_that_day_answers():
    assert ask("Can women vote?", as_of=date(1850, 1, 1))["sources"] != ask("Can women vote?")["sources"]


def test_of_a_private_question_nothing_is_kept_but_its_log_without_words():
    ana = Caller(("key:971",))
    a_case_file("Lease", "The tenant shall keep the lighthouse lit at night.", granted_to=ana)
    question = "Who keeps the lighthouse lit at night?"
    made = ask(question, ana)
    assert any("lighthouse" in one for one in law(made))
    assert SearchLog.objects.get(pk=made["trace_id"]).query_text == ""
    assert not CacheEntry.objects.exists()
    assert not any("lighthouse" in one for one in law(ask(question)))


def test_a_full_style_is_asked_for_by_its_name():
    assert ask("Who can declare war?", style=FULL)["style"] == "full"


def test_a_spanish_answer_shows_the_law_and_our_spanish_beside_it():
    made = ask("¿Quién puede declarar la guerra?")
    (one,) = [one for one in made["answer"] if one["kind"] == "law"]
    assert one["text"].startswith("To declare War") and not one["translation"]["official"]
    assert "guerra" in one["translation"]["text"].lower()
    assert all(one["translation"] is None for one in ask("Who can declare war?")["answer"])


def test_each_of_several_questions_has_its_own_answer():
    made = ask("Who can declare war, and how old must the president be?")
    assert [part["question"] for part in made["parts"]] == [
        "Who can declare war?",
        "how old must the president be?",
    ]
    first, second = (
        [one["text"] for one in part["answer"] if one["kind"] == "law"] for part in made["parts"]
    )
    assert "To declare War" in first[0] and "thirty five" in second[0]
    assert [one["part"] for one in made["answer"]] == sorted(one["part"] for one in made["answer"])
    places = [(one["domain"], one["locator"]) for one in made["sources"]]
    assert len(places) == len(set(places)) and ask("Who can declare war?")["parts"] == []


def test_a_part_without_an_answer_says_so():
    made = ask("Who can declare war, and how do I bake bread?")
    assert made["parts"][0]["answer"] and made["not_found"] is None
    assert made["parts"][1]["answer"] == [] and "I don't know" in made["parts"][1]["not_found"]["message"]


PROHIBITED = "is hereby prohibited"


def test_what_repealed_law_stands_before_it_and_nothing_is_said_of_it():
    made = ask("Is alcohol prohibited?")
    first, second = [one for one in made["answer"] if one["kind"] != "lead"]
    assert "hereby repealed" in first["text"] and first["standing"] == "in_force"
    assert PROHIBITED in second["text"] and second["status"] == "repealed"
    assert second["standing"] == "no_longer_in_force" and second["valid_to"] == "1933-12-05"
    assert [change["by"] for change in second["history"]] == ["/us/const/amendment/XXI/section/1"]
    assert not any(one["kind"] in ("lead", "yes", "no") for one in made["answer"])


def test_law_that_the_question_names_stands_before_what_repealed_it():
    first, second = law(ask("What is prohibited by the Eighteenth Amendment?"))
    assert PROHIBITED in first and "hereby repealed" in second


def test_what_repealed_law_need_not_be_here():
    Section.objects.filter(locator__startswith="/us/const/amendment/XXI").update(live=False)
    (one,) = ask("Is alcohol prohibited?")["answer"]
    assert PROHIBITED in one["text"] and one["status"] == "repealed"


def test_law_that_held_on_the_day_asked_for_says_that_it_has_ended_since():
    made = ask("Is alcohol prohibited?", as_of=date(1925, 1, 1))
    of_law = [one for one in made["answer"] if one["kind"] == "law"]
    assert [PROHIBITED in one["text"] for one in of_law] == [True]
    assert of_law[0]["status"] == "" and of_law[0]["history"] == []
    assert of_law[0]["standing"] == "no_longer_in_force" and of_law[0]["valid_to"] == "1933-12-05"


@pytest.mark.parametrize(
    ("question", "words", "by"),
    [
        ("How are direct taxes divided?", "No Capitation", "XVI"),
        ("¿Cómo se reparten los impuestos directos?", "No Capitation", "XVI"),
    ],
)
def test_law_that_was_changed_says_so(question, words, by):
    made = ask(question, style=FULL)
    (one,) = [one for one in made["answer"] if one["kind"] == "law" and words in one["text"]]
    assert [(made["effect"], made["by"]) for made in one["history"]] == [
        ("changed", f"/us/const/amendment/{by}")
    ]
    assert one["standing"] == "in_force"
    (held,) = [one for one in ask(question, style=FULL, as_of=date(1900, 1, 1))["answer"] if words in one["text"]]
    assert held["history"] == []


@pytest.mark.parametrize("question", ["Can people bear arms?", "May the people keep arms?", "Can citizens vote?"])
def test_a_right_that_may_not_be_denied_is_no_no(question):
    assert {one["kind"] for one in ask(question)["answer"]} == {"lead", "law"}


def a_decision(locator: str, text: str) -> None:
    document = a_document(Domain.objects.get(slug="supreme_court_cases"), locator=locator)
    embedded(a_section(document, text, locator=locator, level="case"))


def test_a_decision_stands_behind_the_one_that_overruled_it():
    a_decision("/us/scotus/163/537", "Held. Equal zebras may ride in separate coaches of a railway.")
    a_decision("/us/scotus/347/483", "Held. Separate zebras are unequal.")
    made = ask("May equal zebras ride in separate coaches of a railway?")
    new, old = [one for one in made["answer"] if one["kind"] == "law"]
    assert "unequal" in new["text"] and new["history"] == []
    assert old["standing"] == "overruled" and old["history"][0]["by"] == "/us/scotus/347/483"


def test_a_holding_from_which_later_law_departed_is_quoted_with_that_and_says_no_yes():
    a_decision("/us/scotus/900/1", "Held. A state may punish zebras. The Court later rejected that view of zebras.")
    made = ask("May a state punish zebras?")
    (one,) = made["answer"]
    assert one["text"].endswith("The Court later rejected that view of zebras.")
    assert (one["kind"], one["status"], one["standing"]) == ("law", "departed", "departed")


def test_a_decision_stands_behind_the_one_that_departed_from_it():
    a_decision("/us/scotus/403/602", "Held. A zebra law must have a secular purpose.")
    a_decision("/us/scotus/597/507", "Held. Zebras are read by history.")
    made = ask("Must a zebra law have a secular purpose?")
    new, old = [one for one in made["answer"] if one["kind"] == "law"]
    assert "history" in new["text"] and new["standing"] == "in_force"
    assert old["standing"] == "departed" and old["history"][0]["by"] == "/us/scotus/597/507"
    assert not {"lead", "yes", "no"} & {one["kind"] for one in made["answer"]}


@pytest.fixture
def of_zebras(monkeypatch):
    monkeypatch.setattr(decided_cases, "_known", {})
    for page, name, text in (
        (113, "Roe v. Wade", "Held. Generally not. Striped animals may graze."),
        (215, "Doe v. Wade", "Held. Yes. A zebra may ride in a coach of a railway in any state."),
    ):
        locator = f"/us/scotus/410/{page}"
        document = a_document(Domain.objects.get(slug="supreme_court_cases"), locator=locator, title=name)
        known = {"locator": locator, "level": "case", "heading": name, "plain_name": name.split()[0]}
        embedded(a_section(document, text, **known))


@pytest.mark.parametrize(
    "text",
    [
        "What did Roe v. Wade hold about a zebra in a coach of a railway?",
        "What did Roe hold about a zebra in a coach of a railway?",
        "What did Roe decide?",
    ],
)
def test_a_decision_that_is_named_is_quoted_alone_and_no_bare_reply(of_zebras, text):
    made = ask(text, style=FULL)
    assert law(made) == ["Generally not. Striped animals may graze."]


def test_a_language_model_is_shown_no_law_that_has_ended():
    quoted = service.by_law(AnswerRequest("Is alcohol prohibited?"), Caller(), channel="command")
    (part,) = quoted.parts
    assert [PROHIBITED in one["text"] for one in part.holding] == [False]


def test_what_a_private_document_says_is_marked_and_no_yes_or_no_rests_on_it():
    ana = Caller(("key:901",))
    a_case_file("Reply brief", "Police may search any telephone.", granted_to=ana)
    made = answer(AnswerRequest("May police search any telephone?", domains=("client_cases",)), ana)
    assert [(item["kind"], item["private"]) for item in made["answer"]] == [("law", True)]
    assert not any(item["private"] for item in ask("Who can declare war?")["answer"])


SOLDIERS = {"kind": "keywords", "value": ["soldiers"]}


def test_what_rules_tell_and_where_they_lead_is_told_beside_an_answer():
    in_force("Note", {"kind": "note", "text": "Ask the quartermaster."}, SOLDIERS)
    in_force("Redirect", {"kind": "redirect", "locator": THIRD}, SOLDIERS)
    made = ask("Can soldiers live in my house?")
    assert [note["text"] for note in made["notes"]] == ["Ask the quartermaster."]
    assert made["redirect"]["url"] == f"/law{THIRD}" and made["confident"]
    several = ask("Can soldiers live in my house? Who can declare war?")
    assert several["redirect"] is None and len(several["notes"]) == 1
    assert [len(part["notes"]) for part in several["parts"]] == [1, 0]


def test_a_rule_that_declines_tells_why():
    in_force("Note", {"kind": "note", "text": "That is not decided here."}, SOLDIERS)
    in_force("Decline", "abstain", SOLDIERS)
    made = ask("Can soldiers live in my house?")
    assert made["not_found"] and made["notes"] and not made["confident"]


def test_where_the_search_is_not_sure_the_answer_is_not_either(monkeypatch):
    monkeypatch.setattr("retrieval.search.response.is_confident", lambda ranking: False)
    made = ask("Who can declare war?")
    assert made["answer"] and not made["confident"]
