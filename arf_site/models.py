"""What the site remembers of the defaults that it has handed out."""

from django.contrib.auth.models import Group, Permission
from django.db import models


class GivenPermission(models.Model):
    """A permission that a shipped group was given: once, so that it stays away when staff take it away."""

    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="+")
    permission = models.ForeignKey(Permission, on_delete=models.CASCADE, related_name="+")

    class Meta:
        default_permissions = ()  # nobody edits these
        constraints = [models.UniqueConstraint(fields=["group", "permission"], name="given_once")]
