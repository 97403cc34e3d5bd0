"""A whole ARF in trouble: thousands of requests; a hundred kills and twenty damaged files. `-rP` shows the figures."""

import time

import pytest

from tests.chaos import MENDED_IN, Chaos, settle
from tests.mixed import Mixed, megabytes
from tests.running import RunningArf

pytestmark = [pytest.mark.full, pytest.mark.slow]
SEED = 9
REQUESTS = 5_000
MEMORY = 320  # megabytes of a web worker; 320 is the goal where the Constitution alone is loaded
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


def test_five_thousand_mixed_requests_leave_every_worker_small(arf):
    workers = arf.pids("gunicorn")[1:]
    mixed, started = Mixed(arf, seed=SEED), time.monotonic()
    mixed.ask(range(REQUESTS))
    took, memory = time.monotonic() - started, [megabytes(pid) for pid in workers]
    told = ", ".join(f"{count} {kind}" for kind, count in mixed.counts.most_common())
    print(f"{REQUESTS} requests ({told}) in {took:.0f} s; web workers hold {max(memory):.0f} MB at most")
    assert not [kind for kind in mixed.counts if " " in kind]
    assert arf.pids("gunicorn")[1:] == workers and max(memory) < MEMORY


def test_a_hundred_kills_and_twenty_damaged_files_change_no_answer(arf):
    started = time.monotonic()
    with Chaos(arf, seed=SEED) as chaos:
        for files in ROUNDS:
            chaos.round(kills=10, files=files, quiet=3.0)
    took = chaos.recover(MENDED_IN)
    print(f"{chaos.figures()}; {time.monotonic() - started:.0f} s; as before {took:.0f} s after the last round")
    assert (chaos.killed.total(), chaos.damaged.total()) == (100, 20)
    assert not chaos.told.wrong
