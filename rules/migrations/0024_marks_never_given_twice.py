"""What processes keep of names in files outlives the database that it was made of. So marks go on from the time in
microseconds, and those that there are become others: no two databases that one folder has served have the same.
"""

from django.db import migrations

ANEW = """
SELECT setval('rules_mark', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
UPDATE rules_namedprovision SET mark = nextval('rules_mark');
"""


class Migration(migrations.Migration):
    dependencies = [("rules", "0023_named_provisions")]

    operations = [migrations.RunSQL(ANEW, migrations.RunSQL.noop)]
