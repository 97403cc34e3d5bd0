"""Who has tried too many passwords, and what is shown to them."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from retrieval.api.authentication import anonymous, forwarded_for, hit, network_of, parsed

LOGINS = 20  # a minute from one address: to check a password takes a good part of a second
LONGEST_NAME = 150  # of a user, as Django has it


def locked_out(request: HttpRequest, response: HttpResponse | None, credentials: dict | None) -> HttpResponse:
    """In the look of the login that was tried, without a form to try again."""
    minutes = round(settings.AXES_COOLOFF_TIME * 60)
    context = {"title": _("Too many attempts"), "minutes": minutes}
    if request.path.startswith(reverse("admin:index")):
        context |= admin.site.each_context(request)
        answer = render(request, "admin/lockout.html", context, status=429)
    else:
        answer = render(request, "lockout.html", context, status=429)
    answer["Retry-After"] = str(minutes * 60)
    return answer


def address_of(request: HttpRequest) -> str | None:
    """Where it comes from, as requests are counted: what our proxies saw, and of IPv6 the /64 that one household has.
    None for what is no address.
    """
    address = parsed(forwarded_for(request) or request.META.get("REMOTE_ADDR", ""))
    return None if isinstance(address, str) else network_of(address).partition("/")[0]


def name_tried(request: HttpRequest, credentials: dict | None) -> str:
    """As long as one may be, so that it can be counted."""
    return ((credentials or request.POST).get("username") or "")[:LONGEST_NAME]


def limited(login: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """For an address that does not try too often."""

    @wraps(login)
    def logging_in(request: HttpRequest) -> HttpResponse:
        who = anonymous(request) if request.method == "POST" else None
        if who and (wait := hit(f"login {who}", LOGINS)):
            answer = render(request, "429.html", {"seconds": wait}, status=429)
            answer["Retry-After"] = str(wait)
            return answer
        return login(request)

    return logging_in


@limited
def staff_login(request: HttpRequest) -> HttpResponse:
    """The admin's own."""
    return admin.site.login(request)


# For everybody who has an account: the admin's refuses who is no staff.
login = limited(LoginView.as_view(template_name="login.html", next_page="retrieval:private"))
logout = LogoutView.as_view(next_page="retrieval:home")
