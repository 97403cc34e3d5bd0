"""The rule by which CI fails on skipped tests."""

import pytest

from tests import no_skips
from tests.database import ROOT

pytest_plugins = ["pytester"]
SKIPPED = """
import pytest

{marker}
def test_one():
    pytest.skip("the measuring data is not beside the checkout")
"""


@pytest.fixture
def outcome(pytester, monkeypatch):
    """Runs a test file under CI or not: (exit status, whether skips were complained of)."""

    def run(text: str, *options: str, ci: str) -> tuple[int, bool]:
        monkeypatch.setenv("CI", ci)
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setattr(no_skips, "skipped", [])  # in this process, whose own skips are others
        pytester.makeini("[pytest]\nmarkers = measuring_data")
        pytester.makepyfile(test_it=text)
        done = pytester.runpytest_inprocess("-p", "tests.no_skips", "-p", "no:django", *options)
        return done.ret, "which CI does not allow" in done.stdout.str()

    return run


@pytest.mark.parametrize(
    ("marker", "ci", "expected"),
    [
        ("", "true", (1, True)),
        ("", "", (0, False)),
        ("@pytest.mark.measuring_data", "true", (0, False)),
    ],
)
def test_a_skip_fails_under_ci_unless_the_test_is_marked_to_need_the_measuring_data(outcome, marker, ci, expected):
    assert outcome(SKIPPED.format(marker=marker), ci=ci) == expected


def test_a_module_that_skips_itself_counts(outcome):
    _, complained = outcome('import pytest\npytest.importorskip("no_such_module")\n', ci="true")
    assert complained


def test_skips_of_other_processes_count(outcome):
    assert outcome(SKIPPED.format(marker=""), "-n", "1", ci="true") == (1, True)
