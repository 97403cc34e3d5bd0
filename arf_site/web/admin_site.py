"""The admin's site, which Unfold draws. Django makes a list of all models for every page; here it is made where a page
shows it: the sidebar has groups of its own.
"""

from functools import partial

from django.contrib import admin
from django.contrib.admin import sites
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from unfold.apps import BasicAppConfig
from unfold.sites import UnfoldAdminSite


class ArfAdminSite(UnfoldAdminSite):
    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> SimpleLazyObject:
        return SimpleLazyObject(partial(super().get_app_list, request, app_label))


class ArfAdminConfig(BasicAppConfig):
    """In place of Unfold's own."""

    def ready(self) -> None:
        admin.site = sites.site = ArfAdminSite()
