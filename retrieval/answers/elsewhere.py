"""Pages of other sites, told where the law here answers nothing: of hosts that the settings allow, shown as theirs.
They are no law: nothing of them is quoted in an answer, cited, searched or kept.

Asked is a metasearch server, as SearXNG answers: https://docs.searxng.org/dev/search_api.html
"""

import logging
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import orjson
from django.conf import settings

from retrieval.engines.certificates import trusted
from retrieval.engines.llm.service import Breaker
from retrieval.text.personal_data import scrub

logger = logging.getLogger(__name__)
PAGES = 5
LONGEST_TITLE, LONGEST_TEXT = 160, 300  # characters told of a page
MOST_BYTES = 2**20  # of one answer of the server
breaker = Breaker()


class Unanswered(RuntimeError):
    """The server does not answer, or not with search results."""


def is_configured() -> bool:
    return bool(settings.ARF_EXTERNAL["url"])


def pages_about(question: str, language: str) -> dict | None:
    """`outcome` is found, nothing or unreachable. None where the question holds somebody's number or address, which is
    sent to nobody.
    """
    if scrub(question) != question:
        return None
    if breaker.is_open:
        return {"outcome": "unreachable", "pages": []}
    try:
        pages = list(allowed(asked(question, language)))[:PAGES]
    except Unanswered as problem:
        breaker.saw(well=False)
        logger.warning("Other sites could not be asked: %s.", problem)
        return {"outcome": "unreachable", "pages": []}
    breaker.saw(well=True)
    return {"outcome": "found" if pages else "nothing", "pages": pages}


def asked(question: str, language: str) -> list[Any]:
    """What the server lists. It has `timeout` seconds for all of it, and leads nowhere else."""
    known = settings.ARF_EXTERNAL
    until = time.monotonic() + known["timeout"]
    sent = {"q": question, "language": language, "format": "json"}
    options = {"follow_redirects": False, "trust_env": False, "verify": trusted(by_environment=False)}
    try:
        with (
            httpx2.Client(timeout=known["timeout"], **options) as client,
            client.stream("GET", known["url"], params=sent) as response,
        ):
            body = read(response, until)
        return orjson.loads(body)["results"]
    except (httpx2.HTTPError, httpx2.InvalidURL) as problem:
        raise Unanswered(type(problem).__name__) from problem
    except (ValueError, KeyError, TypeError) as problem:
        raise Unanswered("it sent no list of results") from problem


def read(response: httpx2.Response, until: float) -> bytes:
    if response.status_code != httpx2.codes.OK:
        raise Unanswered(f"status {response.status_code}")
    body = b""
    for piece in response.iter_bytes():
        body += piece
        if len(body) > MOST_BYTES or time.monotonic() > until:
            raise Unanswered("it sent too much, or too slowly")
    return body


def allowed(listed: Any) -> Iterator[dict]:
    """Those of the allowed hosts, each once."""
    seen = set()
    for one in listed if isinstance(listed, list) else ():
        if not isinstance(one, dict) or not (host := host_of(one.get("url"))) or one["url"] in seen:
            continue
        seen.add(one["url"])
        title, text = plain(one.get("title")), plain(one.get("content"))
        shown = {"title": cut(title, LONGEST_TITLE) or host, "text": cut(text, LONGEST_TEXT)}
        yield {"url": one["url"], "host": host} | shown


def host_of(url: Any) -> str:
    """The host, if it or a domain that it belongs to is allowed; else empty."""
    try:
        address = httpx2.URL(url if isinstance(url, str) else "")
    except httpx2.InvalidURL:
        return ""
    host = address.host
    known = address.scheme == "https" and any(
        host == one or host.endswith(f".{one}") for one in settings.ARF_EXTERNAL["hosts"]
    )
    return host if known else ""


def plain(text: Any) -> str:
    seen = (sign if sign.isprintable() else " " for sign in (text if isinstance(text, str) else ""))
    return " ".join("".join(seen).split())


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} …"
