"""What admin classes share: records nobody edits, actions as buttons that post, links, private text kept private."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from retrieval.errors import ArfError
from retrieval.models.uploads import in_words

PRIMARY_KEY = re.compile(r"[0-9]{1,18}")  # what an address may name; `isdigit` is true of ² and ٣ as well
BUTTON = (
    "border border-base-200 bg-white cursor-pointer font-medium px-3 py-1.5 rounded-default text-important "
    "whitespace-nowrap hover:bg-base-100/80 dark:bg-transparent dark:border-base-700"
)


def link(url: str, text: object) -> SafeString:
    return format_html('<a class="text-link" href="{}">{}</a>', url, text)


def admin_url(obj: Model, page: str = "change") -> str:
    return reverse(f"admin:{obj._meta.app_label}_{obj._meta.model_name}_{page}", args=[obj.pk])


def admin_link(obj: Model, text: object = None) -> SafeString:
    return link(admin_url(obj), obj if text is None else text)


def require(request: HttpRequest, *permissions: str) -> None:
    """Raises PermissionDenied."""
    if not request.user.has_perms(permissions):
        raise PermissionDenied


def page(request: HttpRequest, template: str, context: dict, *, status: int = 200) -> HttpResponse:
    """A page of its own in the admin's frame."""
    return TemplateResponse(request, template, admin.site.each_context(request) | context, status=status)


def check_numbers(*named: str) -> None:
    """Raises Http404 for what is no primary key."""
    if not all(PRIMARY_KEY.fullmatch(each) for each in named):
        raise Http404


class HistoryByNumber:
    """History is told of what a number names; the library asks the database for anything, and fails."""

    def history_view(self, request: HttpRequest, object_id: str, *args, **kwargs) -> HttpResponse:
        check_numbers(object_id)
        return super().history_view(request, object_id, *args, **kwargs)


class NeverDeleted:
    """Rows that are switched off or followed by a newer version, so that what rests on them stays explained."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class MadeElsewhere(NeverDeleted):
    """Rows that the admin neither makes nor deletes."""

    has_add_permission = NeverDeleted.has_delete_permission


class FilteredAsOffered:
    """Lists of rows of which something is hidden: whether a row is left by another filter would tell what that is."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """What Django allows, which leads into no other table, of the filters alone."""
        return lookup.partition("__")[0] in self.list_filter and super().lookup_allowed(lookup, value, request)


class ReadOnly(MadeElsewhere):
    """Records that something else writes."""

    has_change_permission = NeverDeleted.has_delete_permission


@dataclass(frozen=True)
class ObjectAction:
    """A button on a record's page. `may`: who sees it and may press it; `applies`: when it makes sense; `undoable`:
    false where nothing brings back what was, so that it is asked once more; `shown`: what of the record the button is
    about, which nobody may have changed since its page was shown.
    """

    name: str
    label: str
    run: Callable[[HttpRequest, Model], HttpResponse | None]
    may: Callable[[HttpRequest, Model], bool]
    applies: Callable[[Model], bool] = lambda obj: True
    undoable: bool = True
    shown: Callable[[Model], str] = lambda obj: ""


class ObjectActions:
    """Buttons above a record, each a POST of its own: nothing is changed by following a link."""

    object_actions: tuple[ObjectAction, ...] = ()
    change_form_outer_before_template = "admin/_object_actions.html"

    def get_urls(self) -> list:
        name = f"{self.opts.app_label}_{self.opts.model_name}_do"
        view = self.admin_site.admin_view(require_POST(self.do_view))
        return [path("<path:object_id>/do/<slug:action>/", view, name=name), *super().get_urls()]

    def action_url(self, obj: Model, action: ObjectAction) -> str:
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_do"
        return reverse(name, args=[obj.pk, action.name])

    def action_button(self, obj: Model, action: ObjectAction) -> SafeString:
        """A button inside the list's own form, which posts its token along."""
        return format_html(
            '<button type="submit" class="{}" formmethod="post" formaction="{}">{}</button>',
            BUTTON,
            self.action_url(obj, action),
            action.label,
        )

    def offered(self, request: HttpRequest, obj: Model) -> list[dict[str, str]]:
        return [
            {"label": action.label, "url": self.action_url(obj, action), "shown": action.shown(obj)}
            for action in self.object_actions
            if action.may(request, obj) and action.applies(obj)
        ]

    def render_change_form(self, request: HttpRequest, context: dict, *args, **kwargs) -> HttpResponse:
        obj = kwargs.get("obj")
        context["object_actions"] = self.offered(request, obj) if obj else []
        return super().render_change_form(request, context, *args, **kwargs)

    def do_view(self, request: HttpRequest, object_id: str, action: str) -> HttpResponse:
        """Runs one action on one record; a problem is told on the record's page."""
        chosen = next((known for known in self.object_actions if known.name == action), None)
        obj = self.get_object(request, unquote(object_id))
        if chosen is None or obj is None:
            raise Http404
        if not self.has_view_permission(request, obj) or not chosen.may(request, obj):
            raise PermissionDenied
        if not chosen.undoable and "sure" not in request.POST:
            asked = {"title": chosen.label, "object": obj, "back": admin_url(obj)}
            return page(request, "admin/sure.html", asked)
        try:
            answer = self._run(chosen, request, obj)
        except ArfError as problem:
            messages.error(request, in_words(problem.refusal))
            answer = None
        return answer or redirect(admin_url(obj))

    def _run(self, action: ObjectAction, request: HttpRequest, obj: Model) -> HttpResponse | None:
        if not action.applies(obj):
            messages.warning(request, _("This is not possible any more."))
            return None
        if action.shown(obj) != request.POST.get("shown", ""):
            messages.warning(request, _("It was changed after this page was shown: look at it again."))
            return None
        return action.run(request, obj)
