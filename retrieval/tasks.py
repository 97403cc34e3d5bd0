"""What django-q runs by name; each calls logic elsewhere and takes ids only."""

from retrieval import jobs
from retrieval.api import authentication
from retrieval.engines.llm import budget
from retrieval.indexes import lexical_sync, terms
from retrieval.ingestion import refreshing, uploading
from retrieval.search import cache, log


def resume_silent_jobs() -> int:
    return jobs.resume_silent()


def count_words() -> int:
    """Document frequencies of domains that changed otherwise than by an ingestion: a document was deleted."""
    return terms.count_again()


def prune() -> dict[str, int]:
    """Every night: old texts, traces and logs, old calls and verdicts of language models, old cache entries, counts of
    past minutes, files and checkpoints of failed jobs, changes that every index has.
    """
    kept = {"cache": cache.prune(), "rates": authentication.prune(), "files": uploading.forget_files()}
    kept |= {"checkpoints": jobs.forget_checkpoints(), "changes": lexical_sync.prune()}
    return log.prune() | budget.prune() | kept


def refresh_domains() -> int:
    """Every night: the ingestions that domains' plans ask for; gives how many were begun."""
    return refreshing.begin_due()
