"""How much may be uploaded."""

import pytest
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import SimpleUploadedFile

from arf_site.web import uploads

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/language", "/i18n/setlang/", "/feedback", "/admin/login/"])
def test_a_form_that_is_too_long_is_refused_before_it_is_kept(client, address, monkeypatch):
    monkeypatch.setattr(uploads, "LONGEST", 1_000)
    answer = client.post(address, {"language": "es", "file": SimpleUploadedFile("a", b"a" * 2_000)})
    assert answer.status_code == 413


@pytest.mark.parametrize(("address", "told"), [("/check/", "2,5 MB"), ("/feedback", "5 MB")])
def test_the_limit_is_told(client, address, told, monkeypatch):
    monkeypatch.setattr(uploads.Bounded, "handle_raw_input", refuse)
    answer = client.post(address, {"file": SimpleUploadedFile("a", b"a")}, headers={"accept-language": "es"})
    assert answer.status_code == 413 and told in answer.content.decode()


def test_who_is_signed_in_stays_so_on_that_page(client, django_user_model, monkeypatch):
    monkeypatch.setattr(uploads.Bounded, "handle_raw_input", refuse)
    client.force_login(django_user_model.objects.create_user("ann"))
    page = client.post("/check/", {"file": SimpleUploadedFile("a", b"a")}).content.decode()
    assert "/private" in page and "/login" not in page and 'name="next" value="/check/"' in page


def test_the_limit_of_documents_is_that_of_files():
    assert uploads.most_megabytes("/private/matters/x/change") == 50
    assert uploads.most_megabytes("/admin/upload/") == 200


def refuse(*args, **kwargs):
    raise RequestDataTooBig


def test_a_short_file_is_kept_for_its_view(rf):
    request = rf.post("/", {"file": SimpleUploadedFile("a", b"words")})
    assert request.FILES["file"].read() == b"words"
