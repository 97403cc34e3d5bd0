"""Domains of documents that are no law."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0072_loaded_editions"),
    ]

    operations = [
        migrations.AddField(
            model_name="domain",
            name="holds_law",
            field=models.BooleanField(
                default=True,
                help_text="Off for handbooks and other documents that are no law: pages and answers speak of documents.",
            ),
        ),
    ]
