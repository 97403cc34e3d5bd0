"""Users, groups, the job queue and failed logins in the look of the rest; their own admins do the work."""

from axes import admin as axes_admin
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms import CharField, Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from django_q import admin as queue_admin
from django_q.models import Failure, OrmQ, Schedule, Success
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminPasswordWidget

from retrieval.access import passwords
from retrieval.access.row_security import as_system
from retrieval.admin.base import ReadOnly
from retrieval.models import DocumentGrant, MatterMember, Upload
from retrieval.models.uploads import in_words

admin.site.index_title = _("Overview")
gettext_noop("Welcome back to")  # above unfold's login form, and missing from its Spanish

for model in (User, Group, Schedule, Success, Failure, AccessAttempt, AccessLog, AccessFailureLog):
    admin.site.unregister(model)


class PasswordForm(AdminPasswordChangeForm):
    own_password = CharField(
        label=_("Your own password"),
        required=False,
        widget=UnfoldAdminPasswordWidget({"autocomplete": "current-password"}),
    )


class MembersForm(UserChangeForm):
    """`by`: who edits. A group that private documents or matters are shared with opens them to its members."""

    by: User

    def clean_groups(self):
        groups = self.cleaned_data["groups"]
        changed = {group.pk for group in groups} ^ set(self.instance.groups.values_list("pk", flat=True))
        if not self.by.is_superuser and is_trusted([f"group:{pk}" for pk in changed]):
            raise ValidationError(
                _("Private documents are shared with one of these groups: only a superuser changes its members.")
            )
        return groups


@as_system()
def is_trusted(groups: list[str]) -> bool:
    """Whether a private document is shared with one of these principals, will be once its file is read, or whether it
    is a member of a matter, be that closed.
    """
    shared = DocumentGrant.objects.filter(principal__in=groups)
    waiting = Upload.objects.filter(readers__overlap=groups)
    return shared.exists() or waiting.exists() or MatterMember.objects.filter(principal__in=groups).exists()


@admin.register(User)
class UserAdmin(auth_admin.UserAdmin, ModelAdmin):
    """Only a superuser makes or edits one. Nobody comes to read as another by setting their password."""

    form = MembersForm
    add_form = UserCreationForm
    change_password_form = PasswordForm
    list_display = ["username", "email", "is_staff", "is_active", "last_login"]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        audit = ["last_login", "date_joined"]
        return audit if request.user.is_superuser else [*audit, "is_superuser", "user_permissions"]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return may_touch(request, obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return may_touch(request, obj) and super().has_delete_permission(request, obj)


    def get_form(self, request: HttpRequest, obj: User | None = None, **kwargs) -> type[Form]:
        form = super().get_form(request, obj, **kwargs)
        form.by = request.user
        return form

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Asks for the own password first; the other is told, and the change is on record."""
        user = self.get_object(request, unquote(id))
        others = user is not None and user != request.user and self.has_change_permission(request, user)
        if request.method != "POST" or not others:
            return super().user_change_password(request, id, form_url)
        if not request.user.check_password(request.POST.get("own_password", "")):
            messages.error(request, _("That is not your own password: nothing was changed."))
            return redirect(request.path)
        former = user.password
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            user.refresh_from_db()
            changed = user.password != former
            if changed:
                passwords.note(user, former=former, by=request.user)
        try:
            if changed and passwords.tell(user, request.user):
                messages.success(request, _("A mail tells %s of it.") % user.email)
        except passwords.MailNotSent as problem:
            messages.warning(request, in_words(problem.refusal))
        return response


def may_touch(request: HttpRequest, user: User | None) -> bool:
    return user is None or not user.is_superuser or request.user.is_superuser


@admin.register(Schedule)
class ScheduleAdmin(ReadOnly, queue_admin.ScheduleAdmin, ModelAdmin):
    """Made by the worker. Who could edit one could have the server run any function of Python's library."""


AS_THEY_ARE = {
    Group: (auth_admin.GroupAdmin,),
    Success: (ReadOnly, queue_admin.TaskAdmin),
    Failure: (ReadOnly, queue_admin.FailAdmin),
    AccessAttempt: (axes_admin.AccessAttemptAdmin,),
    AccessLog: (axes_admin.AccessLogAdmin,),
    AccessFailureLog: (axes_admin.AccessFailureLogAdmin,),
}
if "orm" in settings.Q_CLUSTER:
    admin.site.unregister(OrmQ)
    AS_THEY_ARE[OrmQ] = (ReadOnly, queue_admin.QueueAdmin)
for model, bases in AS_THEY_ARE.items():
    admin.site.register(model, type(f"{model.__name__}Admin", (*bases, ModelAdmin), {}))
