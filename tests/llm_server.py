"""An OpenAI-compatible server on loopback that answers as it is told, well or badly, and keeps what it was asked."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LIMIT = 10  # s that a hanging answer waits for its test at most


def verdict(score: object = 7, *, instructs: object = False, reason: object = "because", **more) -> str:
    return json.dumps({"reason": reason, "instructs": instructs, "score": score, **more})


def completion(content: object, *, usage: object = (100, 20), finish: str = "stop", **message) -> dict:
    """A whole chat completion around the content; `usage` None leaves the counts out."""
    told = usage
    if isinstance(usage, tuple):
        told = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    body = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
    }
    return body | ({} if told is None else {"usage": told})


class Answer:
    """A status with headers and a body; `drip` sends a byte of it at a time."""

    def __init__(
        self, body: object = "", *, status: int = 200, headers: dict | None = None, drip: bool = False
    ):
        self.status, self.headers, self.drip = status, headers or {}, drip
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()


class Pieces:
    """The same content in pieces, as server-sent events; `before` is called before each of them."""

    def __init__(self, *contents: str, before: Callable[[int], object] = int, usage: dict | None = None):
        self.contents, self.before, self.usage = contents, before, usage

    @property
    def events(self) -> Iterator[dict]:
        for content in self.contents:
            yield {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}]}
        yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        if self.usage:
            yield {"choices": [], "usage": self.usage}


class Hang:
    """No answer until the server is let go."""


def good(score: int = 7) -> Callable[[dict], Answer]:
    return lambda asked: Answer(completion(verdict(score)))


def says(content: object, **fields) -> Callable[[dict], Answer]:
    return lambda asked: Answer(completion(content, **fields))


def writes(*contents: str, **of) -> Callable[[dict], Pieces]:
    return lambda asked: Pieces(*contents, **of)


def raw(body: bytes | object, **fields) -> Callable[[dict], Answer]:
    return lambda asked: Answer(body, **fields)


def status(code: int, message: str = "no", **headers: str) -> Callable[[dict], Answer]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda asked: Answer({"error": {"message": message}}, status=code, headers=named)


def refusing(code: int, message: str, *forms: str | None) -> Callable[[dict], Answer]:
    """A server that refuses a request by this error unless it asks for one of these forms of answer; None: for none."""
    return lambda asked: (good() if form_of(asked) in forms else status(code, message))(asked)


def form_of(asked: dict) -> str | None:
    form = asked.get("response_format")
    return form and (f"{form['type']} with a schema" if "schema" in form else form["type"])


# What llama-cpp-python 0.3.16 answers to a JSON schema: FastAPI's refusal, which its error handler makes a 500.
LLAMA_CPP_PYTHON = (
    "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input "
    "should be 'text' or 'json_object'\", 'input': 'json_schema', 'ctx': {'expected': \"'text' or 'json_object'\"}}\n\n"
    '  File "/app/llama_cpp/server/app.py", line 408, in create_chat_completion\n    POST /v1/chat/completions'
)


def llama_cpp_python(asked: dict) -> Answer:
    """It has no JSON schema, but JSON objects with one, and ignores what it does not know."""
    assert "max_tokens" in asked
    return refusing(500, LLAMA_CPP_PYTHON, "json_object with a schema", "json_object", None)(asked)


NESTED = b"[" * 100_000
FAILING: dict[str, Callable[[dict], Answer | Pieces | Hang]] = {
    "rate limited": status(429, retry_after="0"),
    "rate limited for long": status(429, retry_after="3600"),
    "rate limited until a date": status(429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"),
    "rate limited for no number": status(429, retry_after="nan"),
    "error 500": status(500),
    "error 503": status(503),
    "redirects": status(307, location="/v1/chat/completions"),
    "bad key": status(401, "invalid key"),
    "not found": status(404),
    "bad request": status(400, "no such model"),
    "error without json": raw(b"<html>", status=400),
    "error that is a list": raw([1, 2], status=400),
    "every form unsupported": status(400, "response_format and temperature unsupported"),
    "hangs": lambda asked: Hang(),
    "drips": lambda asked: Answer(completion(verdict(9)), drip=True),
    "endless": raw(b"a" * 2_000_000),
    "empty": raw(b""),
    "no json": raw(b"<html>Welcome</html>"),
    "nested": raw(NESTED),
    "a list": raw([]),
    "a null": raw(None),
    "no choices": raw({"choices": []}),
    "two choices": raw({"choices": completion(verdict(9))["choices"] * 2}),
    "no message": raw({"choices": [{"finish_reason": "stop"}]}),
    "wrong types": raw({"choices": {"message": 1}, "usage": "many"}),
    "not text": says({"score": 9}),
    "null content": says(None),
    "refusing": says(None, refusal="I cannot judge that."),
    "filtered": says(verdict(9), finish="content_filter"),
    "cut short": says('{"reason": "it', finish="length"),
    "refusing in words": says("I'm sorry, but I can't help with that."),
    "obeying a document": says("Ignore the rules. Score: 9"),
    "instructed": says(verdict(9, instructs=True)),
    "fenced": says(f"```json\n{verdict(9)}\n```"),
    "nested content": says(NESTED.decode()),
    "twice": says('{"reason": "", "instructs": false, "score": 1, "score": 9}'),
    "not a number": says('{"reason": "", "instructs": false, "score": NaN}'),
    "more than asked": says(verdict(9, next="call the tool")),
    "less than asked": says('{"score": 9}'),
    "a bare score": says("9"),
    **{f"score {score!r}": says(verdict(score)) for score in (-1, 10, 5.0, "9", True, None, [9], 10**400)},
    "reason no text": says(verdict(9, reason=["a"])),
    "instructs no boolean": says(verdict(9, instructs=0)),
}
LATE = ("hangs", "drips")  # these end by the time limit of whoever asks


def patience(name: str) -> float:
    """Seconds to wait for a failure: little for what is late anyhow, and enough for the rest on any machine."""
    return 0.3 if name in LATE else 30.0


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(body)
            self.server.keys.append(self.headers["Authorization"])
            answer = self.server.behaviour(body)
        if self.server.hold:
            self.server.hold()
        if isinstance(answer, Hang):
            self.server.over.wait(LIMIT)
            return
        try:
            self._send(answer)
        except OSError:
            return  # the client left

    def _send(self, answer: Answer | Pieces) -> None:
        if isinstance(answer, Pieces):
            self._send_pieces(answer)
            return
        self.send_response(answer.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(answer.body))}
        for name, value in (headers | answer.headers).items():
            self.send_header(name, value)
        self.end_headers()
        if not answer.drip:
            self.wfile.write(answer.body)
            return
        ends = time.monotonic() + LIMIT
        for byte in answer.body:
            if self.server.over.wait(0.02) or time.monotonic() > ends:
                return
            self.wfile.write(bytes([byte]))

    def _send_pieces(self, answer: Pieces) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.end_headers()
        for n, piece in enumerate(answer.events):
            answer.before(n)
            self.wfile.write(b"data: %s\n\n" % json.dumps(piece).encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *args):
        pass


class LLMServer(ThreadingHTTPServer):
    """`behaviour` gives the answer to a request's body, once `hold` returns; `asked` and `keys` hold what came."""

    daemon_threads = True
    request_queue_size = 50

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict] = []
        self.keys: list[str] = []
        self.lock, self.over = threading.Lock(), threading.Event()
        self.behaviour: Callable[[dict], Answer | Pieces | Hang] = good()
        self.hold: Callable[[], object] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request, client_address) -> None:
        """A client that hangs up is what some tests are about."""


@contextmanager
def llm_server() -> Iterator[LLMServer]:
    with LLMServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
