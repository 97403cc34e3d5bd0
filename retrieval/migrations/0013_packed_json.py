"""Traces and cached answers become compressed text: every search writes them, and nothing looks inside by SQL."""

from django.db import migrations

from retrieval.models.packed import PackedJSONField


def pack_traces(apps, schema_editor):
    Trace = apps.get_model("retrieval", "trace")
    for trace in Trace.objects.only("pk", "detail").iterator(chunk_size=500):
        Trace.objects.filter(pk=trace.pk).update(packed=trace.detail)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0012_job_tries")]
    operations = [
        migrations.RunSQL("TRUNCATE retrieval_cacheentry", migrations.RunSQL.noop),
        migrations.RemoveField("cacheentry", "answer"),
        migrations.AddField("cacheentry", "answer", PackedJSONField(default=dict), preserve_default=False),
        migrations.AddField("trace", "packed", PackedJSONField(null=True)),
        migrations.RunPython(pack_traces, migrations.RunPython.noop),
        migrations.RemoveField("trace", "detail"),
        migrations.RenameField("trace", "packed", "detail"),
        migrations.AlterField("trace", "detail", PackedJSONField()),
    ]
