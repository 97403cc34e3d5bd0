"""Every change of what curators decide counts its version up, whichever way it was made."""

from django.db import migrations

TABLES = {"aliases": "rules_alias", "glossary": "rules_glossaryterm", "thresholds": "rules_domainthreshold"}


def create(name: str, table: str) -> str:
    return f"""
    CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('{name}');
    """


def drop(name: str, table: str) -> str:
    return f"DROP TRIGGER count_version ON {table};"


class Migration(migrations.Migration):
    dependencies = [("rules", "0001_initial"), ("retrieval", "0002_triggers")]
    operations = [migrations.RunSQL(create(*pair), drop(*pair)) for pair in TABLES.items()]
