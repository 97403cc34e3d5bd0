"""What is kept of each provision's names is marked when they change: to learn which had changed, each process read all
names there are.
"""

import django.db.models.deletion
from django.db import migrations, models

MARK = """
CREATE SEQUENCE rules_mark;
CREATE TYPE rules_place AS (domain_id bigint, locator varchar);

CREATE FUNCTION rules_mark_places(places rules_place[]) RETURNS void LANGUAGE sql AS $$
    DELETE FROM rules_namedprovision named USING unnest(places) place
    WHERE (named.domain_id, named.locator) = (place.domain_id, place.locator);

    INSERT INTO rules_namedprovision (domain_id, locator, mark)
    SELECT domain_id, locator, nextval('rules_mark') FROM unnest(places) place WHERE EXISTS (
        SELECT FROM rules_alias alias WHERE (alias.domain_id, alias.locator) = (place.domain_id, place.locator)
    ) ON CONFLICT (domain_id, locator) DO UPDATE SET mark = excluded.mark;
$$;

CREATE FUNCTION rules_mark_names() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    places rules_place[];
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN places := ARRAY(SELECT DISTINCT (domain_id, locator)::rules_place FROM after_rows);
        WHEN 'DELETE' THEN places := ARRAY(SELECT DISTINCT (domain_id, locator)::rules_place FROM before_rows);
        ELSE places := ARRAY(
            SELECT (domain_id, locator)::rules_place FROM after_rows
            UNION SELECT (domain_id, locator)::rules_place FROM before_rows
        );
    END CASE;
    PERFORM rules_mark_places(places);
    RETURN NULL;
END $$;

CREATE FUNCTION rules_mark_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    aliases bigint[];
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN aliases := ARRAY(SELECT alias_id FROM after_rows);
        WHEN 'DELETE' THEN aliases := ARRAY(SELECT alias_id FROM before_rows);
        ELSE aliases := ARRAY(SELECT alias_id FROM after_rows UNION SELECT alias_id FROM before_rows);
    END CASE;
    PERFORM rules_mark_places(
        ARRAY(SELECT DISTINCT (domain_id, locator)::rules_place FROM rules_alias WHERE id = ANY (aliases))
    );
    RETURN NULL;
END $$;
"""
EVERY = """
INSERT INTO rules_namedprovision (domain_id, locator, mark)
SELECT domain_id, locator, nextval('rules_mark') FROM (SELECT DISTINCT domain_id, locator FROM rules_alias) named
ON CONFLICT (domain_id, locator) DO NOTHING;
"""
UNDO = """
DROP FUNCTION rules_mark_names, rules_mark_vectors, rules_mark_places CASCADE;
DROP TYPE rules_place;
DROP SEQUENCE rules_mark;
"""
ROWS = {
    "INSERT": "NEW TABLE AS after_rows",
    "UPDATE": "OLD TABLE AS before_rows NEW TABLE AS after_rows",
    "DELETE": "OLD TABLE AS before_rows",
}
MARKED = {"rules_alias": "rules_mark_names", "rules_aliasvector": "rules_mark_vectors"}


def triggers() -> str:
    """One for each event: PostgreSQL names the rows of no two events in one trigger."""
    return "".join(
        f"CREATE TRIGGER mark_{event.lower()} AFTER {event} ON {table}"
        f" REFERENCING {rows} FOR EACH STATEMENT EXECUTE FUNCTION {function}();\n"
        for table, function in MARKED.items()
        for event, rows in ROWS.items()
    )


class Migration(migrations.Migration):
    dependencies = [("rules", "0022_names_are_searched")]

    operations = [
        migrations.CreateModel(
            name="NamedProvision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("locator", models.CharField(max_length=300)),
                ("mark", models.BigIntegerField(help_text="Never given twice.")),
                (
                    "domain",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="retrieval.domain"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("domain", "locator"), name="named_provision_once")]
            },
        ),
        migrations.RunSQL(MARK + triggers() + EVERY, UNDO),
    ]
