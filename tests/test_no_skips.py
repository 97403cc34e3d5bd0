"""The rule by which CI fails on skipped tests."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

SKIPPED = 'import pytest\n\ndef test_one():\n    pytest.skip("{}")\n'


@pytest.mark.parametrize(
    ("reason", "ci", "status"),
    [
        ("no browser", "true", 1),
        ("no browser", "", 0),
        ("the measuring data is not beside the checkout", "true", 0),
    ],
)
def test_a_skip_fails_under_ci_unless_the_measuring_data_is_absent(tmp_path, reason, ci, status):
    (tmp_path / "test_it.py").write_text(SKIPPED.format(reason))
    options = [
        "-p",
        "tests.no_skips",
        "-p",
        "no:django",
        "-c",
        os.devnull,
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    environment = os.environ | {"CI": ci, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options], env=environment, capture_output=True, text=True
    )
    assert done.returncode == status, done.stdout
    assert ("which CI does not allow" in done.stdout) == bool(status)


def test_a_module_that_skips_itself_counts(tmp_path):
    (tmp_path / "test_it.py").write_text('import pytest\npytest.importorskip("no_such_module")\n')
    options = [
        "-p",
        "tests.no_skips",
        "-p",
        "no:django",
        "-c",
        os.devnull,
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    environment = os.environ | {"CI": "true", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options], env=environment, capture_output=True, text=True
    )
    assert "which CI does not allow" in done.stdout
