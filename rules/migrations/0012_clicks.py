"""Clicks among the uses of rules."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0011_private_uses"),
    ]

    operations = [
        migrations.AddField(
            "ruleuse",
            "clicks",
            models.PositiveIntegerField(
                default=0, help_text="Results that readers opened that day from pages of such searches."
            ),
        ),
    ]
