"""Whom a file is opened to is decided when it is handed in: an account of that name made later reads nothing."""

import django.contrib.postgres.fields
from django.db import migrations, models

from retrieval.access.row_security import as_system

NAMED = {"user": ("auth", "User", "username"), "group": ("auth", "Group", "name"), "key": ("retrieval", "ApiKey", "public_id")}


@as_system()
def fill(apps, schema_editor) -> None:
    """Of files that wait, or failed and may be resumed: whom their names mean today."""
    for upload in apps.get_model("retrieval", "Upload").objects.exclude(grants=[]).only("pk", "grants"):
        upload.readers = [principal_of(apps, name) for name in upload.grants]
        upload.save(update_fields=["readers"])


def principal_of(apps, name: str) -> str:
    kind, _separator, own = name.partition(":")
    app, model, field = NAMED[kind]
    number = apps.get_model(app, model).objects.filter(**{field: own}).values_list("pk", flat=True).first()
    return f"nobody:{name}" if number is None else f"{kind}:{number}"


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0052_any_answer_fitted"), ("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.AddField(
            "upload",
            "readers",
            django.contrib.postgres.fields.ArrayField(
                models.CharField(max_length=200),
                default=list,
                editable=False,
                help_text="The principals that `grants` named when the file was handed in.",
                size=None,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
