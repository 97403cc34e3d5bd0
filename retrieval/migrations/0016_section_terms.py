"""Words of sections as numbers, as private as their text, and the counts of each public domain. Both are made for
what is there already: the training that new features order at the next start reads them.
"""

import django.db.models.deletion
from django.db import migrations, models

from retrieval.access.row_security import as_system
from retrieval.indexes.terms import counted, terms_of

BATCH = 500

GUARDED = """
CREATE TRIGGER privacy BEFORE INSERT OR UPDATE OF section_id, document_id, private ON retrieval_sectionterms
    FOR EACH ROW EXECUTE FUNCTION retrieval_part_privacy();
CREATE POLICY readable ON retrieval_sectionterms USING (
    NOT private
    OR (SELECT current_setting('arf.principals', true)) = '*'
    OR document_id IN (SELECT retrieval_granted_documents())
);
ALTER TABLE retrieval_sectionterms ENABLE ROW LEVEL SECURITY;
ALTER TABLE retrieval_sectionterms FORCE ROW LEVEL SECURITY;
CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON retrieval_vocabulary
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_count_version('vocabulary');
"""

UNDO = """
DROP TRIGGER count_version ON retrieval_vocabulary;
DROP POLICY readable ON retrieval_sectionterms;
DROP TRIGGER privacy ON retrieval_sectionterms;
"""


@as_system()
def fill(apps, schema_editor):
    Section, SectionTerms = (apps.get_model("retrieval", name) for name in ("Section", "SectionTerms"))
    waiting = []
    for section in Section.objects.filter(is_result=True).select_related("document").iterator(chunk_size=BATCH):
        terms = terms_of(section, section.document.language)
        waiting.append(SectionTerms(section=section, domain_id=section.domain_id, private=section.private, **terms))
        if len(waiting) == BATCH:
            SectionTerms.objects.bulk_create(waiting)
            waiting = []
    SectionTerms.objects.bulk_create(waiting)


def count(apps, schema_editor):
    Domain, SectionTerms, Vocabulary = (
        apps.get_model("retrieval", name) for name in ("Domain", "SectionTerms", "Vocabulary")
    )
    for domain in Domain.objects.filter(visibility="public", corpus_version__gt=0):
        rows = SectionTerms.objects.filter(domain=domain, section__live=True, section__valid_to=None, private=False)
        told = counted(rows.values_list("body", "head").iterator(chunk_size=BATCH))
        Vocabulary.objects.create(
            domain=domain,
            corpus_version=domain.corpus_version,
            sections=told.sections,
            mean_length=told.mean_length,
            terms=told.terms.tobytes(),
            frequencies=told.counts.tobytes(),
        )


class Migration(migrations.Migration):

    dependencies = [
        ('retrieval', '0015_uploads'),
    ]

    operations = [
        migrations.CreateModel(
            name='Vocabulary',
            fields=[
                ('domain', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='vocabulary', serialize=False, to='retrieval.domain')),
                ('corpus_version', models.PositiveBigIntegerField()),
                ('sections', models.PositiveIntegerField()),
                ('mean_length', models.FloatField(help_text="Words of a section's body.")),
                ('terms', models.BinaryField(help_text='uint32, sorted.')),
                ('frequencies', models.BinaryField(help_text='int32: the sections that hold each.')),
            ],
            options={
                'verbose_name_plural': 'vocabularies',
            },
        ),
        migrations.CreateModel(
            name='SectionTerms',
            fields=[
                ('private', models.BooleanField(default=False, editable=False)),
                ('section', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='terms', serialize=False, to='retrieval.section')),
                ('body', models.BinaryField(help_text='uint32, one a word, in reading order.')),
                ('head', models.BinaryField(help_text='Of heading and plain name.')),
                ('way', models.BinaryField(help_text="Of the headings above, without the document's title.")),
                ('document', models.ForeignKey(db_constraint=False, db_index=False, editable=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='retrieval.document')),
                ('domain', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='retrieval.domain')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.RunSQL(GUARDED, UNDO),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
