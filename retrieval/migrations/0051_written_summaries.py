"""What a language model wrote of provisions, as private as their texts."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

SYSTEM = "(SELECT current_setting('arf.principals', true)) = '*'"
OWNED = f"NOT private OR {SYSTEM} OR document_id IN (SELECT retrieval_owned_documents())"
GUARDED = f"""
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF section_id, document_id, private ON retrieval_writtensummary
    FOR EACH ROW EXECUTE FUNCTION retrieval_part_privacy();
CREATE POLICY readable ON retrieval_writtensummary FOR SELECT
    USING (NOT private OR {SYSTEM} OR document_id IN (SELECT retrieval_granted_documents()));
CREATE POLICY addable ON retrieval_writtensummary FOR INSERT WITH CHECK ({OWNED});
CREATE POLICY changeable ON retrieval_writtensummary FOR UPDATE USING ({OWNED}) WITH CHECK ({OWNED});
CREATE POLICY deletable ON retrieval_writtensummary FOR DELETE USING ({OWNED});
ALTER TABLE retrieval_writtensummary ENABLE ROW LEVEL SECURITY;
ALTER TABLE retrieval_writtensummary FORCE ROW LEVEL SECURITY;
"""
UNDO = """
DROP POLICY readable ON retrieval_writtensummary;
DROP POLICY addable ON retrieval_writtensummary;
DROP POLICY changeable ON retrieval_writtensummary;
DROP POLICY deletable ON retrieval_writtensummary;
DROP TRIGGER privacy ON retrieval_writtensummary;
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0050_strategies_in_log")]

    operations = [
        migrations.CreateModel(
            name="WrittenSummary",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("private", models.BooleanField(default=False, editable=False)),
                ("language", models.CharField(max_length=5)),
                ("model", models.CharField(help_text="The language model that was asked.", max_length=120)),
                (
                    "sentences",
                    models.JSONField(
                        default=list,
                        help_text="Of each its text, how sure its proof is, and start and end of the words that it rests on.",
                    ),
                ),
                (
                    "problem",
                    models.CharField(
                        blank=True, help_text="Why there are no sentences: unproven, timeout …", max_length=30
                    ),
                ),
                ("withheld", models.JSONField(default=list, help_text="What was not proven, and why not.")),
                ("written_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="retrieval.document",
                    ),
                ),
                (
                    "section",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="written_summaries",
                        to="retrieval.section",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "written summaries",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("section", "language", "model"), name="one_written_summary_a_model"
                    )
                ],
            },
        ),
        migrations.RunSQL(GUARDED, UNDO),
    ]
