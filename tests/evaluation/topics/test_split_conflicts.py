"""No topic stands on both sides of the test split."""

import pytest

from evaluation.models import Judgment, Topic
from evaluation.topics.importing import Options, preview
from retrieval.models import Domain

PREAMBLE, FIRST = "/us/const/preamble", "/us/const/amendment/I"


@pytest.fixture
def topic(db):
    domain = Domain.objects.get(slug="us_constitution")
    row = Topic.objects.create(name="q1", domain=domain, query="Free speech?", split="test")
    Judgment.objects.create(topic=row, locator=FIRST, grade=3, judge="ann")
    return row


CROSSING = f"""topic,query,split,group,locator,grade
n1,May speech be free?,train,,{FIRST},3
n2,Who may vote in elections?,test,,{FIRST},3
n3,"who, then, may vote in elections",train,,{FIRST},3
n4,Is a caucus private?,train,g9,{FIRST},1
n5,Are treaties law?,test,,{FIRST},1
n6,Are treaties the law?,tune,,{FIRST},1
"""


def test_no_topic_is_imported_on_both_sides_of_the_test_split(topic):
    """A retrain would refuse them for ever."""
    others = {"domain": topic.domain, "source": "import"}
    Topic.objects.create(name="q2", query="who may vote in elections", split="train", **others)
    Topic.objects.create(name="q3", query="Must all meetings be open?", split="test", group="g9", **others)
    plan = preview(CROSSING, "auto", Options())
    assert [(refused.line, refused.reason.split("”")[0]) for refused in plan.refused] == [
        (2, "the test topic “Free speech?"),
        (3, "“who may vote in elections"),
        (5, "the test topic “Must all meetings be open?"),
        (7, "the test topic “Are treaties law?"),
    ]
    assert [row.name for row in plan.topics] == ["n3", "n5"] and len(plan.new) == 2


def test_topics_of_private_domains_are_never_learned_and_conflict_with_none(topic):
    private = Domain.objects.get(slug="client_cases")
    Topic.objects.create(name="p1", query="Who stole the horse?", domain=private, split="test")
    lines = "topic,query,domain\nn1,Free speech?,client_cases\nn2,who stole the horse,\n"
    assert [row.name for row in preview(lines, "auto", Options()).topics] == ["n1", "n2"]
