"""Every private document has an owner; reading it gives no right to change it, and the database holds that too.

Documents go to whoever handed them in first, if that reader was not shut out since; what nobody handed in waits for
staff to assign it. Nobody may read more than before.
"""

import secrets
import uuid

import django.contrib.postgres.fields
from django.db import migrations, models

import retrieval.models.access
from retrieval.access.row_security import as_system

NAMES = {
    "user": "SELECT username FROM auth_user WHERE id = %s",
    "group": "SELECT name FROM auth_group WHERE id = %s",
    "key": "SELECT public_id FROM retrieval_apikey WHERE id = %s",
}
ASSIGN = """
UPDATE retrieval_document document SET owner = handed_in.principal
FROM (
    SELECT DISTINCT ON (document_id) document_id, principal
    FROM retrieval_upload WHERE document_id IS NOT NULL ORDER BY document_id, id
) handed_in
WHERE handed_in.document_id = document.id AND (
    NOT document.private OR EXISTS (
        SELECT FROM retrieval_documentgrant reader
        WHERE reader.document_id = document.id AND reader.principal = handed_in.principal
    )
)
"""
OWNERS_NEED_NO_GRANT = """
DELETE FROM retrieval_documentgrant reader USING retrieval_document document
WHERE document.id = reader.document_id AND document.owner = reader.principal
"""
MIXED = """
SELECT document.locator, document.owner, array_agg(DISTINCT upload.principal ORDER BY upload.principal)
FROM retrieval_document document JOIN retrieval_upload upload ON upload.document_id = document.id
WHERE document.private GROUP BY document.id HAVING count(DISTINCT upload.principal) > 1 ORDER BY document.locator
"""
JOBS = """
UPDATE retrieval_jobrun run SET params = run.params || jsonb_build_object('principal', upload.principal)
FROM retrieval_upload upload WHERE upload.run_id = run.id
"""

MINE = "string_to_array(current_setting('arf.principals', true), ',')"
SYSTEM = "(SELECT current_setting('arf.principals', true)) = '*'"
# The policies of documents ask only the table of grants, which anybody reads: none asks itself.
FUNCTIONS = f"""
CREATE FUNCTION retrieval_shared_documents(VARIADIC roles text[]) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN QUERY SELECT document_id FROM retrieval_documentgrant WHERE principal = ANY ({MINE}) AND role = ANY (roles);
END $$;

CREATE FUNCTION retrieval_owned_documents() RETURNS SETOF bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN QUERY SELECT id FROM retrieval_document WHERE owner <> '' AND owner = ANY ({MINE});
END $$;

CREATE OR REPLACE FUNCTION retrieval_granted_documents() RETURNS SETOF bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN QUERY SELECT retrieval_shared_documents('reader', 'contributor') UNION SELECT retrieval_owned_documents();
END $$;

CREATE OR REPLACE FUNCTION retrieval_document_ownership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.private AND current_setting('arf.principals', true) IS DISTINCT FROM '*' AND NOT (
        OLD.owner = ANY ({MINE})
        OR (OLD.offered_to = ANY ({MINE}) AND NEW.owner = OLD.offered_to AND NEW.offered_to = '')
    ) AND (NEW.owner, NEW.offered_to) IS DISTINCT FROM (OLD.owner, OLD.offered_to) THEN
        RAISE EXCEPTION 'only its owner gives a document away' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ownership BEFORE UPDATE OF owner, offered_to ON retrieval_document
    FOR EACH ROW EXECUTE FUNCTION retrieval_document_ownership();
CREATE TRIGGER count_version AFTER UPDATE OF owner ON retrieval_document
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('grants');
"""
UNDO_FUNCTIONS = f"""
DROP TRIGGER count_version ON retrieval_document;
DROP FUNCTION retrieval_document_ownership CASCADE;
CREATE OR REPLACE FUNCTION retrieval_granted_documents() RETURNS SETOF bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN QUERY SELECT document_id FROM retrieval_documentgrant WHERE principal = ANY ({MINE});
END $$;
DROP FUNCTION retrieval_shared_documents, retrieval_owned_documents;
"""


def policies(table: str, *, read: str, add: str, change: str, delete: str) -> str:
    """Who reads, adds, changes and deletes the private rows of a table; each an SQL condition."""
    read, add, change, delete = (f"NOT private OR {SYSTEM} OR {own}" for own in (read, add, change, delete))
    return f"""
DROP POLICY readable ON {table};
CREATE POLICY readable ON {table} FOR SELECT USING ({read});
CREATE POLICY addable ON {table} FOR INSERT WITH CHECK ({add});
CREATE POLICY changeable ON {table} FOR UPDATE USING ({change}) WITH CHECK ({change});
CREATE POLICY deletable ON {table} FOR DELETE USING ({delete});
"""


def undo_policies(table: str, read: str) -> str:
    return f"""
DROP POLICY addable ON {table};
DROP POLICY changeable ON {table};
DROP POLICY deletable ON {table};
DROP POLICY readable ON {table};
CREATE POLICY readable ON {table} USING (NOT private OR {SYSTEM} OR {read});
"""


PARTS = {
    "retrieval_section": "document_id", "retrieval_chunk": "document_id", "retrieval_chunkvector": "document_id",
    "retrieval_anchor": "document_id", "retrieval_citation": "document_id", "retrieval_sectionterms": "document_id",
}  # fmt: skip
OWN = f"owner = ANY ({MINE})"
OWNED = "document_id IN (SELECT retrieval_owned_documents())"
GRANTED = "{} IN (SELECT retrieval_granted_documents())"
HANDED_IN = f"principal = ANY ({MINE})"
POLICIES = "\n".join(
    [
        policies(
            "retrieval_document",
            read=f"{OWN} OR id IN (SELECT retrieval_shared_documents('reader', 'contributor'))",
            add=OWN,
            change=f"{OWN} OR id IN (SELECT retrieval_shared_documents('contributor'))",
            delete=OWN,
        ),
        *(
            policies(table, read=GRANTED.format(document), add=OWNED, change=OWNED, delete=OWNED)
            for table, document in PARTS.items()
        ),
        policies(
            "retrieval_upload",
            read=f"{HANDED_IN} OR {OWNED}",
            add=HANDED_IN,
            change=f"{HANDED_IN} OR {OWNED}",
            delete=f"{HANDED_IN} OR {OWNED}",
        ),
        f"""
CREATE POLICY readable ON retrieval_documentgrant FOR SELECT USING (true);
CREATE POLICY addable ON retrieval_documentgrant FOR INSERT WITH CHECK ({SYSTEM} OR {OWNED});
CREATE POLICY changeable ON retrieval_documentgrant FOR UPDATE
    USING ({SYSTEM} OR {OWNED}) WITH CHECK ({SYSTEM} OR {OWNED});
CREATE POLICY deletable ON retrieval_documentgrant FOR DELETE USING ({SYSTEM} OR {OWNED} OR {HANDED_IN});
ALTER TABLE retrieval_documentgrant ENABLE ROW LEVEL SECURITY;
ALTER TABLE retrieval_documentgrant FORCE ROW LEVEL SECURITY;
""",
    ]
)
UNDO_POLICIES = "\n".join(
    [
        undo_policies("retrieval_document", GRANTED.format("id")),
        *(undo_policies(table, GRANTED.format(document)) for table, document in PARTS.items()),
        undo_policies("retrieval_upload", f"{HANDED_IN} OR {GRANTED.format('document_id')}"),
        """
ALTER TABLE retrieval_documentgrant NO FORCE ROW LEVEL SECURITY;
ALTER TABLE retrieval_documentgrant DISABLE ROW LEVEL SECURITY;
DROP POLICY readable ON retrieval_documentgrant;
DROP POLICY addable ON retrieval_documentgrant;
DROP POLICY changeable ON retrieval_documentgrant;
DROP POLICY deletable ON retrieval_documentgrant;
""",
    ]
)


@as_system()
def give_to_uploaders(apps, schema_editor) -> None:
    ApiKey, Grant = (apps.get_model("retrieval", name) for name in ("ApiKey", "DocumentGrant"))
    for key in ApiKey.objects.all():
        key.public_id = secrets.token_hex(8)
        key.save(update_fields=["public_id"])
    with schema_editor.connection.cursor() as cursor:
        for grant in Grant.objects.all():
            kind, _separator, number = grant.principal.partition(":")
            cursor.execute(NAMES[kind], [number])
            found = cursor.fetchone()
            grant.name = f"{kind}:{found[0]}" if found else grant.principal
            grant.save(update_fields=["name"])
        for statement in (ASSIGN, OWNERS_NEED_NO_GRANT, JOBS):
            cursor.execute(statement)
        cursor.execute(MIXED)
        for locator, owner, principals in cursor.fetchall():
            print(f"\n  {locator}: handed in by {', '.join(principals)}; owner: {owner or 'none'}. See who may read it.")


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0027_llm_refusals")]
    operations = [
        migrations.RemoveField("documentgrant", "granted_by"),
        migrations.AddField(
            "documentgrant", "name", models.CharField(default="", max_length=160, help_text="As the owner wrote it."),
            preserve_default=False,
        ),
        migrations.AddField(
            "documentgrant",
            "role",
            models.CharField(
                choices=[
                    ("reader", "Reader: finds and reads it"),
                    ("contributor", "Contributor: also edits its tags and metadata"),
                ],
                default="reader",
                max_length=11,
            ),
        ),
        migrations.AlterField("documentgrant", "principal", models.CharField(editable=False, max_length=200)),
        migrations.AddField(
            "document",
            "owner",
            models.CharField(
                blank=True, default="", editable=False, max_length=60,
                help_text="Who alone replaces, shares and withdraws it: user:ID or key:ID.",
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            "document",
            "offered_to",
            models.CharField(
                blank=True, default="", editable=False, max_length=200,
                help_text="Who becomes the owner on accepting.",
            ),
            preserve_default=False,
        ),
        migrations.AddIndex(
            "document",
            models.Index(condition=models.Q(("owner", ""), _negated=True), fields=["owner"], name="document_owner"),
        ),
        migrations.AddField("upload", "public_id", models.UUIDField(null=True)),
        migrations.AlterField(
            "upload",
            "grants",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=160), blank=True, default=list,
                help_text="Who may read a private document.", size=None,
            ),
        ),
        migrations.AddField("apikey", "public_id", models.CharField(default="", max_length=16), preserve_default=False),
        migrations.RunPython(give_to_uploaders, migrations.RunPython.noop),
        migrations.RunSQL(
            "SELECT set_config('arf.principals', '*', true); UPDATE retrieval_upload SET public_id = gen_random_uuid();"
            " SELECT set_config('arf.principals', '', true);"
            " SET CONSTRAINTS ALL IMMEDIATE;",  # else no column of these tables can be altered before a commit
            migrations.RunSQL.noop,
        ),
        migrations.AlterField(
            "upload", "public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)
        ),
        migrations.AlterField(
            "apikey",
            "public_id",
            models.CharField(
                default=retrieval.models.access.new_public_id, editable=False, max_length=16, unique=True,
                help_text="Names the key where documents are shared: key:…",
            ),
        ),
        migrations.CreateModel(
            name="UnownedDocument",
            fields=[],
            options={
                "verbose_name": "document without an owner", "verbose_name_plural": "documents without an owner",
                "proxy": True, "indexes": [], "constraints": [],
            },
            bases=("retrieval.document",),
        ),
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
        migrations.RunSQL(POLICIES, UNDO_POLICIES),
    ]
