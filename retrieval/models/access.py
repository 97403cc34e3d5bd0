"""Who may see what: grants on private documents, and keys of client applications."""

import hashlib
import secrets

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from retrieval.access.caller import Caller


class DocumentGrant(models.Model):
    """Opens one private document to one principal: "user:5", "group:2" or "key:9"."""

    document = models.ForeignKey("retrieval.Document", on_delete=models.CASCADE, related_name="grants")
    principal = models.CharField(max_length=60, help_text=_("user:ID, group:ID or key:ID"))
    granted_at = models.DateTimeField(auto_now_add=True)
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)

    class Meta:
        verbose_name = _("document grant")
        verbose_name_plural = _("document grants")
        constraints = [
            models.UniqueConstraint(fields=["document", "principal"], name="one_grant_a_principal")
        ]
        indexes = [models.Index(fields=["principal"], name="grant_principal")]

    def __str__(self) -> str:
        return f"{self.principal} → {self.document.locator}"

    @property
    def holder(self) -> models.Model | None:
        """The user, group or key that the principal names; None when it is not there, or no longer."""
        kind, _separator, number = self.principal.partition(":")
        model = {"user": get_user_model(), "group": Group, "key": ApiKey}.get(kind)
        if model is None or not (number.isascii() and number.isdigit()) or number != str(int(number)):
            return None
        return model.objects.filter(pk=number).first()

    def clean(self) -> None:
        if self.document_id and not self.document.private:
            raise ValidationError({"document": _("This document is public: it needs no grant.")})
        if self.principal and self.holder is None:
            raise ValidationError(
                {"principal": _("No user, group or key has this name: user:ID, group:ID, key:ID.")}
            )


class ApiKey(models.Model):
    """A client application's key. Only its SHA-256 is stored: the key has 256 random bits and needs no salt."""

    class Scope(models.TextChoices):
        SEARCH = "search", _("Search what its grants allow")
        PIPELINES = "pipelines", _("Run any pipeline and call an LLM")
        DOCUMENTS = "documents", _("Upload and withdraw documents")
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
        verbose_name_plural = _("API keys")

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


def caller_for(user) -> Caller:
    """The caller that a signed-in person is; anonymous people hold no principals."""
    if not user.is_authenticated or not user.is_active:
        return Caller()
    groups = tuple(f"group:{pk}" for pk in user.groups.values_list("pk", flat=True))
    scopes = frozenset(ApiKey.Scope.values) if user.is_staff else frozenset()
    return Caller(principals=(f"user:{user.pk}", *groups), scopes=scopes, is_staff=user.is_staff)
