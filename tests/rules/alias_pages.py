"""Pages of aliases in the admin, as tests fill them in."""

from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.models import Domain

ALIASES = "/admin/rules/alias/"


def alias_fields(domain: Domain, **changed) -> dict:
    fields = {
        "domain": domain.pk,
        "text": "sabbath clause",
        "locator": "/us/const/amendment/I",
        "language": "en",
    }
    return fields | {"enabled": "on"} | changed


def upload(client, url: str, content: str | bytes, *, name: str = "new.csv"):
    """The first step of an import: the preview."""
    file = SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())
    number = "0" if name.endswith(".csv") else "1"
    return client.post(f"{url}import/", {"import_file": file, "format": number, "resource": "0"})


def confirm(client, url: str, preview):
    return client.post(f"{url}process_import/", preview.context["confirm_form"].initial | {"resource": "0"})
