"""Matters: case files whose rows PostgreSQL shows to their members, and lets them change by their roles."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

MINE = "string_to_array(current_setting('arf.principals', true), ',')"
SYSTEM = "(SELECT current_setting('arf.principals', true)) = '*'"
# The policies ask the table of members, whose own ask nothing: a caller sees there what it is a member of itself.
FUNCTION = f"""
CREATE FUNCTION retrieval_matters(VARIADIC roles text[]) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN QUERY SELECT matter_id FROM retrieval_mattermember WHERE principal = ANY ({MINE}) AND role = ANY (roles);
END $$;
"""


def policies(table: str, *, read: str, add: str, change: str, delete: str) -> str:
    """Who reads, adds, changes and deletes the rows of a table; each an SQL condition."""
    return f"""
CREATE POLICY readable ON {table} FOR SELECT USING ({read});
CREATE POLICY addable ON {table} FOR INSERT WITH CHECK ({add});
CREATE POLICY changeable ON {table} FOR UPDATE USING ({change}) WITH CHECK ({change});
CREATE POLICY deletable ON {table} FOR DELETE USING ({delete});
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
"""


def itself(matter: str) -> str:
    return f"{SYSTEM} OR 'matter:' || {matter} = ANY ({MINE})"


def members(matter: str, *roles: str) -> str:
    named = ", ".join(f"'{role}'" for role in roles or ("lead", "contributor", "reader"))
    return f"{itself(matter)} OR {matter} IN (SELECT retrieval_matters({named}))"


POLICIES = "\n".join(
    [
        policies(
            "retrieval_mattermember",
            read=f"{itself('matter_id')} OR principal = ANY ({MINE})",
            add=itself("matter_id"),
            change=itself("matter_id"),
            delete=itself("matter_id"),
        ),
        policies(
            "retrieval_matter",
            read=members("id"),
            add=SYSTEM,
            change=members("id", "lead"),
            delete=members("id", "lead"),
        ),
        policies(
            "retrieval_deadline",
            read=members("matter_id"),
            **dict.fromkeys(("add", "change", "delete"), members("matter_id", "lead", "contributor")),
        ),
    ]
)
# A matter's uploads are also for its members to read.
HANDED_IN = f"NOT private OR {SYSTEM} OR principal = ANY ({MINE}) OR document_id IN (SELECT retrieval_owned_documents())"
OF_MATTERS = "principal IN (SELECT 'matter:' || held FROM retrieval_matters('lead', 'contributor', 'reader') held)"
UPLOADS = f"""
DROP POLICY readable ON retrieval_upload;
CREATE POLICY readable ON retrieval_upload FOR SELECT USING ({HANDED_IN} OR {OF_MATTERS});
"""
UNDO = f"""
DROP POLICY readable ON retrieval_upload;
CREATE POLICY readable ON retrieval_upload FOR SELECT USING ({HANDED_IN});
DROP FUNCTION retrieval_matters CASCADE;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('retrieval', '0037_search_within'),
    ]

    operations = [
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(unique=True)),
                ('erased_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='Matter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('reference', models.CharField(help_text='By which its members know it.', max_length=200)),
                ('client', models.CharField(blank=True, help_text="Shown to members on the matter's own pages, nowhere else.", max_length=200)),
                ('opened_on', models.DateField(default=django.utils.timezone.localdate)),
                ('closed_on', models.DateField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Deadline',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(max_length=300)),
                ('due_on', models.DateField()),
                ('done_on', models.DateField(blank=True, null=True)),
                ('matter', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deadlines', to='retrieval.matter')),
            ],
            options={
                'ordering': [models.OrderBy(models.F('done_on'), descending=True, nulls_first=True), 'due_on', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='MatterMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=160)),
                ('principal', models.CharField(max_length=200)),
                ('role', models.CharField(choices=[('lead', 'Lead: also changes members, closes and erases it'), ('contributor', 'Contributor: also adds documents and deadlines'), ('reader', 'Reader: reads everything in it')], default='reader', max_length=11)),
                ('matter', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='retrieval.matter')),
            ],
            options={
                'ordering': ['name'],
                'indexes': [models.Index(fields=['principal'], name='member_principal')],
                'constraints': [models.UniqueConstraint(fields=('matter', 'principal'), name='one_membership_a_principal')],
            },
        ),
        migrations.RunSQL([FUNCTION, POLICIES, UPLOADS], UNDO),
    ]
