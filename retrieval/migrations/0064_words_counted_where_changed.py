"""The version of public words counts changes of rows: statements that change none, as a private publication's, do not
count, which told the public that there was one.
"""

from django.db import migrations

WHERE_CHANGED = """
CREATE FUNCTION retrieval_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM changed) THEN
        INSERT INTO retrieval_version (name, number) VALUES (TG_ARGV[0], nextval('retrieval_version_number'))
        ON CONFLICT (name) DO UPDATE SET number = excluded.number;
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER count_version ON retrieval_vocabulary;
CREATE TRIGGER count_inserted AFTER INSERT ON retrieval_vocabulary
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_changed('vocabulary');
CREATE TRIGGER count_updated AFTER UPDATE ON retrieval_vocabulary
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_changed('vocabulary');
CREATE TRIGGER count_deleted AFTER DELETE ON retrieval_vocabulary
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_changed('vocabulary');
"""
EACH_STATEMENT = """
DROP FUNCTION retrieval_count_changed CASCADE;
CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON retrieval_vocabulary
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('vocabulary');
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0063_words_of_notes")]
    operations = [migrations.RunSQL(WHERE_CHANGED, EACH_STATEMENT)]
