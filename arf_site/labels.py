"""Names of models and fields that nobody wrote out are those of Python; here they become messages of the context
`label`, so that the admin says them in Spanish too. No migration sees it.
"""

from collections.abc import Iterator

from django.apps import apps
from django.db.models import Field
from django.db.models.options import Options
from django.utils import translation
from django.utils.translation import pgettext_lazy

CONTEXT = "label"
OURS = ("retrieval", "rules", "evaluation")


def translate() -> None:
    for labelled, attribute, name in labels():
        setattr(labelled, attribute, pgettext_lazy(CONTEXT, name))


def labels() -> Iterator[tuple[Field | Options, str, str]]:
    """Where each stands, and the English words."""
    for meta in [model._meta for model in apps.get_models() if model._meta.app_label in OURS]:
        for field in (*meta.local_fields, *meta.local_many_to_many):
            if isinstance(field.verbose_name, str):
                yield field, "verbose_name", field.verbose_name
        if "verbose_name_plural" not in meta.original_attrs:
            with translation.override(None):
                yield meta, "verbose_name_plural", str(meta.verbose_name_plural)
        if isinstance(meta.verbose_name, str):
            yield meta, "verbose_name", meta.verbose_name
