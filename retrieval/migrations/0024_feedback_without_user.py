from django.db import migrations


class Migration(migrations.Migration):
    """The column was never filled: `caller` says who gave a thumb."""

    dependencies = [("retrieval", "0023_private_words")]

    operations = [migrations.RemoveField("feedback", "user")]
