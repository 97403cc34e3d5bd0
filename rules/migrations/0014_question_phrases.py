"""Phrases by which staff say what is done with a question before it is searched."""

import django.db.models.deletion
import simple_history.models
from django.conf import settings
from django.db import migrations, models


COUNTED = """
CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON rules_questionphrase
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('phrases');
"""


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0013_collective_names"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="HistoricalQuestionPhrase",
            fields=[
                (
                    "id",
                    models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name="ID"),
                ),
                (
                    "text",
                    models.CharField(
                        help_text="Matched as a whole phrase, without regard to case, accents or plurals.",
                        max_length=200,
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("es", "Spanish")], default="en", max_length=5
                    ),
                ),
                (
                    "use",
                    models.CharField(
                        choices=[
                            ("searched", "Always searched"),
                            ("needless", "Needs no search, where it is all of the question"),
                            ("not_served", "A topic that this site does not serve"),
                            ("crisis", "A cry for help: hotlines are shown above the results"),
                            ("injection", "Speaks to a language model: marked in the trace"),
                            ("strategy", "Searched by a strategy"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "answer",
                    models.CharField(
                        blank=True,
                        help_text="What is told, in this language; empty: the usual words. For a strategy, its name.",
                        max_length=500,
                    ),
                ),
                (
                    "enabled",
                    models.BooleanField(
                        default=True, help_text="Switch off instead of deleting, to keep its history."
                    ),
                ),
                ("history_id", models.AutoField(primary_key=True, serialize=False)),
                ("history_date", models.DateTimeField(db_index=True)),
                ("history_change_reason", models.CharField(max_length=100, null=True)),
                (
                    "history_type",
                    models.CharField(
                        choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1
                    ),
                ),
                (
                    "history_user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "historical question phrase",
                "verbose_name_plural": "historical question phrases",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name="QuestionPhrase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "text",
                    models.CharField(
                        help_text="Matched as a whole phrase, without regard to case, accents or plurals.",
                        max_length=200,
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("es", "Spanish")], default="en", max_length=5
                    ),
                ),
                (
                    "use",
                    models.CharField(
                        choices=[
                            ("searched", "Always searched"),
                            ("needless", "Needs no search, where it is all of the question"),
                            ("not_served", "A topic that this site does not serve"),
                            ("crisis", "A cry for help: hotlines are shown above the results"),
                            ("injection", "Speaks to a language model: marked in the trace"),
                            ("strategy", "Searched by a strategy"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "answer",
                    models.CharField(
                        blank=True,
                        help_text="What is told, in this language; empty: the usual words. For a strategy, its name.",
                        max_length=500,
                    ),
                ),
                (
                    "enabled",
                    models.BooleanField(
                        default=True, help_text="Switch off instead of deleting, to keep its history."
                    ),
                ),
            ],
            options={
                "ordering": ["use", "text"],
                "constraints": [
                    models.UniqueConstraint(fields=("text", "language", "use"), name="phrase_once")
                ],
            },
        ),
        migrations.RunSQL(COUNTED, "DROP TRIGGER count_version ON rules_questionphrase"),
    ]
