"""What is asked of a server, and what is done to one."""

import os
import shutil
import signal
import subprocess

import psycopg

ROOT = os.geteuid() == 0
NOBODY = 65534


def remove(server):
    server.stop("immediate")
    if server.cluster.exists():
        shutil.rmtree(server.socket_dir, ignore_errors=True)
    shutil.rmtree(server.place, ignore_errors=True)
    shutil.rmtree(server.home, ignore_errors=True)


def ask(url, query, *parameters):
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(query, parameters or None)
        return found.fetchall() if found.description else None


def remember(server):
    ask(server.app_url(), "DROP TABLE IF EXISTS kept")
    ask(server.app_url(), "CREATE TABLE kept AS SELECT 'kept' AS word")


def remembered(server):
    return ask(server.app_url(), "SELECT word FROM kept")


def kill_postmaster(server):
    pid = int((server.cluster / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGKILL)


def command_line(pid):
    """Empty for what has ended, a zombie too."""
    return subprocess.run(["cat", f"/proc/{pid}/cmdline"], capture_output=True).stdout


def modes(folder):
    return [(path, path.stat().st_mode, path.stat().st_uid) for path in (folder, *folder.parents)]
