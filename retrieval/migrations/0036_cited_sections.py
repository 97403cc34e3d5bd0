"""What citing texts call a section, and how many cite it; filled in for what is there already."""

from django.db import migrations, models

from retrieval.access.row_security import as_system
from retrieval.citations.naming import called
from retrieval.indexes.cited import count_again

BATCH = 500  # sections


@as_system()
def fill(apps, schema_editor):
    Section, Citation = (apps.get_model("retrieval", name) for name in ("Section", "Citation"))
    citing = Citation.objects.filter(start__gte=0).order_by().values("source").distinct()
    sources = list(citing.values_list("source", flat=True))
    for first in range(0, len(sources), BATCH):
        ids = sources[first : first + BATCH]
        texts = dict(Section.objects.filter(pk__in=ids).values_list("pk", "text"))
        edges = list(Citation.objects.filter(source__in=ids, start__gte=0))
        for edge in edges:
            edge.called = called(texts[edge.source_id], edge.start, edge.end)
        Citation.objects.bulk_update([edge for edge in edges if edge.called], ["called"], batch_size=BATCH)
        count_again(changed=ids)


class Migration(migrations.Migration):

    dependencies = [
        ('retrieval', '0035_downloads'),
    ]

    operations = [
        migrations.AddField(
            model_name='citation',
            name='called',
            field=models.CharField(blank=True, help_text='What the citing text calls it, e.g. Clean Air Act.', max_length=200),
        ),
        migrations.AddField(
            model_name='sectionterms',
            name='called',
            field=models.TextField(blank=True, help_text='What those that cite it call it.'),
        ),
        migrations.AddField(
            model_name='sectionterms',
            name='cited_by',
            field=models.PositiveIntegerField(default=0, help_text='How many current public sections cite it or a place in it.'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
