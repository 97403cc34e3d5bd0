"""What django-q runs every night to forget what is old; all else that it runs by name stands where the logic is."""

from django.contrib.sessions.models import Session
from django.utils import timezone

from retrieval import jobs
from retrieval.answers import history
from retrieval.api import authentication
from retrieval.engines.llm import budget
from retrieval.indexes import lexical_sync
from retrieval.ingestion import erasing, uploading
from retrieval.search import cache, log


def prune() -> dict[str, int]:
    """Old texts, traces and logs, old questions that people had kept, old calls and verdicts of language models, old
    cache entries, counts of past minutes, files and checkpoints of failed jobs, jobs and sessions that ended, changes
    that every index has; and takes up erasing that failed.
    """
    kept = {"cache": cache.prune(), "rates": authentication.prune(), "files": uploading.forget_files()}
    kept |= {"checkpoints": jobs.forget_checkpoints(), "changes": lexical_sync.prune(), "jobs": jobs.forget_runs()}
    kept["sessions"] = Session.objects.filter(expire_date__lt=timezone.now()).delete()[0]
    kept |= {"erasures": erasing.try_again(), "questions": history.prune()}
    return log.prune() | budget.prune() | kept
