"""Variables are read strictly, and a wrong value is named."""

from pathlib import Path

import environ
import pytest
from django.core.exceptions import ImproperlyConfigured

from arf_site.environment import Environment, read_file


@pytest.fixture
def read(monkeypatch):
    """Reads one variable with this value by one of the methods."""

    def read_by(method: str, value: str, *arguments):
        monkeypatch.setenv("ARF_ANY", value)
        return getattr(Environment(), method)("ARF_ANY", *arguments)

    return read_by


def test_values_are_read_as_what_they_are(read):
    assert read("text", "  words ") == "words"
    assert read("whole", "12", 8) == 12
    assert read("seconds", "0.5", 3) == 0.5
    assert read("yes_or_no", "On") and not read("yes_or_no", "no")


@pytest.mark.parametrize("method", ["whole", "seconds"])
@pytest.mark.parametrize("value", ["-1", "1e3", "²", "9" * 11])
def test_only_plain_numbers_within_bounds_are_numbers(read, method, value):
    with pytest.raises(ImproperlyConfigured, match="ARF_ANY is “"):
        read(method, value, 1)


def test_one_of_few_names_them(read):
    assert read("one_of", "", "a", ("a", "b")) == "a"
    with pytest.raises(ImproperlyConfigured, match="must be one of a, b"):
        read("one_of", "c", "a", ("a", "b"))


def test_a_folder_is_made(read, tmp_path):
    assert read("folder", str(tmp_path / "deep" / "er"), tmp_path).is_dir()


def test_folders_are_absolute(read, tmp_path):
    assert read("folders", f"{tmp_path}, /srv/law") == [tmp_path, Path("/srv/law")] and read("folders", "") == []
    with pytest.raises(ImproperlyConfigured, match="absolute path"):
        read("folders", "/srv/law,law")


def test_the_embedded_url_becomes_a_django_database():
    database = Environment().database("postgresql://arf:p%2Fw@/arf?host=/tmp/arf-1-2&port=5432&requirepeer=arf")
    assert (database["NAME"], database["USER"], database["HOST"]) == ("arf", "arf", "/tmp/arf-1-2")
    assert (database["PASSWORD"], database["OPTIONS"]) == ("p/w", {"requirepeer": "arf"})


def test_a_url_of_a_real_server_is_decoded():
    assert Environment().database("postgres://us%40er:p%2Fw%3A%25@db.example:5433/law%20books?sslmode=require") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "law books",
        "USER": "us@er",
        "PASSWORD": "p/w:%",
        "HOST": "db.example",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require"},
    }


@pytest.mark.parametrize(
    "url", ["mysql://a:secret@b/c", "postgresql://a:secret@b", "postgresql://a:secret%zz@b/c", ""]
)
def test_other_urls_are_refused_without_telling_the_password(url):
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL") as refused:
        Environment().database(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("given", ["", "postgres://arf:secret@db/arf", "host=db dbname=arf user=arf password='a b'"])
def test_a_server_of_postgresql_is_named_in_either_form_of_libpq(read, given):
    assert read("postgres", given) == given
    for wrong in ("mysql://arf:secret@db/arf", "host=db secret", "sekret=secret"):
        with pytest.raises(ImproperlyConfigured, match="^ARF_ANY must begin with postgresql://") as refused:
            read("postgres", wrong)
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize("wrong", ["foo", "smtp://", "smtp+tls://u:secret@h:abc", "smtp+tls://user:secret/ret@h:587"])
def test_an_address_of_mail_that_is_wrong_is_named_without_its_password(read, wrong):
    with pytest.raises(ImproperlyConfigured, match="^ARF_ANY must be an address") as refused:
        read("mail", wrong)
    assert "secret" not in str(refused.value)
    assert refused.value.__context__ is None


def test_origins_are_listed_with_commas_or_are_all(read):
    assert read("origins", "https://a.example.org, http://localhost:3000,") == [
        "https://a.example.org",
        "http://localhost:3000",
    ]
    assert read("origins", "*") == ["*"] and read("origins", "") == []


@pytest.mark.parametrize("wrong", ["a.example.org", "https://a.example.org/", "*, https://a.example.org", "null"])
def test_what_is_no_origin_is_refused(read, wrong):
    with pytest.raises(ImproperlyConfigured, match="ARF_ANY holds “"):
        read("origins", wrong)


def test_hosts_are_names_alone(read):
    assert read("hosts", "Law.example.org, 10.0.0.1") == ["law.example.org", "10.0.0.1"] and read("hosts", "") == []
    assert read("hosts", "xn--mnchen-3ya.de, www.Münster.de, my_mirror, mirror.org.") == [
        "münchen.de",
        "www.münster.de",
        "my_mirror",
        "mirror.org",
    ]
    assert read("hosts", "FD00::5, [::1]") == ["fd00::5", "::1"]
    assert read("own_hosts", "*, .example.org, [::1]") == ["*", ".example.org", "[::1]"]


@pytest.mark.parametrize("wrong", ["https://a.org", "a.org:8000", "a.org/", "a b", "[::1", "[]"])
@pytest.mark.parametrize("method", ["hosts", "own_hosts"])
def test_what_is_no_host_is_refused(read, method, wrong):
    with pytest.raises(ImproperlyConfigured, match="ARF_ANY holds “"):
        read(method, wrong)


def test_trusted_origins_may_be_all_of_a_domain(read):
    assert read("trusted_origins", "https://*.example.org") == ["https://*.example.org"]
    for wrong in ("*", "law.example.org", "https://law.example.org/"):
        with pytest.raises(ImproperlyConfigured, match="ARF_ANY holds “"):
            read("trusted_origins", wrong)


def test_an_address_has_its_scheme_and_host(read):
    assert read("address", "https://x.example/?a=b") == "https://x.example/?a=b" and read("address", "") == ""
    assert read("address", "HTTP://llm:8000/v1") == "HTTP://llm:8000/v1"
    for wrong in ("foo", "//x.example/", "ftp://x.example/", "https://", "https://x y"):
        with pytest.raises(ImproperlyConfigured, match="^ARF_ANY must be an address"):
            read("address", wrong)


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "[::1]", "localhost", "node-1.example.org", "my_host"])
def test_a_server_binds_to_a_name_or_a_whole_address(read, bound):
    assert read("bind", bound, "127.0.0.1") == bound
    for wrong in ("1.2.3", "1.2.3.4.5", "http://localhost", "localhost:80", "256.1.1.1", "[::1", "::1]"):
        with pytest.raises(ImproperlyConfigured, match="ARF_ANY is “"):
            read("bind", wrong, "127.0.0.1")


def test_a_model_is_a_folder_that_is_there(read, tmp_path):
    assert read("model", str(tmp_path)) == str(tmp_path) and read("model", "") == ""
    with pytest.raises(ImproperlyConfigured, match="ARF_ANY is “/nowhere”; there is no such folder"):
        read("model", "/nowhere")


@pytest.fixture
def read_lines(monkeypatch, tmp_path):
    """What a file of these lines sets."""

    def read_all(*lines: str) -> dict[str, str]:
        (tmp_path / ".env").write_text("\n".join(lines))
        monkeypatch.setattr(environ.Env, "ENVIRON", found := {})
        read_file(tmp_path / ".env")
        return found

    return read_all


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("ARF_ANY=8000", "8000"),
        ("export ARF_ANY = 8000  # the port", "8000"),
        ("ARF_ANY=", ""),
        ("ARF_ANY= # nothing yet", ""),
        ("ARF_ANY=a#b c", "a#b c"),
        ("ARF_ANY=#a", "#a"),
        ("ARF_ANY='a # b'  # a comment", "a # b"),
        (r'ARF_ANY="a\"b"', 'a"b'),
        ("ARF_ANY=o'clock", "o'clock"),
        ("ARF_ANY=$ecret", "$ecret"),
        ("ARF_ANY=$HOME", "$HOME"),
        (r"ARF_ANY='it\'s'  # a comment", "it's"),
        (r"ARF_ANY='C:\law\'", "C:\\law\\"),
        (r'ARF_ANY="a\\b\nc"', r"a\b\nc"),
        ("ARF_ANY=first\nARF_ANY=last", "last"),
    ],
)
def test_a_line_sets_a_value_as_it_stands_or_in_quotes(read_lines, line, value):
    assert read_lines("# All of it:", "", line) == {"ARF_ANY": value}


def test_what_begins_with_a_byte_order_mark_and_names_of_other_programs_are_read(read_lines):
    assert read_lines("\ufeffARF_ANY=8000", "1A.B-C=3") == {"ARF_ANY": "8000", "1A.B-C": "3"}


@pytest.mark.parametrize(
    "line",
    [
        "ARF_LLM_KEY sk-secret",
        "ARF_LLM_KEY: sk-secret",
        "ARF_LLM_KEY='sk-secret",
        "ARF_LLM_KEY='it's secret'",
        'ARF_LLM_KEY="a"secret"',
        "ARF_CLÉ=sk-secret",
        "sk-secret",
    ],
)
def test_a_line_that_sets_nothing_stops_the_start_and_is_told_by_its_number(read_lines, line, caplog):
    with pytest.raises(ImproperlyConfigured, match="line 2 must be NAME=VALUE") as refused:
        read_lines("ARF_PORT=8000", line, "ARF_BIND=0.0.0.0")
    assert "secret" not in str(refused.value) + caplog.text and refused.value.__context__ is None


def test_a_file_that_cannot_be_read_stops_the_start_and_none_does_not(tmp_path):
    read_file(tmp_path / "none")
    (tmp_path / "latin").write_bytes(b"ARF_LLM_KEY=\xe9")
    for unreadable in (tmp_path, tmp_path / "latin"):
        with pytest.raises(ImproperlyConfigured, match=f"{unreadable} cannot be read"):
            read_file(unreadable)


def test_a_value_that_begins_like_a_variable_of_a_shell_stays_as_it_is(read, monkeypatch, tmp_path):
    assert read("text", "$ecret99") == "$ecret99"
    (tmp_path / "secret").write_text("$$")
    monkeypatch.setenv("ARF_SHELL_LIKE_FILE", str(tmp_path / "secret"))
    assert Environment().text("ARF_SHELL_LIKE") == "$$"
