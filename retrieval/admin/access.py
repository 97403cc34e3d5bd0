"""Who may see what: owners of private documents that have none, matters, and keys of client applications."""

from collections.abc import Callable
from functools import wraps

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db.models import BooleanField, Count, ExpressionWrapper, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelect2Widget

from retrieval.access.matters import give_lead, without_lead
from retrieval.access.row_security import as_system
from retrieval.access.sharing import assign, owners_gone
from retrieval.admin.base import (
    FilteredAsOffered,
    MadeElsewhere,
    NeverDeleted,
    ObjectAction,
    ObjectActions,
    admin_link,
)
from retrieval.models import ApiKey, Document, Matter, UnownedDocument
from retrieval.models.access import name_of, principal_of

Choice = tuple[str, str]  # a name as it is kept, and as people know who has it


def people() -> list[Choice]:
    users = get_user_model().objects.filter(is_active=True)
    names = ((user.get_username(), user.get_full_name()) for user in users)
    choices = ((f"user:{name}", f"{full} ({name})" if full else name) for name, full in names)
    return sorted(choices, key=lambda choice: choice[1].casefold())


def keys() -> list[Choice]:
    return [
        (f"key:{key.public_id}", str(key)) for key in ApiKey.objects.filter(revoked_at=None).order_by("name")
    ]


def owners() -> list[tuple[str, list[Choice]]]:
    """Who may own a document."""
    return [(_("People"), people()), (_("API keys"), keys())]


def readers(*, owner: str = "") -> list[tuple[str, list[Choice]]]:
    """With whom a document may be shared: everybody but its `owner`."""
    groups = [
        (f"group:{name}", name) for name in Group.objects.order_by("name").values_list("name", flat=True)
    ]
    others = [choice for choice in people() if choice[0] != owner]
    return [(_("People"), others), (_("Groups"), groups), (_("API keys"), keys())]


def named(principals: str) -> str:
    """Who they are, "user:5,group:2", as people know them."""
    known = {name: label for _kind, choices in readers() for name, label in choices}
    names = map(name_of, principals.split(","))
    return ", ".join(known.get(name, name) for name in names)


def seeing_every_document(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Whoever assigns a document need not be one who may read it: these pages show locators alone."""

    @wraps(view)
    def seeing(*args, **kwargs) -> HttpResponse:
        with as_system():
            response = view(*args, **kwargs)
            return response.render() if hasattr(response, "render") else response

    return seeing


class OwnerForm(forms.ModelForm):
    new_owner = forms.ChoiceField(
        label=gettext_lazy("New owner"),
        choices=lambda: [("", "–"), *owners()],
        widget=UnfoldAdminSelect2Widget,
    )

    class Meta:
        model = UnownedDocument
        fields: list[str] = []


@admin.register(UnownedDocument)
class UnownedDocumentAdmin(FilteredAsOffered, MadeElsewhere, ModelAdmin):
    """Private documents that nobody owns, by their locators alone: staff say whose they are. Of an account or a key
    that is gone a superuser says it: others could take what they like by revoking its owner's key.
    """

    form = OwnerForm
    list_display = ["locator", "domain", "retrieved_at"]
    list_filter = ["domain"]
    list_select_related = ["domain"]
    fields = ["locator", "domain", "new_owner"]
    readonly_fields = ["locator", "domain"]
    changelist_view = seeing_every_document(ModelAdmin.changelist_view)
    changeform_view = seeing_every_document(ModelAdmin.changeform_view)
    history_view = seeing_every_document(ModelAdmin.history_view)

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        owned_by_nobody = Q(owner="") | owners_gone() if request.user.is_superuser else Q(owner="")
        return super().get_queryset(request).filter(owned_by_nobody, private=True)

    def save_model(self, request: HttpRequest, obj: Document, form: OwnerForm, change: bool) -> None:
        assign(obj, principal_of(form.cleaned_data["new_owner"]))


class LeadForm(forms.ModelForm):
    new_lead = forms.ChoiceField(
        label=gettext_lazy("New lead"),
        choices=lambda: [("", "–"), *owners()],
        widget=UnfoldAdminSelect2Widget,
    )

    class Meta:
        model = Matter
        fields: list[str] = []


@admin.register(Matter)
class MatterAdmin(FilteredAsOffered, MadeElsewhere, ModelAdmin):
    """How many matters there are, how large and since when: what is said of one is its members'. A superuser names a
    lead of one that nobody can lead now.
    """

    form = LeadForm
    list_display = ["number", "opened_on", "closed_on", "document_count", "member_count", "deadline_count"]
    list_display_links = None
    fields = ["number", "opened_on", "new_lead"]
    readonly_fields = ["number", "opened_on"]
    changelist_view = seeing_every_document(ModelAdmin.changelist_view)
    changeform_view = seeing_every_document(ModelAdmin.changeform_view)

    def has_change_permission(self, request: HttpRequest, obj: Matter | None = None) -> bool:
        return obj is not None and request.user.is_superuser and not obj.is_led

    def has_view_permission(self, request: HttpRequest, obj: Matter | None = None) -> bool:
        """The list, and what may be changed; Django asks of one matter with the matter."""
        return super().has_view_permission(request) if obj is None else self.has_change_permission(request, obj)

    def get_list_display(self, request: HttpRequest) -> list[str]:
        return [*self.list_display, "lead"] if request.user.is_superuser else self.list_display

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        todo = Count("deadlines", filter=Q(deadlines__done_on=None), distinct=True)
        counted = Matter.objects.annotate(members_in_it=Count("members", distinct=True), todo=todo)
        counted = counted.annotate(is_led=ExpressionWrapper(~without_lead(), BooleanField()))
        return counted.defer("reference", "client").order_by("-pk")

    def save_model(self, request: HttpRequest, obj: Matter, form: LeadForm, change: bool) -> None:
        give_lead(obj, form.cleaned_data["new_lead"])

    @admin.display(description=gettext_lazy("Lead"))
    def lead(self, matter: Matter) -> str:
        return _("has one") if matter.is_led else admin_link(matter, _("Nobody: name one"))

    @admin.display(description=gettext_lazy("Number"), ordering="pk")
    def number(self, matter: Matter) -> int:
        return matter.pk

    @admin.display(description=gettext_lazy("Documents"))
    def document_count(self, matter: Matter) -> int:
        return Document.objects.filter(owner=matter.principal).count()

    @admin.display(description=gettext_lazy("Members"), ordering="members_in_it")
    def member_count(self, matter: Matter) -> int:
        return matter.members_in_it

    @admin.display(description=gettext_lazy("Deadlines to meet"), ordering="todo")
    def deadline_count(self, matter: Matter) -> int:
        return matter.todo


class ApiKeyForm(forms.ModelForm):
    scopes = forms.MultipleChoiceField(
        choices=ApiKey.Scope.choices,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        label=gettext_lazy("Scopes"),
        help_text=gettext_lazy("What the key opens beyond searching public domains."),
    )

    class Meta:
        model = ApiKey
        fields = ["name", "scopes", "rate_per_minute", "expires_at"]


def revoke(request: HttpRequest, key: ApiKey) -> None:
    key.revoke()
    messages.success(request, _("The key “%(key)s” is revoked.") % {"key": key})


REVOKE = ObjectAction(
    "revoke",
    gettext_lazy("Revoke"),
    revoke,
    may=lambda request, key: request.user.has_perm("retrieval.change_apikey"),
    applies=lambda key: key.revoked_at is None,
    undoable=False,
)


@admin.register(ApiKey)
class ApiKeyAdmin(NeverDeleted, ObjectActions, ModelAdmin):
    form = ApiKeyForm
    object_actions = (REVOKE,)
    list_display = ["name", "prefix", "state", "scope_list", "rate_per_minute", "expires_at", "last_used_on"]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter)]
    search_fields = ["name", "prefix"]
    readonly_fields = ["public_id", "prefix", "created_at", "last_used_on", "revoked_at"]

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> list[str]:
        editable = ["name", "scopes", "rate_per_minute", "expires_at"]
        return [*editable, *self.readonly_fields] if obj else editable

    def get_readonly_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> list[str]:
        return self.readonly_fields if obj else []

    def save_model(self, request: HttpRequest, obj: ApiKey, form: ApiKeyForm, change: bool) -> None:
        """A new key's secret is shown in the answer to this request and never again."""
        if change:
            super().save_model(request, obj, form, change)
            return
        issued, secret = ApiKey.issue(**form.cleaned_data)
        obj.pk, obj.prefix = issued.pk, issued.prefix
        messages.warning(
            request,
            format_html(
                "{} <code id='secret'>{}</code>", _("Copy the key now, it is shown only once:"), secret
            ),
        )

    @display(description=gettext_lazy("State"), label={"usable": "success", "revoked": "danger"})
    def state(self, key: ApiKey) -> tuple[str, str]:
        if key.is_usable:
            return "usable", _("usable")
        return ("revoked", _("revoked")) if key.revoked_at else ("expired", _("expired"))

    @admin.display(description=gettext_lazy("Scopes"))
    def scope_list(self, key: ApiKey) -> str:
        return ", ".join(key.scopes) or "-"
