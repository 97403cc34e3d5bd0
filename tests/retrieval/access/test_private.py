"""Private documents: who was granted one finds it exactly; for everybody else it does not exist, in any way."""

import json
import logging
import random
from dataclasses import replace
from datetime import date
from itertools import product

import numpy as np
import pytest

from retrieval import pipeline
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.engines import loaded
from retrieval.errors import NotFound
from retrieval.indexes import terms
from retrieval.indexes.lexical import FIELDS, term_of
from retrieval.models import (
    CacheEntry,
    ChunkVector,
    Click,
    Document,
    DocumentGrant,
    Feedback,
    JobRun,
    SearchLog,
    Section,
    Trace,
    Vocabulary,
)
from retrieval.models.packed import unpack
from retrieval.request import SearchRequest
from retrieval.search import cache
from retrieval.search.log import give_feedback, note_click, trace_for
from retrieval.search.service import in_scope, run, search
from retrieval.text import analyzer
from retrieval.text.analyzer import LANGUAGES
from rules.aliases import embedding
from rules.models import Alias
from tests.builders import a_case_file, grant

ANA, BEN = Caller(("key:901",)), Caller(("user:902", "group:7"))
STAFF = Caller(("user:903",), frozenset({"search", "pipelines", "staff"}), is_staff=True)

ANAS_TITLE = "Matter of Quetzalli Ibarreche"
ANAS = (
    "Quetzalli Ibarreche told the asylum officer that the Zamorano brigade burned her bakery in Tegucigalpa.",
    "She crossed at Nogales with a saxophone and two witnesses, Wyszynski and Okonkwo-Lindqvist.",
    "Counsel will argue under 8 U.S.C. § 1158 that the threats were political; see the affidavit of Dr. Vandermolen.",
)
BENS = (
    "Bogdan Pfefferkorn overstayed his student visa and was arrested for selling counterfeit accordions.",
    "The removal hearing before Judge Abernathy was continued because the Kashubian interpreter was ill.",
)
WORDS = (
    "asylum",
    "visa",
    "court",
    "hearing",
    "judge",
    "threat",
    "border",
    "student",
    "family",
    "police",
    "lawyer",
)
SECRETS = (
    "quetzalli",
    "ibarreche",
    "zamorano",
    "tegucigalpa",
    "nogales",
    "saxophone",
    "vandermolen",
    "okonkwo",
)


@pytest.fixture
def bens_file(db):
    return a_case_file("Matter of Pfefferkorn", *BENS, granted_to=BEN)


@pytest.fixture
def anas_file(db):
    return a_case_file(ANAS_TITLE, *ANAS, granted_to=ANA)


def ask(text, caller=ANONYMOUS, **options):
    return search(SearchRequest(text, **options), caller, fresh=True)


def locators(answer):
    return [result["locator"] for result in answer["results"] or answer["near_misses"]]


def own(document):
    """The locators of a document's sections."""
    with as_system():
        return set(document.sections.values_list("locator", flat=True))


def everything_kept():
    """All that searches leave behind in the database, as one text."""
    rows = [list(model.objects.values()) for model in (SearchLog, Trace, Feedback, Click, CacheEntry, JobRun)]
    return json.dumps(rows, default=str, ensure_ascii=False).lower()


# Who was granted a document finds it


@pytest.mark.parametrize(
    "words", ["Zamorano brigade", ANAS[0], "Who burned the bakery?", "¿Quién quemó la panadería?"]
)
def test_who_was_granted_a_document_finds_it(anas_file, words):
    found = set(locators(ask(words, ANA, domains=("client_cases",))))
    assert found & own(anas_file)


def test_the_dense_leg_ranks_private_chunks_as_brute_force_does(db):
    draw = random.Random(5)
    texts = [" ".join(draw.choices(WORDS, k=12)) + "." for _ in range(40)]
    a_case_file("Matter of forty parts", *texts, granted_to=ANA)
    embedder = loaded.active_embedder().embedder
    with as_system():
        rows = list(ChunkVector.objects.filter(private=True).values_list("section__locator", "vector"))
    vectors = np.array([vector for _, vector in rows], dtype=np.float32)
    for question in ("a student lost the visa", "the police threatened a family", "judge"):
        similar = vectors @ embedder.embed_query(question)
        nearest = {rows[i][0] for i in np.argsort(-similar)[:10]}
        assert set(locators(ask(question, ANA, domains=("client_cases",), pipeline="dense"))) == nearest


# For everybody else it does not exist


def probe(draw, parts):
    """A random question about the private text, and a random way to ask it."""
    words = " ".join(parts).split()
    kind = draw.randrange(6)
    if kind == 0:
        text = " ".join(draw.sample(words, draw.randint(1, 6)))
    elif kind == 1:
        text = draw.choice(parts)
    elif kind == 2:
        start = draw.randrange(len(words))
        text = f'"{" ".join(words[start : start + draw.randint(2, 5)])}"'
    elif kind == 3:
        text = (
            draw.choice(["Can police search my", "freedom of", "who may", "la ley y"])
            + " "
            + draw.choice(words)
        )
    elif kind == 4:
        text = (
            draw.choice(["8 USC 1158", "Amendment XIV and", "client_cases", "in re"])
            + " "
            + draw.choice(words)
        )
    else:
        text = f"{draw.choice(words)[:4]} {draw.choice(words).upper()}?"
    options = {
        "k": draw.choice([1, 3, 10, 100]),
        "page": draw.choice([1, 1, 1, 2]),
        "language": draw.choice([None, "en", "es"]),
        "as_of": draw.choice([None, None, date(1950, 1, 1), date(2999, 1, 1)]),
        "pipeline": draw.choice(pipeline.names()),
        "domains": draw.choice(
            [(), (), ("client_cases",), ("us_constitution",), ("client_cases", "us_constitution")]
        ),
    }
    return text, options


def without_times(answer):
    stages = [stage | {"ms": 0} for stage in answer["stages"]]
    return answer | {"trace_id": "", "took_ms": 0, "stages": stages}


def outcome(text, caller, options):
    """All that a caller can learn from one question, but for the time it took."""
    try:
        answer = ask(text, caller, **options)
    except NotFound as refusal:
        return refusal.message
    account = trace_for(answer["trace_id"], caller)
    return without_times(answer), [
        account[name] for name in ("candidates", "dropped", "top_locators", "probability")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("questions", [50, pytest.param(1_000, marks=pytest.mark.full)])
def test_questions_are_answered_as_if_the_document_were_not_there(bens_file, questions):
    draw = random.Random(20_260_101)
    parts = [ANAS_TITLE, *ANAS]
    probes = [(*probe(draw, parts), draw.choice([ANONYMOUS, BEN, STAFF])) for _ in range(questions)]
    before = [outcome(text, caller, options) for text, options, caller in probes]
    a_case_file(ANAS_TITLE, *ANAS, granted_to=ANA)
    after = [outcome(text, caller, options) for text, options, caller in probes]
    assert [probe for probe, one, other in zip(probes, before, after, strict=True) if one != other] == []


@pytest.mark.parametrize("caller", [ANONYMOUS, STAFF])
def test_a_private_domain_is_refused_like_one_that_does_not_exist(anas_file, caller):
    with pytest.raises(NotFound) as private:
        ask("bakery", caller, domains=("client_cases",))
    with pytest.raises(NotFound) as absent:
        ask("bakery", caller, domains=("client_casez",))
    assert private.value.message == absent.value.message.replace("casez", "cases")


def test_another_client_cannot_address_a_section_by_its_locator_or_citation(anas_file, bens_file):
    for locator in own(anas_file):
        for caller in (BEN, STAFF, ANONYMOUS):
            with as_caller(caller):
                assert not Section.objects.readable(caller).filter(locator=locator).exists()
                assert not Document.objects.visible_to(caller).filter(locator=anas_file.locator).exists()
    assert not set(locators(ask(f"{ANAS_TITLE}, part 1", BEN))) & own(anas_file)


def test_the_shared_index_and_its_statistics_know_nothing_private(anas_file, bens_file, reindex):
    index = loaded.lexical_index()
    reindex()
    before = index.open().searcher().num_docs
    a_case_file(ANAS_TITLE, *ANAS, "Congress shall make no law about bakeries, Congress, Congress.")
    reindex()
    searcher = index.open().searcher()
    terms = {term for secret in SECRETS for term in analyzer.terms(secret, "en")}
    assert len(terms) == len(SECRETS)
    for field, language in product(FIELDS, LANGUAGES):
        assert {searcher.doc_freq(field, term_of(term, language)) for term in terms} == {0}
    assert searcher.num_docs == before


# What searches leave behind


def test_a_private_search_leaves_neither_words_nor_names_behind(anas_file, caplog):
    caplog.set_level(logging.INFO)
    words = "Did the Zamorano brigade burn the bakery of Quetzalli Ibarreche?"
    request = SearchRequest(words, domains=("client_cases",))
    for _ in range(2):
        answer = search(request, ANA)
    locator = answer["results"][0]["locator"]
    give_feedback(answer["trace_id"], ANA, locator=locator, verdict="helpful", comment="")
    note_click(answer["trace_id"], ANA, locator=locator)
    assert answer["cached"]
    kept = everything_kept() + caplog.text.lower()
    assert [secret for secret in (*SECRETS, anas_file.locator) if secret in kept] == []


def test_a_trace_shows_each_reader_what_that_reader_may_see(anas_file, bens_file):
    answer = ask(
        "Zamorano brigade and the freedom of speech", ANA, domains=("client_cases", "us_constitution")
    )
    of_ana, of_staff = trace_for(answer["trace_id"], ANA), trace_for(answer["trace_id"], STAFF)
    assert own(anas_file) <= {candidate["locator"] for candidate in of_ana["candidates"] + of_ana["dropped"]}
    assert of_staff["candidates"] + of_staff["dropped"]
    assert all(name.startswith("/us/const") for name in places_in(of_staff))
    with pytest.raises(NotFound):
        trace_for(answer["trace_id"], BEN)
    grant(anas_file, STAFF)
    assert own(anas_file) & set(places_in(trace_for(answer["trace_id"], STAFF)))
    with as_system():
        DocumentGrant.objects.filter(document=anas_file).delete()
    assert not own(anas_file) & set(places_in(trace_for(answer["trace_id"], ANA)))


def places_in(account):
    weighed = account.get("candidates", []) + account.get("dropped", [])
    return [*account["top_locators"], *(candidate["locator"] for candidate in weighed)]


def test_feedback_on_a_private_section_names_it_by_number(anas_file):
    answer = ask("Zamorano brigade", ANA, domains=("client_cases",))
    locator = locators(answer)[0]
    give_feedback(answer["trace_id"], ANA, locator=locator, verdict="helpful", comment="")
    assert Feedback.objects.get().locator == f"private:{section_id(locator)}"
    for caller in (BEN, ANONYMOUS):
        with pytest.raises(NotFound):
            give_feedback(answer["trace_id"], caller, locator=locator, verdict="helpful", comment="")


def test_a_click_on_a_private_section_names_it_by_number_and_is_its_readers(anas_file):
    answer = ask("Zamorano brigade", ANA, domains=("client_cases",))
    locator = locators(answer)[0]
    note_click(answer["trace_id"], ANA, locator=locator)
    for caller in (BEN, ANONYMOUS):
        with pytest.raises(NotFound):
            note_click(answer["trace_id"], caller, locator=locator)
    assert Click.objects.get().locator == f"private:{section_id(locator)}"


def test_neither_a_comment_nor_a_sign_of_the_words_is_kept_of_a_private_search(anas_file):
    answer = ask("Zamorano brigade", ANA, domains=("client_cases",))
    said = "It misses the saxophone."
    kept = give_feedback(answer["trace_id"], ANA, locator="", verdict="unhelpful", comment=said)
    assert (kept.comment, SearchLog.objects.get().query_hash) == ("", None)
    public = ask("freedom of speech")
    kept = give_feedback(public["trace_id"], ANONYMOUS, locator="", verdict="unhelpful", comment=said)
    assert kept.comment == said


def test_names_of_what_a_caller_may_not_read_are_in_no_note(anas_file, bens_file):
    named = Alias(domain=anas_file.domain, text="the Zamorano arson", locator=min(own(anas_file)))
    named.save()
    embedding.embed_all()
    for text in ("the Zamorano arson", "Was there arson by the Zamorano?"):
        of_ana, of_ben = (str(ask(text, who, domains=("client_cases",))["stages"]) for who in (ANA, BEN))
        assert "the Zamorano arson" in of_ana and named.locator in of_ana
        assert "the Zamorano arson" not in of_ben and named.locator not in of_ben


def section_id(locator):
    with as_system():
        return Section.objects.get(locator=locator).pk


# Answers shown again


def test_a_kept_answer_is_shown_again_only_to_the_same_scope(anas_file, bens_file):
    request = SearchRequest("Zamorano brigade")
    assert not search(request, ANA)["cached"]
    assert search(request, ANA)["cached"]
    for caller in (BEN, ANONYMOUS):
        answer = search(request, caller)
        assert not answer["cached"]
        assert not set(locators(answer)) & own(anas_file)


@pytest.mark.parametrize("end", ["revoke", "regrant", "delete"])
def test_what_is_taken_back_is_gone_at_once_from_kept_answers_too(anas_file, bens_file, end):
    grant(bens_file, ANA)
    request, names = SearchRequest("Zamorano brigade", domains=("client_cases",)), own(anas_file)
    search(request, ANA)
    assert set(locators(search(request, ANA))) & names
    with as_system():
        if end == "revoke":
            anas_file.grants.all().delete()
        elif end == "regrant":
            anas_file.grants.update(principal="key:999")
        else:
            anas_file.delete()
    answer = search(request, ANA)
    assert not answer["cached"]
    assert not set(locators(answer)) & names
    kept = json.dumps([unpack(packed) for _, packed in cache.private_answers.answers.values()]).lower()
    assert "zamorano brigade burned" not in kept


def test_the_words_of_private_documents_are_neither_kept_nor_counted(anas_file):
    answer = ask("Zamorano brigade", ANA, domains=("client_cases",), pipeline="pool")
    assert set(locators(answer)) & own(anas_file)
    with as_caller(ANA):
        scopes, in_force = in_scope(ANA, ("client_cases",))
        ranking = run(
            SearchRequest("Zamorano brigade", pipeline="pool"), ANA, scopes, in_force
        )
        texts = terms.texts_of(ranking.query, ranking.candidates)
        stranger = terms.texts_of(replace(ranking.query, caller=BEN), ranking.candidates)
    assert sum(len(words.body) for words in texts.words) > 20
    assert not any(len(words.body) for words in stranger.words)
    assert not {candidate.section_id for candidate in ranking.candidates} & set(terms._kept)
    terms.count_again()
    assert not Vocabulary.objects.filter(domain=anas_file.domain).exists()


def test_answers_of_private_searches_are_never_written_down(anas_file):
    search(SearchRequest("Zamorano brigade"), ANA)
    assert not CacheEntry.objects.exists()


def test_grants_leave_public_answers_alone(anas_file):
    request = SearchRequest("freedom of speech")
    search(request)
    grant(anas_file, BEN)
    assert search(request)["cached"]


# The database alone, without any filter of ours


# A row is as private as its document, whatever is said of it


# What is told to a connection ends with the transaction


# Backups


def delete(document):
    with as_system():
        Document.objects.get(pk=document).delete()
