"""A password that somebody else set opens no private document until the person confirms it with the former one."""

import logging

from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.utils.translation import gettext as _

from retrieval.errors import ArfError
from retrieval.models import SetPassword

logger = logging.getLogger(__name__)


def note(user: User, *, former: str, by: User) -> None:
    """`former`: the hash before. Set twice without a confirmation, the first counts: it is the person's own."""
    SetPassword.objects.get_or_create(user=user, defaults={"former": former, "by": by})


class MailNotSent(ArfError):
    """The message names the address and why."""

    status = 502
    code = "mail_not_sent"


def tell(user: User, by: User) -> bool:
    """Writes to a person whose password `by` set, where mail and an address are configured; gives whether it did.
    Raises MailNotSent.
    """
    if not user.email or settings.EMAIL_BACKEND.endswith("dummy.EmailBackend"):
        return False
    said = {"by": by.get_username(), "user": user.get_username()}
    subject = _("%(by)s set your password") % said
    body = _(
        "%(by)s set the password of %(user)s. Private documents stay closed until you sign in and confirm it with your "
        "former password, under “Your private documents”. If you did not ask for this, tell whoever runs this server."
    )
    try:
        send_mail(subject, body % said, None, [user.email])
    except OSError as problem:  # smtplib's errors are some
        logger.exception("No mail to %s, whose password %s set.", user.get_username(), by.get_username())
        why = {"address": user.email, "why": type(problem).__name__}
        raise MailNotSent(_("No mail could be sent to %(address)s: %(why)s.") % why) from problem
    return True


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
