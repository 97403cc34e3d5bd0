"""Imports point left only, pure modules stay pure, and doors leave writing to what they call."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

ROOMS = ("retrieval", "rules", "evaluation", "arf_site")  # each may import itself and those before it
UNPICKLING = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
PURE = (
    "arf_site.backup", "arf_site.first_search", "arf_site.postgres", "arf_site.supervisor", "retrieval.bluebook",
    "retrieval.chunking", "retrieval.citations", "retrieval.embedders", "retrieval.errors", "retrieval.language",
    "retrieval.lexical", "retrieval.onnx_export", "retrieval.ranking", "retrieval.sentences", "retrieval.snippets",
    "retrieval.spelling",
    "retrieval.textnorm", "retrieval.translation", "retrieval.uslm", "evaluation.measures", "evaluation.topics",
    "evaluation.plots", "rules.gates",
    "evaluation.gate", "evaluation.leaks", "evaluation.retraining_plots", "evaluation.simulation",
)  # fmt: skip
WRITES = {"bulk_create", "bulk_update", "create", "get_or_create", "update_or_create"}


def modules():
    return [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports(path: Path) -> set[str]:
    """The top names of everything a module imports, anywhere in it, TYPE_CHECKING included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", modules(), ids=named)
def test_imports_point_left_only(path):
    room = path.relative_to(ROOT).parts[0]
    to_the_right = set(ROOMS[ROOMS.index(room) + 1 :])
    assert not imports(path) & (to_the_right | {"tests"})


def test_nothing_is_unpickled():
    assert [named(path) for path in modules() if imports(path) & UNPICKLING] == []


def test_pure_modules_load_without_django():
    code = f"import importlib, sys; [importlib.import_module(name) for name in {PURE}]; print('django' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def doors():
    names = ("views.py", "api/views.py", "management/commands/*.py")
    return [path for room in ROOMS for name in names for path in (ROOT / room).glob(name)]


@pytest.mark.parametrize("path", doors(), ids=named)
def test_doors_write_nothing_themselves(path):
    """A view, the API or a command calls what writes: no `.objects.create(…)` and its kin."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
            assert not ast.unparse(node.func.value).endswith(".objects"), ast.unparse(node)
