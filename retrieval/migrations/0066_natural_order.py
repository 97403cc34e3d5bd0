"""Documents of a domain are listed with title 9 before title 10, a page at a time: see `InNaturalOrder`."""

from django.db import migrations, models

from retrieval.models.texts import InNaturalOrder


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0065_private_numbers")]

    operations = [
        migrations.AddIndex("document", models.Index("domain", InNaturalOrder("locator"), name="document_shelf"))
    ]
