"""What is said of private documents has numbers of its own, as all that is counted of them (retrieval, migration 0065)."""

from importlib import import_module

from django.db import migrations

numbers = import_module("retrieval.migrations.0065_private_numbers")
OF_ANY, OF_ITS_KIND = numbers.OF_ANY, numbers.OF_ITS_KIND


class Migration(migrations.Migration):
    dependencies = [("rules", "0015_changes_counted_at_once"), ("retrieval", "0065_private_numbers")]
    operations = [
        migrations.RunSQL(
            numbers.counting("rules_", OF_ANY, OF_ITS_KIND), numbers.counting("rules_", OF_ITS_KIND, OF_ANY)
        )
    ]
