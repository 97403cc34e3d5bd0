"""What the API accepts and what it refuses, parameter by parameter; nothing a caller sends makes a 5xx."""

import json

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

SEARCH = "/api/v1/search"

pytestmark = pytest.mark.django_db


def post(client, body, url=SEARCH, **extra):
    body = body if isinstance(body, bytes | str) else json.dumps(body)
    return client.post(url, body, content_type=extra.pop("content_type", "application/json"), **extra)


def assert_refused(response, status=400, code=None):
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    error = response.json()
    assert set(error) == {"error"} and set(error["error"]) == {"code", "message"}
    assert code in (None, error["error"]["code"])
    return error["error"]["message"]


@pytest.fixture
def no_stage(monkeypatch):
    """Fails the test when anything is searched."""

    def reached(*args, **kwargs):
        raise AssertionError("bad input reached the search")

    monkeypatch.setattr("retrieval.search.run", reached)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "bad_parameter"),
        ("q=", "bad_query"),
        ("q=%20%09", "bad_query"),
        ("q=a&q=b", "bad_parameter"),
        ("q=a%00b", "bad_parameter"),
        ("q=%ff", "bad_parameter"),
        ("q=a&%ff=1", "bad_parameter"),
        ("q=" + "a" * 2001, "bad_parameter"),
        ("q=a&limit=5", "unknown_parameter"),
        ("q=a&Q=a", "unknown_parameter"),
        ("q=a&format=xml", "unknown_parameter"),
        ("q=a&k", "bad_parameter"),
        ("q=a&k=0", "bad_parameter"),
        ("q=a&k=101", "bad_parameter"),
        ("q=a&k=ten", "bad_parameter"),
        ("q=a&k=1.0", "bad_parameter"),
        ("q=a&k=%C2%B2", "bad_parameter"),
        ("q=a&k=" + "9" * 5000, "bad_parameter"),
        ("q=a&k=1&k=2", "bad_parameter"),
        ("q=a&page=0", "bad_parameter"),
        ("q=a&page=-1", "bad_parameter"),
        ("q=a&page=101", "bad_query"),
        ("q=a&language=de", "bad_parameter"),
        ("q=a&as_of=yesterday", "bad_parameter"),
        ("q=a&as_of=2024-02-30", "bad_parameter"),
        ("q=a&as_of=20240201", "bad_parameter"),
        ("q=a&explain=maybe", "bad_parameter"),
        ("q=a&domain=", "bad_parameter"),
        ("q=a&pipeline=", "bad_parameter"),
        ("&".join(f"x{n}=1" for n in range(101)), "bad_parameter"),
    ],
)
def test_a_bad_address_is_refused(client, no_stage, query, code):
    assert_refused(client.get(f"{SEARCH}?{query}"), 400, code)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "bad_parameter"),
        (b"{", "bad_body"),
        (b"\xff\xfe", "bad_body"),
        (b'{"q": "\xff"}', "bad_body"),
        (b"[" * 60_000, "bad_body"),
        (b'{"q": "a", "k": ' + b"9" * 5000 + b"}", "bad_body"),
        (b'{"q": "a", "k": NaN}', "bad_body"),
        (b'{"q": "a", "q": "b"}', "bad_body"),
        ([], "bad_body"),
        ("null", "bad_body"),
        ({}, "bad_parameter"),
        ({"q": None}, "bad_parameter"),
        ({"q": 1}, "bad_parameter"),
        ({"q": ["a"]}, "bad_parameter"),
        ({"q": {"a": 1}}, "bad_parameter"),
        ({"q": "a\0"}, "bad_parameter"),
        ({"q": "\ud800"}, "bad_parameter"),
        ({"q": "a", "\ud800": 1}, "unknown_parameter"),
        ({"q": "a", "limit": None}, "unknown_parameter"),
        ({"q": "a", "k": "10"}, "bad_parameter"),
        ({"q": "a", "k": True}, "bad_parameter"),
        ({"q": "a", "k": 1.0}, "bad_parameter"),
        ({"q": "a", "k": [1]}, "bad_parameter"),
        ({"q": "a", "domain": 1}, "bad_parameter"),
        ({"q": "a", "domain": ["us_constitution", 1]}, "bad_parameter"),
        ({"q": "a", "domain": ["x"] * 101}, "bad_parameter"),
        ({"q": "a", "explain": "true"}, "bad_parameter"),
        ({"q": "a", "explain": 1}, "bad_parameter"),
        ({"q": "a", "as_of": 2024}, "bad_parameter"),
        ({"q": "a", "language": ["en"]}, "bad_parameter"),
        ({"q": "a", "rules": "x"}, "bad_parameter"),
        ({"q": "a", "rules": [True]}, "bad_parameter"),
    ],
)
def test_a_bad_body_is_refused(client, no_stage, body, code):
    assert_refused(post(client, body), 400, code)


def test_unknown_parameters_are_named(client):
    message = assert_refused(client.get(f"{SEARCH}?q=a&top=3&limit=1"), 400, "unknown_parameter")
    assert "“limit”, “top”" in message


def test_a_body_beside_a_query_string_is_refused(client, no_stage):
    assert_refused(post(client, {"q": "a"}, url=f"{SEARCH}?k=3"), 400, "unknown_parameter")


def test_a_huge_body_is_refused(client, no_stage):
    assert_refused(post(client, {"q": "a" * 70_000}), 413, "too_large")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "nonsense", "application/xml"]
)
def test_only_json_is_read(client, no_stage, kind):
    assert_refused(post(client, '{"q": "a"}', content_type=kind), 415, "unsupported_media_type")


def test_json_may_say_its_charset(client):
    assert post(client, {"q": "jury"}, content_type="application/json; charset=utf-8").status_code == 200


@pytest.mark.parametrize("accepted", ["text/html", "application/xml", "nonsense"])
def test_the_answer_is_json_whatever_is_accepted(client, accepted):
    assert client.get(f"{SEARCH}?q=jury", HTTP_ACCEPT=accepted)["Content-Type"] == "application/json"


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_other_methods_are_refused(client, method):
    response = getattr(client, method)(SEARCH)
    assert_refused(response, 405, "method_not_allowed")
    assert "GET" in response["Allow"] and "OPTIONS" not in response["Allow"]
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize("address", ["docs/", "schema/", "nowhere"])
def test_no_address_takes_options(client, address):
    response = client.options(f"/api/v1/{address}")
    assert response.status_code in (404, 405) and response["Content-Type"] == "application/json"


def test_a_host_that_is_not_ours_is_refused_in_the_same_shape(client):
    assert_refused(client.get(f"{SEARCH}?q=a", headers={"host": "evil.example"}), 400, "bad_request")


@pytest.mark.parametrize("address", ["", "search/", "nothing", "sections", "sections/", "traces/1"])
def test_addresses_that_do_not_exist_answer_in_json(client, address):
    assert_refused(client.get(f"/api/v1/{address}"), 404, "not_found")
    assert_refused(client.post(f"/api/v1/{address}"), 404, "not_found")


def test_errors_do_not_follow_the_language_of_the_browser(client):
    response = client.delete(SEARCH, HTTP_ACCEPT_LANGUAGE="es")
    assert assert_refused(response, 405) == "This address does not take that method."
    response = post(client, {"q": "a", "rules": [{}]}, HTTP_ACCEPT_LANGUAGE="es")
    assert assert_refused(response, 400, "bad_rule") == "In rule 1 of this call: Say what it does."


def test_what_nobody_foresaw_is_logged_and_answered_in_the_same_shape(client, monkeypatch, caplog):
    monkeypatch.setattr("retrieval.api.views.search", lambda *args, **kwargs: 1 / 0)
    message = assert_refused(client.get(f"{SEARCH}?q=a"), 500, "error")
    assert "division" not in message
    assert "ZeroDivisionError" in caplog.text


# -- Whatever is sent

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(["q", "domain", "k", "page", "language", "as_of", "pipeline", "explain"])
LIKELY = st.sampled_from(
    [
        "jury",
        "amendment 5",
        '"due process" "',
        "¿jurado?",
        "10",
        10,
        "us_constitution",
        "en",
        "es",
        "1868-07-28",
    ]
    + [
        "0001-01-01",
        "9999-12-31",
        "default",
        "fusion",
        True,
        "true",
        ["us_constitution"],
        "a" * 2000,
        "\u202e§ 1",
    ]
)
FUZZ = hypothesis_settings(max_examples=150)


@FUZZ
@given(body=st.dictionaries(NAMES, LIKELY | ANY_JSON, max_size=4), q=st.text(max_size=60))
def test_no_json_makes_a_5xx(client, body, q):
    response = post(client, {"q": q} | body)
    assert response.status_code < 500
    json.loads(response.content)


@FUZZ
@given(
    pairs=st.lists(st.tuples(NAMES, LIKELY.map(str) | st.text(max_size=30)), max_size=4),
    q=st.text(max_size=60),
)
def test_no_query_string_makes_a_5xx(client, pairs, q):
    from urllib.parse import urlencode

    query = urlencode([("q", q), *pairs], errors="surrogatepass")
    assert client.get(f"{SEARCH}?{query}").status_code < 500


@FUZZ
@given(raw=st.binary(max_size=80))
def test_no_bytes_make_a_5xx(client, raw):
    assert client.get(SEARCH, QUERY_STRING=raw.decode("latin-1")).status_code < 500
    assert post(client, raw).status_code < 500
