"""The groups that ship: a release gives them its new permissions, and never again what staff took away."""

import importlib

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission

from arf_site.groups import load_groups
from arf_site.models import GivenPermission

pytestmark = pytest.mark.django_db
remember = importlib.import_module("arf_site.migrations.0001_given_permissions").remember


@pytest.fixture
def curators() -> Group:
    load_groups()
    return Group.objects.get(name="Curator")


@pytest.fixture
def publishing() -> Permission:
    return Permission.objects.get(codename="publish_rule")


def test_loading_again_changes_nothing(curators):
    before = set(curators.permissions.all())
    assert before and load_groups() == 0 and set(curators.permissions.all()) == before


def test_what_staff_took_away_and_what_they_added_stays_so(curators, publishing):
    own = Permission.objects.get(codename="delete_session")
    curators.permissions.remove(publishing)
    curators.permissions.add(own)
    load_groups()
    assert publishing not in curators.permissions.all() and own in curators.permissions.all()


def test_a_permission_that_a_release_adds_reaches_the_groups_that_are_there(curators, publishing):
    curators.permissions.remove(publishing)
    GivenPermission.objects.filter(permission=publishing).delete()  # as before the release that brings it
    assert load_groups() == 2  # administrators get it too
    assert publishing in curators.permissions.all()


def test_groups_from_before_this_was_remembered_keep_what_staff_made_of_them(curators, publishing):
    curators.permissions.remove(publishing)
    GivenPermission.objects.all().delete()
    remember(apps, None)
    assert load_groups() == 0 and publishing not in curators.permissions.all()


def test_a_group_that_was_deleted_is_made_again_with_all_that_ships(curators):
    had = curators.permissions.count()
    curators.delete()
    assert load_groups() == had == Group.objects.get(name="Curator").permissions.count()
