"""A lease of three pages, handed in and read by the ordinary job."""

from retrieval import jobs
from retrieval.access.row_security import as_system
from retrieval.models import Upload
from tests import files

LEASE = files.pdf(
    files.column("1. Term. The lease of the lighthouse runs for a year", top=700),
    files.column("from today. No renewal.", "2. Law. The laws of Ruritania apply."),
    "scan",
)


def finish() -> None:
    """Reads every file that waits."""
    with as_system():
        runs = [upload.run for upload in Upload.objects.filter(status="waiting").order_by("pk")]
    for run in runs:
        for _step in jobs.run_here(run):
            pass
