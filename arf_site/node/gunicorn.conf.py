"""How gunicorn serves the site. `gunicorn --config arf_site/node/gunicorn.conf.py`"""

import gc
import os
from importlib import import_module
from pathlib import Path

import django

from arf_site import settings
from arf_site.node.first_search import host_and_port
from arf_site.node.memory import give_back

# NumPy multiplies small matrices here: its threads would only wait for one another. Read when a worker imports it.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

wsgi_app = "arf_site.wsgi:application"
bind = host_and_port(settings.ARF_BIND, settings.ARF_PORT)
workers = settings.ARF_WEB_WORKERS
threads = 4  # a search waits for Postgres half of its time
worker_class = "arf_site.node.web_worker.Worker"  # gthread, with limits for slow clients
preload_app = False  # each worker lists the static files that are there when it starts
timeout = 60
graceful_timeout = 5
sendfile = False  # the kernel would wait for each piece anew where a reader is slow
limit_request_line = 8190  # the most gunicorn allows; longer questions are posted
control_socket_disable = True
if Path("/dev/shm").is_dir():
    worker_tmp_dir = "/dev/shm"  # the heartbeat must not wait for a disk


def when_ready(server) -> None:
    """Imports the application before the workers are forked, which takes a second. They share its memory.

    Nothing is opened yet: no session of ONNX Runtime, no thread and no connection survives a fork.
    """
    gc.disable()  # nothing that is imported is garbage
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arf_site.settings")
    django.setup()
    from django.db.backends.signals import connection_created

    connection_created.connect(limit_statements, weak=False)
    for name in (settings.ROOT_URLCONF, "arf_site.pipelines"):
        import_module(name)
    gc.freeze()  # a worker that looked it through would copy all of it
    gc.enable()


def limit_statements(connection, **_sent) -> None:
    """Nothing here ends a thread whose request takes for ever: PostgreSQL ends the statement that it waits for."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET statement_timeout = '{timeout}s'")


def post_worker_init(worker) -> None:
    """Begins the thread that writes what answers leave, and runs a search in each language now: what the first one
    loads would make a reader wait for half a second.

    Nothing that fails here may reach gunicorn: it would take a worker that does not start for a site that cannot run,
    and end the whole web server.
    """
    from retrieval.access.caller import ANONYMOUS
    from retrieval.ranking import Page
    from retrieval.request import SearchRequest
    from retrieval.search.afterwards import write_in_a_thread
    from retrieval.search.service import in_scope, run

    write_in_a_thread()
    try:
        for words in ("We the People", "Nosotros, el pueblo"):
            run(SearchRequest(words), ANONYMOUS, *in_scope(ANONYMOUS), page=Page())
    except Exception:
        worker.log.exception("The first search will be slow: the one before it failed.")
    gc.collect()
    give_back()
    gc.freeze()  # what is loaded stays: looking it through again would hold a search up for 100 ms now and then
