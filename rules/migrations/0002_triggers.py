"""Every change of what curators decide counts its version up, whichever way it was made."""

from django.db import migrations

TABLES = [
    ("aliases", "rules_alias"),
    ("aliases", "rules_aliasvector"),
    ("glossary", "rules_glossaryterm"),
    ("thresholds", "rules_domainthreshold"),
]

FORGET_VECTOR = """
CREATE OR REPLACE FUNCTION rules_forget_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM rules_aliasvector WHERE alias_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_vector AFTER UPDATE OF text, language ON rules_alias
    FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text OR OLD.language IS DISTINCT FROM NEW.language)
    EXECUTE FUNCTION rules_forget_vector();
"""


def create(name: str, table: str) -> str:
    return f"""
    CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('{name}');
    """


def drop(name: str, table: str) -> str:
    return f"DROP TRIGGER count_version ON {table};"


class Migration(migrations.Migration):
    dependencies = [("rules", "0001_initial"), ("retrieval", "0002_triggers")]
    operations = [
        migrations.RunSQL(FORGET_VECTOR, "DROP FUNCTION rules_forget_vector CASCADE"),
        *(migrations.RunSQL(create(*pair), drop(*pair)) for pair in TABLES),
    ]
