"""What must be there before a node serves. Each step leaves alone what is there already."""

import hashlib
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from io import StringIO
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.staticfiles.finders import get_finders
from django.core import checks
from django.core.management import CommandError, call_command
from django_q.tasks import async_task

from evaluation.learning import registry, retraining
from retrieval import jobs
from retrieval.engines import loaded
from retrieval.indexes import lexical_sync
from retrieval.ingestion import ingest
from retrieval.models import Domain, EmbeddingModel, JobRun, Section
from rules.aliases import embedding

CONSTITUTION = "us_constitution"
MENDED_BY_STARTING = {"arf.W005"}  # the index: its writer starts next

Say = Callable[[str], None]


def prepare(say: Say) -> None:
    """The database, what ships with the project, the embedder's export, static files, an administrator."""
    if settings.ARF_CROSS_ENCODER["model_dir"]:
        with exporting(say, "Cross-encoder", settings.ARF_CROSS_ENCODER, "--cross-encoder"):
            pass
    embedder = settings.ARF_EMBEDDER
    with exporting(say, "Embedding model", embedder) if embedder["kind"] == "onnx" else nullcontext():
        with timed(say, "Database up to date"):
            call_command("migrate", interactive=False, verbosity=0)
            call_command("load_defaults", stdout=StringIO())
        with timed(say, "Static files in place"):
            collect_static()
    check(say)
    if created := create_admin():
        say(f"  Administrator: {created[0]}   password: {created[1]}   (shown this once)")


@contextmanager
def timed(say: Say, what: str):
    started = time.monotonic()
    yield
    say(f"  {what} ({time.monotonic() - started:.1f} s)")


@contextmanager
def exporting(say: Say, what: str, model: dict, *options: str):
    """Exports a model to ONNX meanwhile, in a process of its own: this one never loads torch."""
    folders = filter(None, (model["export_dir"], model["model_dir"]))
    command = [sys.executable, "-m", "retrieval.engines.onnx_export", *options, *folders]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    started = time.monotonic()
    with subprocess.Popen(command, cwd=settings.BASE_DIR, text=True, **pipes) as process:
        try:
            yield
            output, _ = process.communicate()
        finally:
            process.terminate()
    if process.returncode != 0:
        raise CommandError(f"The {what.lower()} could not be exported to ONNX:\n{output.strip()}")
    say(f"  {what} ready ({time.monotonic() - started:.1f} s)")


def collect_static() -> None:
    """Runs `collectstatic` when a source file has changed since it last did."""
    stamp, wanted = Path(settings.STATIC_ROOT) / ".collected", static_fingerprint()
    if not stamp.exists() or stamp.read_text() != wanted:
        call_command("collectstatic", interactive=False, verbosity=0)
        stamp.write_text(wanted)


def static_fingerprint() -> str:
    """Of the names, sizes and times of all source files: nothing is read."""
    found = []
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            found.append([path, stat.st_size, stat.st_mtime_ns])
    return hashlib.sha256(json.dumps(sorted(found)).encode()).hexdigest()


def check(say: Say) -> None:
    """Runs the system checks, those of the database too. Raises CommandError for an error."""
    found = [m for m in checks.run_checks(databases=["default"]) if m.level >= checks.WARNING]
    for message in found:
        if message.id not in MENDED_BY_STARTING and not message.is_silenced():
            say(f"  {message}")
    if any(message.level >= checks.ERROR and not message.is_silenced() for message in found):
        raise CommandError("Mend these first.")


def create_admin() -> tuple[str, str] | None:
    """The name and password of the first administrator; None when there is one."""
    users = get_user_model().objects
    if users.filter(is_superuser=True).exists():
        return None
    password = settings.ARF_ADMIN_PASSWORD or secrets.token_urlsafe(12)
    user = users.create_superuser(settings.ARF_ADMIN_USER, password=password)
    return user.get_username(), password if not settings.ARF_ADMIN_PASSWORD else "that of ARF_ADMIN_PASSWORD"


def constitution_is_there() -> bool:
    return Section.objects.live().filter(domain__slug=CONSTITUTION).exists()


def order_constitution() -> JobRun:
    """The job that ingests the Constitution; one that works on a corpus already is given instead."""
    try:
        return jobs.enqueue(**ingest.request(Domain.objects.get(slug=CONSTITUTION)))
    except jobs.AlreadyRunning as other:
        return other.run


def names_are_embedded() -> bool:
    """Whether every alias has its vector; waiting for that keeps the first searches as good as later ones."""
    active = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    return active is None or not embedding.missing(active).exists()


def order_names() -> None:
    """What the schedule would do within a minute."""
    async_task("rules.aliases.embedding.embed_all")


def order_reranker(say: Say) -> None:
    """Has the reranker trained from the library's judgments where none serves yet, or where the one in force cannot:
    it reads other features than this code gives. Searches do without meanwhile. What failed is tried again.
    """
    asked_for = JobRun.objects.filter(kind="retrain").exclude(status=JobRun.Status.FAILED)
    if problem := registry.problem():
        say(f"  The deployed reranker cannot serve: {problem} Another is trained now.")
        asked_for = asked_for.unfinished()
    elif registry.active():
        return
    if not asked_for.exists():
        jobs.enqueue(**retraining.request())


def index_is_current() -> bool:
    """Whether this node's lexical index holds every change of the corpus."""
    index = loaded.lexical_index()
    return not index.problem and not lexical_sync.behind(index.position)
