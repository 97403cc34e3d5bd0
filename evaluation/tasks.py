"""What django-q runs by name to learn from readers, and to mend what it learned."""

import logging

from django.db import transaction

from evaluation.judging import implicit_feedback
from evaluation.learning import registry, retraining
from evaluation.topics import library
from retrieval.jobs import CORPUS
from retrieval.models import Domain, JobRun
from retrieval.stages.reranker.reranker import failed_training
from rules import defaults

logger = logging.getLogger(__name__)
nothing_new: set[tuple] = set()  # at these versions of the corpora: what ships was compared with them by this process


def learn_from_readers() -> dict[str, int]:
    """Every night: readers' thumbs as judgments, questions the ranking was unsure of as topics to judge, and what
    language models said of either as judgments of their own kind.
    """
    return {
        "clicks": implicit_feedback.clicks_to_judgments(),
        "topics": implicit_feedback.searches_to_topics(),
        "verdicts": implicit_feedback.verdicts_to_judgments(),
    }


def ask_of_new_law() -> str:
    """Every ten minutes: shipped names and topics that waited for law which is here now are loaded, and the reranker
    learns from them; it is trained anew too where its last training missed a body of law, or had it in part. Nothing is
    done while a body of law is coming in, or a training would miss it. Says what was done.
    """
    busy = JobRun.objects.unfinished().filter(key__in=(CORPUS, retraining.KEY))
    here = tuple(Domain.objects.order_by("pk").values_list("pk", "corpus_version"))
    if busy.exists() or here in nothing_new:
        return ""
    with transaction.atomic():  # what was loaded without a training would never be learned from
        names, topics = defaults.load_arrived(), library.load_arrived()["topics"]
        missed = retraining.missed()
        if not (names or topics or missed):
            nothing_new.clear()
            nothing_new.add(here)
            return ""
        job = retraining.every_month()
    if not (names or topics):
        return f"The last training missed {', '.join(sorted(missed))}; job {job} trains another."
    return f"{names} names and {topics} topics are of new law; job {job} learns from them."


def mend_reranker() -> str:
    """Every minute: a training whose steps took too long goes on, after growing pauses; a reranker in force that cannot
    be loaded gives way to the last that can, or has another trained, unless the last training failed. Says what was
    done.
    """
    if resumed := retraining.resume_given_up():
        return f"Job {resumed.pk} goes on: its steps took too long before."
    problem = registry.problem()
    if not problem:
        return ""
    if sound := registry.fall_back():
        done = f"{sound} serves again."
    elif failed_training():
        done = "The last training failed: see why before another."
    else:
        done = f"Job {retraining.every_month()} trains another."
    logger.error("The deployed reranker cannot serve: %s %s", problem, done)
    return done
