"""Documents are found by their titles as they are cited, provisions by their numbers: see `retrieval.corpus.titled`."""

from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Reverse

from retrieval.models.texts import AsCited


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0069_last_deadline")]

    operations = [
        migrations.AddField(
            "document",
            "cited_as",
            models.GeneratedField(
                db_persist=True, expression=AsCited("title"), output_field=models.CharField(max_length=80)
            ),
        ),
        migrations.AddField(
            "document",
            "cited_back",
            models.GeneratedField(
                db_persist=True, expression=Reverse(AsCited("title")), output_field=models.CharField(max_length=80)
            ),
        ),
        migrations.AddIndex(
            "document",
            models.Index(
                condition=Q(private=False),
                fields=["cited_back"],
                name="document_ends",
                opclasses=["text_pattern_ops"],
            ),
        ),
        migrations.AddIndex(
            "document",
            models.Index(
                condition=Q(private=False),
                fields=["cited_as"],
                name="document_titled",
                opclasses=["text_pattern_ops"],
            ),
        ),
        migrations.AddIndex(
            "section",
            models.Index(
                condition=Q(live=True, private=False) & ~Q(number=""),
                fields=["number", "domain", "document"],
                name="section_number",
                opclasses=["text_pattern_ops", "int8_ops", "int8_ops"],
            ),
        ),
    ]
