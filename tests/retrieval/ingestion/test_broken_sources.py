"""USLM files broken in every way that we know: each is ingested, or refused in one sentence with nothing of it live."""

import resource
import time

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from retrieval.models import Chunk, Domain, JobRun
from tests.mutations import mutated
from tests.retrieval.parsing.uslm.samples import CONSTITUTION

pytestmark = pytest.mark.django_db
SEED = 20260922
MEGABYTES = 400  # by which this process may grow; the longest of the files has 12 MB
SECONDS = 60  # of the processor that one file may take


@pytest.fixture
def law() -> Domain:
    return Domain.objects.create(
        slug="law", name="Law", locator_prefix="/law", result_level="lowest", languages=["en"],
        visibility="public",
    )  # fmt: skip


def small_law() -> bytes:
    """The shipped Constitution's head with Article III, and the Eleventh and Fourteenth Amendments."""
    whole = CONSTITUTION.read_bytes()
    parts = [whole[: whole.index(b"<preamble")]]
    for begin, end in (
        (b'<article identifier="/us/const/article/III"', b"</article>"),
        (b'<level name="amendment" identifier="/us/const/amendment/XI"', b"</level>"),
        (b'<level name="amendment" identifier="/us/const/amendment/XIV"', b"</level>"),
    ):
        start = whole.index(begin)
        parts.append(whole[start : whole.index(end, start)] + end)
    return b"".join([*parts, whole[whole.index(b"</main>") :]]).replace(b"/us/const", b"/law")


def outcome(source) -> str:
    """ "ingested", or why not, in the words of the command."""
    try:
        call_command("ingest", "law", str(source), verbosity=0)
    except CommandError as refused:
        return str(refused)
    return "ingested"


def assert_all_or_nothing(law: Domain, told: str, name: str) -> None:
    live = law.sections.live().count()
    if told == "ingested":
        assert live and Chunk.objects.filter(domain=law).exists(), name
    else:
        assert (live, Chunk.objects.filter(domain=law).count()) == (0, 0), name
        assert JobRun.objects.latest("pk").status == JobRun.Status.FAILED, name
        assert len(told) < 300 and "\n" not in told and told.endswith("."), f"{name}: {told}"
        assert "log says more" not in told, f"{name}: {told}"


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=[pytest.mark.full, pytest.mark.slow])])
def test_a_broken_file_is_ingested_or_refused_whole(law, tmp_path, count, capsys):
    source, told, slowest = tmp_path / "law.xml", [], 0.0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, content in mutated(small_law(), count, SEED + count):
        source.write_bytes(content)
        started = time.process_time()
        with transaction.atomic():
            told.append(outcome(source))
            assert_all_or_nothing(law, told[-1], name)
            transaction.set_rollback(True)
        slowest = max(slowest, time.process_time() - started)
        assert slowest < SECONDS, name
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    assert grown < MEGABYTES
    with capsys.disabled():
        print(f"\n{count} broken files: {told.count('ingested')} ingested, the others refused; at most "
              f"{slowest:.1f} s of the processor a file, {grown} MB more memory")  # fmt: skip
    assert 0 < told.count("ingested") < count
