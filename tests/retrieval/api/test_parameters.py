"""What the API accepts and what it refuses, parameter by parameter; nothing a caller sends makes a 5xx."""

import json
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from retrieval.api.errors import BadBody
from retrieval.api.parameters import CheckedForm
from tests.retrieval.api.refusals import SEARCH, assert_refused, post

pytestmark = pytest.mark.django_db


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


def form(*parts):
    """A form of (what stands behind `name=`, the content)."""
    heads = (b'--B\r\nContent-Disposition: form-data; name=%b\r\n\r\n%b\r\n' % part for part in parts)
    return b"".join(heads) + b"--B--\r\n"


def send_form(client, *parts):
    url, kind = "/api/v1/check", "multipart/form-data; boundary=B"
    return client.post(url, form(*parts), content_type=kind)


A_FILE = (b'"file"; filename="a.txt"', b"Vertr\xe4ge")


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ([A_FILE, (b'"language"', b"\xe4")], "bad_parameter"),
        ([(b'"file"; filename="Vertr\xe4ge.txt"', b"law")], "bad_body"),
        ([(b"\"file\"; filename*=UTF-8''%E4.txt", b"law")], "bad_parameter"),
        ([A_FILE, (b'"\xe4"', b"1")], "bad_body"),
    ],
)
def test_what_a_form_says_in_no_utf8_is_refused_and_not_replaced(client, parts, code):
    assert "UTF-8" in assert_refused(send_form(client, *parts), 400, code)


def test_a_form_in_utf8_may_hold_a_file_in_another_encoding(client):
    named = ('"file"; filename="Verträge.txt"'.encode(), A_FILE[1])
    assert send_form(client, named, (b'"language"', b"es")).status_code == 200


@pytest.mark.parametrize("size", [1, 7, 60, 10_000])
def test_names_of_parts_are_read_wherever_the_stream_is_cut(size):
    good, bad = form((b'"a"', b"\xe4\r\n\r\n\xe4"), (b'"b"', b"--C\r\n")), form(A_FILE, (b'"\xe4"', b"1"))
    assert read_by(CheckedForm(BytesIO(good), "B"), size) == good
    with pytest.raises(BadBody):
        read_by(CheckedForm(BytesIO(bad), "B"), size)


def test_what_a_form_holds_is_not_kept_where_no_name_can_come():
    stream = CheckedForm(BytesIO(b"--B\r\n" + b"a" * 1_000_000 + form((b'"\xe4"', b"1"))), "B")
    for _ in range(10):
        stream.read(64 * 1024)
        assert len(stream.seen) <= 1024
    with pytest.raises(BadBody):
        read_by(stream, 64 * 1024)


def read_by(stream, size):
    return b"".join(iter(lambda: stream.read(size), b""))


@pytest.mark.parametrize("address", [SEARCH, "/api/v1/check"])
def test_a_body_that_does_not_tell_its_length_is_refused_with_the_reason(client, no_stage, address):
    in_chunks = {"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": ""}
    told = assert_refused(post(client, {"q": "jury"}, url=address, **in_chunks), 411, "length_required")
    assert "Content-Length" in told
