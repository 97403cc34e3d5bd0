"""Who may see what: grants on private documents, and keys of client applications.

A person or key is named in two ways. A *principal* ("user:5", "group:2", "key:9") is what the database compares. A
*name* ("user:ann", "group:Litigation", "key:6f1c09ab52de77e0") is what people write; it counts nobody.
"""

import hashlib
import re
import secrets

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from retrieval.access.caller import Caller

NOBODY = "nobody:"  # begins the principal of a name that nobody has
NAME = re.compile(r"(user|group|key):(.{1,150})")


class DocumentGrant(models.Model):
    """Opens one private document to somebody besides its owner (`Document.owner`).

    A name that nobody has is kept like any other, with a principal that nobody is: whoever shares a document learns
    nothing about who exists.
    """

    class Role(models.TextChoices):
        READER = "reader", _("Reader: finds and reads it")
        CONTRIBUTOR = "contributor", _("Contributor: also edits its tags and metadata")

    document = models.ForeignKey("retrieval.Document", on_delete=models.CASCADE, related_name="grants")
    name = models.CharField(max_length=160, help_text=_("As the owner wrote it."))
    principal = models.CharField(max_length=200, editable=False)
    role = models.CharField(max_length=11, choices=Role, default=Role.READER)
    granted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "principal"], name="one_grant_a_principal")
        ]
        indexes = [models.Index(fields=["principal"], name="grant_principal")]

    def __str__(self) -> str:
        return f"{self.name} → {self.document.locator}"


def new_public_id() -> str:
    return secrets.token_hex(8)


class ApiKey(models.Model):
    """A client application's key. Only its SHA-256 is stored: the key has 256 random bits and needs no salt."""

    class Scope(models.TextChoices):
        SEARCH = "search", _("Search what its grants allow")
        PIPELINES = "pipelines", _("Run any pipeline and call an LLM")
        DOCUMENTS = "documents", _("Upload and withdraw documents")
        STAFF = "staff", _("Rule previews and other staff calls")

    name = models.CharField(max_length=120, help_text=_("The client this key belongs to."))
    public_id = models.CharField(
        max_length=16,
        unique=True,
        default=new_public_id,
        editable=False,
        help_text=_("Names the key where documents are shared: key:…"),
    )
    prefix = models.CharField(
        max_length=12, editable=False, help_text=_("First letters, to tell keys apart.")
    )
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope), default=list, blank=True)
    rate_per_minute = models.PositiveIntegerField(default=6000, help_text=_("Requests a minute."))
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_on = models.DateField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("API key")

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @classmethod
    def issue(cls, **fields) -> tuple["ApiKey", str]:
        """A new key and its secret, which is shown once and never stored."""
        secret = f"arf_{secrets.token_urlsafe(32)}"
        return cls.objects.create(prefix=secret[:10], digest=cls.digest_of(secret), **fields), secret

    @staticmethod
    def digest_of(secret: str) -> str:
        return hashlib.sha256(secret.encode()).hexdigest()

    def revoke(self) -> None:
        """For good; the first moment counts when it is said twice."""
        self.revoked_at = self.revoked_at or timezone.now()
        self.save(update_fields=["revoked_at"])

    @property
    def is_usable(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())

    @property
    def caller(self) -> Caller:
        return Caller(
            principals=(f"key:{self.pk}",),
            scopes=frozenset(self.scopes),
            is_staff=self.Scope.STAFF in self.scopes,
        )


class SetPassword(models.Model):
    """A password that somebody else set, until the person confirms it (`retrieval.access.passwords`)."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="set_password_by"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="passwords_set"
    )
    at = models.DateTimeField(auto_now_add=True)
    former = models.CharField(max_length=128, help_text=_("Hash of the password before."))

    def __str__(self) -> str:
        return f"{self.user} ← {self.by}"


def caller_for(user) -> Caller:
    """The caller that a signed-in person is; anonymous people hold no principals, nor does who has not yet confirmed
    a password that somebody else set.
    """
    if not user.is_authenticated or not user.is_active:
        return Caller()
    scopes = frozenset(ApiKey.Scope.values) if user.is_staff else frozenset()
    if SetPassword.objects.filter(user=user.pk).exists():
        return Caller(scopes=scopes, is_staff=user.is_staff)
    groups = tuple(f"group:{pk}" for pk in user.groups.values_list("pk", flat=True))
    return Caller(principals=(f"user:{user.pk}", *groups), scopes=scopes, is_staff=user.is_staff)


def principal_of(name: str) -> str | None:
    """The principal that a name means, "nobody:…" where nobody has it; None for what is no name at all."""
    if (parts := NAME.fullmatch(name)) is None:
        return None
    kind, own = parts.groups()
    model, field = _named()[kind]
    number = model.objects.filter(**{field: own}).values_list("pk", flat=True).first()
    return f"{NOBODY}{name}" if number is None else f"{kind}:{number}"


def name_of(principal: str) -> str:
    """The name of a principal; of one that is gone, the principal itself."""
    kind, _separator, number = principal.partition(":")
    model, field = _named().get(kind, (None, ""))
    own = model and model.objects.filter(pk=number).values_list(field, flat=True).first()
    return f"{kind}:{own}" if own else principal


def _named() -> dict[str, tuple[type[models.Model], str]]:
    user = get_user_model()
    return {"user": (user, user.USERNAME_FIELD), "group": (Group, "name"), "key": (ApiKey, "public_id")}
