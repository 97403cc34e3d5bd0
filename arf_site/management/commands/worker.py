"""manage.py worker"""

import os
import signal
import sys
import time
from datetime import timedelta

from django.core.management.base import BaseCommand
from django.db import OperationalError, connection, connections
from django_q import cluster as django_q_cluster
from django_q import pusher as django_q_pusher

from arf_site import schedules
from arf_site.node.supervisor import end_children_with_us
from retrieval import jobs

EVERY = 1.0  # seconds between looks at the database
NICENESS = 10  # ingestion embeds on every core: searches come first


class Command(BaseCommand):
    """
    1. Wait until the database answers.
    2. Make the schedules; take up the jobs that an earlier worker left unfinished.
    3. Run django-q's cluster until it is stopped, or one of its processes is killed.
    4. Meanwhile, whenever the database was away, take up the jobs that this interrupted; and whenever the clock was set
       back, plan anew what waits for a moment that it had reached.
    """

    requires_system_checks = ()  # `up` or `prepare` has run them: they load every page, which no job needs
    help = "Runs the queue: takes up unfinished jobs, then works until stopped."

    def handle(self, **options) -> None:
        os.nice(NICENESS)
        while not answers():
            time.sleep(EVERY)
        schedules.ensure()
        take_up_unfinished()
        connections.close_all()  # a forked child must not share them
        end_children_with_us()
        django_q_cluster.Sentinel = Sentinel
        # Its own 10 s would hold jobs up when the database is back.
        django_q_pusher.sleep = lambda _: time.sleep(EVERY)
        cluster = django_q_cluster.Cluster()
        cluster.start()
        was_away, latest = False, time.time()
        while cluster.sentinel.is_alive():
            time.sleep(EVERY)
            is_away = not answers()
            if was_away and not is_away:
                take_up_unfinished()
            if not is_away:
                if (now := time.time()) < latest:
                    schedules.ensure()
                latest = now
            was_away = is_away


class Sentinel(django_q_cluster.Sentinel):
    """Replaces its processes as django-q's does, but for one that was killed: then all begin anew.

    A process killed while it waits for the queue holds the queue's lock for ever: no other would get a task.
    """

    def reincarnate(self, process) -> None:
        if process.exitcode is not None and process.exitcode < 0:
            sys.exit(f"A process of the queue was killed ({signal.Signals(-process.exitcode).name}).")
        super().reincarnate(process)


def answers() -> bool:
    """Whether the database answers. After a loss the first call says no, even if it is back by then."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except OperationalError:
        connection.close()
        return False
    return True


def take_up_unfinished() -> None:
    """Steps that are in fact being worked on are harmed by no second copy: see `jobs.take_step`."""
    jobs.resume_silent(silent_for=timedelta(0))
