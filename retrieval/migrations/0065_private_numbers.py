"""Versions of private domains and of grants have numbers of their own: gaps between those of public ones told how much
happened in private.
"""

from django.db import migrations

NUMBERS = """
CREATE SEQUENCE retrieval_private_number;
SELECT setval('retrieval_private_number', nextval('retrieval_version_number'));  -- past all that was ever given

CREATE FUNCTION retrieval_next_number(visibility text) RETURNS bigint LANGUAGE sql AS $$
    SELECT CASE visibility WHEN 'private' THEN nextval('retrieval_private_number')
           ELSE nextval('retrieval_version_number') END
$$;

CREATE OR REPLACE FUNCTION retrieval_count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO retrieval_version (name, number)
    VALUES (TG_ARGV[0], retrieval_next_number(CASE TG_ARGV[0] WHEN 'grants' THEN 'private' END))
    ON CONFLICT (name) DO UPDATE SET number = excluded.number;
    RETURN NULL;
END $$;
"""
ONE_FOR_ALL = """
CREATE OR REPLACE FUNCTION retrieval_count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO retrieval_version (name, number) VALUES (TG_ARGV[0], nextval('retrieval_version_number'))
    ON CONFLICT (name) DO UPDATE SET number = excluded.number;
    RETURN NULL;
END $$;
DROP FUNCTION retrieval_next_number;
SELECT setval('retrieval_version_number', greatest(nextval('retrieval_private_number'), nextval('retrieval_version_number')));
DROP SEQUENCE retrieval_private_number;
"""
OF_ANY, OF_ITS_KIND = "nextval('retrieval_version_number')", "retrieval_next_number(visibility)"


def counting(prefix: str, before: str, after: str) -> str:
    """SQL by which the functions whose names begin so number domains the other way."""
    before, after = (f"SET corpus_version = {number}".replace("'", "''") for number in (before, after))
    return f"""
DO $do$
DECLARE
    counts oid;
BEGIN
    FOR counts IN SELECT oid FROM pg_proc WHERE starts_with(proname, '{prefix}') AND strpos(prosrc, '{before}') > 0 LOOP
        EXECUTE replace(pg_get_functiondef(counts), '{before}', '{after}');
    END LOOP;
END $do$;
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0064_words_counted_where_changed")]
    operations = [
        migrations.RunSQL(
            NUMBERS + counting("retrieval_", OF_ANY, OF_ITS_KIND),
            counting("retrieval_", OF_ITS_KIND, OF_ANY) + ONE_FOR_ALL,
        )
    ]
