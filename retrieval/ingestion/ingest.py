"""The job that brings a source into a domain: read and stage, then chunk and embed in short steps, then publish."""

from dataclasses import replace

from retrieval.access.row_security import as_system
from retrieval.ingestion.embedding import chunk_some, enter_some
from retrieval.ingestion.publishing import publish
from retrieval.ingestion.staging import read
from retrieval.jobs import CORPUS, Job, Progress
from retrieval.models import Domain, JobRun, Section


class Ingest(Job):
    """params: domain (slug), source (path; empty means the domain's own), force (accept a short source), edition (the
    day from which it holds, where the source does not say). A source of several documents publishes each when it is
    through, and goes on with the next.
    """

    @as_system()
    def step(self, run: JobRun) -> Progress:
        match run.state.get("phase", "read"):
            case "read":
                return numbered(read(run))
            case "chunk":
                return numbered(chunk_some(run))
            case "enter":
                return numbered(enter_some(run))
            case _:
                return going_on(run, publish(run))

    @as_system()
    def undo(self, run: JobRun) -> None:
        drop_staged(run)


def numbered(progress: Progress) -> Progress:
    """Says which document of its source it tells of, if the source has many."""
    before = progress.state.get("totals", {}).get("documents", 0)
    if not (before or progress.state.get("following")):
        return progress
    return replace(progress, message=f"Document {before + 1}: {progress.message}")


def going_on(run: JobRun, published: Progress) -> Progress:
    """With the next document of the source, if it has one."""
    if not run.state.get("following"):
        return published
    kept = {"totals": published.state["totals"], "span": run.state.get("span", [0, 1])}
    state = {"phase": "read", "place": run.state["following"]} | kept
    return replace(published, finished=False, state=state)


def drop_staged(run: JobRun) -> None:
    """What a job staged and did not publish."""
    if document := run.state.get("document"):
        Section.objects.staged().filter(document=document).delete()


def request(domain: Domain, source: str = "", *, force: bool = False, edition: str = "") -> dict:
    """What to hand to `jobs.enqueue`: kind, key and params of this domain's ingestion."""
    params = {"domain": domain.slug, "source": source, "force": force, "edition": edition}
    return {"kind": "ingest", "key": CORPUS, "params": params}
