"""What is shown to whoever has tried too many passwords."""

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


def locked_out(request: HttpRequest, response: HttpResponse | None, credentials: dict | None) -> HttpResponse:
    """The admin's own look, without a form to try again."""
    minutes = round(settings.AXES_COOLOFF_TIME * 60)
    context = {**admin.site.each_context(request), "title": _("Too many attempts"), "minutes": minutes}
    answer = render(request, "admin/lockout.html", context, status=429)
    answer["Retry-After"] = str(minutes * 60)
    return answer
