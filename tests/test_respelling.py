"""Misspelt questions: which words are put right, and which never are."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.models import Domain
from retrieval.ranking import ANONYMOUS, DomainScope, Ranking
from retrieval.search import SearchRequest, normalized_query, search, visible_domains
from retrieval.spelling import meant_by, respelled, slips
from retrieval.versions import current
from rules.models import Alias
from rules.respelling import Respell

WORDS = {
    "police": 9,
    "search": 8,
    "warrant": 7,
    "soldiers": 3,
    "speech": 5,
    "seized": 2,
    "house": 6,
    "horse": 1,
}


def put_right(text, **options):
    return respelled(text, WORDS.__contains__, lambda word: WORDS.get(word, 0), **options)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("polcie", "police"),  # neighbours changed
        ("warant", "warrant"),  # one left out
        ("seearch", "search"),  # one put in
        ("spedch", "speech"),  # one beside it on the keyboard
        ("saized", "seized"),  # a vowel for another
        ("hiuse", "house"),
        ("olice", None),  # the first letter is seldom wrong
        ("warranty", None),  # an ending is another word
        ("speach", "speech"),
        ("spemch", None),  # m is nowhere near e
        ("pizza", None),
    ],
)
def test_one_slip_is_put_right_and_nothing_else(typed, meant):
    assert meant_by(typed, lambda word: WORDS.get(word, 0)) == meant


def test_the_more_usual_word_is_meant():
    assert meant_by("hoyse", lambda word: WORDS.get(word, 0)) == "house"


def test_capitals_stay_capitals():
    assert put_right("POLCE SEIZD IT") == "POLICE SEIZED IT"


@pytest.mark.parametrize(
    "text",
    [
        "what Polce wrote",
        'the words "polce" mean',
        "mail polce@warant.org",
        "a polce-1 form",
        "suit no. 5",
        "lice",
    ],
)
def test_names_quotes_and_codes_stay_as_they_are(text):
    assert put_right(text) == text


def test_what_is_kept_stays_as_it_is():
    assert put_right("the polce warant", kept=[(4, 9)]) == "the polce warrant"


@given(st.text(alphabet="abcdefghij ñé'\"-.", max_size=60))
def test_known_words_are_never_touched(text):
    assert respelled(text, lambda word: True, lambda word: 1) == text


@given(st.text(alphabet="abcdefghij", min_size=5, max_size=12))
def test_a_slip_keeps_the_first_letter(word):
    assert all(other[0] == word[0] and other != word for other in slips(word))


# -- In searches


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "read_as", "locator"),
    [
        ("can the polcie serch my phone", "can the police search my phone", "/us/const/amendment/IV"),
        ("EXCESIVE BAIL", "EXCESSIVE BAIL", "/us/const/amendment/VIII"),
        ("derecho a portar arrmas", "derecho a portar armas", "/us/const/amendment/II"),
        (
            "me quieren juzgar dos veses por lo mismo",
            "me quieren juzgar dos veces por lo mismo",
            "/us/const/amendment/V",
        ),
    ],
)
def test_a_misspelt_question_finds_what_was_meant_and_says_so(question, read_as, locator):
    answer = search(SearchRequest(text=question))
    assert answer["respelled"] == read_as
    assert answer["results"][0]["locator"] == locator


@pytest.mark.django_db
@pytest.mark.parametrize(
    "question",
    [
        "can the police search my phone?",
        "the warranty on my phone",
        "¿Puede la policía registrar mi casa?",
        "DACA",
        "14th ammendment",
    ],
)
def test_what_is_written_right_is_read_as_it_is(question):
    assert search(SearchRequest(text=question))["respelled"] is None


@pytest.mark.django_db
def test_a_word_of_a_new_name_is_no_slip():
    assert search(SearchRequest(text="the govern doctrine of warrnt"))["respelled"].endswith("warrant")
    domain = Domain.objects.get(slug="us_constitution")
    Alias.objects.create(domain=domain, text="warrnt", locator="/us/const/amendment/IV")
    assert search(SearchRequest(text="the govern doctrine of warrnt"))["respelled"] is None


@pytest.mark.django_db
def test_nothing_is_respelled_where_private_documents_are_searched():
    scopes = visible_domains(ANONYMOUS, ("us_constitution",))
    query = normalized_query(SearchRequest("the polcie of Mr. Warant"), ANONYMOUS, scopes, current(scopes))
    assert Respell()(Ranking(query)).query.respelled == "the police of Mr. Warant"
    private = DomainScope(0, "files", 0, True, ("en",))
    assert Respell()(Ranking(replace(query, domains=(*scopes, private)))).query.respelled is None
