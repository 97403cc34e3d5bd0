"""Who may see what: grants on private documents, and keys of client applications."""

import hashlib
import secrets

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from retrieval.ranking import Caller


class DocumentGrant(models.Model):
    """Opens one private document to one principal: "user:5", "group:2" or "key:9"."""

    document = models.ForeignKey("retrieval.Document", on_delete=models.CASCADE, related_name="grants")
    principal = models.CharField(max_length=60, help_text=_("user:ID, group:ID or key:ID"))
    granted_at = models.DateTimeField(auto_now_add=True)
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "principal"], name="one_grant_a_principal")
        ]
        indexes = [models.Index(fields=["principal"], name="grant_principal")]

    def __str__(self) -> str:
        return f"{self.principal} → {self.document}"


class ApiKey(models.Model):
    """A client application's key. Only its SHA-256 is stored: the key has 256 random bits and needs no salt."""

    class Scope(models.TextChoices):
        SEARCH = "search", _("Search what its grants allow")
        PIPELINES = "pipelines", _("Run any pipeline and call an LLM")
        STAFF = "staff", _("Rule previews and other staff calls")

    name = models.CharField(max_length=120, help_text=_("The client this key belongs to."))
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


def caller_for(user) -> Caller:
    """The caller that a signed-in person is; anonymous people hold no principals."""
    if not user.is_authenticated or not user.is_active:
        return Caller()
    groups = tuple(f"group:{pk}" for pk in user.groups.values_list("pk", flat=True))
    scopes = frozenset(ApiKey.Scope.values) if user.is_staff else frozenset()
    return Caller(principals=(f"user:{user.pk}", *groups), scopes=scopes, is_staff=user.is_staff)
