"""Asks publishers' sites over HTTP: politely, one request at a time, bounded in bytes and time. No other I/O.

Failures that may pass are tried again; a redirect leads no further than the same site or the allowed hosts; private
addresses are asked only where a setting says so.
"""

import base64
import binascii
import hashlib
import ipaddress
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.robotparser import RobotFileParser

import httpx2
from django.conf import settings

from retrieval.engines.certificates import trusted
from retrieval.errors import ArfError, SourceRefused, gettext_noop

TRIES = 3  # of one file: a step of a job must end in time
# Seconds that a step of a job may sleep; who asks for more is asked again by the next fetch.
LONGEST_WAIT = 20.0
MOST_REDIRECTS = 5
MOST_BYTES = (
    1_500 * 2**20
)  # of one file: all titles of the Code, packed, have 108 MB; title 40 of the CFR 150 MB
TIMEOUT = httpx2.Timeout(20.0, connect=10.0)
PASSING = {408, 425, 429, 500, 502, 503, 504}
AGENT = "ARF/1 (self-hosted law search)"


class Unreachable(ArfError):
    """A publisher that does not answer as it should; asked again later it may."""

    status = 503
    code = "source_unreachable"


@dataclass(frozen=True, slots=True)
class Validators:
    """What a publisher said of a file, to ask whether it has changed since."""

    etag: str = ""
    modified: str = ""

    def conditions(self) -> dict[str, str]:
        said = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in said.items() if value}


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file as far as it has come; `unchanged`: the publisher has nothing newer and sent nothing."""

    validators: Validators
    complete: bool = True
    unchanged: bool = False


class Site:
    """Requests to one publisher. `token` is sent to that host alone."""

    def __init__(self, address: str, *, token: str = ""):
        self.origin = httpx2.URL(address)
        self.token = token
        self.asked_at = 0.0
        self.failures = 0
        certificates = trusted(by_environment=False)
        self.client = httpx2.Client(
            timeout=TIMEOUT, follow_redirects=False, trust_env=False, verify=certificates
        )
        self.robots: RobotFileParser | None = None

    def close(self) -> None:
        self.client.close()

    def fetch(
        self,
        url: str,
        path: Path,
        *,
        known: Validators | None = None,
        has_time: Callable[[], bool] = lambda: True,
        most: int = MOST_BYTES,
    ) -> Fetched:
        """Writes what is there to `path`, by way of a `.part` beside it that a later call goes on with. `known` is of
        the file that is held. Raises Unreachable, SourceRefused.
        """
        part, said = path.with_name(f"{path.name}.part"), path.with_name(f"{path.name}.etag")
        self.failures = 0
        while True:
            have = part.stat().st_size if part.exists() and said.exists() else 0
            headers = {"Range": f"bytes={have}-", "If-Range": said.read_text()} if have else {}
            if not have and known:
                headers = known.conditions()
            try:
                with self.answered(url, headers) as response:
                    if response.status_code == 304:
                        return Fetched(known or Validators(), unchanged=True)
                    validators = validators_of(response)
                    begin(response, part, said, validators, have)
                    if not write(response, part, has_time, most):
                        return Fetched(validators, complete=False)
            except (
                httpx2.TransportError
            ) as problem:  # cut off: what has come is kept, where it can be gone on with
                self.pause("", type(problem).__name__)
                continue
            check_digest(response, part)
            said.unlink(missing_ok=True)
            part.replace(path)
            return Fetched(validators)

    @contextmanager
    def answered(self, url: str, headers: Mapping[str, str]) -> Iterator[httpx2.Response]:
        """The answer to a request, once it is neither a redirect nor a failure that may pass."""
        seen: list[httpx2.URL] = []
        target = httpx2.URL(url)
        while True:
            self.check_allowed(target, seen[-1] if seen else None)
            self.wait_for_turn()
            sent = {"Accept-Encoding": "identity", "User-Agent": agent(), **headers}
            if self.token and same_site(target, self.origin):
                sent["Authorization"] = f"Token {self.token}"
            try:
                with self.client.stream("GET", target, headers=sent, extensions={"trace": check_peer}) as response:
                    if response.has_redirect_location:
                        seen.append(target)
                        target = self.checked_redirect(target, response.headers["Location"], seen)
                        continue
                    if response.status_code not in PASSING:
                        yield checked(response)
                        return
                    wait, problem = (
                        response.headers.get("Retry-After", ""),
                        f"it answers {response.status_code}",
                    )
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                wait, problem = "", type(error).__name__
            self.pause(wait, problem)

    def pause(self, asked: str, problem: str) -> None:
        """Waits longer each time, or as long as the site asks. Raises Unreachable where that is too often or long."""
        self.failures += 1
        if self.failures >= TRIES:
            raise Unreachable(
                gettext_noop("%(host)s failed %(tries)s times (%(problem)s): nothing was changed."),
                host=self.origin.host,
                tries=TRIES,
                problem=problem,
            )
        wait = seconds_asked(asked)
        if wait is None:
            wait = settings.ARF_FETCH["delay"] * 2**self.failures
        if wait > LONGEST_WAIT:
            raise Unreachable(
                gettext_noop("%(host)s asks to come back in %(seconds)s seconds: resume this later."),
                host=self.origin.host,
                seconds=round(wait),
            )
        time.sleep(wait)

    def wait_for_turn(self) -> None:
        """Keeps the delay that is set, or that robots.txt asks for, between two requests."""
        asked = self.robots.crawl_delay(AGENT) if self.robots else None
        delay = min(max(settings.ARF_FETCH["delay"], float(asked or 0)), LONGEST_WAIT)
        rest = self.asked_at + delay - time.monotonic()
        if self.asked_at and rest > 0:
            time.sleep(rest)
        self.asked_at = time.monotonic()

    def checked_redirect(self, target: httpx2.URL, location: str, seen: list[httpx2.URL]) -> httpx2.URL:
        """Where a redirect leads. Raises SourceRefused for a circle."""
        try:
            leads = target.join(location)
        except httpx2.InvalidURL as error:
            raise SourceRefused(
                gettext_noop("%(host)s redirects to no address."), host=target.host
            ) from error
        if leads in seen or len(seen) > MOST_REDIRECTS:
            raise SourceRefused(gettext_noop("%(host)s redirects in a circle."), host=target.host)
        return leads

    def check_allowed(self, target: httpx2.URL, before: httpx2.URL | None) -> None:
        """Raises SourceRefused for another site, and for what is less secure than what led there."""
        if not same_site(target, self.origin) and target.host not in settings.ARF_FETCH["hosts"]:
            if same_host(target, self.origin):
                raise SourceRefused(
                    gettext_noop(
                        "%(host)s leads to %(address)s, another port: that is asked only of hosts in ARF_FETCH_HOSTS."
                    ),
                    host=self.origin.host,
                    address=f"{target.scheme}://{target.netloc.decode()}",
                )
            raise SourceRefused(
                gettext_noop("%(host)s leads to %(other)s, which is not allowed (ARF_FETCH_HOSTS)."),
                host=self.origin.host,
                other=target.host,
            )
        if (before or self.origin).scheme == "https" and target.scheme != "https":
            raise SourceRefused(
                gettext_noop("%(host)s leads to an address without encryption."), host=self.origin.host
            )
        check_address(target)

    def robots_txt(self) -> str:
        """What the site asks of crawlers; a site without such a file asks nothing."""
        try:
            with self.answered(str(self.origin.join("/robots.txt")), {}) as response:
                return b"".join(bounded(response, 2**20)).decode(errors="replace")
        except SourceRefused:
            return ""
        except httpx2.TransportError as problem:
            raise Unreachable(
                gettext_noop("%(host)s does not answer: %(problem)s."),
                host=self.origin.host,
                problem=type(problem).__name__,
            ) from problem

    def obey(self, robots: str) -> None:
        self.robots = RobotFileParser()
        self.robots.parse(robots.splitlines())

    def may_crawl(self, url: str) -> bool:
        return self.robots is None or self.robots.can_fetch(AGENT, url)


def agent() -> str:
    contact = settings.ARF_FETCH["contact"]
    return f"{AGENT[:-1]}; {contact})" if contact else AGENT


def same_site(one: httpx2.URL, other: httpx2.URL) -> bool:
    """The same host at the same port."""
    return same_host(one, other) and one.port == other.port


def same_host(one: httpx2.URL, other: httpx2.URL) -> bool:
    """With or without www."""
    return one.host.removeprefix("www.") == other.host.removeprefix("www.")


def check_address(url: httpx2.URL) -> None:
    """Raises SourceRefused for what is no public site."""
    if url.scheme not in ("http", "https") or not url.host:
        raise SourceRefused(gettext_noop("“%(address)s” is no address of a site."), address=url)
    if settings.ARF_FETCH["private"]:
        return
    try:
        found = socket.getaddrinfo(url.host, url.port or 443, type=socket.SOCK_STREAM)
    except OSError as error:
        raise Unreachable(
            gettext_noop("%(host)s is not known to the name service."), host=url.host
        ) from error
    for each in found:
        check_global(each[4][0], url.host)


def check_peer(event: str, about: Mapping) -> None:
    """Before anything is sent: a name that was public when it was looked up may lead elsewhere a moment later."""
    if event == "connection.connect_tcp.complete" and not settings.ARF_FETCH["private"]:
        peer = about["return_value"].get_extra_info("server_addr")[0]
        check_global(peer, peer)


def check_global(address: str, host: str) -> None:
    if not ipaddress.ip_address(address).is_global:
        raise SourceRefused(
            gettext_noop("%(host)s is a private address, which is not asked (ARF_FETCH_PRIVATE)."), host=host
        )


def checked(response: httpx2.Response) -> httpx2.Response:
    """Raises SourceRefused for an answer that is no file; that nothing is new says only who was asked that."""
    was_asked = "If-None-Match" in response.request.headers or "If-Modified-Since" in response.request.headers
    if response.status_code not in (200, 206, 416, *([304] if was_asked else ())):
        raise SourceRefused(
            gettext_noop("%(host)s answers %(status)s for %(path)s."),
            host=response.url.host,
            status=response.status_code,
            path=response.url.path,
        )
    return response


def validators_of(response: httpx2.Response) -> Validators:
    etag, modified = (response.headers.get(name, "") for name in ("ETag", "Last-Modified"))
    return Validators(etag[:200], modified[:60])


def begin(response: httpx2.Response, part: Path, said: Path, validators: Validators, have: int) -> None:
    """Makes ready to go on with a part where the answer does so, else to write anew; keeps what it can be gone on
    with: a weak ETag and a packed answer do not tell bytes apart.
    """
    part.parent.mkdir(parents=True, exist_ok=True)
    goes_on = response.status_code == 206 and re.match(
        rf"bytes {have}-", response.headers.get("Content-Range", "")
    )
    if response.status_code in (206, 416) and not goes_on:
        part.unlink(missing_ok=True)
        raise httpx2.ReadError("The site sent another piece than was asked for.")
    if not goes_on:
        part.write_bytes(b"")
        said.unlink(missing_ok=True)
    strong = "" if validators.etag.startswith("W/") else validators.etag
    if (strong or validators.modified) and "Content-Encoding" not in response.headers:
        said.write_text(strong or validators.modified)


def write(response: httpx2.Response, part: Path, has_time: Callable[[], bool], most: int) -> bool:
    """Whether all of it has come. Where it could not be gone on with, the end is waited for."""
    resumable = part.with_name(part.name.removesuffix(".part") + ".etag").exists()
    with part.open("ab") as file:
        pieces = bounded(response, most - file.tell())
        file.write(next(pieces, b""))
        for piece in pieces:
            if resumable and not has_time():
                return False
            file.write(piece)
    return True


def bounded(response: httpx2.Response, most: int) -> Iterator[bytes]:
    """The body, unpacked. Raises SourceRefused for one that is larger, however well packed."""
    came = 0
    try:
        for piece in response.iter_bytes():
            came += len(piece)
            if came > most:
                raise SourceRefused(
                    gettext_noop("%(path)s is larger than may be: nothing was changed."),
                    path=response.url.path,
                )
            yield piece
    except httpx2.DecodingError as error:
        raise SourceRefused(gettext_noop("%(path)s cannot be unpacked."), path=response.url.path) from error


def check_digest(response: httpx2.Response, part: Path) -> None:
    """Raises SourceRefused, and drops what came, where the publisher names another checksum (RFC 9530, RFC 1864)."""
    said = " ".join(response.headers.get(name, "") for name in ("Repr-Digest", "Digest"))
    found = re.search(r"sha-256=:?([A-Za-z0-9+/]{43}=)", said, re.I)
    md5 = response.headers.get("Content-MD5", "") if response.status_code == 200 else ""
    if not found and not md5:
        return
    name, wanted = ("sha256", found[1]) if found else ("md5", md5)
    with part.open("rb") as file:
        digest = hashlib.file_digest(file, name).digest()
    try:
        right = base64.b64decode(wanted, validate=True) == digest
    except binascii.Error:
        right = False
    if not right:
        part.unlink()
        raise SourceRefused(
            gettext_noop("%(path)s came with another checksum than its publisher names."),
            path=response.url.path,
        )


def seconds_asked(said: str) -> float | None:
    """Retry-After, in seconds or as a date."""
    if said.isdecimal():
        return float(said)
    try:
        return max((parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None
