"""The structure of the code as it stands: modules, what they import, how long they are.

`python -m tests.architecture` prints the figures; tests/test_architecture.py holds them to their limits.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("retrieval", "rules", "evaluation", "arf_site")  # each may import itself and those before it
DECLARATIONS = {
    "__init__.py",
    "__main__.py",
    "apps.py",
    "models.py",
    "urls.py",
    "wsgi.py",
    "gunicorn.conf.py",
}
STARTED_BY_UP = {"prepare", "worker"}  # commands that run where tests start a whole node
LONGEST = 500  # lines; a longer file holds two concepts
CLOCKS = {"perf_counter", "monotonic", "perf_counter_ns", "monotonic_ns"}


def modules() -> list[Path]:
    return sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def dotted(path: Path) -> str:
    """retrieval/models/__init__.py is retrieval.models."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


@cache
def imports(path: Path) -> tuple[tuple[str, str], ...]:
    """(module, name) of everything a module imports, anywhere in it, TYPE_CHECKING included; a name may be empty."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)


def import_graph() -> dict[str, set[str]]:
    """The project's own modules that each module imports; of a package only the module that is named."""
    known = {dotted(path): path for path in modules() if "migrations" not in path.parts}

    def imported(path: Path) -> set[str]:
        names = ((f"{module}.{name}", module) for module, name in imports(path))
        return {whole if whole in known else module for whole, module in names} & known.keys()

    return {module: imported(path) - {module} for module, path in known.items()}


def file_of_tests(path: Path) -> Path:
    """Where a module's tests are: of retrieval/text/language.py, tests/retrieval/text/test_language.py."""
    return ROOT / "tests" / path.relative_to(ROOT).with_name(f"test_{path.name}")


def is_declaration(path: Path) -> bool:
    """Whether a module has no tests of its own: it only declares, as tables, or is a command."""
    return path.name in DECLARATIONS or "migrations" in path.parts or is_command(path) or "models.Model" in bases(path)


def is_command(path: Path) -> bool:
    return path.parts[-3:-1] == ("management", "commands")


def bases(path: Path) -> set[str]:
    """What the classes of a module derive from, as it is written there."""
    classes = (node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef))
    return {ast.unparse(base) for one in classes for base in one.bases}


@cache
def text_of_tests() -> str:
    return "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))


def called_by_tests() -> set[str]:
    """The commands that tests call by their names."""
    return set(re.findall(r'(?:call_command\(|manage\(|manage\.py",)\s*"(\w+)"', text_of_tests()))


def clocked(test: Path) -> Iterator[str]:
    """The assertions of a test that read the clock: other work on the machine makes them fail."""
    text = test.read_text()
    for node in ast.walk(ast.parse(text)) if any(clock in text for clock in CLOCKS) else ():
        if isinstance(node, ast.Assert) and any(getattr(part, "attr", "") in CLOCKS for part in ast.walk(node)):
            yield f"{named(test)}:{node.lineno}"


def figures() -> str:
    lengths = {
        named(path): lines(path) for path in modules() if lines(path) and "migrations" not in path.parts
    }
    longest = max(lengths, key=lengths.get)
    total = sum(lengths.values())
    return (
        f"{len(lengths)} files, {total} lines; median {median(lengths.values()):.0f}, "
        f"longest {lengths[longest]} ({longest})"
    )


if __name__ == "__main__":
    print(figures())
