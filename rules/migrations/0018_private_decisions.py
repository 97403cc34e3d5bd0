"""What curators decide of private domains alone counts under numbers of its own ("private_rules"): the public ones told
that something private was named or ruled upon. A draft of a rule counts nothing, a new one neither.
"""

from django.db import migrations

COUNT = """
CREATE FUNCTION rules_count(decided text, private boolean[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO retrieval_version (name, number)
    SELECT CASE WHEN alone THEN 'private_' || decided ELSE decided END,
        retrieval_next_number(CASE WHEN alone THEN 'private' END)
    FROM (SELECT DISTINCT unnest(private) AS alone) told
    ON CONFLICT (name) DO UPDATE SET number = excluded.number
$$;

CREATE FUNCTION rules_only_private(domains jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(domains, '[]') <> '[]' AND NOT EXISTS (
        SELECT FROM retrieval_domain WHERE visibility <> 'private' AND domains ? slug
    )
$$;
CREATE FUNCTION rules_count_rules() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb[];
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN changed := ARRAY(SELECT live FROM after_rows);
        WHEN 'DELETE' THEN changed := ARRAY(SELECT live FROM before_rows);
        ELSE changed := ARRAY(
            SELECT unnest(ARRAY[was.live, now.live]) FROM after_rows now JOIN before_rows was ON was.id = now.id
            WHERE (was.live, was.version) IS DISTINCT FROM (now.live, now.version)
        );
    END CASE;
    PERFORM rules_count('rules', ARRAY(
        SELECT rules_only_private(live->'domains') FROM unnest(changed) live WHERE live IS NOT NULL
    ));
    RETURN NULL;
END $$;

CREATE FUNCTION rules_count_decisions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    domains bigint[];
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN domains := ARRAY(SELECT DISTINCT domain_id FROM after_rows);
        WHEN 'DELETE' THEN domains := ARRAY(SELECT DISTINCT domain_id FROM before_rows);
        ELSE domains := ARRAY(SELECT domain_id FROM after_rows UNION SELECT domain_id FROM before_rows);
    END CASE;
    PERFORM rules_count(TG_ARGV[0], ARRAY(
        SELECT visibility = 'private' FROM retrieval_domain WHERE id = ANY (domains)
    ));
    RETURN NULL;
END $$;

CREATE FUNCTION rules_count_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    aliases bigint[];
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN aliases := ARRAY(SELECT alias_id FROM after_rows);
        WHEN 'DELETE' THEN aliases := ARRAY(SELECT alias_id FROM before_rows);
        ELSE aliases := ARRAY(SELECT alias_id FROM after_rows UNION SELECT alias_id FROM before_rows);
    END CASE;
    PERFORM rules_count('aliases', ARRAY(
        SELECT DISTINCT domain.visibility = 'private'
        FROM rules_alias alias JOIN retrieval_domain domain ON domain.id = alias.domain_id
        WHERE alias.id = ANY (aliases)
    ));
    RETURN NULL;
END $$;

CREATE FUNCTION rules_count_visibility() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM after_rows now JOIN before_rows was ON was.id = now.id WHERE was.visibility <> now.visibility
    ) THEN
        PERFORM rules_count(decided, '{f,t}') FROM unnest('{rules,aliases,thresholds}'::text[]) decided;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER count_visibility AFTER UPDATE ON retrieval_domain
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION rules_count_visibility();

SELECT rules_count(decided, '{t}') FROM unnest('{rules,aliases,thresholds}'::text[]) decided;
DROP TRIGGER count_version ON rules_rule;
DROP FUNCTION rules_count_live CASCADE;
DROP TRIGGER count_version ON rules_alias;
DROP TRIGGER count_version ON rules_aliasvector;
DROP TRIGGER count_version ON rules_domainthreshold;
"""
UNDO = """
DROP FUNCTION rules_count, rules_only_private, rules_count_rules, rules_count_decisions, rules_count_vectors,
    rules_count_visibility CASCADE;
DELETE FROM retrieval_version WHERE name IN ('private_rules', 'private_aliases', 'private_thresholds');

CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON rules_alias
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('aliases');
CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON rules_aliasvector
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('aliases');
CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON rules_domainthreshold
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('thresholds');
CREATE TRIGGER count_version AFTER INSERT OR DELETE ON rules_rule
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('rules');
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
"""
ROWS = {
    "INSERT": "NEW TABLE AS after_rows",
    "UPDATE": "OLD TABLE AS before_rows NEW TABLE AS after_rows",
    "DELETE": "OLD TABLE AS before_rows",
}
COUNTED = {
    "rules_rule": "rules_count_rules()",
    "rules_alias": "rules_count_decisions('aliases')",
    "rules_aliasvector": "rules_count_vectors()",
    "rules_domainthreshold": "rules_count_decisions('thresholds')",
}


def triggers() -> str:
    """One for each event: PostgreSQL names the rows of no two events in one trigger."""
    return "".join(
        f"CREATE TRIGGER count_{event.lower()} AFTER {event} ON {table}"
        f" REFERENCING {rows} FOR EACH STATEMENT EXECUTE FUNCTION {function};\n"
        for table, function in COUNTED.items()
        for event, rows in ROWS.items()
    )


class Migration(migrations.Migration):
    dependencies = [("rules", "0017_names_of_domains"), ("retrieval", "0066_natural_order")]
    operations = [migrations.RunSQL(COUNT + triggers(), UNDO)]
