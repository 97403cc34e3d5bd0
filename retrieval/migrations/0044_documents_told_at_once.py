"""What is said of documents is counted once for each statement, as all else that many rows at once may change."""

from django.db import migrations

DROP = "DROP FUNCTION retrieval_count_told CASCADE;"
EACH_STATEMENT = """
CREATE FUNCTION retrieval_count_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number') WHERE id IN (
        SELECT now.domain_id FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.title, was.language, was.publication, was.source_url, was.locator)
              IS DISTINCT FROM (now.title, now.language, now.publication, now.source_url, now.locator)
    );
    RETURN NULL;
END $$;
CREATE TRIGGER count_told AFTER UPDATE ON retrieval_document
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_told();
"""
EACH_ROW = """
CREATE FUNCTION retrieval_count_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number') WHERE id = NEW.domain_id;
    RETURN NULL;
END $$;
CREATE TRIGGER count_told AFTER UPDATE ON retrieval_document
    FOR EACH ROW WHEN ((OLD.title, OLD.language, OLD.publication, OLD.source_url, OLD.locator)
        IS DISTINCT FROM (NEW.title, NEW.language, NEW.publication, NEW.source_url, NEW.locator))
    EXECUTE FUNCTION retrieval_count_told();
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0043_always_searched")]
    operations = [migrations.RunSQL(DROP + EACH_STATEMENT, DROP + EACH_ROW)]
