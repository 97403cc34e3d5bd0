"""A password that somebody else set opens no private document until the person confirms it with the former one."""

from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User

from retrieval.models import SetPassword


def note(user: User, *, former: str, by: User) -> None:
    """`former`: the hash before. Set twice without a confirmation, the first counts: it is the person's own."""
    SetPassword.objects.get_or_create(user=user, defaults={"former": former, "by": by})


def waiting_for(user: User) -> SetPassword | None:
    """What this person has not confirmed yet."""
    return SetPassword.objects.filter(user=user).select_related("by").first()


def confirm(user: User, password: str) -> bool:
    """Whether this was the former password; then private documents open again."""
    waiting = waiting_for(user)
    if waiting is None or not check_password(password, waiting.former):
        return False
    waiting.delete()
    return True
