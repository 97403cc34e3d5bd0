"""What django-q runs by name; each calls logic elsewhere and takes ids only."""

from retrieval import cache, indexing, jobs, llm, refreshing, searchlog, uploading, vocabulary
from retrieval.api import throttles


def resume_silent_jobs() -> int:
    return jobs.resume_silent()


def count_words() -> int:
    """Document frequencies of domains that changed otherwise than by an ingestion: a document was deleted."""
    return vocabulary.count_again()


def prune() -> dict[str, int]:
    """Every night: old texts, traces and logs, old calls and verdicts of language models, old cache entries, counts of
    past minutes, files whose jobs failed, changes that every index has.
    """
    kept = {"cache": cache.prune(), "rates": throttles.prune(), "files": uploading.forget_files()}
    return searchlog.prune() | llm.prune() | kept | {"changes": indexing.prune()}


def refresh_domains() -> int:
    """Every night: the ingestions that domains' plans ask for; gives how many were begun."""
    return refreshing.begin_due()
