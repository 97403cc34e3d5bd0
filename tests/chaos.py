"""Kills parts of a running ARF and damages its files, by seed, while clients ask it what they asked before.

Each round damages some files and kills some processes at once. What is asked until 10 s after the last kill may have no
answer; no answer is another than before, unless it says `degraded`.
"""

import json
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import psycopg

from retrieval.engines.embedders import EmbeddingUnavailable, check_whole, read_json
from retrieval.indexes.lexical import LexicalIndex
from tests.running import RunningArf, wait_for
from tests.spoiling import spoil

QUESTIONS = (
    "Can they search my phone?", "who appoints judges", "freedom of religion", "14th amendment",
    "how old must the president be", "¿Quién puede declarar la guerra?", "the best recipe for apple pie",
    "cruel and unusual punishment",
)  # fmt: skip
DATES = ("2001-01-01", "2026-01-01")  # between them the Constitution did not change
GRACE = 10.0  # seconds after a kill in which an answer may be missing; more where the machine is slow: see `grace`
MENDED_IN = 180.0  # seconds after the last round, on a slow machine too
RARELY = 35.0  # seconds between kills of a program: sooner again, and its supervisor takes it for one that cannot run
PAGES = ("/", "/law/us/const/amendment/IV", "/admin/login/")
Shown = tuple


def shown(answer: dict) -> Shown:
    """What must be the same each time that a question is asked."""
    listed = [
        (each["locator"], each["pin"], each["probability"])
        for name in ("results", "near_misses")
        for each in answer[name]
    ]
    return answer["abstained"], *listed


@dataclass
class Told:
    """What the clients were answered. `missing`: requests without an answer, or with a 5xx, by the time at which each
    was begun; `wrong`: answers that are not those of before.
    """

    counts: Counter = field(default_factory=Counter)
    missing: list[tuple[float, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Client(threading.Thread):
    """Asks until it is stopped: with a date of its own each time, which is in no cache, or without."""

    def __init__(self, run: "Chaos", number: int):
        super().__init__(daemon=True)
        self.run_, self.chance = run, random.Random(f"{run.seed} {number}")

    def run(self) -> None:
        while not self.run_.over.wait(self.run_.pause):
            kind, begun = self.chance.choices(("search", "file", "page"), (8, 1, 1))[0], time.monotonic()
            try:
                getattr(self, kind)()
            except (OSError, HTTPException) as problem:
                what = f"{kind} {getattr(problem, 'code', '') or type(problem).__name__}"
                self.run_.told.counts[what] += 1
                self.run_.told.missing.append((begun, what))

    def search(self) -> None:
        question = self.chance.choice(self.run_.questions)
        day = f"{self.chance.randint(2001, 2025)}-{self.chance.randint(1, 12):02}-{self.chance.randint(1, 28):02}"
        as_of = self.chance.choice(("", day))
        answer = ask(self.run_.arf, question, as_of)
        self.run_.told.counts["searches degraded" if answer["degraded"] else "searches as before"] += 1
        if not answer["degraded"] and shown(answer) != self.run_.answers[question, bool(as_of)]:
            self.run_.told.wrong.append(f"{question} {as_of}: {shown(answer)[:4]}")

    def file(self) -> None:
        """One that was damaged is served so, or is away for the seconds in which it is collected anew."""
        name = self.chance.choice(sorted(self.run_.files))
        try:
            whole = sha256(fetch(self.run_.arf, f"/static/{name}")).hexdigest() == self.run_.files[name]
        except HTTPError:
            if name not in self.run_.spoilt:
                raise
            whole = False
        self.run_.told.counts["files as before" if whole else "files damaged"] += 1
        if not whole and name not in self.run_.spoilt:
            self.run_.told.wrong.append(f"/static/{name}")

    def page(self) -> None:
        fetch(self.run_.arf, self.chance.choice(PAGES))
        self.run_.told.counts["pages"] += 1


def ask(arf: RunningArf, question: str, as_of: str = "") -> dict:
    given = {"q": question, "k": 5} | ({"as_of": as_of} if as_of else {})
    return json.loads(fetch(arf, f"/api/v1/search?{urlencode(given)}"))


def fetch(arf: RunningArf, path: str) -> bytes:
    with urlopen(f"{arf.url}{path}", timeout=30) as answer:
        return answer.read()


def health(arf: RunningArf) -> dict[str, str]:
    """The status of each part."""
    return {name: part["status"] for name, part in json.loads(fetch(arf, "/api/v1/health"))["parts"].items()}


class Chaos:
    """One run. `pause`: seconds of each client between two requests; `kinds`: what is killed, of KILLED. `broken` says
    of each part whether its files or rows are damaged just now.

    It kills the web server first: what workers remember of their answers is gone, and what is kept of them is read.
    """

    def __init__(
        self,
        arf: RunningArf,
        *,
        seed: int,
        clients: int = 4,
        pause: float = 0.05,
        questions: Sequence[str] = QUESTIONS,
        kinds: Sequence[str] = (),
    ):
        self.arf, self.seed, self.pause, self.chance = arf, seed, pause, random.Random(seed)
        self.questions, self.kinds = questions, kinds or tuple(KILLED)
        self.told, self.over = Told(), threading.Event()
        self.killed, self.damaged, self.last = Counter(), Counter(), dict[str, float]()
        self.spoilt: set[str] = set()
        self.answers = {
            (question, dated): self.settled(question, dated) for question in questions for dated in (0, 1)
        }
        self.files = {name: sha256(fetch(arf, f"/static/{name}")).hexdigest() for name in served(arf)}
        self.grace = self.seconds_to_answer_again()
        self.clients = [Client(self, number) for number in range(clients)]

    def settled(self, question: str, dated: bool) -> Shown:
        """What is answered whatever the date, if one is given: without, what is no longer law is shown too."""
        first, *others = (ask(self.arf, question, day if dated else "") for day in DATES)
        assert not first["degraded"] and {shown(other) for other in others} == {shown(first)}, question
        return shown(first)

    def seconds_to_answer_again(self) -> float:
        """The grace, or thrice what a killed web server takes to serve again, where that is more."""
        started, old = time.monotonic(), self.arf.pids("gunicorn")
        os.kill(old[0], signal.SIGKILL)
        wait_for(lambda: not set(old) & set(self.arf.pids("gunicorn")) and self.arf.searches())
        self.last["web server"] = time.monotonic()
        return max(GRACE, 3 * (time.monotonic() - started))

    def round(self, *, kills: int, files: list[str], quiet: float) -> None:
        """Damage, kills, the time that is allowed for them, and a while in which every request is answered."""
        for kind in files:
            getattr(self, f"damage_{kind}")()
            self.damaged[kind] += 1
        for _ in range(kills):
            self.kill()
            time.sleep(self.chance.uniform(0.1, 0.4))
        last_kill = time.monotonic()
        wait_for(lambda: time.monotonic() > last_kill + self.grace)
        self.check_health(quiet)
        late = [what for at, what in self.told.missing if last_kill + self.grace < at]
        assert not late, f"asked later than {self.grace:.0f} s after a kill: {late}"
        assert not self.told.wrong, self.told.wrong[:3]

    # -- Kills

    def kill(self) -> None:
        """A process of a kind that may be killed again already."""
        until = time.monotonic() + MENDED_IN
        while time.monotonic() < until:
            ready = [
                kind
                for kind in self.kinds
                if time.monotonic() > self.last.get(kind, -KILLED[kind][1]) + KILLED[kind][1]
            ]
            kind = self.chance.choice(ready)
            try:
                os.kill(self.chance.choice(KILLED[kind][0](self.arf)), signal.SIGKILL)
            except (IndexError, ProcessLookupError):  # none runs just now
                time.sleep(0.1)
            else:
                self.last[kind] = time.monotonic()
                self.killed[kind] += 1
                return
        raise AssertionError(f"Nothing of ARF runs any more:\n{self.arf.told()[-2_000:]}")

    # -- Damage

    def damage_lexical(self) -> None:
        """A file with other bytes, or cut short while it is mapped, or gone."""
        files = sorted(
            path for path in (self.arf.var / "lexical").glob("*.*") if not path.name.startswith(".")
        )
        file = self.chance.choice([path for path in files if path.stat().st_size > 200])
        how = self.chance.choice((spoil, cut, Path.unlink))
        how(file)

    def damage_static(self) -> None:
        name = self.chance.choice(sorted(self.files))
        self.spoilt.add(name)
        spoil(self.arf.var / "static" / name, length=40)

    def damage_export(self) -> None:
        spoil(self.arf.var / "onnx" / self.chance.choice(("model.int8.onnx", "tokenizer.json")), length=2_000)

    def damage_cache(self) -> None:
        """Every second answer that is kept. None is waited for until it is on disk, where a kill of PostgreSQL would
        leave it as it was; a message, which is, takes them there.
        """
        self.arf.sql(
            "UPDATE retrieval_cacheentry SET answer = overlay(answer PLACING '\\x00ff00ff'::bytea FROM 30) "
            "WHERE left(key, 1) < '8'"
        )
        self.arf.sql("SELECT pg_logical_emit_message(true, '', '')")

    def damage_artifact(self) -> None:
        self.arf.sql(
            "UPDATE retrieval_rankermodel SET artifact = overlay(artifact PLACING '\\x00ff00ff'::bytea FROM 30) "
            "WHERE status = 'active'"
        )

    # -- Health

    def broken(self) -> set[str]:
        """Parts that cannot be well now, by what is seen from outside."""
        found = set()
        if LexicalIndex(self.arf.var / "lexical").problem:
            found.add("index")
        if not whole_export(self.arf.var / "onnx"):
            found.add("embedder")
        if self.arf.sql(DAMAGED_ARTIFACT):
            found.add("reranker")
        if self.arf.sql(FAILED_SCHEDULES):
            found.add("schedules")
        return found

    def check_health(self, seconds: float) -> None:
        """What it calls not well is not, and it says so of an index that is not."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            failing, before = self.restarting(), self.broken()
            told = health(self.arf)
            after, still_failing = self.broken(), self.restarting()
            not_well = {part for part, status in told.items() if status != "ok"}
            assert not_well <= before | after | failing | still_failing, (told, before, after, failing, still_failing)
            assert "index" not in before & after or "index" in not_well, told
            self.told.counts["true healths"] += 1
            time.sleep(0.5)

    def restarting(self) -> set[str]:
        """Parts whose process keeps ending, as the supervisor says, and what its time off left undone."""
        failing = json.loads((self.arf.var / "log" / "failing.json").read_text())
        parts = {"lexical-writer": {"index"}, "worker": {"queue", "schedules"}}
        return set().union(*(parts.get(name, set()) for name in failing))

    # -- The whole

    def __enter__(self) -> "Chaos":
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, *problem) -> None:
        self.over.set()
        for client in self.clients:
            client.join()

    def recover(self, limit: float) -> float:
        """Waits until everything is as before; gives the seconds that this took."""
        started = time.monotonic()
        wait_for(lambda: not self.differs(), limit, every=1.0, told=self.differs)
        return time.monotonic() - started

    def differs(self) -> list[str]:
        """What is not as it was before."""
        try:
            asked = [
                (question, day, ask(self.arf, question, day))
                for question in self.questions
                for day in ("", *DATES)
            ]
            others = [
                f"{question} {day}: {answer['degraded'] or shown(answer)[:4]}"
                for question, day, answer in asked
                if answer["degraded"] or shown(answer) != self.answers[question, bool(day)]
            ]
            files = [
                f"/static/{name}"
                for name in self.spoilt
                if sha256(fetch(self.arf, f"/static/{name}")).hexdigest() != self.files[name]
            ]
            parts = [f"{part} {status}" for part, status in health(self.arf).items() if status != "ok"]
        except (OSError, HTTPException) as problem:
            return [repr(problem)]
        return others + files + parts

    def figures(self) -> str:
        told, killed, damaged = (
            ", ".join(f"{count} {what}" for what, count in counts.most_common())
            for counts in (self.told.counts, self.killed, self.damaged)
        )
        return (
            f"{self.killed.total()} kills ({killed}); {self.damaged.total()} damaged ({damaged}); {self.grace:.0f} s "
            f"allowed after a kill; {told}"
        )


DAMAGED_ARTIFACT = """
SELECT 1 FROM retrieval_rankermodel WHERE status = 'active' AND encode(sha256(artifact), 'hex') <> sha256
"""
FAILED_SCHEDULES = """
SELECT 1 FROM django_q_schedule schedule JOIN django_q_task task ON task.id = schedule.task WHERE NOT task.success
"""
RERANKERS = """
from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval.models import JobRun
from retrieval.stages.reranker.artifact import pack
from tests.rerankers import some_reranker

JobRun.objects.unfinished().filter(kind="retrain").update(status="cancelled")
for seed in (1, 2, 3):
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=seed), {"family": "a test"})))
"""


def settle(arf: RunningArf) -> None:
    """Rerankers that rank alike, so that one can take another's place; none is trained meanwhile."""
    arf.run(RERANKERS)
    wait_for(lambda: set(health(arf).values()) == {"ok"})


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def whole_export(folder: Path) -> bool:
    try:
        manifest = read_json(folder / "manifest.json")
        check_whole(folder, manifest, *manifest["sha256"])
    except EmbeddingUnavailable:
        return False
    return True


def served(arf: RunningArf) -> list[str]:
    """Some files as pages name them."""
    listed = json.loads((arf.var / "static" / "staticfiles.json").read_text())["paths"]
    return sorted(name for plain, name in listed.items() if plain.endswith((".css", ".woff2")))[:40]


# -- Who may be killed, and after what pause again


def web_workers(arf: RunningArf) -> list[int]:
    return arf.pids("gunicorn")[1:]


def web_server(arf: RunningArf) -> list[int]:
    return arf.pids("gunicorn")[:1]


def postmaster(arf: RunningArf) -> list[int]:
    return [pid for pid in [arf.postgres._postmaster()] if pid]


def backends(arf: RunningArf) -> list[int]:
    """PostgreSQL's processes that serve our connections."""
    try:
        return [pid for (pid,) in arf.sql("SELECT pid FROM pg_stat_activity WHERE usename = 'arf'")]
    except psycopg.Error:
        return []


KILLED: dict[str, tuple[Callable[[RunningArf], list[int]], float]] = {
    "web worker": (web_workers, 0.0),
    "PostgreSQL backend": (backends, 1.0),
    "postmaster": (postmaster, 5.0),
    "web server": (web_server, RARELY),
    "queue": (lambda arf: arf.pids("manage.py worker"), RARELY),
    "index writer": (lambda arf: arf.pids("manage.py lexical_writer"), RARELY),
    "PostgreSQL's guard": (lambda arf: arf.pids("postgres guard"), RARELY),
}
