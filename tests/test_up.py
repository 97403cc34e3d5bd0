"""One command starts everything and one signal stops it; what dies is started again; nothing is left behind."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError

from arf_site import schedules, supervisor
from arf_site.management.commands import up
from arf_site.supervisor import Child, GaveUp, Program, Supervisor
from tests.conftest import ROOT
from tests.running import RunningArf, command_lines, wait_for

SLEEP = "import time; time.sleep(60)"


def python(code, *arguments):
    return (sys.executable, "-c", code, *arguments)


def is_running(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def told():
    return []


@pytest.fixture
def supervise(tmp_path, told):
    made = []

    def begin(*programs):
        made.append(Supervisor(programs, tmp_path / "log", say=told.append))
        made[-1].start()
        return made[-1]

    yield begin
    for one in made:
        one.stop()


# The supervisor


def test_what_ends_is_started_again_and_this_is_said(supervise, told):
    running = supervise(Program("sleeper", python(SLEEP)))
    [child] = running.children
    first = child.process.pid
    os.kill(first, signal.SIGKILL)
    running.wait_until(lambda: child.process is not None and child.process.pid != first, limit=60)
    assert told == ["sleeper ended (SIGKILL); it is started again in 0.5 s."]


def test_delays_double_and_a_crash_loop_is_given_up_with_its_last_words(supervise, told, monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.001)
    running = supervise(Program("broken", python("raise SystemExit('no such luck')")))
    with pytest.raises(GaveUp, match=r"(?s)broken keeps ending \(exit status 1\).*no such luck"):
        running.wait_until(lambda: False, limit=60)
    assert [line.rsplit(" ", 2)[1] for line in told] == ["0.001", "0.002", "0.004", "0.008"]


def test_a_program_that_ran_long_is_not_in_a_crash_loop(tmp_path, told, monkeypatch):
    monkeypatch.setattr(supervisor, "STEADY", 0)
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0)
    child = Child(Program("steady", python("pass")), tmp_path / "steady.log", (), told.append)
    for _ in range(supervisor.QUICK_DEATHS + 1):
        child.start()
        wait_for(lambda: supervisor.has_ended(child.process.pid))
        child.keep_up()
    assert child.quick_deaths == 1


def test_what_a_dead_program_left_running_is_killed_before_it_is_started_again(supervise, tmp_path):
    code = "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', sys.argv[1]]); print(p.pid, flush=True)"
    running = supervise(Program("parent", python(f"{code}; p.wait()", SLEEP)))
    [child] = running.children
    wait_for(lambda: child.log.read_text())
    left = int(child.log.read_text())
    os.kill(child.process.pid, signal.SIGKILL)
    wait_for(lambda: supervisor.has_ended(child.process.pid))
    child.keep_up()
    wait_for(lambda: not is_running(left), limit=30)


def test_a_program_that_will_not_end_is_killed_after_its_grace(supervise):
    stubborn = (
        "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    running = supervise(Program("deaf", python(stubborn), grace=0.2))
    [child] = running.children
    wait_for(lambda: "deaf" in child.log.read_text())
    pid = child.process.pid
    running.stop()
    assert not is_running(pid)


def test_programs_end_in_the_opposite_order(supervise, tmp_path):
    code = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(print(sys.argv[1], file=open(sys.argv[2], "a"))))
print("ready", flush=True)
time.sleep(60)
"""
    ended = tmp_path / "ended"
    running = supervise(*(Program(name, python(code, name, str(ended))) for name in ("one", "two", "three")))
    wait_for(lambda: all("ready" in child.log.read_text() for child in running.children))
    running.stop()
    assert ended.read_text().split() == ["three", "two", "one"]


def test_programs_end_when_the_supervisor_is_killed(tmp_path):
    code = f"""
import sys, time
from pathlib import Path
from arf_site.supervisor import Program, Supervisor
running = Supervisor([Program("sleeper", [sys.executable, "-c", "{SLEEP}"])], Path(sys.argv[1]))
running.start()
print(running.children[0].process.pid, flush=True)
time.sleep(60)
"""
    killed = subprocess.Popen(python(code, str(tmp_path)), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    child = int(killed.stdout.readline())
    killed.kill()
    killed.wait()
    wait_for(lambda: not is_running(child), limit=30)


def test_children_forked_later_end_with_their_parent(tmp_path):
    code = f"""
import os
from arf_site.supervisor import end_children_with_us
end_children_with_us()
if (pid := os.fork()) == 0:
    if (pid := os.fork()) != 0:
        os.write(1, b"%d\\n" % pid)
    {SLEEP}
os.write(1, b"%d\\n" % pid)
{SLEEP}
"""
    parent = subprocess.Popen(python(code), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    children = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    wait_for(lambda: not any(map(is_running, children)), limit=30)


def test_a_long_log_is_put_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "LOG_LIMIT", 3)
    log = tmp_path / "web.log"
    log.write_text("long")
    supervisor.put_aside(log)
    assert not log.exists() and (tmp_path / "web.old.log").read_text() == "long"


# The command


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


@pytest.mark.parametrize(
    ("bound", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("[::1]", "http://[::1]:8000"),
        ("::", "http://[::1]:8000"),
    ],
)
def test_an_ipv6_address_stands_in_brackets(settings, bound, url):
    settings.ARF_BIND, settings.ARF_PORT = bound, 8000
    assert up.base_url() == url


def test_a_database_that_does_not_let_us_in_is_told_in_one_line(tmp_path):
    given = {"DATABASE_URL": "postgresql://nobody:hush@127.0.0.1:1/nothing", "ARF_VAR_DIR": str(tmp_path)}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        given["ARF_PORT"] = str(free.getsockname()[1])
    done = subprocess.run(
        [sys.executable, "manage.py", "up"], cwd=ROOT, env=os.environ | given, capture_output=True, text=True
    )
    [told] = done.stderr.splitlines()
    assert done.returncode == 1
    assert "DATABASE_URL cannot be used: connection failed" in told and "refused" in told
    assert "hush" not in told


def test_a_second_up_in_the_same_folder_is_refused(tmp_path):
    path = tmp_path / "up.lock"
    with up.alone(path):
        code = "import sys; from pathlib import Path; from arf_site.management.commands.up import alone"
        code = f"import django; django.setup(); {code}; alone(Path(sys.argv[1])).__enter__()"
        environment = os.environ | {"DJANGO_SETTINGS_MODULE": "arf_site.settings"}
        refused = subprocess.run(
            python(code, str(path)), cwd=ROOT, env=environment, capture_output=True, text=True
        )
    assert f"ARF already runs from here (process {os.getpid()})" in refused.stderr


def test_schedules_are_made_once_and_keep_their_time(db):
    from django_q.models import Schedule

    schedules.ensure()
    Schedule.objects.filter(name="prune").update(next_run="2030-01-01T03:00Z", func="elsewhere")
    schedules.ensure()
    made = {name: fields["func"] for name, fields in schedules.SCHEDULES.items()}
    assert sorted(Schedule.objects.values_list("name", "func")) == sorted(made.items())
    assert {"retrieval.tasks.prune", "retrieval.tasks.resume_silent_jobs"} <= set(made.values())
    assert Schedule.objects.get(name="prune").next_run.year == 2030


def test_web_workers_load_neither_torch_nor_training_libraries(db):
    """In a process of its own: the application, a search through it, then what was imported."""
    code = """
import sys
from django.conf import settings
from arf_site.wsgi import application
settings.DATABASES["default"]["NAME"], settings.ARF_LEXICAL_DIR = sys.argv[1:]
from django.test import Client
answer = Client().get("/api/v1/search", {"q": "Can they search my phone?"}, headers={"host": "localhost"})
assert answer.status_code == 200 and answer.json()["results"], answer.content
assert "Fuse" not in answer.json()["degraded"] and "DenseRetriever" not in answer.json()["degraded"]
heavy = {"torch", "transformers", "sentence_transformers", "sklearn", "onnx", "scipy", "pandas"}
print(sorted(heavy & set(sys.modules)))
"""
    from django.conf import settings
    from django.db import connection

    arguments = (connection.settings_dict["NAME"], str(settings.ARF_LEXICAL_DIR))
    done = subprocess.run(python(code, *arguments), cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


@pytest.mark.slow
def test_up_serves_a_first_search_starts_quickly_again_and_leaves_nothing_behind():
    arf = RunningArf()
    try:
        arf.up()
        told = arf.told()
        assert "Administrator: admin" in told and "165 sections published" in told
        assert "/us/const/amendment/IV" in arf.search()
        assert arf.stop() == 0
        assert command_lines(arf.var) == []

        arf.up()
        assert "Administrator" not in arf.told() and "published" not in arf.told()
        assert "/us/const/amendment/IV" in arf.search()

        arf.process.kill()
        arf.process.wait()
        wait_for(lambda: command_lines(arf.var) == [])
    finally:
        arf.remove()
