"""Results that readers opened from pages of results."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0019_private_searches"),
    ]

    operations = [
        migrations.CreateModel(
            name="Click",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("locator", models.CharField(max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "log",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="clicks",
                        to="retrieval.searchlog",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("log", "locator"), name="one_click_a_result")
                ],
            },
        ),
    ]
