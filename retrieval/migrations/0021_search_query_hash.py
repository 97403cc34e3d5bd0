from django.contrib.postgres.indexes import HashIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    """Searches go on meanwhile, however many are logged."""

    atomic = False

    dependencies = [("retrieval", "0020_clicks")]

    operations = [
        AddIndexConcurrently("searchlog", HashIndex(fields=["query_hash"], name="search_query_hash")),
    ]
