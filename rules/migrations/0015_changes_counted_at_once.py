"""Changes of rules, names and what rules may ask of documents are followed once for each statement, not for each row."""

from django.db import migrations

DROP = """
DROP FUNCTION rules_count_described, rules_forget_vector CASCADE;
DROP TRIGGER count_version_of_live ON rules_rule;
"""
EACH_STATEMENT = """
CREATE FUNCTION rules_count_described() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number') WHERE id IN (
        SELECT now.domain_id FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.filename, was.tags, was.metadata) IS DISTINCT FROM (now.filename, now.tags, now.metadata)
    );
    RETURN NULL;
END $$;
CREATE TRIGGER count_described AFTER UPDATE ON retrieval_document
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION rules_count_described();

CREATE FUNCTION rules_count_live() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.live, was.version) IS DISTINCT FROM (now.live, now.version)
    ) THEN
        INSERT INTO retrieval_version (name, number) VALUES ('rules', nextval('retrieval_version_number'))
        ON CONFLICT (name) DO UPDATE SET number = excluded.number;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER count_version_of_live AFTER UPDATE ON rules_rule
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION rules_count_live();

CREATE FUNCTION rules_forget_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM rules_aliasvector WHERE alias_id IN (
        SELECT now.id FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.text, was.language) IS DISTINCT FROM (now.text, now.language)
    );
    RETURN NULL;
END $$;
CREATE TRIGGER forget_vector AFTER UPDATE ON rules_alias
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION rules_forget_vector();
"""
UNDO = """
DROP FUNCTION rules_count_described, rules_count_live, rules_forget_vector CASCADE;
"""
EACH_ROW = """
CREATE FUNCTION rules_count_described() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number') WHERE id = NEW.domain_id;
    RETURN NULL;
END $$;
CREATE TRIGGER count_described AFTER UPDATE ON retrieval_document
    FOR EACH ROW WHEN ((OLD.filename, OLD.tags, OLD.metadata) IS DISTINCT FROM (NEW.filename, NEW.tags, NEW.metadata))
    EXECUTE FUNCTION rules_count_described();
CREATE TRIGGER count_version_of_live AFTER UPDATE ON rules_rule
    FOR EACH ROW WHEN (OLD.live IS DISTINCT FROM NEW.live OR OLD.version IS DISTINCT FROM NEW.version)
    EXECUTE FUNCTION retrieval_count_version('rules');
CREATE FUNCTION rules_forget_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM rules_aliasvector WHERE alias_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_vector AFTER UPDATE OF text, language ON rules_alias
    FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text OR OLD.language IS DISTINCT FROM NEW.language)
    EXECUTE FUNCTION rules_forget_vector();
"""


class Migration(migrations.Migration):
    dependencies = [("rules", "0014_question_phrases"), ("retrieval", "0044_documents_told_at_once")]
    operations = [migrations.RunSQL(DROP + EACH_STATEMENT, UNDO + EACH_ROW)]
