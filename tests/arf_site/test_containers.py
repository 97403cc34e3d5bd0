"""compose.yaml and the Dockerfile, read as no engine is at hand: what they run, set, mount and ask is really there."""

import re
import runpy
import shlex
import subprocess
from fnmatch import fnmatch
from importlib.util import find_spec

import pytest
import yaml
from django.core.management import get_commands
from django.urls import resolve

from arf_site.node import first_search
from tests.conftest import ROOT

COMPOSE = (ROOT / "compose.yaml").read_text()
DOCKERFILE = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
SERVICES = yaml.safe_load(COMPOSE)["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "arf"}
EXAMPLE = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
NOT_IN_CONTAINERS = {
    "ARF_DEBUG",
    "ARF_EMBEDDER_DIR",
    "ARF_CROSS_ENCODER",
}  # the last two are folders, to be mounted
OF_THE_IMAGE = {"ARF_VAR_DIR"}
OF_COMPOSE = {"POSTGRES_PASSWORD", "ARF_DB_PASSWORD"}  # told at the head of compose.yaml


def steps(instruction: str) -> list[str]:
    return re.findall(rf"^{instruction} (.+)$", DOCKERFILE, re.MULTILINE)


def ran() -> list[list[str]]:
    """The words of every command of ours: of the services, and of the image while it is built and by default."""
    built = [shlex.split(command) for step in steps("RUN") for command in step.split("&&")]
    default = [yaml.safe_load(step) for step in steps("CMD")]
    return [service["command"] for service in OURS.values() if "command" in service] + built + default


def test_the_services_are_those_that_make_run_starts_and_a_first_search():
    assert set(SERVICES) == {"db", "prepare", "writer", "worker", "web", "first-search"}


def test_every_command_exists():
    words = ran()
    managed = [each[each.index("manage.py") + 1] for each in words if "manage.py" in each]
    modules = [each[2] for each in words if each[:2] == ["python", "-m"]]
    assert set(managed) == {"prepare", "lexical_writer", "worker", "collectstatic"} <= set(get_commands())
    assert set(modules) == {"retrieval.engines.onnx_export", "arf_site.node.first_search"}
    assert all(find_spec(module) for module in modules)
    [gunicorn] = [each for each in words if each[0] == "gunicorn"]
    assert (ROOT / gunicorn[gunicorn.index("--config") + 1]).is_file()


def test_every_variable_is_one_that_is_listed():
    asked = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE))
    assert asked <= EXAMPLE | OF_COMPOSE
    set_for_us = {name for service in OURS.values() for name in service["environment"]}
    assert set_for_us - {"OMP_NUM_THREADS"} == EXAMPLE - NOT_IN_CONTAINERS - OF_THE_IMAGE
    assert {name for name in asked if f"${{{name}:?" in COMPOSE} == OF_COMPOSE
    assert all(name in COMPOSE.partition("x-arf")[0] for name in OF_COMPOSE)


def test_services_wait_for_one_another_and_are_asked_at_addresses_that_answer():
    for service in SERVICES.values():
        for name, wait in service.get("depends_on", {}).items():
            assert wait["condition"] != "service_healthy" or "healthcheck" in SERVICES[name]
            assert (
                wait["condition"] != "service_completed_successfully"
                or SERVICES[name]["restart"] != "unless-stopped"
            )
    asked = SERVICES["web"]["healthcheck"]["test"][-1]
    compile(asked, "healthcheck", "exec")
    port, path = re.search(r"http://127\.0\.0\.1:(\d+)(/[^\"]+)", asked).groups()
    assert resolve(path).func and port == OURS["web"]["environment"]["ARF_PORT"]
    assert SERVICES["web"]["ports"] == [f"127.0.0.1:${{ARF_PORT:-8000}}:{port}"]
    assert OURS["first-search"]["command"][-1] == f"http://127.0.0.1:{port}"


@pytest.fixture
def behind_tls(settings):
    settings.SECURE_SSL_REDIRECT, settings.SECURE_PROXY_SSL_HEADER = True, ("HTTP_X_FORWARDED_PROTO", "https")


def test_the_first_search_is_answered_behind_a_proxy_with_tls_too(behind_tls, site):
    assert first_search.listens(site) and first_search.ask(site)["results"]


def test_this_machine_is_answered_whatever_name_others_know_it_by(monkeypatch):
    monkeypatch.setenv("ARF_ALLOWED_HOSTS", "law.example.org")
    hosts = runpy.run_path(str(ROOT / "arf_site" / "settings.py"))["ALLOWED_HOSTS"]
    assert {"law.example.org", "127.0.0.1"} <= set(hosts)


def test_the_database_is_made_by_a_script_that_the_image_runs():
    script = "./docker/database.sh"
    assert f"{script}:/docker-entrypoint-initdb.d/10-database.sh:ro" in SERVICES["db"]["volumes"]
    assert subprocess.run(["bash", "-n", script], cwd=ROOT).returncode == 0
    made = set(re.findall(r"CREATE (?:ROLE|DATABASE) (\w+)", (ROOT / script).read_text()))
    assert made == {"arf"} and "//arf:" in OURS["web"]["environment"]["DATABASE_URL"]
    assert {"--username=arf", "--dbname=arf"} <= set(SERVICES["db"]["healthcheck"]["test"])


def test_volumes_are_declared_and_lie_where_the_image_writes():
    named = {volume.split(":")[0] for service in SERVICES.values() for volume in service["volumes"]}
    declared = set(yaml.safe_load(COMPOSE)["volumes"])
    assert {name for name in named if not name.startswith(".")} == declared
    assert all((ROOT / name).exists() for name in named if name.startswith("."))
    [home] = steps("WORKDIR")
    assert all(service["volumes"] == [f"var:{home}/var"] for service in OURS.values())
    assert f"ARF_VAR_DIR={home}/var" in " ".join(steps("ENV"))


def test_the_image_runs_as_nobody_special_who_owns_only_its_data():
    [user] = steps("USER")
    assert user == "arf" and any(
        "useradd --system" in step and step.endswith(" arf") for step in steps("RUN")
    )
    assert "chown arf:arf var" in DOCKERFILE
    assert DOCKERFILE.index("USER arf") < DOCKERFILE.index("onnx_export") < DOCKERFILE.index("CMD")
    assert all(service["cap_drop"] == ["ALL"] for service in OURS.values())


def test_what_is_copied_is_there():
    sources = [word for step in steps("COPY") for word in step.split()[:-1]]
    assert sources == ["requirements.txt", "."] and (ROOT / "requirements.txt").is_file()


@pytest.mark.parametrize("name", [".git", ".venv", ".env", "var", "shared", "retrieval/__pycache__"])
def test_what_is_of_this_machine_alone_stays_out_of_the_image(name):
    patterns = (ROOT / ".dockerignore").read_text().split()
    assert any(fnmatch(name, pattern.replace("**/", "*/")) or name == pattern for pattern in patterns)


def test_no_secret_is_part_of_the_image():
    assert "POSTGRES_PASSWORD" not in DOCKERFILE and "ARF_ADMIN" not in DOCKERFILE
    assert re.findall(r"ARF_SECRET_KEY=(\S+)", DOCKERFILE) == ["of-the-build"]  # to collect static files with
