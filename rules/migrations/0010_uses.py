"""How often rules are used, by the day."""

import django.db.models.deletion
from django.db import migrations, models

KINDS = [
    ("contradictory", "contradictory"),
    ("cyclic rewrite", "rewrites in a circle"),
    ("shadowed", "shadowed"),
    ("dead target", "dead target"),
    ("expired", "expired"),
    ("hides judged text", "hides judged-relevant text"),
    ("never fired", "never fired in 90 days"),
]


def count_of(told: str):
    return models.PositiveIntegerField(default=0, help_text=told)


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0009_questions_alike"),
        ("retrieval", "0018_rules_in_log"),
    ]

    operations = [
        migrations.CreateModel(
            name="RuleUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("fired", count_of("Searches in which it fired.")),
                ("changed", count_of("Of these, those whose first page it changed.")),
                ("helpful", count_of("Readers’ thumbs up that day for such searches.")),
                ("unhelpful", count_of("Thumbs down.")),
                (
                    "rule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uses", to="rules.rule"
                    ),
                ),
            ],
            options={
                "verbose_name": "use of a rule",
                "verbose_name_plural": "uses of rules",
                "ordering": ["-day", "rule"],
                "constraints": [
                    models.UniqueConstraint(fields=("rule", "day"), name="one_use_a_rule_and_day")
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchDay",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("searches", models.PositiveIntegerField()),
            ],
            options={
                "verbose_name": "day of searches",
                "verbose_name_plural": "days of searches",
                "ordering": ["-day"],
            },
        ),
        migrations.AlterField(
            model_name="rulefinding",
            name="kind",
            field=models.CharField(choices=KINDS, help_text="What is wrong.", max_length=20),
        ),
    ]
