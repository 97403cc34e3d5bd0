"""Summaries of provisions and of what is above them, as private as their documents; what is there already is
summarised by the clock (`retrieval.summaries.upkeep`).
"""

import django.db.models.deletion
from django.db import migrations, models

SYSTEM = "(SELECT current_setting('arf.principals', true)) = '*'"
OWNED = f"NOT private OR {SYSTEM} OR document_id IN (SELECT retrieval_owned_documents())"
GUARDED = f"""
CREATE FUNCTION retrieval_summary_privacy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.section_id IS NOT NULL THEN
        SELECT document_id INTO STRICT NEW.document_id FROM retrieval_section WHERE id = NEW.section_id;
    END IF;
    SELECT private INTO STRICT NEW.private FROM retrieval_document WHERE id = NEW.document_id;
    RETURN NEW;
END $$;
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF section_id, document_id, private ON retrieval_summary
    FOR EACH ROW EXECUTE FUNCTION retrieval_summary_privacy();
CREATE POLICY readable ON retrieval_summary FOR SELECT
    USING (NOT private OR {SYSTEM} OR document_id IN (SELECT retrieval_granted_documents()));
CREATE POLICY addable ON retrieval_summary FOR INSERT WITH CHECK ({OWNED});
CREATE POLICY changeable ON retrieval_summary FOR UPDATE USING ({OWNED}) WITH CHECK ({OWNED});
CREATE POLICY deletable ON retrieval_summary FOR DELETE USING ({OWNED});
ALTER TABLE retrieval_summary ENABLE ROW LEVEL SECURITY;
ALTER TABLE retrieval_summary FORCE ROW LEVEL SECURITY;
"""
UNDO = """
DROP POLICY readable ON retrieval_summary;
DROP POLICY addable ON retrieval_summary;
DROP POLICY changeable ON retrieval_summary;
DROP POLICY deletable ON retrieval_summary;
DROP TRIGGER privacy ON retrieval_summary;
DROP FUNCTION retrieval_summary_privacy;
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0046_suggested_questions")]

    operations = [
        migrations.CreateModel(
            name="Summary",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "level",
                    models.PositiveSmallIntegerField(choices=[(0, "Provision"), (1, "Part"), (2, "Document")]),
                ),
                (
                    "sentences",
                    models.JSONField(
                        default=list,
                        help_text="Section, start and end in its text of each, the most telling first.",
                    ),
                ),
                ("private", models.BooleanField(default=False, editable=False)),
                (
                    "document",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="summaries",
                        to="retrieval.document",
                    ),
                ),
                (
                    "section",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="summaries",
                        to="retrieval.section",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "summaries",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("document", "section", "level"), name="one_summary_a_level", nulls_distinct=False
                    )
                ],
            },
        ),
        migrations.RunSQL(GUARDED, UNDO),
    ]
