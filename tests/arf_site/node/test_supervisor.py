"""What dies is started again; one signal stops everything; nothing is left behind."""

import errno
import json
import os
import signal
import subprocess
from datetime import UTC, datetime

import pytest

from arf_site.node import supervisor
from arf_site.node.supervisor import Child, GaveUp, Program, Supervisor
from tests.conftest import ROOT
from tests.running import SLEEP, is_running, python, wait_for


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


def test_what_ends_is_started_again_and_this_is_said(supervise, told):
    running = supervise(Program("sleeper", python(SLEEP)))
    [child] = running.children
    first = child.process.pid
    os.kill(first, signal.SIGKILL)
    running.wait_until(lambda: child.process is not None and child.process.pid != first, limit=60)
    assert told == ["sleeper ended (SIGKILL); it is started again in 0.5 s."]


@pytest.mark.parametrize("amounts", [[4, 3, 2, 1, 1], [2, 1, 9], [3, 2, None]])
def test_work_that_comes_nearer_is_waited_for_and_not_what_stands_still_or_grows(supervise, told, amounts):
    left = iter([*amounts, "never asked for"])
    with pytest.raises(TimeoutError):
        supervise(Program("sleeper", python(SLEEP))).wait_until(
            lambda: False, limit=0.0, what="names", left=lambda: next(left)
        )
    assert next(left) == "never asked for"
    assert [line.split(",")[1] for line in told] == [f" {each} to go" for each in amounts[1:-1]]


def test_delays_double_and_a_crash_loop_is_given_up_with_its_last_words(supervise, told, monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.001)
    running = supervise(Program("broken", python("raise SystemExit('no such luck')")))
    with pytest.raises(GaveUp, match=r"(?s)broken ended \(exit status 1\) again and again.*no such luck"):
        running.wait_until(lambda: False, limit=60)
    assert [line.rsplit(" ", 2)[1] for line in told] == ["0.001", "0.002", "0.004", "0.008"]


def test_a_side_program_that_keeps_ending_is_tried_again_ever_later_and_stops_nothing(
    supervise, told, monkeypatch
):
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.001)
    monkeypatch.setattr(supervisor, "LONGEST_DELAY", 0.01)
    running = supervise(Program("web", python(SLEEP)), Program("writer", python("pass"), is_side=True))
    web, writer = running.children
    first = web.process.pid
    running.wait_until(lambda: len(told) > supervisor.QUICK_DEATHS, limit=60)
    assert web.process.pid == first and not supervisor.has_ended(first)
    assert [line.rsplit(" ", 2)[1] for line in told][:6] == [
        "0.001",
        "0.002",
        "0.004",
        "0.008",
        "0.01",
        "0.01",
    ]
    failing = json.loads(running.failing_file.read_text())
    assert failing["writer"]["why"] == "ended (exit status 0)"
    assert datetime.fromisoformat(failing["writer"]["since"]) <= datetime.now(UTC)


def test_a_side_program_that_runs_again_fails_no_more(supervise, tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.001)
    mended = tmp_path / "mended"
    code = f"import os, sys, time; os.path.exists(sys.argv[1]) or sys.exit(1); {SLEEP}"
    running = supervise(Program("writer", python(code, str(mended)), is_side=True))
    running.wait_until(lambda: bool(running.failing), limit=60)
    mended.touch()
    running.wait_until(lambda: running.children[0].process is not None, limit=60)
    running.wait_until(lambda: running.children[0].quick_deaths > 0, limit=60)
    monkeypatch.setattr(supervisor, "STEADY", 0.2)
    running.wait_until(lambda: not running.failing, limit=60)
    assert json.loads(running.failing_file.read_text()) == {}


def test_a_full_disk_is_said_in_one_sentence_and_the_rest_goes_on(supervise, told, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    running = supervise(Program("writer", python("pass"), is_side=True))
    [child] = running.children
    wait_for(lambda: supervisor.has_ended(child.process.pid))
    with monkeypatch.context() as disk:
        disk.setattr(supervisor, "FIRST_DELAY", 0)
        disk.setattr(subprocess, "Popen", full)
        disk.setattr("pathlib.Path.write_text", full)
        running.keep_up()
        running.keep_up()
    assert "writer cannot be started (No space left on device); it is started again in 0 s." in told
    assert f"{running.failing_file} cannot be written (No space left on device)." in told
    running.wait_until(lambda: child.process is not None, limit=60)


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


def test_a_program_that_has_just_ended_does_not_keep_the_others_from_being_stopped(supervise):
    running = supervise(Program("sleeper", python(SLEEP)), Program("ended", python("pass")))
    sleeper, ended = running.children
    pid = sleeper.process.pid
    wait_for(lambda: supervisor.has_ended(ended.process.pid))
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
from arf_site.node.supervisor import Program, Supervisor
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
from arf_site.node.supervisor import end_children_with_us
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


def test_a_log_that_has_grown_long_is_put_aside_while_its_program_runs(tmp_path, supervise, monkeypatch):
    monkeypatch.setattr(supervisor, "LOG_LIMIT", 10)
    talking = "import time\nwhile True:\n    print('a line', flush=True)\n    time.sleep(.05)"
    running, log = supervise(Program("web", python(talking))), tmp_path / "log" / "web.log"
    wait_for(lambda: log.stat().st_size > 10, limit=30)
    running.keep_up()
    assert log.with_name("web.old.log").read_text().startswith("a line")
    wait_for(lambda: log.read_text().startswith("a line"), limit=30)


def test_on_a_full_disk_the_log_that_was_put_aside_before_stays(tmp_path, monkeypatch):
    def copied_in_part(log, copy):
        copy.write_text("a l")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(supervisor, "LOG_LIMIT", 10)
    monkeypatch.setattr(supervisor.shutil, "copyfile", copied_in_part)
    log, before = tmp_path / "web.log", tmp_path / "web.old.log"
    log.write_text("a line\n" * 9)
    before.write_text("before")
    supervisor.put_aside(log)
    assert (log.read_text(), before.read_text()) == ("", "before") and len(list(tmp_path.iterdir())) == 2
