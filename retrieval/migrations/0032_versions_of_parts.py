"""What is said of a document, and what belongs to a live section, is part of its domain's corpus version: an answer
shows it. New domains are private; a domain has the languages of its published documents.
"""

import django.contrib.postgres.fields
from django.db import migrations, models

from retrieval.access.row_security import as_system

# Parts are added before their section is live, and go with it.
COUNTED = """
CREATE OR REPLACE FUNCTION retrieval_count_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number') WHERE id = NEW.domain_id;
    RETURN NULL;
END $$;
CREATE TRIGGER count_told AFTER UPDATE ON retrieval_document
    FOR EACH ROW WHEN ((OLD.title, OLD.language, OLD.publication, OLD.source_url, OLD.locator)
        IS DISTINCT FROM (NEW.title, NEW.language, NEW.publication, NEW.source_url, NEW.locator))
    EXECUTE FUNCTION retrieval_count_told();

CREATE OR REPLACE FUNCTION retrieval_count_parts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number') WHERE id IN (
        SELECT document.domain_id FROM after_rows now JOIN retrieval_document document ON document.id = now.document_id
    );
    RETURN NULL;
END $$;
CREATE TRIGGER count_parts AFTER UPDATE ON retrieval_chunk REFERENCING NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_parts();
CREATE TRIGGER count_parts AFTER UPDATE ON retrieval_anchor REFERENCING NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_parts();
CREATE TRIGGER count_parts AFTER UPDATE ON retrieval_citation REFERENCING NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_parts();

CREATE TRIGGER count_changed_grants AFTER UPDATE ON retrieval_documentgrant
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('grants');
"""
UNDO = """
DROP TRIGGER count_changed_grants ON retrieval_documentgrant;
DROP FUNCTION retrieval_count_told, retrieval_count_parts CASCADE;
"""


@as_system()
def add_languages(apps, schema_editor):
    """To each public domain those of its documents; what a private one holds is told to nobody."""
    Document, Domain = (apps.get_model("retrieval", name) for name in ("Document", "Domain"))
    told = Document.objects.filter(private=False).order_by().values_list("domain", "language").distinct()
    for number, language in told:
        domain = Domain.objects.get(pk=number)
        if language not in domain.languages:
            Domain.objects.filter(pk=number).update(languages=[*domain.languages, language])


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0031_troubles")]

    operations = [
        migrations.AlterField(
            "domain",
            "visibility",
            models.CharField(
                choices=[("public", "Public"), ("private", "Private: only granted documents")],
                default="private",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            "domain",
            "languages",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=5),
                blank=True,
                default=list,
                help_text="Languages its texts are written in; that of a document which is published is added.",
                size=None,
            ),
        ),
        migrations.AddField(
            "document",
            "title_given",
            models.BooleanField(
                default=False,
                editable=False,
                help_text="People gave the title: a new version of the file keeps it.",
            ),
        ),
        migrations.RunSQL(COUNTED, UNDO),
        migrations.RunPython(add_languages, migrations.RunPython.noop),
    ]
