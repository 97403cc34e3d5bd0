"""`Authorization: Bearer KEY`. No header is an anonymous caller; a header that does not hold is refused."""

from dataclasses import replace

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.api import throttles
from retrieval.api.errors import Unauthorized
from retrieval.models import ApiKey


class ApiKeyAuthentication(BaseAuthentication):
    """Sets `request.auth` to the key. One look-up by digest, whatever is wrong with the key."""

    def authenticate(self, request: Request) -> tuple[None, ApiKey] | None:
        header = request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        scheme, _, secret = header.partition(" ")
        key = ApiKey.objects.filter(digest=ApiKey.digest_of(secret.strip())).first()
        if scheme.lower() != "bearer" or key is None or not key.is_usable:
            raise self._refusal(request)
        note_use(key)
        return None, key

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'

    def _refusal(self, request: Request) -> Unauthorized | Throttled:
        """Guesses count against the address they come from."""
        wait = throttles.seconds_to_wait(request)
        return Throttled(wait) if wait else Unauthorized()


def note_use(key: ApiKey) -> None:
    """Keeps the day of its last use: one write a day."""
    today = timezone.localdate()
    if key.last_used_on != today:
        ApiKey.objects.filter(pk=key.pk).update(last_used_on=today)


def caller_of(request: Request) -> Caller:
    """Who asks. What was granted to a key opens only with the scope `search`."""
    if request.auth is None:
        return ANONYMOUS
    caller = request.auth.caller
    return caller if ApiKey.Scope.SEARCH in caller.scopes else replace(caller, principals=())
