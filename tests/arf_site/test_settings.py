"""Where the settings are written down, and what a wrong one says."""

import gc
import os
import re
import runpy
import subprocess
import sys
from contextlib import suppress

import pytest
from django.core.exceptions import ImproperlyConfigured

import manage
from arf_site.environment import Environment
from arf_site.node.postgres.server import Postgres
from tests.conftest import ROOT

READ = re.compile(r'env\.\w+\(\s*"([A-Z_]+)"')


def test_the_example_lists_every_variable_and_no_other():
    read = set(READ.findall((ROOT / "arf_site" / "settings.py").read_text()))
    listed = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert listed == read


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("ARF_PORT", "eighty"),
        ("ARF_PORT", "99999"),
        ("ARF_PROXIES", "-1"),
        ("ARF_WORKERS", "0"),
        ("ARF_BEHIND_TLS", "ture"),
        ("ARF_TIME_ZONE", "Mars/Olympus"),
        ("ARF_LOG_LEVEL", "LOUD"),
        ("ARF_LLM_TIMEOUT", "soon"),
        ("ARF_LLM_TIMEOUT", "0"),
        ("ARF_VAR_DIR", "/proc/nowhere"),
        ("ARF_VAR_DIR", "/proc/self"),
        ("ARF_SECRET_KEY_FILE", "/nowhere"),
        ("ARF_CORS_ORIGINS", "example.org"),
        ("ARF_ALLOWED_HOSTS", "https://law.example.org"),
        ("ARF_TRUSTED_ORIGINS", "https://law.example.org/"),
        ("ARF_FETCH_HOSTS", "https://x.example.org"),
        ("ARF_EXTERNAL_HOSTS", "https://x.example.org"),
        ("ARF_US_CODE_URL", "foo"),
        ("ARF_LLM_URL", "localhost:11434"),
        ("ARF_EMBEDDER_URL", "foo"),
        ("ARF_EXTERNAL_URL", "foo"),
        ("ARF_BIND", "1.2.3"),
        ("ARF_BIND", "127.1"),
        ("ARF_BIND", "0"),
        ("ARF_BIND", "[::1"),
        ("ARF_BIND", "127.0.0.1:8000"),
        ("ARF_CROSS_ENCODER", "/nowhere"),
        ("ARF_EMBEDDER_DIR", "/nowhere"),
        ("REDIS_URL", "localhost:6379"),
        ("ARF_BACKUP_URL", "mysql://localhost/arf"),
        ("DATABASE_URL", "mysql://localhost/arf"),
        ("DATABASE_URL", "postgresql://[localhost/arf"),
        ("DATABASE_URL", "postgresql://localhost"),
    ],
)
def test_a_wrong_value_is_refused_in_one_line_that_names_its_variable(monkeypatch, name, wrong):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@localhost/nothing")
    monkeypatch.setenv(name, wrong)
    with pytest.raises(ImproperlyConfigured) as refused:
        runpy.run_path(str(ROOT / "arf_site" / "settings.py"))
    assert name in str(refused.value) and "\n" not in str(refused.value)


def run_manage(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """What a start from the shell does: status, output, errors."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_a_wrong_value_stops_the_start_without_a_traceback():
    status, _, told = run_manage("check", ARF_PORT="eighty", DATABASE_URL="postgresql://nobody@localhost/nothing")
    [line] = told.splitlines()
    assert status == 1 and "ARF_PORT" in line and "Traceback" not in line


def test_a_variable_set_to_nothing_has_its_default(monkeypatch):
    monkeypatch.setenv("ARF_PORT", "")
    assert Environment().whole("ARF_PORT", 8000) == 8000


def test_a_secret_out_of_a_file_ends_before_its_line_break(monkeypatch, tmp_path):
    (tmp_path / "secret").write_text("hush\n")
    monkeypatch.setenv("ARF_SECRET_KEY_FILE", str(tmp_path / "secret"))
    assert Environment().text("ARF_SECRET_KEY") == "hush"


@pytest.mark.parametrize("arguments", [[], ["help"], ["up", "--help"], ["search", "-h"], ["--version"]])
def test_help_needs_no_database(monkeypatch, capsys, arguments):
    monkeypatch.setattr(sys, "argv", ["manage.py", *arguments])
    monkeypatch.setattr(Postgres, "start", pytest.fail)
    with suppress(SystemExit):
        manage.main()
    assert capsys.readouterr().out


def test_help_is_given_and_settings_load_before_there_is_a_database(tmp_path):
    status, told, errors = run_manage("up", "--help", ARF_VAR_DIR=str(tmp_path), DATABASE_URL="")
    assert (status, errors) == (0, "") and told
    assert not (tmp_path / "postgres").exists()


def test_a_command_works_beside_others_without_spinning_for_their_cores(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["manage.py", "version"])
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setattr("django.setup", lambda: None)
    monkeypatch.setattr("django.core.management.execute_from_command_line", lambda argv: None)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    manage.main()
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"


def test_a_training_leaves_a_process_for_files_and_what_is_due(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@localhost/nothing")
    monkeypatch.delenv("ARF_WORKERS", raising=False)
    assert runpy.run_path(str(ROOT / "arf_site" / "settings.py"))["Q_CLUSTER"]["workers"] == 2
