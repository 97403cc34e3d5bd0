"""Reading documents with their pages, and the domain they belong to."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from retrieval.ingestion import uploading
from retrieval.models import Domain
from tests.builders import a_document, a_domain, a_section, embedded
from tests.leases import LEASE, finish
from tests.retrieval.pages.looking import Page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("read_here")]


def test_a_domain_needs_a_slug_and_a_name_and_no_locators_that_are_taken(client):
    client.force_login(User.objects.create_superuser("root", password="a long password"))
    address = reverse("admin:retrieval_domain_add")
    form = client.get(address).context["adminform"].form
    offered = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    fields = {name: value for name, value in offered.items() if value is not None}
    fields |= {"slug": "leases", "name": "Leases"}
    taken = client.post(address, fields | {"locator_prefix": "/us/const/mine"})
    assert "begin so" in taken.content.decode()
    client.post(address, fields)
    made = Domain.objects.get(slug="leases")
    assert (made.locator_prefix, made.languages) == ("/leases", [])  # those of its documents


def test_a_reader_sees_pages_and_scans(client):
    domain = a_domain()
    uploading.accept(domain, "lease.pdf", LEASE, principal="user:1")
    finish()
    whole = client.get(f"/law/{domain.slug}/lease").content.decode()
    assert "lease.pdf · 3 pages" in whole and "nothing on them can be found: 3." in whole
    page = client.get(f"/law/{domain.slug}/lease/1").content.decode()
    marks = [page.index(f'id="page-{number}" role="doc-pagebreak"') for number in (1, 2)]
    assert marks[0] < page.index("The lease of the lighthouse") < marks[1] < page.index("from today")
    assert 'id="page-2"' in client.get(f"/law/{domain.slug}/lease/2").content.decode()


def test_a_result_says_on_which_page_it_stands(client, reindex):
    domain = a_domain()
    uploading.accept(domain, "lease.pdf", LEASE, principal="user:1")
    finish()
    reindex()
    page = client.get("/search", {"q": "laws of Ruritania", "domain": domain.slug}).content.decode()
    assert "page 2" in page


def test_documents_of_one_title_are_told_apart_where_both_are_shown(client, reindex):
    domain = a_domain(slug="deals", name="Deals", locator_prefix="/deals")
    for name, tons in (("a", "nineteen"), ("b", "ninety")):
        document = a_document(domain, title="Acme Supply Agreement", filename=f"deal-{name}.pdf")
        place = {"citation": "Acme Supply Agreement, § 3", "number": "3", "locator": f"{document.locator}/3"}
        embedded(a_section(document, f"The Supplier shall deliver {tons} tons of quicksilver each month.", **place))
    reindex()
    asked = {"q": "How many tons of quicksilver shall the Supplier deliver each month?", "domain": "deals"}
    found, answered = (Page(client.get(address, asked | {"style": "full"})).text for address in ("/search", "/ask"))
    for file in ("deal-a.pdf", "deal-b.pdf"):
        assert f"§ 3 {file}" in found and f"Acme Supply Agreement ({file})" in found and f"§ 3 {file}" in answered
