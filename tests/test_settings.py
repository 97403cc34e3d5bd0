"""Where the settings are written down, and what a wrong one says."""

import os
import re
import subprocess
import sys

from tests.conftest import ROOT

READ = re.compile(r'env\.\w+\(\s*"([A-Z_]+)"')


def test_the_example_lists_every_variable_and_no_other():
    read = set(READ.findall((ROOT / "arf_site" / "settings.py").read_text()))
    listed = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert listed == read


def test_a_wrong_value_stops_the_start_with_the_variables_name():
    environment = os.environ | {"ARF_PORT": "eighty"}
    done = subprocess.run(
        [sys.executable, "-c", "import arf_site.settings"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0 and "ARF_PORT" in done.stderr
