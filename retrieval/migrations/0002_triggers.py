"""What must never be forgotten is done by the database: the index's change log and the version numbers."""

from django.db import migrations

CHANGE_LOG = """
CREATE OR REPLACE FUNCTION retrieval_log_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- One writer at a time to the end of its transaction: ids become visible in their order, none is skipped.
    PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));
    INSERT INTO retrieval_indexchange (chunk_id) SELECT id FROM after_rows ORDER BY id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION retrieval_log_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));
    INSERT INTO retrieval_indexchange (chunk_id) SELECT id FROM before_rows ORDER BY id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION retrieval_log_republished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));
    INSERT INTO retrieval_indexchange (chunk_id)
    SELECT chunk.id FROM retrieval_chunk chunk
    JOIN after_rows now ON now.id = chunk.section_id
    JOIN before_rows was ON was.id = now.id
    WHERE (was.live, was.valid_from, was.valid_to, was.private)
          IS DISTINCT FROM (now.live, now.valid_from, now.valid_to, now.private)
    ORDER BY chunk.id;
    RETURN NULL;
END $$;

CREATE TRIGGER log_inserted AFTER INSERT ON retrieval_chunk
    REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION retrieval_log_inserted();
CREATE TRIGGER log_updated AFTER UPDATE ON retrieval_chunk
    REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION retrieval_log_inserted();
CREATE TRIGGER log_deleted AFTER DELETE ON retrieval_chunk
    REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION retrieval_log_deleted();
CREATE TRIGGER log_republished AFTER UPDATE ON retrieval_section
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_log_republished();
"""

# A number once seen by anybody, if only inside a transaction that was rolled back, is never given again:
# what a process keeps under a version can therefore never be of another state.
CORPUS_VERSIONS = """
CREATE SEQUENCE retrieval_version_number;

CREATE OR REPLACE FUNCTION retrieval_count_published() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number')
    WHERE id IN (
        SELECT now.domain_id FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.live OR now.live) AND was IS DISTINCT FROM now
    );
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION retrieval_count_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number')
    WHERE id IN (SELECT domain_id FROM after_rows WHERE live);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION retrieval_count_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number')
    WHERE id IN (SELECT domain_id FROM before_rows WHERE live);
    RETURN NULL;
END $$;

CREATE TRIGGER count_published AFTER UPDATE ON retrieval_section
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_published();
CREATE TRIGGER count_inserted AFTER INSERT ON retrieval_section
    REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_inserted();
CREATE TRIGGER count_deleted AFTER DELETE ON retrieval_section
    REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_deleted();
"""

VERSIONS = """
CREATE OR REPLACE FUNCTION retrieval_count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO retrieval_version (name, number) VALUES (TG_ARGV[0], nextval('retrieval_version_number'))
    ON CONFLICT (name) DO UPDATE SET number = excluded.number;
    RETURN NULL;
END $$;

CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON retrieval_embeddingmodel
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('embedding');
CREATE TRIGGER count_version AFTER INSERT OR DELETE ON retrieval_documentgrant
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('grants');
"""

UNHURRIED = """
-- A log line or a kept answer lost in a power cut is no loss; waiting for the disk at every search would be one.
CREATE OR REPLACE FUNCTION retrieval_do_not_wait() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    RETURN NULL;
END $$;

CREATE TRIGGER do_not_wait AFTER INSERT OR UPDATE ON retrieval_searchlog
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_do_not_wait();
CREATE TRIGGER do_not_wait AFTER INSERT OR UPDATE ON retrieval_trace
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_do_not_wait();
CREATE TRIGGER do_not_wait AFTER INSERT OR UPDATE ON retrieval_cacheentry
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_do_not_wait();
CREATE TRIGGER do_not_wait AFTER INSERT OR UPDATE ON retrieval_ratewindow
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_do_not_wait();
"""

UNDO = """
DROP FUNCTION retrieval_log_inserted, retrieval_log_deleted, retrieval_log_republished,
    retrieval_count_published, retrieval_count_inserted, retrieval_count_deleted, retrieval_count_version,
    retrieval_do_not_wait CASCADE;
DROP SEQUENCE retrieval_version_number;
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0001_initial")]
    operations = [migrations.RunSQL(CHANGE_LOG + CORPUS_VERSIONS + VERSIONS + UNHURRIED, UNDO)]
