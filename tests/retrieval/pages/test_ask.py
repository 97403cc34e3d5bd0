"""The page that answers: what it quotes and where that stands, what it says where nothing answers, how one asks on, and
whose questions are kept.
"""

from urllib.parse import parse_qs, quote, urlsplit

import pytest
from django.contrib import admin

from retrieval.models import KeptQuestion, QuestionHistory, RateWindow, SearchLog, Section, SuggestedQuestion
from retrieval.search.afterwards import write_now
from tests.llm_server import says
from tests.retrieval.answers.test_generation import PHONE, QUOTED, WARRANT, said, written
from tests.retrieval.api.test_authentication import two_a_minute  # noqa: F401
from tests.retrieval.pages.looking import Page, add_provision, decline_everything, look
from tests.rules.rule_pages import THIRD, in_force

pytestmark = pytest.mark.django_db
AGE = "How old must the president be?"


def ask(client, question, status=200, **given):
    response = client.get("/ask", {"q": question, **given})
    assert response.status_code == status
    return Page(response)


def test_an_answer_quotes_the_law_and_leads_to_its_words(client):
    page = ask(client, "Must a state give everybody the equal protection of the laws?")
    assert "nor deny to any person within its jurisdiction" in page.text and "not legal advice" in page.text
    place = next(link for link in page.links() if link.startswith("/law/us/const/amendment/XIV/section/1?q="))
    opened = look(client, place)
    assert [attributes for _, attributes in opened.elements if attributes.get("id") == "passage"]


def test_law_that_has_ended_is_marked_beside_its_words(client):
    page = ask(client, "Is alcohol prohibited?")
    told = page.text.index("Repealed on Dec. 5, 1933 by U.S. Const. amend. XXI, § 1.")
    assert page.text.index("hereby repealed") < page.text.index("hereby prohibited") < told
    page = ask(client, "Is alcohol prohibited?", as_of="1925-01-01")
    assert "In force on Jan. 1, 1925; not in force since Dec. 5, 1933" in page.text and "Repealed" not in page.text


def test_quotations_of_one_provision_are_cited_once(client):
    page = ask(client, "How is a bill vetoed and passed again?", style="full")
    cited = [
        link for link in page.links() if link.startswith("/law/us/const/article/I/section/7/clause/2?q=")
    ]
    assert len(page.all("blockquote")) > len(page.all("figure")) and len(cited) == 1


def test_notes_of_rules_and_doubts_are_told_above_an_answer(client, monkeypatch):
    doubt = "It is not certain that this answers"
    assert doubt not in ask(client, AGE).text
    monkeypatch.setattr("retrieval.search.response.is_confident", lambda ranking: False)
    in_force("Note", {"kind": "note", "text": "Ask the archivist."}, {"kind": "keywords", "value": ["president"]})
    page = ask(client, f"{AGE} Really?")
    assert page.text.index("Ask the archivist.") < page.text.index(doubt) < page.text.index("thirty five Years")


def test_where_a_rule_leads_elsewhere_the_answer_is_the_way_there(client):
    in_force("Lead", {"kind": "redirect", "locator": THIRD}, {"kind": "keywords", "value": ["soldiers"]})
    response = client.get("/ask", {"q": "Can soldiers live in my house?"})
    assert response.status_code == 302 and response["Location"] == f"/law{THIRD}"


def test_a_question_goes_on_from_words_that_its_asker_sees_and_edits(client):
    page = ask(client, AGE)
    (kept,) = page.all("input", name="about")
    assert kept["value"] == AGE and kept.get("type") != "hidden"
    further = ask(client, "and a senator?", about=AGE)
    assert further.all("input", id="about", value=AGE)
    assert "How old must a senator be?" in further.text
    assert further.all("input", id="further-about", value="How old must a senator be?")


def test_words_to_go_on_from_alone_are_a_question(lea):
    change(lea, "keep")
    page = ask(lea, "", about="So what is free speech")
    assert page.all("h1")[0] and "So what is free speech" in page.text
    write_now()
    assert SearchLog.objects.get().query_text == "So what is free speech"
    change(lea, "erase_all")
    assert SearchLog.objects.get().query_text == ""


def test_all_that_was_found_is_searched_as_it_was_asked(client):
    filters = {"domain": "us_constitution", "as_of": "1950-01-01", "language": "en"}
    page = ask(client, "and a senator?", about=AGE, style="full", **filters)
    (found,) = [link for link in page.links() if link.startswith("/search?")]
    assert parse_qs(urlsplit(found).query) == {
        "q": ["How old must a senator be?"],
        "domain": ["us_constitution"],
        "as_of": ["1950-01-01"],
        "language": ["en"],
    }
    assert page.all("input", type="hidden", name="style", value="full")
    assert page.all("input", type="hidden", name="language", value="en")


@pytest.mark.usefixtures("two_a_minute")
def test_every_question_of_a_text_counts_as_a_request(client):
    for question, status in ((AGE, 200), (f"{AGE} Who can declare war? Who appoints judges?", 429)):
        RateWindow.objects.all().delete()
        assert client.get("/ask", {"q": question}, REMOTE_ADDR="203.0.113.9").status_code == status
    assert RateWindow.objects.get().count == 3


def test_where_nothing_answers_it_says_so_and_what_helps(client):
    decline_everything()
    page = ask(client, AGE)
    assert "I don't know" in page.text and "nothing to verify" in page.text and "What may help" in page.text
    assert not page.all("figure")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"q": "???"}, "Ask something: the query is empty."),
        ({"q": "x" * 2001}, "Ask in at most 2000 characters; these are 2001."),
        ({"q": "x", "about": "y" * 2001}, "2000"),
        ({"q": "x" * 1500, "about": "y" * 1500}, "Ask in at most 2000 characters; these are 3001."),
        ({"q": "jury", "domain": "mars"}, "There is nothing to search under “mars”."),
        ({"q": "jury", "as_of": "2024-02-30"}, "There is no such day. Write it like 1791-12-15."),
    ],
)
def test_what_cannot_be_asked_is_said(client, given, problem):
    response = client.get("/ask", given)
    page = Page(response)
    assert response.status_code == 400 and problem in page.text
    assert not SearchLog.objects.exists()


def test_before_a_question_it_offers_examples_that_it_answers(client):
    page = look(client, "/ask")
    examples = [link for link in page.links() if link.startswith("/ask?q=")]
    assert len(examples) == 4
    for address in examples:
        assert look(client, address).all("figure"), address


def test_an_answer_is_kept_out_of_search_engines_and_its_address_names_nobody(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("reader"))
    response = client.get("/ask", {"q": AGE})
    assert response["X-Robots-Tag"] == "noindex" and "no-store" in response["Cache-Control"]
    assert not [link for link in Page(response).links() if "reader" in link or "user" in link]


def test_in_spanish_the_page_is_spanish_and_the_law_stays_as_it_is(client):
    client.cookies["django_language"] = "es"
    page = ask(client, "¿Qué edad debe tener el presidente?")
    assert "thirty five Years" in page.text and "Preguntar" in page.text
    assert page.all("blockquote", lang="en")
    assert "treinta y cinco años" in page.text and "no oficial" in page.text


def test_what_is_said_in_the_language_of_the_question_is_marked_so(client):
    client.cookies["django_language"] = "es"
    decline_everything()
    page = ask(client, AGE)
    assert page.all("p", lang="en", role="status") and page.all("li", lang="en")
    assert page.all("html", lang="es")


def test_hotlines_stand_above_the_answer_with_numbers_to_dial(client):
    page = ask(client, "My ex is going to kill me. Can a judge order a trial by jury of him?")
    assert page.all("a", href="tel:911") and page.all("a", href="tel:1-800-799-7233")
    assert page.text.index("call 911") < page.text.index("not legal advice") and page.text.count("call 911") == 1
    assert len(ask(client, "I want to kill myself").all("a", href="tel:988")) == 1


def test_places_that_were_looked_at_open_on_the_day_asked_about(client):
    decline_everything()
    page = ask(client, AGE, as_of="1950-01-01")
    looked_at = [link for link in page.links() if link.startswith("/law/us/")]
    assert looked_at and all(link.endswith("?as_of=1950-01-01") for link in looked_at)


def test_private_law_answers_only_who_may_read_it(client):
    add_provision(
        "client_cases", "/cases/one", "/cases/one/1", "The purple elephant shall pay a rent of 900 pesos."
    )
    page = ask(client, "what rent shall the purple elephant pay")
    assert "900 pesos" not in page.text


def test_what_a_model_wrote_is_marked_and_stands_above_the_law(client, unsure, ann):
    unsure.behaviour = says(written(said(WARRANT, QUOTED), said("Ask a lawyer of Acme about it.", QUOTED)))
    assert "language model" not in ask(client, PHONE).text
    client.force_login(ann)
    page = ask(client, PHONE)
    assert "written by a language model, checked" in page.text
    assert page.text.index(WARRANT) < page.text.index("no Warrants shall issue, but upon probable cause")
    client.cookies["django_language"] = "es"
    assert "escrito por un modelo de lenguaje" in ask(client, PHONE).text


def test_staff_see_what_was_withheld(client, unsure, ann):
    unsure.behaviour = says(written(said("Yes, the police may search a phone without a warrant.", QUOTED)))
    client.force_login(ann)
    page = ask(client, PHONE)
    assert "the words of the law stand alone" in page.text and "yes_or_no" in page.text


# -- Questions suggested


@pytest.mark.parametrize("address", ["/law/us/const/article/II/section/1/clause/5", f"/ask?q={quote(AGE)}"])
def test_a_provision_and_an_answer_suggest_what_to_ask(client, address):
    section = Section.objects.live().get(locator="/us/const/article/II/section/1/clause/5")
    for language, text in (("en", "Does the President have to be born here?"), ("en", AGE), ("es", "¿Edad?")):
        SuggestedQuestion.objects.create(section=section, language=language, text=text)
    page = look(client, address)
    asked = [link for link in page.links() if link.startswith("/ask?q=")]
    assert asked[0] == "/ask?q=Does%20the%20President%20have%20to%20be%20born%20here%3F"
    assert len(asked) == (1 if "ask" in address else 2)


def test_no_question_of_several_is_suggested_again(client):
    section = Section.objects.live().get(locator="/us/const/article/II/section/1/clause/5")
    for text in (AGE, "Must they be born here?"):
        SuggestedQuestion.objects.create(section=section, language="en", text=text)
    page = ask(client, f"{AGE} Who can declare war?")
    assert [link for link in page.links() if link.startswith("/ask?q=")] == ["/ask?q=Must%20they%20be%20born%20here%3F"]


def test_law_of_another_day_and_no_answer_suggest_nothing(client):
    section = Section.objects.live().get(locator="/us/const/article/II/section/1/clause/5")
    SuggestedQuestion.objects.create(section=section, language="en", text="Must they be born here?")
    assert "born here" not in look(client, f"/law{section.locator}?as_of=2020-01-01").text
    assert "born here" in ask(client, AGE).text
    that_day = ask(client, AGE, as_of="2020-01-01").text
    assert "thirty five Years" in that_day and "born here" not in that_day
    decline_everything()
    assert "born here" not in ask(client, AGE).text


# -- Questions kept for who asked them


@pytest.fixture
def lea(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("lea"))
    return client


def change(client, action, **given):
    response = client.post("/ask/history", {"action": action, **given}, follow=True)
    assert response.redirect_chain == [("/ask#history", 302)]
    return Page(response)


def test_a_person_turns_on_that_questions_are_kept_reads_and_erases_them(lea):
    assert "Keep my questions" in look(lea, "/ask").text
    assert "Kept among" not in ask(lea, AGE).text
    assert "None is kept yet" in change(lea, "keep").text
    assert "Kept among your questions" in ask(lea, "When was it?", about=AGE, domain="us_constitution").text
    ask(lea, "Who can declare war?", as_of="2020-01-01", language="en")
    page = look(lea, "/ask")
    links = [link for link in page.links() if "about=" in link or "as_of" in link]
    assert [look(lea, link).all("input", name="about")[0]["value"][:3] for link in links] == ["Who", "How"]
    assert "· 2020-01-01" in page.text and "· US Constitution" in page.text
    (first, _second) = [field["value"] for field in page.all("input", name="number")]
    assert "declare war" not in change(lea, "erase", number=first).text
    page = change(lea, "erase_all")
    assert not page.all("input", name="number") and "Stop keeping my questions" in page.text
    assert "Keep my questions" in change(lea, "stop").text


def test_a_question_on_private_documents_is_not_kept_and_the_page_says_why(client, case):
    client.force_login(case[1])
    change(client, "keep")
    page = ask(client, "Was there a ferry strike?")
    assert "Not kept among your questions: it was also searched in private documents" in page.text
    assert "None is kept yet" in look(client, "/ask").text


def test_without_an_account_nothing_is_told_or_changed_of_a_history(client):
    assert not look(client, "/ask").all("section", id="history")
    assert client.post("/ask/history", {"action": "keep"})["Location"].startswith("/login?")


@pytest.mark.parametrize("given", [{}, {"action": "read"}, {"action": "erase", "number": "0"}])
def test_an_act_that_nobody_knows_is_not_found(lea, given):
    assert lea.post("/ask/history", given).status_code == 404


def test_staff_see_no_kept_question(lea, admin_client):
    change(lea, "keep")
    ask(lea, AGE)
    assert not look(admin_client, "/ask").all("input", name="number")
    assert not {KeptQuestion, QuestionHistory} & admin.site._registry.keys()
