"""A document keeps which editions of it were loaded, so that none comes after a later one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0071_bodies_fitted")]

    operations = [
        migrations.AddField(
            "document",
            "editions",
            models.JSONField(default=dict, editable=False, help_text="Day of the last one loaded, by place."),
        ),
        migrations.AlterField(
            "section",
            "ended",
            models.BooleanField(
                default=False, editable=False, help_text="It has a last day, and no law follows on it."
            ),
        ),
    ]
