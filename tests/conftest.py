"""Real parts for every test: embedded PostgreSQL as the application's role, the real embedder, a real index.

The Constitution is ingested once by the ordinary job (tests/database.py); tests that change data are rolled back.
"""

import gc
import os
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests.database import ROOT

pytest_plugins = ["tests.served", "tests.real_llm"]
MEASURING_DATA = ROOT.parent / "shared" / "data"

# One process makes the database's template with the first file; the other exports models, and needs no database yet.
BEGIN_WITH = [
    ROOT / "tests" / name
    for name in (
        "evaluation/learning/test_retraining.py",
        "retrieval/engines/test_onnx_export.py",
        "arf_site/node/postgres/test_server.py",
    )
]

# Examples may share a fixture, and the machine with other work.
hypothesis_settings.register_profile(
    "unhurried",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
hypothesis_settings.load_profile("unhurried")


def pytest_collection_modifyitems(items) -> None:
    """Files with slow tests come first, so that no process is left alone with one at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (place_of(item.path), item.path not in slow))
    emptying = [item.nodeid for item in items for mark in item.iter_markers("django_db") if mark.kwargs]
    assert not emptying, f"{emptying[0]} would empty the database that the tests of a process share"
    if not MEASURING_DATA.is_dir():
        for item in items:
            if item.get_closest_marker("measuring_data"):
                item.add_marker(pytest.mark.skip(reason="the measuring data is not beside the checkout"))


def place_of(path: Path) -> int:
    return BEGIN_WITH.index(path) if path in BEGIN_WITH else len(BEGIN_WITH)


@pytest.fixture(scope="session")
def measuring_data() -> Path:
    """Asked for by tests with the marker of this name: without the folder they are skipped."""
    return MEASURING_DATA


@pytest.fixture(scope="session")
def django_db_setup(request, tmp_path_factory, django_test_environment, django_db_blocker):
    """A database and an index of this process: the shipped domains, curated content and the Constitution.

    `--create-db` makes their template anew; `--reuse-db` takes the last one of the same migrations.
    """
    from tests.database import own_database

    lexical_dir = tmp_path_factory.mktemp("index") / "lexical"
    with ExitStack() as until_the_end:
        with django_db_blocker.unblock():
            rebuild, reuse = request.config.getvalue("create_db"), request.config.getvalue("reuse_db")
            until_the_end.enter_context(own_database(lexical_dir, rebuild=rebuild, reuse=reuse))
        gc.collect()
        gc.freeze()  # what is loaded stays: looking it through again took a fifteenth of all processor time
        yield
        with django_db_blocker.unblock():
            until_the_end.close()


@pytest.fixture(autouse=True, scope="session")
def quick_passwords():
    """A hash made to be slow costs a second for every user that a test makes."""
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True, scope="session")
def static_files_as_written():
    """Static files are served from where they are written: none need be collected."""
    from django.conf import settings

    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"


@pytest.fixture
def reindex(db, tmp_path):
    """Call it after changing the corpus in a test, which has a copy of the index to itself."""
    from tests.database import own_index

    with own_index(tmp_path / "lexical") as update:
        yield update


@pytest.fixture(autouse=True, scope="session")
def patient_translator():
    """A program that a busy machine holds up is not taken for one that hangs."""
    from retrieval.engines import apertium

    apertium.WARM_LIMIT = apertium.START_LIMIT = 30.0


@pytest.fixture(autouse=True, scope="session")
def vectors_made_once():
    """Many tests ask the same questions: the model reads each text once in a process. Tests of the embedder itself use
    exports of their own, which read every time.
    """
    from django.conf import settings

    from retrieval.engines.embedders import OnnxEmbedder

    run, shared, vectors = OnnxEmbedder._run, Path(settings.ARF_EMBEDDER["export_dir"]), {}

    def run_once(embedder, text, precision):
        if embedder._export_dir != shared:
            return run(embedder, text, precision)
        key = os.getpid(), precision, text
        if key not in vectors:
            vectors[key] = run(embedder, text, precision)
        return vectors[key].copy()

    OnnxEmbedder._run = run_once


@pytest.fixture(autouse=True)
def no_kept_answers():
    """Each test starts with an empty in-process cache: the table's rows are rolled back, its would stay."""
    from retrieval.search import cache

    cache.answers.answers.clear()
    cache.private_answers.answers.clear()


@pytest.fixture(autouse=True)
def own_language():
    """The language of a test's last page stays with the thread, as it would with a server's until the next request."""
    from django.utils import translation

    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def language_model():
    from tests.llm_server import llm_server

    with llm_server() as server:
        yield server


@pytest.fixture
def configured_model(language_model, settings, monkeypatch, db):
    """A language model at a loopback address that answers well, known to the settings."""
    from retrieval.engines.llm import service as llm
    from tests.llm_server import good

    language_model.asked.clear()
    language_model.behaviour = good()
    settings.ARF_LLM = {"base_url": language_model.url, "api_key": "", "model": "m", "timeout": 5.0}
    monkeypatch.setattr(llm, "breaker", llm.Breaker())
    return language_model


@pytest.fixture
def unsure(configured_model):
    """A reranker that is unsure of everything, and the language model."""
    from evaluation.learning import registry
    from evaluation.learning.training import Trained
    from retrieval.stages.reranker.artifact import pack
    from tests.rerankers import publish_limits, some_reranker

    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"})))
    publish_limits(mlp_low=0.0, mlp_high=1.0, llm_weight=1.0)
    return configured_model


@pytest.fixture
def one_minute(monkeypatch):
    """The minute whose requests are counted does not end during the test."""
    from retrieval.api import authentication

    monkeypatch.setattr(authentication.timezone, "now", lambda: datetime(2026, 1, 1, 12, 0, 15, tzinfo=UTC))


@pytest.fixture
def unjudged(db):
    """Saving a rule asks again what is judged and may fire it: seconds for the judgments that ship."""
    from tests.builders import nothing_judged

    nothing_judged()


@pytest.fixture
def ann(db):
    from django.contrib.auth.models import User

    return User.objects.create_superuser("ann")


@pytest.fixture
def ben(db):
    from django.contrib.auth.models import User

    return User.objects.create_superuser("ben")


@pytest.fixture
def rule(ann, ben):
    """Makes a published rule of what is given, as though one person had proposed it and another approved it: `caller`
    could publish it.
    """
    from django.utils import timezone

    from retrieval.access.caller import ANONYMOUS
    from rules.authoring import rule_checks, workflow
    from rules.models import Rule
    from tests.rule_searches import ALWAYS

    def make(*actions: dict | str, criteria=ALWAYS, targets=(), caller=ANONYMOUS, **fields) -> Rule:
        made = Rule(
            name=fields.pop("name", f"rule {Rule.objects.count() + 1}"),
            criteria=criteria,
            targets=list(targets),
            actions=[{"kind": action} if isinstance(action, str) else action for action in actions],
            **fields,
        )
        rule_checks.check(made, caller, hints=False)
        made.status, made.live, made.version = Rule.Status.PUBLISHED, made.content, 1
        made.owner, made.proposed_by, made.published_by, made.published_at = ann, ann, ben, timezone.now()
        return workflow.kept(made, ben, "published as version 1")

    return make
