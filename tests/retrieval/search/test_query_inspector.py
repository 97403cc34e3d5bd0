"""What became of one provision in a search."""

import pytest
from django.contrib.auth.models import Group, User

pytestmark = pytest.mark.django_db


def staff(client, group: str) -> User:
    user = User.objects.create_user(group.lower(), password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client.force_login(user)
    return user


@pytest.fixture
def judge(client):
    return staff(client, "Judge")


TRY = "/admin/try/"


@pytest.mark.parametrize(
    "locator, told",
    [
        ("/us/const/amendment/V", "stands at rank 1"),
        ("fifth amendment", "stands at rank 1"),
        ("us/const/article/I", "is above the level that is ranked"),
        ("/us/const/amendment/XCIX", "is no provision that you may read"),
    ],
)
def test_why_not_this_provision(client, judge, locator, told):
    page = client.get(TRY, {"q": "double jeopardy", "locator": locator}).content.decode()
    assert told in page


def test_a_provision_no_leg_proposed_is_said_to_be_unfound(client, judge):
    asked = {"q": "fifth amendment", "locator": "/us/const/amendment/XVIII/section/1"}
    assert "proposed by no leg" in client.get(TRY, asked).content.decode()
