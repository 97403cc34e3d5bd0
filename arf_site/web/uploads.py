"""How much may be uploaded: Django itself bounds the fields of a form but not its files."""

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

from retrieval.parsing.files.limits import MAX_BYTES

LONGEST = 5_000_000  # bytes; all aliases that ship have a twentieth of that
IN_MEMORY = 2_500_000  # what Django keeps in memory: the file of a brief is never written to a disk
ONE_FILE = MAX_BYTES + 2**20
# Below which documents are handed in: one file, or as many as a person chooses at once; and briefs.
DOCUMENTS = {
    "/api/v1/documents": ONE_FILE,
    "/private/matters/": ONE_FILE,
    "/admin/upload/": 4 * MAX_BYTES,
    "/api/v1/check": IN_MEMORY,
    "/check/": IN_MEMORY,
}


def most_bytes(path: str) -> int:
    """How long a form may be that is sent there."""
    return next((most for place, most in DOCUMENTS.items() if path.startswith(place)), LONGEST)


def most_megabytes(path: str) -> float:
    """As people are told it: of a form that holds one file, what the file may have."""
    most = most_bytes(path)
    return (most - most % MAX_BYTES) / 2**20 if most >= MAX_BYTES else most / 1_000_000


class Bounded(FileUploadHandler):
    """Stands first: refuses a form by its announced length, before a byte is kept. Others keep the files."""

    def handle_raw_input(self, input_data, META, content_length: int, boundary, encoding=None) -> None:
        most = most_bytes(self.request.path_info if self.request else "")
        if content_length > most:
            raise RequestDataTooBig(f"A form of {content_length} bytes; at most {most} are taken.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
