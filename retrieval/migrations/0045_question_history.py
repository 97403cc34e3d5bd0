"""Questions that people have kept: PostgreSQL shows and lets change them to nobody else, and deletes them with an account."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

SYSTEM = "(SELECT current_setting('arf.principals', true)) = '*'"
OWN = "'user:' || user_id = ANY (string_to_array(current_setting('arf.principals', true), ','))"
# The foreign key deletes whatever the policies hide from who deletes the account.
POLICIES = "".join(
    f"""
ALTER TABLE {table} ADD CONSTRAINT {table}_of_user FOREIGN KEY (user_id) REFERENCES auth_user (id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
CREATE POLICY readable ON {table} FOR SELECT USING ({OWN} OR {SYSTEM});
CREATE POLICY addable ON {table} FOR INSERT WITH CHECK ({OWN});
CREATE POLICY changeable ON {table} FOR UPDATE USING ({OWN}) WITH CHECK ({OWN});
CREATE POLICY deletable ON {table} FOR DELETE USING ({OWN} OR {SYSTEM});
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
"""
    for table in ("retrieval_questionhistory", "retrieval_keptquestion")
)


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('retrieval', '0044_documents_told_at_once'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='QuestionHistory',
            fields=[
                ('user', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='+', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('since', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'verbose_name_plural': 'question histories',
            },
        ),
        migrations.CreateModel(
            name='KeptQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('language', models.CharField(max_length=5)),
                ('address', models.TextField(help_text='Query string of the Ask page, with its filters.')),
                ('asked_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('user', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-asked_at', '-pk'],
            },
        ),
        migrations.RunSQL(POLICIES, migrations.RunSQL.noop),
    ]
