"""Domains in which greetings are searched too."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0042_shelves"),
    ]

    operations = [
        migrations.AddField(
            model_name="domain",
            name="always_searched",
            field=models.BooleanField(
                default=False,
                help_text="Greetings, thanks and questions about this site are searched too, instead of answered at once.",
            ),
        ),
    ]
