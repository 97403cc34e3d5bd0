"""What must be there before a node serves. Each step leaves alone what is there already."""

import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager, nullcontext, suppress
from io import StringIO
from pathlib import Path

from django.conf import STATICFILES_STORAGE_ALIAS, settings
from django.contrib.auth import get_user_model
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.management.commands import collectstatic
from django.core import checks
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django_q.tasks import async_task

from arf_site.node.supervisor import ending_with_us
from evaluation.learning import registry, retraining
from retrieval import jobs
from retrieval.engines import loaded
from retrieval.engines.embedders import export_of
from retrieval.fetching.job import address_of
from retrieval.indexes import lexical_sync
from retrieval.ingestion import erasing, ingest, reembedding
from retrieval.models import Domain, EmbeddingModel, JobRun, Section
from rules.aliases import embedding

CONSTITUTION = "us_constitution"
LOOKS_EVERY = 5.0  # seconds between looks at 2,000 files, which take 20 ms
LONGEST_PAUSE = 600.0  # seconds before what could not be mended is tried again
MENDED_BY_STARTING = {"arf.W005"}  # the index: its writer starts next

Say = Callable[[str], None]


def prepare(say: Say) -> None:
    """The database, what ships with the project, the embedder's export, static files, an administrator."""
    if settings.ARF_CROSS_ENCODER["model_dir"]:
        with exporting(say, "Cross-encoder", settings.ARF_CROSS_ENCODER, "--cross-encoder"):
            pass
    embedder = settings.ARF_EMBEDDER | {"export_dir": str(export_of(settings.ARF_EMBEDDER))}
    with exporting(say, "Embedding model", embedder) if embedder["kind"] == "onnx" else nullcontext():
        with timed(say, "Database up to date"):
            call_command("migrate", interactive=False, verbosity=0)
            call_command("load_defaults", stdout=StringIO())
            erase_again(say)
        with timed(say, "Static files in place"):
            collect_static()
    check(say)
    if created := create_admin():
        say(f"  Administrator: {created[0]}   password: {created[1]}   (shown this once)")


def erase_again(say: Say) -> None:
    """What a backup has brought back; a restore that was killed may have left it. What cannot be read of the record
    stops no start, and keeps nothing else from being erased.
    """
    noted, problems = erasing.read_notes()
    if erased := erasing.erase_again(noted | {number for number, _ in erasing.in_database()}):
        say(f"  Erased again: {erased} matter{'s' * (erased > 1)} that a backup had brought back.")
    for problem in problems:
        say(f"  {problem}")


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
    with subprocess.Popen(ending_with_us(command), cwd=settings.BASE_DIR, text=True, **pipes) as process:
        try:
            yield
            output, _ = process.communicate()
        finally:
            process.terminate()
    if process.returncode != 0:
        raise CommandError(f"The {what.lower()} could not be exported to ONNX:\n{output.strip()}")
    say(f"  {what} ready ({time.monotonic() - started:.1f} s)")


def collect_static() -> None:
    """Collects static files when a source has changed since that was last done, or a collected file. They are written
    apart and then put in place one by one: what changes in the folder meanwhile is not taken for what was collected.
    """
    root, wanted = Path(settings.STATIC_ROOT), static_fingerprint()
    stamp = root / ".collected"
    known = collected_before(stamp)
    found = stamps(root)
    changed = [name for name, stat in known.get("files", {}).items() if found.get(name) != stat]
    if known.get("sources") == wanted and not changed:
        return
    with written_apart(root / ".new") as made:
        collect_into(made)
        files = stamps(made)
        for name in files:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).replace(root / name)
    for name in found.keys() - files.keys():
        (root / name).unlink(missing_ok=True)
    stamp.write_text(json.dumps({"sources": wanted, "files": files}))


@contextmanager
def written_apart(folder: Path):
    """The folder, empty, which is gone afterwards."""
    shutil.rmtree(folder, ignore_errors=True)  # of one that was killed
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def collect_into(folder: Path) -> None:
    command = collectstatic.Command()
    kind = settings.STORAGES[STATICFILES_STORAGE_ALIAS]
    command.storage = storages.create_storage(kind | {"OPTIONS": {"location": folder}})
    call_command(command, interactive=False, verbosity=0)


def collected_before(stamp: Path) -> dict:
    try:
        return dict(json.loads(stamp.read_text()))
    except (OSError, ValueError, TypeError):
        return {}


def stamps(folder: Path) -> dict[str, list[int]]:
    """Size and time of change of each file below; those with a dot before their names tell of the others."""
    found = {}
    for inside, folders, names in os.walk(folder):  # which passes over a folder that goes meanwhile
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(inside, name) for name in names if not name.startswith(".")):
            with suppress(FileNotFoundError):
                stat = path.stat()
                found[str(path.relative_to(folder))] = [stat.st_size, stat.st_mtime_ns]
    return found


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


def bodies_to_load() -> dict[str, list[str]]:
    """The public bodies of law of which nothing is loaded, by the command that loads them: what ships with ARF is
    ingested, what is officially published is fetched.
    """
    empty = Domain.objects.filter(visibility=Domain.Visibility.PUBLIC, documents=None)
    by_command: dict[str, list[str]] = {}
    for domain in empty:
        if domain.source and Path(settings.BASE_DIR, domain.source).is_file():
            by_command.setdefault("ingest", []).append(domain.slug)
        elif address_of(domain):
            by_command.setdefault("fetch", []).append(domain.slug)
    return by_command


def order_constitution() -> JobRun:
    """The job that ingests the Constitution, in its turn after what is being ingested."""
    return jobs.ask(**ingest.request(Domain.objects.get(slug=CONSTITUTION)))


def order_vectors(say: Say) -> None:
    """Has all text embedded anew where the model on this disk is another than the one that made the stored vectors,
    though settings name the same, as after an update: searches do without vectors meanwhile.
    """
    active = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    spec = loaded.settings_spec()
    if not active or active.spec != spec or spec["kind"] != "onnx":
        return
    if active.fingerprint == loaded.embedder_from(spec).fingerprint:
        return
    say("  The embedder has changed: all text is embedded anew now, and found by its words meanwhile.")
    if not JobRun.objects.unfinished().filter(kind="reembed").exists():
        jobs.enqueue(**reembedding.request(), queues=True)


def names_are_embedded() -> bool:
    """Whether every alias has its vector, or gets it when all text is embedded anew; waiting for that keeps the first
    searches as good as later ones.
    """
    active = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    if active is None or not embedding.missing(active).exists():
        return True
    return JobRun.objects.unfinished().filter(kind="reembed").exists()


def names_left() -> int:
    """How many aliases have no vector by the active model."""
    return embedding.missing(EmbeddingModel.objects.get(status=EmbeddingModel.Status.ACTIVE)).count()


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


class Upkeep:
    """Has `manage.py prepare` mend what it made, in a process of its own, when files have changed: until it changes
    none.
    """

    def __init__(self, log: Path):
        self.log = log
        self.whole = self.found = prepared_files()
        self.process: subprocess.Popen | None = None
        self.pause, self.next_look = LOOKS_EVERY, 0.0

    def look(self) -> bool:
        """Always False: it is never through."""
        if time.monotonic() < self.next_look or (self.process and self.process.poll() is None):
            return False
        if self.process:
            self._is_through(self.process.returncode)
        elif (found := prepared_files()) != self.whole:
            self._begin(found)
        self.next_look = time.monotonic() + self.pause
        return False

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait()

    def _begin(self, found: dict) -> None:
        self.found = found
        command = (sys.executable, str(settings.BASE_DIR / "manage.py"), "prepare")
        try:
            with self.log.open("ab") as log:
                told = {"stdout": log, "stderr": log}
                self.process = subprocess.Popen(ending_with_us(command), cwd=settings.BASE_DIR, **told)
        except OSError:  # a full disk, for one
            self._is_through(1)

    def _is_through(self, status: int) -> None:
        """One that failed is tried again, later each time."""
        self.process = None
        self.pause = min(self.pause * 2, LONGEST_PAUSE) if status else LOOKS_EVERY
        if status == 0 and self.found == prepared_files():
            self.whole = self.found


def prepared_files() -> dict[str, dict[str, list[int]]]:
    """What this node's processes read and only `prepare` writes."""
    exports = (export_of(settings.ARF_EMBEDDER), settings.ARF_CROSS_ENCODER["export_dir"])
    return {str(folder): stamps(Path(folder)) for folder in (settings.STATIC_ROOT, *exports)}


def index_is_current() -> bool:
    """Whether this node's lexical index holds every change of the corpus."""
    return not loaded.lexical_index().problem and not changes_left()


def changes_left() -> int:
    """How many changes of the corpus this node's lexical index lacks."""
    return lexical_sync.behind(loaded.lexical_index().position)
