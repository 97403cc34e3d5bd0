"""Reads variables strictly: a wrong value stops the start with a sentence that names its variable."""

import re
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import environ
import psycopg
from django.core.exceptions import ImproperlyConfigured
from httpx2 import URL, InvalidURL
from psycopg.conninfo import conninfo_to_dict

HOST = re.compile(r"[\w.-]+")
OWN_HOST = re.compile(r"\*|[a-z0-9.-]+|\[[0-9a-f:.]+\]")
ADDRESS = re.compile(r"(?i:https?)://[^\s/?#]+([/?#]\S*)?")
TRUSTED = re.compile(r"https?://(\*\.)?[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?")
ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?")
# Spaces around “=”, quotes, a comment behind the value; in quotes a backslash goes before a quote of their kind.
LINE = re.compile(
    r"""\s* (?:export\s+)? (?P<name>[\w.-]+) \s* = \s*
    (?: '(?P<single>(?:\\'|[^'])*)' | "(?P<double>(?:[^"\\]|\\.)*)" | (?P<bare> [^'"\s#].*? | (?<==)\#.*? | ) )
    (?:\s+\#.*)? \s*""",
    re.VERBOSE | re.ASCII,
)
NO_LINE = re.compile(r"\s*(#.*)?")
YES, NO = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


class Environment(environ.FileAwareEnv):
    """What is not set, or set to nothing, has its default; `asked` are the names asked for. Raises
    ImproperlyConfigured.
    """

    def __init__(self, **scheme) -> None:
        super().__init__(**scheme)
        self.asked: set[str] = set()

    def text(self, name: str, default: str = "") -> str:
        """As it is: `get_value` would take what begins with “$” for another variable's name."""
        self.asked.add(name)
        try:
            return self.ENVIRON.get(name, "").strip() or default
        except (OSError, ValueError) as problem:
            raise ImproperlyConfigured(f"{name}_FILE cannot be read: {problem}") from problem

    def whole(self, name: str, default: int, *, low: int = 0, high: int = 1_000_000_000) -> int:
        given = self.text(name, str(default))
        is_right = bool(re.fullmatch("[0-9]{1,10}", given)) and low <= int(given) <= high
        return int(_right(name, given, is_right, f"it must be a whole number from {low} to {high}"))

    def seconds(self, name: str, default: float) -> float:
        given = self.text(name, str(default))
        is_right = bool(re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", given)) and float(given) > 0
        return float(_right(name, given, is_right, "it must be a number of seconds above 0"))

    def yes_or_no(self, name: str, default: bool = False) -> bool:
        given = self.text(name, str(default)).lower()
        return _right(name, given, given in YES | NO, "it must be true or false") in YES

    def one_of(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        given = self.text(name, default)
        return _right(name, given, given in choices, f"it must be one of {', '.join(choices)}")

    def origins(self, name: str) -> list[str]:
        """Web origins, such as https://app.example.org, with commas between; or “*” alone."""
        if self.text(name) == "*":
            return ["*"]
        return self._listed(name, ORIGIN.fullmatch, "an origin such as https://app.example.org, or * alone")

    def trusted_origins(self, name: str) -> list[str]:
        """As Django takes them: https://*.example.org too."""
        return self._listed(name, TRUSTED.fullmatch, "an origin such as https://law.example.org")

    def hosts(self, name: str) -> list[str]:
        """Names or IP addresses alone, with commas between; given as `httpx2.URL.host` tells them."""
        given = self._listed(name, host_in, "a host such as law.example.org, without scheme and port")
        return [host_in(one) for one in given]

    def own_hosts(self, name: str) -> list[str]:
        """As Django takes them: .example.org and * too."""
        return self._listed(name, OWN_HOST.fullmatch, "a host such as law.example.org, without scheme and port")

    def _listed(self, name: str, is_right: Callable[[str], object], what: str) -> list[str]:
        """In lower case, as browsers send them."""
        given = [one for part in self.text(name).lower().split(",") if (one := part.strip())]
        if wrong := [one for one in given if not is_right(one)]:
            raise ImproperlyConfigured(f"{name} holds “{wrong[0]}”; it must be {what}.")
        return given

    def address(self, name: str, default: str = "") -> str:
        """Of a site or an endpoint."""
        given = self.text(name, default)
        if given and not ADDRESS.fullmatch(given):  # it may hold a key
            raise ImproperlyConfigured(f"{name} must be an address that begins with https:// or http://")
        return given

    def url(self, name: str, *schemes: str) -> str:
        """Of a server, which may hold a password."""
        given = self.text(name)
        if given and not given.startswith(schemes):
            raise ImproperlyConfigured(f"{name} must begin with {' or '.join(schemes)}")
        return given

    def postgres(self, name: str) -> str:
        """Of a PostgreSQL server, in either form that libpq takes."""
        given = self.text(name)
        try:
            conninfo_to_dict(given)
        except psycopg.ProgrammingError:  # it holds the password
            raise ImproperlyConfigured(
                f"{name} must begin with postgresql://, or be words such as host=db dbname=arf"
            ) from None
        return given

    def bind(self, name: str, default: str) -> str:
        """An IP address, in brackets or not, or a name of this machine."""
        given = self.text(name, default)
        is_name = re.fullmatch(r"[\w.-]*[a-z][\w.-]*", given.lower()) is not None
        return _right(name, given, is_name or is_ip(given), "it must be an IP address, or a name of this machine")

    def model(self, name: str) -> str:
        """A folder that is there."""
        given = self.text(name)
        return _right(name, given, not given or Path(given).is_dir(), "there is no such folder")

    def database(self, url: str) -> dict[str, Any]:
        """Django's entry for DATABASE_URL, any that libpq takes; parameters beyond the address become OPTIONS."""
        if not url.startswith(("postgresql://", "postgres://")):
            raise ImproperlyConfigured("DATABASE_URL must begin with postgresql://")
        try:
            options = conninfo_to_dict(url)
        except psycopg.ProgrammingError:  # it holds the password
            raise ImproperlyConfigured("DATABASE_URL is not a well-formed PostgreSQL URL") from None
        if not options.get("dbname"):
            raise ImproperlyConfigured("DATABASE_URL names no database")
        names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
        address = {key: options.pop(name, "") for key, name in names.items()}
        return {"ENGINE": "django.db.backends.postgresql", **address, "OPTIONS": options}

    def mail(self, name: str) -> dict[str, Any]:
        """Django's settings for an address such as smtp+tls://user:password@host:587; no mail without one."""
        given = self.text(name)
        if not given:
            return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
        try:
            found = self.email_url_config(given)
        except (ImproperlyConfigured, ValueError):  # either tells a part of it, which may hold a password
            found = {}
        if not found.get("EMAIL_HOST"):
            raise ImproperlyConfigured(f"{name} must be an address such as smtp+tls://user:password@host:587")
        return found

    def time_zone(self, name: str, default: str) -> str:
        given = self.text(name, default)
        try:
            ZoneInfo(given)
        except (KeyError, OSError, ValueError) as problem:
            raise ImproperlyConfigured(f"{name} is “{given}”; there is no such time zone.") from problem
        return given

    def folders(self, name: str) -> list[Path]:
        """Absolute paths with commas between, each of a folder or of one to come."""
        given = [Path(path) for part in self.text(name).split(",") if (path := part.strip())]
        if wrong := [path for path in given if not path.is_absolute()]:
            raise ImproperlyConfigured(f"{name} holds “{wrong[0]}”; it must be an absolute path, such as /srv/law.")
        return given

    def folder(self, name: str, default: Path) -> Path:
        """Made where it is not there yet."""
        path = Path(self.text(name, str(default)))
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise ImproperlyConfigured(
                f"{name} is “{path}”; it cannot be made: {problem.strerror}."
            ) from problem
        return path


def read_file(path: Path) -> None:
    """Sets the variables of a file such as .env, where there is one, that are not set yet. Raises ImproperlyConfigured,
    without a word of a line, which may hold a secret.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or "it is no text in UTF-8"
        raise ImproperlyConfigured(f"{path} cannot be read: {why}.") from None
    found = [(number, LINE.fullmatch(line)) for number, line in enumerate(lines, 1) if not NO_LINE.fullmatch(line)]
    if wrong := [str(number) for number, line in found if not line]:
        raise ImproperlyConfigured(
            f"{path} cannot be read: line {', '.join(wrong)} must be NAME=VALUE. A value that begins with a quote ends "
            "with it; inside, such a quote has a backslash before it."
        )
    for name, value in {line["name"]: _value_of(line) for _, line in found}.items():
        environ.Env.ENVIRON.setdefault(name, value)


def is_ip(text: str) -> bool:
    """In brackets, as a pair, or not."""
    try:
        ip_address(re.sub(r"^\[(.*)\]$", r"\1", text))
    except ValueError:
        return False
    return True


def host_in(text: str) -> str:
    """The host as `httpx2.URL.host` tells it: without brackets, and IDNA read; empty for what is none."""
    if not HOST.fullmatch(text) and not is_ip(text):
        return ""
    try:
        return URL(scheme="https", host=text.strip("[]").rstrip(".")).host
    except InvalidURL:
        return ""


def _value_of(line: re.Match[str]) -> str:
    """Without its quotes; in double ones “\\n”, “\\r” and “\\t” stay as they are."""
    if line["single"] is not None:
        return line["single"].replace("\\'", "'")
    if line["double"] is not None:
        return re.sub(r"\\([^nrt])", r"\1", line["double"])
    return line["bare"]


def _right(name: str, given: str, is_right: bool, why_not: str) -> str:
    """What was given. Raises ImproperlyConfigured where it is not right."""
    if not is_right:
        raise ImproperlyConfigured(f"{name} is “{given}”; {why_not}.")
    return given
