"""Users, groups, the job queue and failed logins in the look of the rest; their own admins do the work."""

from axes import admin as axes_admin
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from django_q import admin as queue_admin
from django_q.models import Failure, OrmQ, Schedule, Success
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from retrieval.admin.base import ReadOnly

admin.site.index_title = _("Overview")
gettext_noop("Welcome back to")  # above unfold's login form, and missing from its Spanish

for model in (User, Group, Schedule, Success, Failure, AccessAttempt, AccessLog, AccessFailureLog):
    admin.site.unregister(model)


@admin.register(User)
class UserAdmin(auth_admin.UserAdmin, ModelAdmin):
    """Only a superuser makes or edits one."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ["username", "email", "is_staff", "is_active", "last_login"]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        audit = ["last_login", "date_joined"]
        return audit if request.user.is_superuser else [*audit, "is_superuser", "user_permissions"]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return may_touch(request, obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return may_touch(request, obj) and super().has_delete_permission(request, obj)


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
