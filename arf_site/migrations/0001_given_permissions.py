"""Remembers what shipped groups were given. Groups that are there already were given what ships for them and exists:
what of it they lack, staff took away.
"""

import django.db.models.deletion
from django.db import migrations, models

from arf_site.groups import CONDITIONS


def remember(apps, schema_editor) -> None:
    groups, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    given = apps.get_model("arf_site", "GivenPermission")
    for group in groups.objects.filter(name__in=CONDITIONS):
        existing = permissions.objects.filter(CONDITIONS[group.name])
        given.objects.bulk_create(given(group=group, permission=permission) for permission in existing)


class Migration(migrations.Migration):
    initial = True
    dependencies = [("auth", "0012_alter_user_first_name_max_length")]
    operations = [
        migrations.CreateModel(
            name="GivenPermission",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="auth.group"
                    ),
                ),
                (
                    "permission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="auth.permission"
                    ),
                ),
            ],
            options={
                "default_permissions": (),
                "constraints": [models.UniqueConstraint(fields=("group", "permission"), name="given_once")],
            },
        ),
        migrations.RunPython(remember, migrations.RunPython.noop),
    ]
