"""Who may see what: grants on private documents, and keys of client applications."""

from collections.abc import Callable
from functools import wraps

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextInputWidget

from retrieval.access.row_security import as_system
from retrieval.admin.base import NeverDeleted, ObjectAction, ObjectActions
from retrieval.models import ApiKey, Document, DocumentGrant

SUGGESTED = 500  # principals of each kind offered while typing


class PrincipalInput(UnfoldAdminTextInputWidget):
    """A text box that offers the users, groups and keys there are."""

    def render(self, name, value, attrs=None, renderer=None) -> SafeString:
        box = super().render(name, value, {**(attrs or {}), "list": "principals"}, renderer)
        options = format_html_join("", '<option value="{}">{}</option>', known_principals())
        return format_html('{}<datalist id="principals">{}</datalist>', box, options)


def known_principals() -> list[tuple[str, str]]:
    users = get_user_model().objects.filter(is_active=True).order_by("username")[:SUGGESTED]
    return [
        *((f"user:{user.pk}", user.get_username()) for user in users),
        *((f"group:{group.pk}", group.name) for group in Group.objects.order_by("name")[:SUGGESTED]),
        *((f"key:{key.pk}", str(key)) for key in ApiKey.objects.filter(revoked_at=None)[:SUGGESTED]),
    ]


def seeing_every_document(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Whoever grants need not be one who may read: these pages show locators alone."""

    @wraps(view)
    def seeing(*args, **kwargs) -> HttpResponse:
        with as_system():
            response = view(*args, **kwargs)
            return response.render() if hasattr(response, "render") else response

    return seeing


class DocumentChoice(forms.ModelChoiceField):
    def label_from_instance(self, document: Document) -> str:
        """The locator alone."""
        return document.locator


class GrantForm(forms.ModelForm):
    document = DocumentChoice(Document.objects.filter(private=True), label=gettext_lazy("document"))

    class Meta:
        model = DocumentGrant
        fields = ["document", "principal"]
        widgets = {"principal": PrincipalInput}


@admin.register(DocumentGrant)
class DocumentGrantAdmin(ModelAdmin):
    """Given and taken back, never edited: each is on record with who gave it."""

    form = GrantForm
    list_display = ["locator", "principal", "granted_to", "granted_by", "granted_at"]
    list_filter = ["document__domain"]
    list_select_related = ["document", "granted_by"]
    search_fields = ["principal", "document__locator"]
    changelist_view = seeing_every_document(ModelAdmin.changelist_view)
    changeform_view = seeing_every_document(ModelAdmin.changeform_view)
    delete_view = seeing_every_document(ModelAdmin.delete_view)
    history_view = seeing_every_document(ModelAdmin.history_view)

    def has_change_permission(self, request: HttpRequest, obj: DocumentGrant | None = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: DocumentGrant | None = None) -> list[str]:
        return ["locator", "principal", "granted_by", "granted_at"] if obj else ["document", "principal"]

    def save_model(self, request: HttpRequest, obj: DocumentGrant, form, change: bool) -> None:
        obj.granted_by = request.user
        super().save_model(request, obj, form, change)

    @admin.display(description=gettext_lazy("Document"), ordering="document__locator")
    def locator(self, grant: DocumentGrant) -> str:
        return grant.document.locator

    @admin.display(description=gettext_lazy("Who that is"))
    def granted_to(self, grant: DocumentGrant) -> str:
        holder = grant.holder
        return str(holder) if holder else _("no longer exists")


class ApiKeyForm(forms.ModelForm):
    scopes = forms.MultipleChoiceField(
        choices=ApiKey.Scope.choices,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        label=gettext_lazy("scopes"),
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
)


@admin.register(ApiKey)
class ApiKeyAdmin(NeverDeleted, ObjectActions, ModelAdmin):
    form = ApiKeyForm
    object_actions = (REVOKE,)
    list_display = ["name", "prefix", "state", "scope_list", "rate_per_minute", "expires_at", "last_used_on"]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter)]
    search_fields = ["name", "prefix"]
    readonly_fields = ["prefix", "created_at", "last_used_on", "revoked_at"]

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
