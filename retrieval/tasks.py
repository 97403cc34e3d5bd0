"""What django-q runs by name; each calls logic elsewhere and takes ids only."""

from retrieval import cache, jobs, searchlog


def resume_silent_jobs() -> int:
    return jobs.resume_silent()


def prune() -> dict[str, int]:
    """Every night: old texts, traces and logs, old cache entries, change log entries every node has seen."""
    return searchlog.prune() | {"cache": cache.prune()}
