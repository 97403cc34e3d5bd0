"""Imports point left only, pure modules stay pure, and views, the API and commands leave writing to what they call."""

import ast
import json
import os
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter

import pytest
from django.apps import apps

from tests.architecture import (
    LONGEST,
    ROOMS,
    STARTED_BY_UP,
    called_by_tests,
    clocked,
    file_of_tests,
    import_graph,
    imports,
    is_command,
    is_declaration,
    lines,
    modules,
    named,
    text_of_tests,
)
from tests.conftest import ROOT

UNPICKLING = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
# Without Django at all.
PURE = (
    "arf_site.node.backup", "arf_site.node.first_search", "arf_site.node.postgres.__main__",
    "arf_site.node.supervisor", "evaluation.learning.promotion", "evaluation.learning.simulation",
    "evaluation.measuring.measures", "evaluation.measuring.plots", "evaluation.topics.leaks",
    "evaluation.topics.topic", "retrieval.access.caller", "retrieval.citations.citation",
    "retrieval.citations.finding", "retrieval.engines.embedders", "retrieval.engines.onnx_export",
    "retrieval.engines.translation", "retrieval.errors", "retrieval.indexes.lexical",
    "retrieval.ingestion.chunking", "retrieval.parsing.uslm.reader", "retrieval.ranking", "retrieval.targets",
    "retrieval.text.analyzer", "retrieval.text.language", "retrieval.text.normalization",
    "retrieval.text.sentences", "retrieval.text.snippets", "retrieval.text.spelling", "rules.engine.matching",
)  # fmt: skip
# With Django's messages, but without its apps, settings and models.
WITHOUT_APPS = (
    "rules.engine.clauses", "rules.engine.firing", "rules.engine.actions.apply", "rules.linting.conflicts",
    "rules.authoring.grammar.parser",
)  # fmt: skip
WRITES = {"bulk_create", "bulk_update", "create", "get_or_create", "update_or_create"}


def top_names(path):
    return {module.split(".")[0] for module, _name in imports(path)}


@pytest.mark.parametrize("path", modules(), ids=named)
def test_imports_point_left_only(path):
    room = path.relative_to(ROOT).parts[0]
    to_the_right = set(ROOMS[ROOMS.index(room) + 1 :])
    assert not top_names(path) & (to_the_right | {"tests"})


def test_no_module_imports_itself_by_way_of_others():
    try:
        TopologicalSorter(import_graph()).prepare()
    except CycleError as circle:
        pytest.fail(" imports ".join(reversed(circle.args[1])))


@pytest.mark.parametrize("path", [path for path in modules() if not is_declaration(path)], ids=named)
def test_every_module_has_a_test_file_of_its_name(path):
    assert file_of_tests(path).exists()


COMMANDS = [path for path in modules() if is_command(path) and path.stem != "__init__"]


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_every_command_is_called_by_a_test(path):
    assert path.stem in called_by_tests() | STARTED_BY_UP


def test_every_table_is_named_by_a_test():
    ours = (model for model in apps.get_models() if model.__module__.partition(".")[0] in ROOMS)
    named_there = set(re.findall(r"\w+", text_of_tests()))
    tables = {model.__name__ for model in ours if not model._meta.proxy}
    assert {table for table in tables - named_there if not table.startswith("Historical")} == set()


def test_a_circle_would_be_found():
    with pytest.raises(CycleError):
        TopologicalSorter({"rules.a": {"rules.b"}, "rules.b": {"rules.a"}}).prepare()


def test_no_file_is_longer_than_people_read():
    assert {named(path): lines(path) for path in modules() if lines(path) > LONGEST} == {}


def test_no_test_asserts_a_time_of_the_clock():
    assert [at for test in sorted((ROOT / "tests").rglob("test_*.py")) for at in clocked(test)] == []


def test_nothing_is_unpickled():
    assert [named(path) for path in modules() if top_names(path) & UNPICKLING] == []


@pytest.fixture(scope="module")
def loaded():
    """Names of all modules that an interpreter without settings has loaded after PURE, and after WITHOUT_APPS too."""
    code = f"""
import importlib, json, sys
for names in {PURE}, {WITHOUT_APPS}:
    for name in names:
        importlib.import_module(name)
    print(json.dumps([*sys.modules]))
"""
    bare = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=bare, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [set(json.loads(names)) for names in done.stdout.splitlines()]


def test_pure_modules_load_without_django(loaded):
    assert "django" not in loaded[0]


def test_what_rules_say_is_read_without_djangos_apps(loaded):
    assert "django.db" not in loaded[1]


def entry_points():
    names = ("pages/*.py", "admin/pages.py", "api/*.py", "api.py", "management/commands/*.py")
    return [path for room in ROOMS for name in names for path in (ROOT / room).glob(name)]


@pytest.mark.parametrize("path", entry_points(), ids=named)
def test_entry_points_write_nothing_themselves(path):
    """A view, the API or a command calls what writes: no `.objects.create(…)` and its kin."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
            assert not ast.unparse(node.func.value).endswith(".objects"), ast.unparse(node)


# -- docs/architecture.md

MAP = (ROOT / "docs/architecture.md").read_text()
QUERY = MAP[MAP.index("## The way of a query") : MAP.index("Stages read from")]


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([a-z_]+/[\w/]+(?:\.py)?)`", MAP))))
def test_what_the_map_names_exists(path):
    assert (ROOT / path).exists()


def test_the_map_names_every_folder():
    folders = {named(path.parent) for path in modules() if len(path.relative_to(ROOT).parts) == 3}
    folders -= {
        f"{room}/{folder}" for room in ROOMS for folder in ("migrations", "management", "templatetags")
    }
    assert folders - set(re.findall(r"`([a-z_]+/[a-z_]+)`", MAP)) == set()


def test_a_query_is_handed_through_few_modules_and_the_map_names_each_stage():
    """What `arf_site.pipelines` imports are the stages; those of rules' actions stand under `ApplyRuleActions`."""
    walked = {path.removesuffix(".py").replace("/", ".") for path in re.findall(r"`([\w/]+\.py)`", QUERY)}
    stages = {
        name for name in import_graph()["arf_site.pipelines"] if not name.startswith("rules.engine.actions.")
    }
    assert stages - walked == set()
    assert len(walked) <= 35
