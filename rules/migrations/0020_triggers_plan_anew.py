"""As retrieval's migration 0067: 9,000 names changed at once in a session that had changed one before took 21 s."""

from django.db import migrations

FUNCTIONS = """
CREATE OR REPLACE FUNCTION rules_count_described() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {begin}UPDATE retrieval_domain SET corpus_version = retrieval_next_number(visibility) WHERE id IN (
        SELECT now.domain_id FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.filename, was.tags, was.metadata) IS DISTINCT FROM (now.filename, now.tags, now.metadata)
    ){end};
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION rules_forget_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {begin}DELETE FROM rules_aliasvector WHERE alias_id IN (
        SELECT now.id FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.text, was.language) IS DISTINCT FROM (now.text, now.language)
    ){end};
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION rules_count_rules() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb[];
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN changed := ARRAY(SELECT live FROM after_rows);
        WHEN 'DELETE' THEN changed := ARRAY(SELECT live FROM before_rows);
        ELSE {changed};
    END CASE;
    PERFORM rules_count('rules', ARRAY(
        SELECT rules_only_private(live->'domains') FROM unnest(changed) live WHERE live IS NOT NULL
    ));
    RETURN NULL;
END $$;
"""
CHANGED = """ARRAY(
            SELECT unnest(ARRAY[was.live, now.live]) FROM after_rows now JOIN before_rows was ON was.id = now.id
            WHERE (was.live, was.version) IS DISTINCT FROM (now.live, now.version)
        )"""
ANEW = {"begin": "EXECUTE $plan$", "end": "$plan$", "changed": f"EXECUTE $plan$SELECT {CHANGED}$plan$ INTO changed"}
KEPT = {"begin": "", "end": "", "changed": f"changed := {CHANGED}"}


class Migration(migrations.Migration):
    dependencies = [("rules", "0019_sentences_of_names"), ("retrieval", "0067_triggers_plan_anew")]
    operations = [migrations.RunSQL(FUNCTIONS.format(**ANEW), FUNCTIONS.format(**KEPT))]
