"""To which row a citation leads is no part of what its domain says: when law is published that others cite, theirs stays
the version it was. Searches follow links only into the domains searched, and what is published there counts.
"""

from django.db import migrations

DROP = "DROP TRIGGER count_parts ON retrieval_citation;"
BUT_LINKS = """
CREATE FUNCTION retrieval_count_citations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number') WHERE id IN (
        SELECT document.domain_id FROM after_rows now JOIN before_rows was ON was.id = now.id
        JOIN retrieval_document document ON document.id = now.document_id
        WHERE (was.source_id, was.target_locator, was.text, was.called, was.start, was."end")
              IS DISTINCT FROM (now.source_id, now.target_locator, now.text, now.called, now.start, now."end")
    );
    RETURN NULL;
END $$;
CREATE TRIGGER count_parts AFTER UPDATE ON retrieval_citation
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_citations();
"""
WITH_LINKS = """
DROP FUNCTION retrieval_count_citations CASCADE;
CREATE TRIGGER count_parts AFTER UPDATE ON retrieval_citation REFERENCING NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_parts();
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0058_words_and_notes")]
    operations = [migrations.RunSQL(DROP + BUT_LINKS, WITH_LINKS)]
