"""By what each search is best made, and what was put right in its question, in the log."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0049_citation_names"),
    ]

    operations = [
        migrations.AddField(
            "searchlog",
            "corrected",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=60),
                blank=True,
                default=list,
                help_text="What was put right in the question after a search that found too little.",
                size=None,
            ),
        ),
        migrations.AddField(
            "searchlog",
            "strategy",
            models.CharField(
                blank=True,
                help_text="By what it is best searched; empty where it was not worked out.",
                max_length=20,
            ),
        ),
    ]
