"""Under CI a skipped test is a failure, unless its marker says that it needs the measuring data."""

import os

ALLOWED = "measuring_data"
skipped: list[str] = []


def reason_of(report) -> str:
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)


def pytest_runtest_logreport(report) -> None:
    if report.skipped and not hasattr(report, "wasxfail") and ALLOWED not in report.keywords:
        skipped.append(f"{report.nodeid}: {reason_of(report)}")


def pytest_collectreport(report) -> None:
    """A module that skips itself has no marker."""
    if report.skipped:
        skipped.append(f"{report.nodeid}: {reason_of(report)}")


def pytest_sessionfinish(session) -> None:
    if skipped and os.environ.get("CI"):
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter) -> None:
    if skipped and os.environ.get("CI"):
        terminalreporter.section("skipped, which CI does not allow")
        terminalreporter.write_line("\n".join(skipped))
