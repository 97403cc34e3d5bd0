from django.db import migrations


class Migration(migrations.Migration):
    """“Channel” is the word of the field for where a search came from."""

    dependencies = [("retrieval", "0024_feedback_without_user")]

    operations = [migrations.RenameField("searchlog", "door", "channel")]
