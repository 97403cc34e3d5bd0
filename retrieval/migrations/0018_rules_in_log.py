"""Which rules fired, beside every search. Kept answers do not tell yet which rules changed them: they are made anew."""

import django.contrib.postgres.fields
from django.db import migrations, models


def numbers(told: str):
    return django.contrib.postgres.fields.ArrayField(
        base_field=models.BigIntegerField(), blank=True, default=list, help_text=told, size=None
    )


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0017_upload_refusal"),
    ]

    operations = [
        migrations.AddField("searchlog", "rules_fired", numbers("Numbers of the curators’ rules that fired.")),
        migrations.AddField("searchlog", "rules_changed", numbers("Of these, those that changed the first page.")),
        migrations.RunSQL("DELETE FROM retrieval_cacheentry", migrations.RunSQL.noop),
    ]
