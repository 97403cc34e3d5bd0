"""What the worker does beside the queue."""

import os
from types import SimpleNamespace

from django.core.management import call_command
from django_q import cluster as django_q_cluster

from arf_site import schedules
from arf_site.management.commands import worker


def test_a_clock_that_is_set_back_has_all_planned_anew_once(monkeypatch):
    clock, alive, planned = iter([100.0, 101.0, 50.0, 51.0]), iter([True, True, True, False]), []
    sentinel = SimpleNamespace(is_alive=lambda: next(alive))
    monkeypatch.setattr(os, "nice", lambda by: None)
    monkeypatch.setattr(worker, "time", SimpleNamespace(time=lambda: next(clock), sleep=lambda seconds: None))
    monkeypatch.setattr(worker, "answers", lambda: True)
    monkeypatch.setattr(worker, "take_up_unfinished", lambda: None)
    monkeypatch.setattr(worker, "connections", SimpleNamespace(close_all=lambda: None))
    monkeypatch.setattr(worker, "end_children_with_us", lambda: None)
    monkeypatch.setattr(worker, "django_q_cluster", SimpleNamespace(
        Sentinel=django_q_cluster.Sentinel, Cluster=lambda: SimpleNamespace(start=lambda: None, sentinel=sentinel)
    ))
    monkeypatch.setattr(worker, "django_q_pusher", SimpleNamespace())
    monkeypatch.setattr(schedules, "ensure", lambda: planned.append("again"))
    call_command("worker")
    assert planned == ["again"] * 2, "at the start, and once more"
