"""The version of public words counts changes of rows: statements that change none, as a private publication's, do not
count, which told the public that there was one.
"""

from django.db import migrations

EACH_ROW = """
DROP TRIGGER count_version ON retrieval_vocabulary;
CREATE TRIGGER count_version AFTER INSERT OR UPDATE OR DELETE ON retrieval_vocabulary
    FOR EACH ROW EXECUTE FUNCTION retrieval_count_version('vocabulary');
"""
EACH_STATEMENT = EACH_ROW.replace("EACH ROW", "EACH STATEMENT")


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0063_words_of_notes")]
    operations = [migrations.RunSQL(EACH_ROW, EACH_STATEMENT)]
