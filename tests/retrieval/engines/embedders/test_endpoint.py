"""An OpenAI-compatible endpoint, on loopback."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from retrieval.engines.embedders.base import EmbeddingUnavailable, unit
from retrieval.engines.embedders.endpoint import ENDPOINT_BATCH, EndpointEmbedder


class Endpoint(BaseHTTPRequestHandler):
    """Answers as its server's `answer(texts)` says: a body, a status, or an event to wait for."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body["input"])
        answer = self.server.answer(body["input"])
        if isinstance(answer, threading.Event):
            answer.wait(10)
            return
        status, content = (answer, {}) if isinstance(answer, int) else (200, answer)
        payload = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *args):
        pass


def as_answer(rows):
    """In reverse order: an answer is put in order by its indices."""
    items = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    return {
        "object": "list",
        "model": "m",
        "data": items[::-1],
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }


def by_length(texts):
    return as_answer([[float(len(text)), 1.0, 0.0] for text in texts])


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        server.asked, server.answer = [], by_length
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def client_of(server, **options):
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return EndpointEmbedder("m", base_url=url, **{"timeout": 5.0, "retries": 0} | options)


def test_an_endpoint_embeds_in_order_and_at_unit_length(server):
    vectors = client_of(server).embed_documents(["a", "abc"])
    assert np.allclose(vectors, unit(np.array([[1, 1, 0], [3, 1, 0]])))
    assert client_of(server).dims == 3


def test_an_endpoint_is_asked_in_batches(server):
    texts = ["a" * (i + 1) for i in range(ENDPOINT_BATCH + 2)]
    vectors = client_of(server).embed_documents(texts)
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [len(text) for text in texts], rtol=1e-4)
    assert sorted(len(asked) for asked in server.asked) == [1, 2, ENDPOINT_BATCH]


def test_texts_for_an_endpoint_are_cut_and_never_empty(server):
    client_of(server, max_tokens=10).embed_documents(["x" * 1000, ""])
    assert ["x" * 30, " "] in server.asked
    assert client_of(server).count_tokens("x" * 31) == 11


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts: 500,
        lambda texts: 401,
        lambda texts: {"unexpected": True},
        lambda texts: as_answer([]),
        lambda texts: as_answer([[1.0, 2.0]] * 3),
        lambda texts: as_answer([[1.0] * (i + 1) for i in range(len(texts))]),
        lambda texts: as_answer([[0.0, 0.0]] * len(texts)),
        lambda texts: as_answer([["a", "b"]] * len(texts)),
    ],
    ids=["500", "401", "not the format", "none", "too many", "uneven", "zero", "no numbers"],
)
def test_a_failing_endpoint_is_unavailable(server, answer):
    server.answer = answer
    with pytest.raises(EmbeddingUnavailable):
        client_of(server).embed_documents(["a", "b"])


def test_a_failing_request_is_tried_again(server):
    answers = iter([500, by_length(["a"])])
    server.answer = lambda texts: next(answers)
    assert len(client_of(server, retries=1)._request(["a"])) == 1


def test_a_slow_endpoint_is_given_up(server):
    server.answer = lambda texts: release
    release = threading.Event()
    try:
        with pytest.raises(EmbeddingUnavailable, match="did not answer"):
            client_of(server, timeout=0.1).embed_query("a")
    finally:
        release.set()


def test_an_endpoint_that_is_not_there_is_unavailable_and_tells_no_secret():
    embedder = EndpointEmbedder("m", base_url="http://127.0.0.1:9/v1", api_key="secret", retries=0)
    with pytest.raises(EmbeddingUnavailable) as refused:
        embedder.embed_query("a")
    assert "secret" not in str(refused.value)
    assert len(embedder.fingerprint) == 16
