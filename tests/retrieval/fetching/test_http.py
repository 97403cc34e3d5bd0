"""Requests to publishers: tried again, gone on with, bounded, and to nobody else."""

import gzip
import hashlib
import socket

import pytest

from retrieval.errors import SourceRefused
from retrieval.fetching.http import Unreachable, Validators, agent, seconds_asked
from tests.publishers import digest_of, served
from tests.retrieval.fetching.conftest import fetching

BODY = bytes(range(256)) * 1200


@pytest.fixture
def get(site, tmp_path):
    def getting(path: str = "/law.xml", **options):
        return fetching(site).fetch(site.address + path, tmp_path / "law.xml", **options)

    return getting


def test_a_failure_that_passes_is_tried_again(site, get, tmp_path, slept):
    site.put("/law.xml", BODY).failing = [(500, {}), (503, {})]
    assert get().validators.etag
    assert (tmp_path / "law.xml").read_bytes() == BODY
    assert len(site.asked) == 3


def test_one_that_stays_is_told(site, get, tmp_path):
    site.put("/law.xml", BODY).failing = [(500, {})] * 9
    with pytest.raises(Unreachable, match="it answers 500"):
        get()
    assert len(site.asked) == 3 and not (tmp_path / "law.xml").exists()


def test_nothing_new_is_told_to_who_did_not_ask_that(site, get, tmp_path):
    site.put("/law.xml", b"", status=304)
    for known in (None, Validators()):
        with pytest.raises(SourceRefused, match="answers 304 for /law.xml"):
            get(known=known)
    assert get(known=Validators('"1"', "")).unchanged


def test_a_site_is_let_rest_as_long_as_it_asks(site, get, slept):
    site.put("/law.xml", BODY).failing = [(429, {"Retry-After": "7"})]
    get()
    assert 7.0 in slept


def test_who_asks_to_come_back_much_later_is_not_waited_for(site, get, slept):
    site.put("/law.xml", BODY).failing = [(429, {"Retry-After": "3600"})]
    with pytest.raises(Unreachable, match="come back in 3,600 seconds"):
        get()


def test_what_was_cut_off_is_gone_on_with(site, get, tmp_path):
    site.put("/law.xml", BODY, cut=100_000)
    get()
    assert (tmp_path / "law.xml").read_bytes() == BODY
    (_, first), (_, second) = site.asked
    assert "Range" not in first
    assert second["Range"] == "bytes=100000-"


def test_a_part_of_another_edition_is_begun_anew(site, get, tmp_path):
    (tmp_path / "law.xml.part").write_bytes(b"old words")
    (tmp_path / "law.xml.etag").write_text('"old"')
    site.put("/law.xml", BODY)
    get()
    assert (tmp_path / "law.xml").read_bytes() == BODY


def test_a_file_comes_in_as_many_steps_as_it_needs(site, get, tmp_path):
    site.put("/law.xml", BODY)
    times = 0
    while not get(has_time=lambda: False).complete:
        times += 1
    assert times > 1 and (tmp_path / "law.xml").read_bytes() == BODY
    assert sorted(path.name for path in tmp_path.iterdir()) == ["law.xml"]


def test_what_cannot_be_gone_on_with_is_waited_for(site, get, tmp_path):
    site.put("/law.xml", BODY, etag="")
    assert get(has_time=lambda: False).complete


def test_what_did_not_change_is_not_sent_again(site, get, tmp_path):
    page = site.put("/law.xml", BODY)
    assert get(known=Validators(page.etag)).unchanged
    assert not (tmp_path / "law.xml").exists()


@pytest.mark.parametrize("name", ["Repr-Digest", "Digest", "Content-MD5"])
def test_another_checksum_than_the_publishers_is_refused(site, get, tmp_path, name):
    site.put("/law.xml", BODY, headers={name: digest_of(b"other")})
    with pytest.raises(SourceRefused, match="another checksum"):
        get()
    assert not list(tmp_path.glob("law.xml*.part")) and not (tmp_path / "law.xml").exists()


def test_the_right_checksum_is_not(site, get):
    site.put("/law.xml", BODY, headers={"Repr-Digest": digest_of(BODY)})
    assert get().complete


def test_what_is_too_large_is_refused_however_well_packed(site, get, tmp_path):
    site.put("/law.xml", gzip.compress(bytes(10_000_000)), headers={"Content-Encoding": "gzip"})
    with pytest.raises(SourceRefused, match="larger"):
        get(most=1_000_000)
    assert not (tmp_path / "law.xml").exists()


def test_what_comes_packed_is_unpacked(site, get, tmp_path):
    site.put("/law.xml", gzip.compress(BODY), headers={"Content-Encoding": "gzip"})
    get()
    assert hashlib.sha256((tmp_path / "law.xml").read_bytes()).digest() == hashlib.sha256(BODY).digest()


def test_a_redirect_on_the_same_site_is_followed(site, get):
    site.put("/law.xml", b"", status=302, headers={"Location": "/there.xml"})
    site.put("/there.xml", BODY)
    assert get().complete


@pytest.mark.parametrize(
    ("leads", "why"),
    [
        ("/law.xml", "in a circle"),
        ("file:///etc/passwd", "not allowed"),
        ("http://law.example:port/", "no address"),
    ],
)
def test_a_redirect_that_leads_nowhere_is_refused(site, get, leads, why):
    site.put("/law.xml", b"", status=302, headers={"Location": leads})
    with pytest.raises(SourceRefused, match=why):
        get()


def test_another_site_is_asked_only_where_it_is_allowed(site, get, settings):
    with served() as other:
        other.put("/law.xml", BODY)
        site.put("/law.xml", b"", status=302, headers={"Location": other.address + "/law.xml"})
        with pytest.raises(SourceRefused, match=f"leads to {other.address}, another port: .*FETCH_HOSTS"):
            get()
        assert other.asked == []
        settings.ARF_FETCH = settings.ARF_FETCH | {"hosts": ["127.0.0.1"]}
        assert get().complete


def test_a_token_is_told_to_its_own_site_alone(site, settings, tmp_path):
    settings.ARF_FETCH = settings.ARF_FETCH | {"hosts": ["127.0.0.1"]}
    with served() as other:
        other.put("/law.xml", BODY)
        site.put("/law.xml", b"", status=302, headers={"Location": other.address + "/law.xml"})
        asking = fetching(site)
        asking.token = "secret"
        asking.fetch(site.address + "/law.xml", tmp_path / "law.xml")
        assert site.asked[0][1]["Authorization"] == "Token secret"
        assert "Authorization" not in other.asked[0][1]


def test_private_addresses_are_asked_only_where_a_setting_says_so(site, get, settings):
    settings.ARF_FETCH = settings.ARF_FETCH | {"private": False}
    with pytest.raises(SourceRefused, match="private address"):
        get()
    assert site.asked == []


def test_a_name_that_leads_elsewhere_a_moment_later_is_asked_nothing(site, get, settings, monkeypatch):
    settings.ARF_FETCH = settings.ARF_FETCH | {"private": False}
    look_up, asked = socket.getaddrinfo, []

    def public_at_first(host, port, *args, **kwargs):
        asked.append(host)
        first = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("1.1.1.1", port))]
        return first if len(asked) == 1 else look_up(host, port, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", public_at_first)
    with pytest.raises(SourceRefused, match="private address"):
        get()
    assert len(asked) == 2 and site.asked == []


def test_what_is_not_there_is_refused(get):
    with pytest.raises(SourceRefused, match="answers 404"):
        get()


def test_nobody_answering_is_told(site, tmp_path, settings):
    gone = fetching(site)
    site.address = "http://127.0.0.1:1"
    gone.origin = gone.origin.join(site.address)
    with pytest.raises(Unreachable, match="ConnectError"):
        gone.fetch(site.address + "/law.xml", tmp_path / "law.xml")


def test_crawlers_obey_robots_txt(site, slept):
    site.put("/robots.txt", "User-agent: *\nCrawl-delay: 3\nDisallow: /private/\n")
    asking = fetching(site)
    asking.obey(asking.robots_txt())
    assert asking.may_crawl(site.address + "/law.xml")
    assert not asking.may_crawl(site.address + "/private/law.xml")
    asking.wait_for_turn()
    assert 2.9 < slept[-1] <= 3.0


def test_a_site_without_robots_txt_forbids_nothing(site):
    asking = fetching(site)
    asking.obey(asking.robots_txt())
    assert asking.may_crawl(site.address + "/law.xml")


def test_sites_are_told_whom_to_write_to(settings):
    settings.ARF_FETCH = settings.ARF_FETCH | {"contact": "law@example.org"}
    assert agent() == "ARF/1 (self-hosted law search; law@example.org)"


def test_a_date_to_come_back_at_is_read():
    assert seconds_asked("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert seconds_asked("soon") is None
