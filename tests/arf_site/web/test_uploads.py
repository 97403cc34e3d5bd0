"""How much may be uploaded."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from arf_site.web import uploads

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/language", "/i18n/setlang/", "/feedback", "/admin/login/"])
def test_a_form_that_is_too_long_is_refused_before_it_is_kept(client, address, monkeypatch):
    monkeypatch.setattr(uploads, "LONGEST", 1_000)
    answer = client.post(address, {"language": "es", "file": SimpleUploadedFile("a", b"a" * 2_000)})
    assert answer.status_code == 400


def test_a_short_file_is_kept_for_its_view(rf):
    request = rf.post("/", {"file": SimpleUploadedFile("a", b"words")})
    assert request.FILES["file"].read() == b"words"
