"""Real parts for every test: embedded PostgreSQL as the application's role, the real embedder, a real index.

The Constitution is ingested once a session by the ordinary job; tests that change data are rolled back.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

ROOT = Path(__file__).resolve().parent.parent
MEASURING_DATA = ROOT.parent / "shared" / "data"

# Examples may share a fixture, and the machine with other work.
hypothesis_settings.register_profile(
    "unhurried",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
hypothesis_settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def measuring_data() -> Path:
    if not MEASURING_DATA.is_dir():
        pytest.skip("the measuring data is not beside the checkout")
    return MEASURING_DATA


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory):
    """The index of the test database lies in a folder of its own, the ONNX export is made once and kept.

    Static files are served from where they are written: none need be collected.
    """
    from django.conf import settings

    from retrieval import embedders, onnx_export

    if name := os.environ.get("ARF_TEST_DB"):  # several runs on one server
        settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = name
    settings.ARF_LEXICAL_DIR = tmp_path_factory.mktemp("lexical")
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    onnx_export.export(embedders.default_model_dir(), Path(settings.ARF_EMBEDDER["export_dir"]))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """The test database with the shipped domains, curated content and the Constitution, indexed."""
    with django_db_blocker.unblock():
        from django.core.management import call_command

        call_command("load_defaults", verbosity=0)
        call_command("ingest", "us_constitution", verbosity=0)
        call_command("embed_aliases", verbosity=0)
        update_index()


def update_index() -> None:
    """Applies the change log now, as the supervised writer does within a second."""
    from retrieval import serving
    from retrieval.indexing import catch_up
    from retrieval.lexical import LexicalWriter

    index = serving.lexical_index()
    writer = LexicalWriter(index.path)
    catch_up(writer, index.position)
    writer.close()
    index.reload()


@pytest.fixture
def reindex(db):
    """Call it after changing the corpus in a test."""
    return update_index


@pytest.fixture(autouse=True, scope="session")
def patient_translator():
    """A program that a busy machine holds up is not taken for one that hangs."""
    from retrieval import translation

    translation.WARM_LIMIT = translation.START_LIMIT = 30.0


@pytest.fixture(autouse=True)
def no_kept_answers():
    """Each test starts with an empty in-process cache: the table's rows are rolled back, its would stay."""
    from retrieval import cache

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
def unsure(language_model, settings, monkeypatch, db):
    """A reranker that is unsure of everything, and a language model at a loopback address that answers well."""
    from evaluation import registry
    from evaluation.training import Trained
    from retrieval import llm
    from retrieval.reranking import pack
    from tests.llm_server import good
    from tests.test_reranking import publish_limits, some_reranker

    language_model.asked.clear()
    language_model.behaviour = good()
    settings.ARF_LLM = {"base_url": language_model.url, "api_key": "", "model": "m", "timeout": 5.0}
    monkeypatch.setattr(llm, "breaker", llm.Breaker())
    monkeypatch.setattr(llm, "_refused", set())
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"})))
    publish_limits(mlp_low=0.0, mlp_high=1.0, llm_weight=1.0)
    return language_model
