"""One command starts a whole ARF and one signal stops it. Parts of it are killed with kill -9 at work: it goes on by
itself, nothing is lost or doubled, and nothing is left behind.
"""

import json
import os
import signal
from itertools import count
from types import SimpleNamespace
from urllib.request import urlopen

import pytest

from retrieval.indexes.lexical import LexicalIndex
from tests.chaos import MENDED_IN, QUESTIONS, Chaos, settle
from tests.running import RunningArf, command_lines, wait_for
from tests.spoiling import spoil

pytestmark = pytest.mark.slow

SECTIONS = 96  # three steps of the ingestion
ORDER = """
import sys
from retrieval import jobs
from retrieval.ingestion import ingest
from retrieval.models import Domain
print(jobs.enqueue(**ingest.request(Domain.objects.get(slug="us_code"), sys.argv[1])).pk)
"""
CUT_OFF = """
from django.db import OperationalError, connection
from retrieval import jobs

class CutOff(jobs.Job):
    def step(self, run):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

jobs.job_of = lambda run: CutOff()
run = jobs.create("ingest", key="cut off")
try:
    jobs.take_step(run.pk, run.ticket)
except OperationalError:
    run.refresh_from_db()
    print("OperationalError", run.status)
run.delete()
"""
STORED = """
SELECT section.locator, chunk.text, chunk.position, count(vector.chunk_id)
FROM retrieval_section section
JOIN retrieval_chunk chunk ON chunk.section_id = section.id
JOIN retrieval_chunkvector vector ON vector.chunk_id = chunk.id
WHERE section.live AND section.locator LIKE %s
GROUP BY section.id, chunk.id ORDER BY section.position, chunk.position
"""


# As migrations, defaults and the embedding of all names but one leave it.
BEFORE_THE_FIRST_INGESTION = (
    "TRUNCATE retrieval_document, retrieval_indexchange CASCADE",
    "DELETE FROM rules_aliasvector WHERE id = (SELECT min(id) FROM rules_aliasvector)",
)


@pytest.fixture(scope="module")
def begun(dump):
    """An ARF that was started without the Constitution, and stopped; and what was seen of that."""
    arf = RunningArf(workers=1)
    try:
        arf.prepare(dump, *BEFORE_THE_FIRST_INGESTION)
        yield arf, first_start(arf)
    finally:
        arf.remove()


def first_start(arf):
    arf.up()
    seen = {"told": arf.told(), "found": arf.search()}
    return SimpleNamespace(**seen, status=arf.stop(), left=command_lines(arf.var))


def running(arf):
    if arf.process.poll() is not None:
        arf.up()
    return arf


@pytest.fixture
def arf(begun):
    """It runs: it is started again by the first test, and by one after its end."""
    return running(begun[0])


@pytest.fixture(scope="module")
def chaos(begun):
    """It has killed the web server. What takes seconds to start again and is killed by others is left."""
    settle(arf := running(begun[0]))
    kinds = ("web worker", "PostgreSQL backend", "postmaster")
    return Chaos(arf, seed=4, clients=2, pause=1.0, questions=QUESTIONS[:4], kinds=kinds)


def text_of(title, number):
    return f"The keeper of lighthouse {number} shall trim lamp t{title}n{number} every night and record it."


def title(arf, number):
    """A title of the Code with many short sections, written out."""
    path = f"/us/usc/t{number}"
    sections = "".join(
        f'<section identifier="{path}/s{n}"><num value="{n}">§ {n}.</num><heading>Lamp {n}</heading>'
        f"<content>{text_of(number, n)}</content></section>"
        for n in range(1, SECTIONS + 1)
    )
    file = arf.var / f"t{number}.xml"
    file.write_text(
        f'<uscDoc identifier="{path}"><main><title identifier="{path}"><num value="{number}">Title {number}</num>'
        f"<heading>LIGHTHOUSES</heading>{sections}</title></main></uscDoc>"
    )
    return file


def order(arf, file):
    """Hands the file's ingestion to the workers, as the admin's “ingest again” does; gives the job's id."""
    return int(arf.run(ORDER, str(file)))


def status(arf, job):
    [(state, position, error)] = arf.sql(
        "SELECT status, position, error FROM retrieval_jobrun WHERE id = %s", job
    )
    return state, position, error


def is_in_the_middle(arf, job):
    state, position, _ = status(arf, job)
    assert state in ("queued", "running")
    return 0 < position < SECTIONS


def is_finished(arf, job):
    state, _, error = status(arf, job)
    assert state != "failed", error
    return state == "done"


def assert_complete(arf, number):
    """Every section once, with one chunk and one vector, and in the index."""
    expected = [(f"/us/usc/t{number}/s{n}", text_of(number, n), 0, 1) for n in range(1, SECTIONS + 1)]
    assert arf.sql(STORED, f"/us/usc/t{number}/s%") == expected
    assert arf.sql("SELECT count(*) FROM retrieval_section WHERE NOT live") == [(0,)]
    assert_indexed(arf)


def assert_indexed(arf):
    """The lexical index reaches the end of the change log and holds every live chunk once."""
    [(last, chunks)] = arf.sql(
        "SELECT (SELECT max(id) FROM retrieval_indexchange), (SELECT count(*) FROM retrieval_chunk chunk "
        "JOIN retrieval_section section ON section.id = chunk.section_id WHERE section.live)"
    )
    index = LexicalIndex(arf.var / "lexical")
    wait_for(lambda: index.position == last)
    assert index.open().searcher().num_docs == chunks


def kill(pids):
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def assert_served_and_stopped(seen):
    assert "Administrator: admin" in seen.told and "165 sections published" in seen.told
    assert "/us/const/amendment/IV" in seen.found
    assert (seen.status, seen.left) == (0, [])


def assert_started_quickly(arf):
    assert "Administrator" not in arf.told() and "published" not in arf.told()
    assert "/us/const/amendment/IV" in arf.search()


def assert_killed_it_leaves_nothing(arf):
    arf.process.kill()
    arf.process.wait()
    wait_for(lambda: command_lines(arf.var) == [])


def test_up_serves_a_first_search_and_one_signal_stops_everything(begun):
    assert_served_and_stopped(begun[1])


def test_it_starts_quickly_again(arf):
    assert_started_quickly(arf)


def test_killed_workers_are_started_again_and_the_ingestion_is_completed(arf):
    job = order(arf, title(arf, 98))
    wait_for(lambda: is_in_the_middle(arf, job), every=0.05)
    kill(arf.pids("manage.py worker") + arf.pids("manage.py lexical_writer"))
    wait_for(lambda: is_finished(arf, job))
    assert_complete(arf, 98)


def test_a_killed_postgres_is_started_again_the_web_server_recovers_and_the_ingestion_is_completed(arf):
    assert arf.searches()
    web = arf.pids("gunicorn")
    job = order(arf, title(arf, 99))
    wait_for(lambda: is_in_the_middle(arf, job), every=0.05)
    kill([arf.postgres._postmaster()])
    wait_for(arf.postgres.is_ready)
    wait_for(arf.searches)
    wait_for(lambda: is_finished(arf, job))
    assert_complete(arf, 99)
    assert arf.pids("gunicorn") == web


def test_a_step_whose_connection_is_cut_may_be_taken_again(arf):
    """Though PostgreSQL answers again at once, as after a restart in the middle of a step."""
    assert arf.run(CUT_OFF) == "OperationalError queued\n"


def test_random_bytes_in_the_lexical_index_stop_nothing_and_it_is_built_anew(arf):
    lexical, others = arf.var / "lexical", count()
    running = arf.pids("gunicorn") + arf.pids("manage.py lexical_writer")
    for file in lexical.glob("*.*"):
        spoil(file, start=0.0, length=500)

    def mended() -> bool:
        assert arf.search(f"Can they search my phone? {next(others)}"), (
            "every search is answered, none from the cache"
        )
        return lexical.with_name("lexical.damaged").is_dir() and not LexicalIndex(lexical).problem

    wait_for(mended)
    assert_indexed(arf)
    assert arf.pids("gunicorn") + arf.pids("manage.py lexical_writer") == running
    wait_for(lambda: health(arf)["parts"]["index"]["status"] == "ok")


def health(arf) -> dict:
    with urlopen(f"{arf.url}/api/v1/health") as answer:
        return json.load(answer)


def test_a_killed_web_worker_is_replaced(arf):
    master, first, *_ = arf.pids("gunicorn")
    kill([first])
    wait_for(lambda: len(arf.pids("gunicorn")) == 3 and first not in arf.pids("gunicorn"))
    assert arf.pids("gunicorn")[0] == master
    wait_for(arf.searches)


def test_a_single_killed_process_of_the_queue_loses_no_job(arf):
    """Idle, it dies with the queue's lock in its hands."""
    main, _, task_process, *_ = arf.pids("manage.py worker")
    kill([task_process])
    wait_for(lambda: main not in arf.pids("manage.py worker"))
    job = order(arf, title(arf, 98))  # nothing new in it
    wait_for(lambda: is_finished(arf, job))
    assert_complete(arf, 98)


def test_a_killed_web_server_is_started_again_without_its_old_workers(arf, chaos):
    assert "web ended (SIGKILL); it is started again in 0.5 s." in arf.told()


def test_a_few_kills_and_damaged_files_change_no_answer(chaos):
    """test_chaos.py, marked `full`, has a hundred kills of every part and twenty files."""
    with chaos:
        chaos.round(kills=4, files=["lexical", "static", "cache", "lexical"], quiet=1.0)
    chaos.recover(MENDED_IN)
    assert not chaos.told.wrong


def test_killed_itself_it_leaves_nothing_behind(arf):
    arf.end_scripts()
    assert_killed_it_leaves_nothing(arf)


@pytest.mark.full
def test_up_serves_and_leaves_nothing_behind_where_there_was_nothing():
    arf = RunningArf(collected=False)
    try:
        assert_served_and_stopped(first_start(arf))
        arf.up()
        assert_started_quickly(arf)
        assert_killed_it_leaves_nothing(arf)
    finally:
        arf.remove()
