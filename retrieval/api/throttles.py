"""Requests a minute, counted in Postgres by one statement, so that all processes share the count.

An address is kept as a keyed hash and for minutes only.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Protocol

from django.conf import settings
from django.db import connection
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from retrieval.models import ApiKey, RateWindow
from retrieval.text.personal_data import query_hash

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
    """As how many requests this one counts: where the work grows with what is sent, one more for so many bytes."""
    step = getattr(view, "bytes_a_request", None)
    if step is None:
        return 1
    body = request.META.get("CONTENT_LENGTH") or "0"
    sent = len(request.META.get("QUERY_STRING", "")) + (int(body) if body.isdecimal() else 0)
    return 1 + sent // step


def seconds_to_wait(request: HasMeta, key: ApiKey | None = None, *, cost: int = 1) -> int:
    """Counts this request against whoever sent it; 0 when it is within the limit."""
    if key is not None:
        return hit(f"key:{key.pk}", key.rate_per_minute, cost=cost)
    who = anonymous(request)
    return hit(who, settings.ARF_RATE_PER_MINUTE, cost=cost) if who else 0


def hit(who: str, limit: int, *, cost: int = 1, now: datetime | None = None) -> int:
    """Counts one request of `who` (at most 80 characters) as `cost`, though never as more than a minute holds; the
    seconds to wait, 0 within the limit a minute.
    """
    now = now or timezone.now()
    counted = max(1, min(cost, limit))
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [who, now.replace(second=0, microsecond=0), counted])
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
    """IPv4 written as IPv6 is IPv4; what is no address stays text."""
    try:
        address = ip_address(text)
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
