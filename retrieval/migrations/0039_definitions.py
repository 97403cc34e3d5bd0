"""Terms that sections define, as private as their sections; filled in for what is there already."""

import django.db.models.deletion
from django.db import migrations, models

from retrieval.access.row_security import as_system
from retrieval.ingestion.defining import keep
from retrieval.models import Document


SYSTEM = "(SELECT current_setting('arf.principals', true)) = '*'"
OWNED = f"NOT private OR {SYSTEM} OR document_id IN (SELECT retrieval_owned_documents())"
GUARDED = f"""
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF section_id, document_id, private ON retrieval_definition
    FOR EACH ROW EXECUTE FUNCTION retrieval_part_privacy();
CREATE POLICY readable ON retrieval_definition FOR SELECT
    USING (NOT private OR {SYSTEM} OR document_id IN (SELECT retrieval_granted_documents()));
CREATE POLICY addable ON retrieval_definition FOR INSERT WITH CHECK ({OWNED});
CREATE POLICY changeable ON retrieval_definition FOR UPDATE USING ({OWNED}) WITH CHECK ({OWNED});
CREATE POLICY deletable ON retrieval_definition FOR DELETE USING ({OWNED});
ALTER TABLE retrieval_definition ENABLE ROW LEVEL SECURITY;
ALTER TABLE retrieval_definition FORCE ROW LEVEL SECURITY;
"""
UNDO = """
DROP POLICY readable ON retrieval_definition;
DROP POLICY addable ON retrieval_definition;
DROP POLICY changeable ON retrieval_definition;
DROP POLICY deletable ON retrieval_definition;
DROP TRIGGER privacy ON retrieval_definition;
"""


@as_system()
def fill(apps, schema_editor):
    """For what is there already."""
    for pk in list(apps.get_model("retrieval", "Document").objects.values_list("pk", flat=True)):
        document = Document.objects.get(pk=pk)
        keep(
            document, document.sections.live().filter(valid_to=None).exclude(text="").iterator(chunk_size=500)
        )


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0038_matters"),
    ]

    operations = [
        migrations.CreateModel(
            name="Definition",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("private", models.BooleanField(default=False, editable=False)),
                ("term", models.CharField(max_length=100)),
                ("locator", models.CharField(help_text="Of the place that defines it.", max_length=300)),
                ("scope", models.CharField(help_text="Locator under which it governs.", max_length=300)),
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
                        related_name="definitions",
                        to="retrieval.section",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["scope"], name="definition_scope")],
            },
        ),
        migrations.RunSQL(GUARDED, UNDO),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
