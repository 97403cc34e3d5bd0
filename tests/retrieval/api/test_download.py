"""A body of law as a file that ingestion reads again."""

import io
import json

import pytest

from retrieval.access.row_security import as_system
from retrieval.api import download
from retrieval.api.authentication import cost_of
from retrieval.models import ApiKey, Citation, Section
from retrieval.parsing.rows import read_next
from tests.builders import a_case_file, a_document, a_domain, a_section
from tests.retrieval.api.asking import API
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import assert_refused

pytestmark = pytest.mark.django_db


def downloaded(client, slug, **headers):
    response = client.get(f"{API}/domains/{slug}/download", **headers)
    assert response.status_code == 200, response.content
    return b"".join(response.streaming_content)


@pytest.fixture
def code():
    domain = a_domain(locator_prefix="/manual")
    document = a_document(domain, locator="/manual/a", title="Manual A")
    chapter = a_section(
        document, "", locator="/manual/a/ch1", heading="Of visas", level="chapter", is_leaf=False
    )
    below = {"parent_locator": chapter.locator, "depth": 1}
    one = a_section(document, "Apply early.", locator="/manual/a/ch1/s1", number="1", heading="When", **below)
    a_section(document, "Bring it.", locator="/manual/a/ch1/s2", number="2", status="reserved", **below)
    a_section(a_document(domain, locator="/manual/b", title="Manual B"), "Other.", locator="/manual/b/s1")
    with as_system():
        Citation.objects.create(source=one, target_locator="/us/const", text="U.S. Const.", start=-1, end=-1)
    return domain


def test_what_is_downloaded_is_read_again_as_it_was(client, code, monkeypatch):
    monkeypatch.setattr(download, "PORTION", 2)
    file = io.BytesIO(downloaded(client, code.slug))
    first, offset = read_next(file, "/manual", 0)
    second, end = read_next(file, "/manual", offset)
    assert (first.identifier, first.title, second.title, end) == ("/manual/a", "Manual A", "Manual B", None)
    [chapter] = first.root.children
    assert (chapter.locator, chapter.heading) == ("/manual/a/ch1", "Of visas")
    told = [(node.locator, node.heading, node.text, node.status) for node in chapter.children]
    assert told == [
        ("/manual/a/ch1/s1", "When", "Apply early.", ""),
        ("/manual/a/ch1/s2", "", "Bring it.", "reserved"),
    ]
    assert [ref.locator for ref in chapter.children[0].refs] == ["/us/const"]


def test_all_that_is_in_force_is_there_once(client):
    rows = [json.loads(line) for line in downloaded(client, "us_constitution").splitlines()]
    known = Section.objects.live().valid_on(None).filter(domain__slug="us_constitution")
    assert sorted(row["locator"] for row in rows) == sorted(known.values_list("locator", flat=True))


def test_of_a_private_domain_the_caller_gets_what_it_may_read(client):
    key, header = key_with(ApiKey.Scope.SEARCH)
    with as_system():
        mine = a_case_file("Mine", "Rent is due.", granted_to=key.caller).sections.get()
        a_case_file("Not mine", "A secret.")
    lines = downloaded(client, "client_cases", **header).splitlines()
    assert [json.loads(line)["locator"] for line in lines] == [mine.locator]
    assert_refused(client.get(f"{API}/domains/client_cases/download"), 404, "not_found")
    assert_refused(client.get(f"{API}/domains/mars/download"), 404, "not_found")


def test_what_cannot_be_a_domains_name_is_not_found(client):
    assert_refused(client.get(f"{API}/domains/a%00b/download"), 404, "not_found")


def test_a_download_counts_as_many_requests(rf):
    assert cost_of(rf.get("/"), download.DownloadView()) == 60
