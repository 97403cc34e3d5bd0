"""What django-q runs by name exists, and says what it did."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluation import tasks
from evaluation.models import RulePreview
from evaluation.rule_impact import previews
from retrieval.models import JobRun

pytestmark = pytest.mark.django_db


def test_where_nobody_said_anything_nothing_is_learned():
    assert tasks.learn_from_readers() == {"clicks": 0, "topics": 0, "verdicts": 0}


def test_the_look_for_hidden_text_is_a_job_and_given_by_its_number():
    assert JobRun.objects.filter(pk=tasks.find_hidden_text()).exists()


def test_previews_are_kept_for_some_days():
    for age in (timedelta(), previews.KEPT + timedelta(hours=1)):
        RulePreview.objects.create(
            number=1, principal="user:1", rules_version=1, created_at=timezone.now() - age
        )
    assert tasks.prune() == 1
    assert RulePreview.objects.count() == 1
