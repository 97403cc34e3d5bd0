"""The admin of the glossary: Spanish legal terms with their English ones."""

from django.contrib import admin

from rules.admin.base import SwitchedAdmin
from rules.authoring.resources import GlossaryResource
from rules.models import GlossaryTerm


@admin.register(GlossaryTerm)
class GlossaryTermAdmin(SwitchedAdmin):
    resource_classes = [GlossaryResource]
    list_display = ["spanish", "english", "enabled", "changed", "by"]
    list_filter = ["enabled"]
    search_fields = ["spanish", "english"]
    fields = ["spanish", "english", "enabled", "reason"]
