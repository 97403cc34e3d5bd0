"""A whole ARF in trouble: thousands of requests, a hundred kills and twenty damaged files, a disk that is full."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.chaos import MENDED_IN, QUESTIONS, Chaos, ask, health, settle, shown
from tests.conftest import ROOT
from tests.mixed import Mixed, megabytes
from tests.running import RunningArf, wait_for

pytestmark = [pytest.mark.full, pytest.mark.slow]
SEED = 9
REQUESTS = 5_000
MEMORY = 320  # megabytes of a web worker
ROUNDS = (
    ["lexical", "cache"], ["static", "export"], ["lexical", "static"], ["artifact", "cache"], ["lexical", "static"],
    ["cache", "static"], ["lexical", "export"], ["artifact", "lexical"], ["static", "cache"], ["lexical", "static"],
)  # fmt: skip


@pytest.fixture(scope="module")
def arf():
    running = RunningArf()
    try:
        running.up()
        settle(running)
        yield running
    finally:
        running.remove()


@pytest.fixture
def say(capsys):
    """Prints figures into the run's own output."""

    def print_figures(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return print_figures


def test_five_thousand_mixed_requests_leave_every_worker_small(arf, say):
    workers = arf.pids("gunicorn")[1:]
    mixed, started = Mixed(arf, seed=SEED), time.monotonic()
    mixed.ask(range(REQUESTS))
    took, memory = time.monotonic() - started, [megabytes(pid) for pid in workers]
    told = ", ".join(f"{count} {kind}" for kind, count in mixed.counts.most_common())
    say(f"{REQUESTS} requests ({told}) in {took:.0f} s; web workers hold {max(memory):.0f} MB at most")
    assert not [kind for kind in mixed.counts if " " in kind]
    assert arf.pids("gunicorn")[1:] == workers and max(memory) < MEMORY


def test_a_hundred_kills_and_twenty_damaged_files_change_no_answer(arf, say):
    started = time.monotonic()
    with Chaos(arf, seed=SEED) as chaos:
        for files in ROUNDS:
            chaos.round(kills=10, files=files, quiet=3.0)
    took = chaos.recover(MENDED_IN)
    say(f"{chaos.figures()}; {time.monotonic() - started:.0f} s; as before {took:.0f} s after the last round")
    assert (chaos.killed.total(), chaos.damaged.total()) == (100, 20)
    assert not chaos.told.wrong


# -- A disk of its own, which only root may make


@pytest.fixture
def small_disk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("disk")
    folder.parent.chmod(0o755)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=800m", "arf", folder]).returncode:
        pytest.skip("only root may mount a small disk")
    running = RunningArf(folder)
    try:
        running.up()
        settle(running)
        yield running
    finally:
        running.stop()
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path, *, leaving: int) -> Path:
    ballast = disk / "ballast"
    with ballast.open("ab") as file:
        os.posix_fallocate(file.fileno(), 0, ballast.stat().st_size + shutil.disk_usage(disk).free - leaving)
    return ballast


@pytest.mark.parametrize("leaving", [100 * 2**20, 0])
def test_a_full_disk_ends_no_search_refuses_files_and_is_over_when_there_is_room(small_disk, say, leaving):
    mixed = Mixed(small_disk, seed=SEED)
    before = {question: shown(ask(small_disk, question)) for question in QUESTIONS}
    ballast = fill(small_disk.var, leaving=leaving)
    for n in range(100):
        question = QUESTIONS[n % len(QUESTIONS)]
        answer = ask(small_disk, question, "" if n % 2 else f"2010-01-{n % 28 + 1:02}")
        assert not answer["degraded"] and (n % 2 == 0 or shown(answer) == before[question])
    assert health(small_disk)["disk"] == "degraded"
    with pytest.raises(HTTPError) as refused:
        mixed.upload(random.Random(SEED))
    assert refused.value.code == 503 and json.load(refused.value)["error"]["code"] == "no_room"
    ballast.unlink()
    wait_for(lambda: set(health(small_disk).values()) == {"ok"}, 120)
    mixed.upload(random.Random(SEED))


def test_a_start_on_a_disk_that_cannot_be_written_is_refused_in_one_sentence(tmp_path):
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "arf", tmp_path]).returncode:
        pytest.skip("only root may mount a disk")
    try:
        for database in ({}, {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"}):
            environment = {k: v for k, v in os.environ.items() if k != "DATABASE_URL"} | database
            done = subprocess.run(
                [sys.executable, "manage.py", "up"], cwd=ROOT, capture_output=True, text=True,
                env=environment | {"ARF_VAR_DIR": str(tmp_path)},
            )  # fmt: skip
            [told] = done.stderr.splitlines()
            assert done.returncode == 1 and "ARF_VAR_DIR" in told and "Read-only file system" in told
    finally:
        subprocess.run(["umount", tmp_path], check=True)
