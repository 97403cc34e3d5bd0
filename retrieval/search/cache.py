"""Finished answers, first in this process, then in Postgres, under keys that hold every version and the scope.

A key can never name an answer that has become wrong, so nothing is flushed for correctness: entries only age.
Answers of searches in private domains are never written down: this process alone remembers them.
"""

import hashlib
import json
import logging
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta
from functools import cache, partial

from cachetools import LRUCache
from django.conf import settings
from django.db import connection
from django.utils import timezone

from retrieval.corpus.statements import rows
from retrieval.database import has_room
from retrieval.models import CacheEntry
from retrieval.models.packed import pack, unpack
from retrieval.search.afterwards import after_answer

logger = logging.getLogger(__name__)
CODE = ("retrieval", "rules", "arf_site", "templates/retrieval/prompts")
OF_ANSWERS = {".py", ".json", ".rcx", ".txt"}  # code, shipped data, rules of spelling, prompts
IN_PROCESS = 16 * 2**20  # bytes of packed answers kept by each process: about 4,000
PRIVATE_IN_PROCESS = 2 * 2**20
KEPT = "SELECT answer FROM retrieval_cacheentry WHERE key = %s AND created_at > %s"
# An answer lost in a power cut is made again: nobody waits for the disk.
KEEP = """
WITH unhurried AS (SELECT set_config('synchronous_commit', 'off', true))
INSERT INTO retrieval_cacheentry (key, answer, created_at) SELECT %s, %s, %s FROM unhurried
ON CONFLICT (key) DO UPDATE SET answer = EXCLUDED.answer, created_at = EXCLUDED.created_at
"""


def key_of(**parts) -> str:
    """SHA-256 of everything that determines an answer."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


@cache
def code_version() -> str:
    """SHA-256 of the code and the data beside it that make answers, as this process began with them."""
    folders = [settings.BASE_DIR / name for name in CODE]
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in OF_ANSWERS)
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def keep(key: str, packed: bytes) -> None:
    """Writes an answer into the table, where there is room."""
    if has_room():
        with connection.cursor() as cursor:
            cursor.execute(KEEP, [key, packed, timezone.now()])


class AnswerCache:
    """An LRU of this process before the table. Threads that miss on one key wait for the first of them."""

    def __init__(self, size: int = IN_PROCESS):
        self.answers: LRUCache[str, tuple[float, bytes]] = LRUCache(size, getsizeof=lambda kept: len(kept[1]))
        self.lock = threading.Lock()  # the first of what is kept is the moment it was made
        self.making: dict[str, threading.Lock] = {}

    def get_or_make(self, key: str, make: Callable[[], dict]) -> tuple[dict, bool]:
        """The answer and whether it was cached."""
        if (answer := self._recall(key)) is not None:
            return answer, True
        with self._only_one(key):
            if (answer := self.find(key)) is not None:
                return answer, True
            answer = make()
            self.keep(key, answer)
            return answer, False

    def find(self, key: str) -> dict | None:
        return self._recall(key) or self._read(key)

    def keep(self, key: str, answer: dict) -> None:
        """One that was not degraded."""
        if not answer["degraded"]:
            self._write(key, answer)

    @contextmanager
    def _only_one(self, key: str):
        with self.lock:
            waiting = self.making.setdefault(key, threading.Lock())
        try:
            with waiting:
                yield
        finally:
            with self.lock:
                self.making.pop(key, None)

    def _recall(self, key: str) -> dict | None:
        with self.lock:
            made_at, packed = self.answers.get(key, (0.0, b""))
            if packed and made_at < time.monotonic() - settings.ARF_CACHE_HOURS * 3600:
                del self.answers[key]
                packed = b""
        return unpack(packed) if packed else None

    def _remember(self, key: str, packed: bytes) -> None:
        with self.lock:
            if len(packed) <= self.answers.maxsize:
                self.answers[key] = time.monotonic(), packed

    def _read(self, key: str) -> dict | None:
        oldest = timezone.now() - timedelta(hours=settings.ARF_CACHE_HOURS)
        kept = rows(KEPT, [key, oldest])
        if not kept:
            return None
        packed = bytes(kept[0][0])
        try:
            answer = unpack(packed)
        except (zlib.error, ValueError):
            logger.error("The kept answer %s is damaged: it is made anew.", key)
            return None
        self._remember(key, packed)
        return answer

    def _write(self, key: str, answer: dict) -> None:
        packed = pack(answer)
        self._remember(key, packed)
        after_answer(partial(keep, key, packed))


class PrivateAnswerCache(AnswerCache):
    """Only of this process, and only until grants change: to this table nothing private is written."""

    def __init__(self, size: int = PRIVATE_IN_PROCESS):
        super().__init__(size)
        self.grants = 0

    def under(self, grants: int) -> "PrivateAnswerCache":
        """The cache, emptied when any grant was given, taken back or has gone with its document."""
        with self.lock:
            if grants != self.grants:
                self.answers.clear()
                self.grants = grants
        return self

    def _read(self, key: str) -> None:
        return None

    def _write(self, key: str, answer: dict) -> None:
        self._remember(key, pack(answer))


answers = AnswerCache()
private_answers = PrivateAnswerCache()


def prune() -> int:
    """Deletes entries past their age, then the oldest beyond the number allowed; gives how many went."""
    oldest = timezone.now() - timedelta(hours=settings.ARF_CACHE_HOURS)
    gone, _ = CacheEntry.objects.filter(created_at__lte=oldest).delete()
    too_many = CacheEntry.objects.order_by("-created_at").values("pk")[settings.ARF_CACHE_ENTRIES :]
    more, _ = CacheEntry.objects.filter(pk__in=too_many).delete()
    return gone + more
