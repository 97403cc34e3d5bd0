from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ArfSiteConfig(AppConfig):
    name = "arf_site"
    verbose_name = _("ARF")

    def ready(self) -> None:
        from arf_site import checks, labels  # noqa: F401 - checks registers them

        labels.translate()
