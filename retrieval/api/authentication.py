"""Who asks, by `Authorization: Bearer KEY`, and how often. No header is an anonymous caller; a header that does not
hold is refused. Requests a minute are counted in Postgres by one statement, so that all processes share the count; an
address is kept as a keyed hash and for minutes only.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Protocol

from django.conf import settings
from django.db import connection
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.api.errors import Unauthorized
from retrieval.models import ApiKey, RateWindow
from retrieval.text.personal_data import query_hash

WITH_PORT = re.compile(r"\[(?P<six>[^\]]+)\](:\d+)?|(?P<four>[\d.]+):\d+")  # as some proxies write addresses
KEPT = timedelta(minutes=10)  # a window is needed for one minute; clocks of several machines differ

# A count lost in a power cut is no loss: waiting for the disk at every request would be.
COUNT = """
WITH unhurried AS (SELECT set_config('synchronous_commit', 'off', true))
INSERT INTO retrieval_ratewindow AS kept (who, minute, count) SELECT %s, %s, %s FROM unhurried
ON CONFLICT (who, minute) DO UPDATE SET count = kept.count + EXCLUDED.count
RETURNING count
"""


class HasMeta(Protocol):
    """A request of Django's or of DRF's."""

    META: Mapping[str, str]


class PerMinute(BaseThrottle):
    """A key has its own limit, an anonymous address that of the settings, this machine none."""

    def allow_request(self, request: Request, view: object) -> bool:
        self.seconds = seconds_to_wait(request, request.auth, cost=cost_of(request, view))
        return self.seconds == 0

    def wait(self) -> int:
        return self.seconds


def cost_of(request: HasMeta, view: object) -> int:
    """As how many requests this one counts: where the work grows with what is sent, one more for so many bytes;
    what sends a whole body of law says itself.
    """
    step = getattr(view, "bytes_a_request", None)
    if step is None:
        return getattr(view, "counts_as", 1)
    body = request.META.get("CONTENT_LENGTH") or "0"
    sent = len(request.META.get("QUERY_STRING", "")) + (int(body) if body.isdecimal() else 0)
    return 1 + sent // step


def cost_of_text(text: str, view: object) -> int:
    """As how many requests one that sent this text counts, however it was packed."""
    return 1 + len(text.encode()) // view.bytes_a_request


def seconds_to_wait(request: HasMeta, key: ApiKey | None = None, *, cost: int = 1, counted: int = 0) -> int:
    """Counts this request against whoever sent it; 0 when it is within the limit."""
    if key is not None:
        return hit(f"key:{key.pk}", key.rate_per_minute, cost=cost, counted=counted)
    who = anonymous(request)
    return hit(who, settings.ARF_RATE_PER_MINUTE, cost=cost, counted=counted) if who else 0


def hit(who: str, limit: int, *, cost: int = 1, counted: int = 0, now: datetime | None = None) -> int:
    """Counts one request of `who` (at most 80 characters) as `cost`, though never as more than a minute holds, and
    less what of it is `counted` already; the seconds to wait, 0 within the limit a minute.
    """
    now = now or timezone.now()
    more = max(1, min(cost, limit)) - min(counted, limit)
    if more <= 0:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [who, now.replace(second=0, microsecond=0), more])
        (count,) = cursor.fetchone()
    return 0 if count <= limit else 60 - now.second


def anonymous(request: HasMeta) -> str | None:
    """The name an address is counted under; None for this machine itself, seen without a proxy between."""
    forwarded = forwarded_for(request)
    address = parsed(forwarded or request.META.get("REMOTE_ADDR", ""))
    if forwarded is None and getattr(address, "is_loopback", False):
        return None
    return f"address:{query_hash(f'address {network_of(address)}')}"


def forwarded_for(request: HasMeta) -> str | None:
    """The address that the outermost of our NUM_PROXIES proxies saw; anybody can write what is before it."""
    proxies, header = settings.NUM_PROXIES, request.META.get("HTTP_X_FORWARDED_FOR")
    if not proxies or not header:
        return None
    addresses = [address.strip() for address in header.split(",")]
    return addresses[-min(proxies, len(addresses))]


def parsed(text: str) -> IPv4Address | IPv6Address | str:
    """Without a port. IPv4 written as IPv6 is IPv4; what is no address stays text."""
    with_port = WITH_PORT.fullmatch(text)
    try:
        address = ip_address(with_port["six"] or with_port["four"] if with_port else text)
    except ValueError:
        return text
    return getattr(address, "ipv4_mapped", None) or address


def network_of(address: IPv4Address | IPv6Address | str) -> str:
    """One household: an IPv4 address, the /64 of an IPv6 address."""
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address.packed, 64), strict=False))
    return str(address)


def prune() -> int:
    """Deletes the counts of past minutes; gives how many."""
    return RateWindow.objects.filter(minute__lt=timezone.now() - KEPT).delete()[0]


class ApiKeyAuthentication(BaseAuthentication):
    """Sets `request.auth` to the key. One look-up by digest, whatever is wrong with the key."""

    def authenticate(self, request: Request) -> tuple[None, ApiKey] | None:
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        scheme, _, secret = header.partition(" ")
        key = ApiKey.objects.filter(digest=ApiKey.digest_of(secret.strip())).first()
        if scheme.lower() != "bearer" or key is None or not key.is_usable:
            raise self._refusal(request)
        note_use(key)
        return None, key

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'

    def _refusal(self, request: Request) -> Unauthorized | Throttled:
        """Guesses count against the address they come from."""
        wait = seconds_to_wait(request)
        return Throttled(wait) if wait else Unauthorized()


def note_use(key: ApiKey) -> None:
    """Keeps the day of its last use: one write a day."""
    today = timezone.localdate()
    if key.last_used_on != today:
        ApiKey.objects.filter(pk=key.pk).update(last_used_on=today)


def caller_of(request: Request) -> Caller:
    """Who asks. What was granted to a key opens only with the scope `search`."""
    if request.auth is None:
        return ANONYMOUS
    caller = request.auth.caller
    return caller if ApiKey.Scope.SEARCH in caller.scopes else replace(caller, principals=())
