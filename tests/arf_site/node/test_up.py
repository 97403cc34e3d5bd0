"""When `manage.py up` refuses to start, how it stops, and what its web server loads. It runs in test_reliability.py."""

import os
import shutil
import signal
import socket
import subprocess
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command, execute_from_command_line
from django.db import ConnectionHandler

from arf_site.environment import Environment
from arf_site.management.commands import up
from arf_site.node.supervisor import GaveUp
from tests.conftest import ROOT
from tests.running import free_port, python


def test_a_port_in_use_is_named_with_its_variable():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} of 127.0.0.1 cannot be used .*set ARF_PORT"):
            up.check_port("127.0.0.1", port)


def test_a_port_in_use_is_named_for_an_ipv6_address_too():
    with socket.socket(socket.AF_INET6) as other:
        other.bind(("::1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} of ::1 cannot be used"):
            up.check_port("::1", port)


def test_a_database_that_does_not_let_us_in_is_told_in_one_line(
    tmp_path, monkeypatch, settings, capsys, django_db_blocker
):
    settings.VAR_DIR, settings.ARF_PORT, settings.DATABASE_URL_GIVEN = tmp_path, free_port(), True
    nowhere = Environment().database("postgresql://nobody:hush@127.0.0.1:1/nothing")
    monkeypatch.setattr(up, "connections", ConnectionHandler({"default": nowhere}))
    monkeypatch.setattr(up, "stop_by_signals", lambda: None)
    with django_db_blocker.unblock(), pytest.raises(SystemExit) as ended:
        execute_from_command_line(["manage.py", "up"])
    [told] = capsys.readouterr().err.splitlines()
    assert ended.value.code == 1
    assert "DATABASE_URL cannot be used: connection failed" in told and "refused" in told
    assert "hush" not in told


def test_a_full_disk_is_told_in_one_sentence(tmp_path, monkeypatch, settings):
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(up, "stop_by_signals", lambda: None)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=3 * 2**20))
    with pytest.raises(
        CommandError, match=rf"The disk of {settings.VAR_DIR} is full: 3 MB are free and 64 MB are needed"
    ):
        call_command("up")


@pytest.fixture
def stopped(tmp_path, monkeypatch, settings):
    """What a failing `up` has stopped, though a signal arrives at each part that it stops."""
    ended = []

    def stop(name):
        os.kill(os.getpid(), signal.SIGTERM)
        ended.append(name)

    class Stopping(up.Supervisor):
        def stop(self):
            stop("programs")

    def broken(self, supervisor, started):
        raise GaveUp("web ended again and again")

    settings.VAR_DIR, settings.DATABASE_URL_GIVEN = tmp_path, False
    monkeypatch.setattr(up, "check_room", lambda folder: None)
    monkeypatch.setattr(up, "check_port", lambda host, port: None)
    monkeypatch.setattr(up, "check_database", lambda: None)
    monkeypatch.setattr(up, "Supervisor", Stopping)
    monkeypatch.setattr(up, "connections", SimpleNamespace(close_all=lambda: None))
    monkeypatch.setattr(up, "Postgres", lambda: SimpleNamespace(stop=lambda: stop("postgres")))
    monkeypatch.setattr(up.Command, "_serve", broken)
    handlers = {signum: signal.getsignal(signum) for signum in up.STOPPING}
    yield ended
    for signum, handler in handlers.items():
        signal.signal(signum, handler)


def test_a_signal_while_it_stops_leaves_nothing_behind(stopped):
    with pytest.raises(CommandError, match="again and again"):
        call_command("up")
    assert stopped == ["programs", "postgres"]


def test_a_second_up_in_the_same_folder_is_refused(tmp_path):
    path = tmp_path / "up.lock"
    told = rf"ARF already runs from here \(process {os.getpid()}\)"
    with up.alone(path), pytest.raises(CommandError, match=told), up.alone(path):
        pass


def test_what_a_killed_up_has_left_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(up, "LEFTOVERS_LIMIT", 0.3)
    path, told = tmp_path / "up.lock", []
    with path.open("a") as lock:
        assert up.locked(lock)
        with subprocess.Popen(["sleep", "600"], pass_fds=[lock.fileno()]) as left:
            named = rf"still hold .*end them first \({left.pid}\)"
            with pytest.raises(CommandError, match=named), up.alone(path, told.append):
                pass
            left.kill()
    assert told == ["Waiting for the processes of an ARF that was killed, at most 0 s …"]


def test_what_comes_no_nearer_is_not_waited_for(monkeypatch):
    def stuck(ready, *, limit, what, left):
        waited.append(what)
        raise TimeoutError

    waited, told = [], []
    monkeypatch.setattr(up.preparation, "names_are_embedded", lambda: True)
    monkeypatch.setattr(up.preparation, "changes_left", lambda: 0)
    command = up.Command()
    monkeypatch.setattr(command, "say", told.append)
    command._wait_for_names_and_index(SimpleNamespace(wait_until=stuck, failing={}))
    assert len(waited) == len(told) == 2 and "curated names to be embedded" in told[0]


def test_the_web_server_imports_all_before_it_forks_and_opens_nothing(db):
    """In a process of its own: what the server does, what is open then, and a search as a worker's first one. No worker
    loads torch or training libraries, nor openai without a language model.
    """
    code = """
import gc, json, os, runpy, sys
runpy.run_path("arf_site/node/gunicorn.conf.py")["when_ready"](None)
import onnxruntime
from django.conf import settings
from django.db import connections, transaction
from django.test import Client
gc.unfreeze()
sessions = [each for each in gc.get_objects() if issubclass(type(each), onnxruntime.InferenceSession)]
opened = [*sessions, *(each.connection for each in connections.all() if each.connection)]
threads, imported = len(os.listdir("/proc/self/task")), set(sys.modules)
from arf_site.wsgi import application
settings.DATABASES["default"]["NAME"], settings.ARF_LEXICAL_DIR = sys.argv[1:]
with transaction.atomic():  # nothing of this search stays in the database that other tests use
    answer = Client().get("/api/v1/search", {"q": "Can they search my phone?"}, headers={"host": "localhost"})
    with connections["default"].cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        limit = cursor.fetchone()
    transaction.set_rollback(True)
assert limit == ("1min",), limit
assert answer.status_code == 200 and answer.json()["results"], answer.content
assert "Fuse" not in answer.json()["degraded"] and "DenseRetriever" not in answer.json()["degraded"]
heavy = {"torch", "transformers", "sentence_transformers", "sklearn", "onnx", "scipy", "pandas", "openai"}
assert "retrieval.stages.llm_verifier" in sys.modules
searching = {name for name in set(sys.modules) - imported if name.startswith(("retrieval.", "rules.", "evaluation."))}
assert "rules.authoring.grammar.conditions" not in sys.modules, "only who writes a rule as a sentence needs it"
print(json.dumps([len(opened), threads, sorted(searching), sorted(heavy & set(sys.modules))]))
"""
    from django.conf import settings
    from django.db import connection

    arguments = (connection.settings_dict["NAME"], str(settings.ARF_LEXICAL_DIR))
    environment = os.environ | {"ARF_LLM_MODEL": ""}
    done = subprocess.run(python(code, *arguments), cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "[0, 1, [], []]", done.stdout + done.stderr
