"""Private rows are shown by the database to those they were granted to (`retrieval.access.row_security`), and to nobody else.

A row is as private as its document, a document as its domain: the database sees to that too.
"""

import django.db.models.deletion
from django.db import migrations, models

TABLES = {
    "retrieval_document": "id",
    "retrieval_section": "document_id",
    "retrieval_chunk": "document_id",
    "retrieval_chunkvector": "document_id",
    "retrieval_anchor": "document_id",
    "retrieval_citation": "document_id",
}
PARTS = {
    "retrieval_chunk": "section_id",
    "retrieval_chunkvector": "section_id",
    "retrieval_anchor": "section_id",
    "retrieval_citation": "source_id",
}

FILL = "\n".join(
    f"UPDATE {table} part SET document_id = section.document_id, private = section.private "
    f"FROM retrieval_section section WHERE section.id = part.{section};"
    for table, section in PARTS.items()
)

# A session that may not see the row above finds none, and adds nothing below it.
PRIVACY = """
CREATE OR REPLACE FUNCTION retrieval_domain_privacy() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    reader text := coalesce(current_setting('arf.principals', true), '');
    holds_documents boolean;
BEGIN
    PERFORM set_config('arf.principals', '*', true);
    holds_documents := EXISTS (SELECT FROM retrieval_document WHERE domain_id = NEW.id);
    PERFORM set_config('arf.principals', reader, true);
    IF holds_documents AND NEW.visibility <> OLD.visibility THEN
        RAISE EXCEPTION 'a domain with documents stays as public or private as it is' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION retrieval_document_privacy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT visibility = 'private' INTO STRICT NEW.private FROM retrieval_domain WHERE id = NEW.domain_id;
    IF TG_OP = 'UPDATE' AND NEW.private <> OLD.private THEN
        RAISE EXCEPTION 'a document stays as public or private as it is' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION retrieval_section_privacy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.document_id <> OLD.document_id THEN
        RAISE EXCEPTION 'a section stays in its document' USING ERRCODE = 'check_violation';
    END IF;
    SELECT private INTO STRICT NEW.private FROM retrieval_document WHERE id = NEW.document_id;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION retrieval_part_privacy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT document_id, private INTO STRICT NEW.document_id, NEW.private
    FROM retrieval_section WHERE id = NEW.section_id;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION retrieval_citation_privacy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT document_id, private INTO STRICT NEW.document_id, NEW.private
    FROM retrieval_section WHERE id = NEW.source_id;
    RETURN NEW;
END $$;

CREATE TRIGGER privacy BEFORE UPDATE OF visibility ON retrieval_domain
    FOR EACH ROW EXECUTE FUNCTION retrieval_domain_privacy();
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF domain_id, private ON retrieval_document
    FOR EACH ROW EXECUTE FUNCTION retrieval_document_privacy();
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF document_id, private ON retrieval_section
    FOR EACH ROW EXECUTE FUNCTION retrieval_section_privacy();
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF section_id, document_id, private ON retrieval_chunk
    FOR EACH ROW EXECUTE FUNCTION retrieval_part_privacy();
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF section_id, document_id, private ON retrieval_chunkvector
    FOR EACH ROW EXECUTE FUNCTION retrieval_part_privacy();
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF section_id, document_id, private ON retrieval_anchor
    FOR EACH ROW EXECUTE FUNCTION retrieval_part_privacy();
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF source_id, document_id, private ON retrieval_citation
    FOR EACH ROW EXECUTE FUNCTION retrieval_citation_privacy();
"""

UNDO_PRIVACY = """
DROP FUNCTION retrieval_domain_privacy, retrieval_document_privacy, retrieval_section_privacy,
    retrieval_part_privacy, retrieval_citation_privacy CASCADE;
"""

GRANTED = """
CREATE OR REPLACE FUNCTION retrieval_granted_documents() RETURNS SETOF bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN QUERY SELECT document_id FROM retrieval_documentgrant
    WHERE principal = ANY (string_to_array(current_setting('arf.principals', true), ','));
END $$;
"""

# The column is tested first; both sub-selects run once a query, and only when it meets a private row.
POLICIES = "\n".join(
    f"""
CREATE POLICY readable ON {table} USING (
    NOT private
    OR (SELECT current_setting('arf.principals', true)) = '*'
    OR {document} IN (SELECT retrieval_granted_documents())
);
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
"""
    for table, document in TABLES.items()
)

UNDO_POLICIES = "\n".join(
    f"""
ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;
ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
DROP POLICY readable ON {table};
"""
    for table in TABLES
)

# A grant that was changed counts like one given or taken back.
GRANT_VERSION = """
DROP TRIGGER count_version ON retrieval_documentgrant;
CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON retrieval_documentgrant
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('grants');
"""


MODELS = ("anchor", "chunk", "chunkvector", "citation")


def document(**options) -> models.ForeignKey:
    return models.ForeignKey(
        "retrieval.document",
        on_delete=django.db.models.deletion.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        editable=False,
        related_name="+",
        **options,
    )


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0003_names")]
    operations = [
        *[migrations.AddField(name, "document", document(null=True)) for name in MODELS],
        migrations.AddField("anchor", "private", models.BooleanField(default=False, editable=False)),
        migrations.AddField("citation", "private", models.BooleanField(default=False, editable=False)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        *[migrations.AlterField(name, "document", document()) for name in MODELS],
        migrations.RemoveField("cacheentry", "documents"),
        migrations.RunSQL(PRIVACY, UNDO_PRIVACY),
        migrations.RunSQL(GRANTED, "DROP FUNCTION retrieval_granted_documents;"),
        migrations.RunSQL(POLICIES, UNDO_POLICIES),
        migrations.RunSQL(GRANT_VERSION, migrations.RunSQL.noop),
    ]
