"""Where the settings are written down, and what a wrong one says."""

import os
import re
import subprocess
import sys

import pytest

from arf_site.environment import Environment
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
        ("ARF_SECRET_KEY_FILE", "/nowhere"),
        ("DATABASE_URL", "mysql://localhost/arf"),
        ("DATABASE_URL", "postgresql://[localhost/arf"),
        ("DATABASE_URL", "postgresql://localhost"),
    ],
)
def test_a_wrong_value_stops_the_start_with_one_line_that_names_its_variable(name, wrong):
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": "postgresql://nobody@localhost/nothing", name: wrong},
        capture_output=True,
        text=True,
    )
    [told] = done.stderr.splitlines()
    assert done.returncode == 1
    assert name in told
    assert "Traceback" not in told


def test_a_variable_set_to_nothing_has_its_default(monkeypatch):
    monkeypatch.setenv("ARF_PORT", "")
    assert Environment().whole("ARF_PORT", 8000) == 8000


def test_a_secret_out_of_a_file_ends_before_its_line_break(monkeypatch, tmp_path):
    (tmp_path / "secret").write_text("hush\n")
    monkeypatch.setenv("ARF_SECRET_KEY_FILE", str(tmp_path / "secret"))
    assert Environment().text("ARF_SECRET_KEY") == "hush"


@pytest.mark.parametrize("arguments", [[], ["help"], ["up", "--help"], ["search", "-h"], ["--version"]])
def test_help_is_given_before_there_is_a_database(arguments, tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        | {"ARF_VAR_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "") and done.stdout
    assert not (tmp_path / "postgres").exists()
