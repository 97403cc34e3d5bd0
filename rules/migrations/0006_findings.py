"""What the check of every night finds wrong with rules."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0005_alias_stems"),
    ]

    operations = [
        migrations.CreateModel(
            name="RuleFinding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("contradictory", "contradictory"),
                            ("cyclic rewrite", "rewrites in a circle"),
                            ("shadowed", "shadowed"),
                            ("dead target", "dead target"),
                            ("expired", "expired"),
                        ],
                        help_text="What is wrong.",
                        max_length=20,
                    ),
                ),
                ("reason", models.CharField(help_text="Why, as the code names it.", max_length=20)),
                (
                    "rules",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        help_text="The rules concerned, by number.",
                        size=None,
                    ),
                ),
                (
                    "names",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120), help_text="Their names then.", size=None
                    ),
                ),
                ("question", models.TextField(blank=True, help_text="A question that shows it.")),
                ("detail", models.TextField(blank=True, help_text="The target or the day concerned.")),
                (
                    "joined",
                    models.BooleanField(
                        default=False,
                        help_text="Only a question that names the subjects of both rules shows it.",
                    ),
                ),
                ("found_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "finding",
                "verbose_name_plural": "findings about rules",
                "ordering": ["kind", "pk"],
            },
        ),
    ]
