"""HNSW indexes over the vectors of large public domains, one for each domain and embedding model.

An index is made once a domain has grown large; PostgreSQL keeps it up to date. Private vectors are in no index.
"""

from django.db import OperationalError, connection, transaction

from retrieval.corpus import statements
from retrieval.jobs import Job, Progress
from retrieval.models import Chunk, Domain, EmbeddingModel, JobRun

LARGE = 50_000  # chunks of a domain; fewer are compared one by one in about 30 ms
LINKS, BREADTH = 32, 200  # m and ef_construction: the usual 16 and 64 lose a tenth of the nearest of 300,000
MOST_DIMENSIONS = 4_000  # of a halfvec that pgvector indexes
PATIENCE = "2s"  # for a lock on the table, behind which searches would have to wait

NAMES = """
SELECT indexname FROM pg_indexes WHERE tablename = 'retrieval_chunkvector' AND starts_with(indexname, 'vector_hnsw_')
"""


class IndexVectors(Job):
    """Makes the missing indexes, one a step."""

    def step(self, run: JobRun) -> Progress:
        waiting = missing()
        if not waiting:
            return Progress(run.position, run.position, "Every large domain is indexed", finished=True)
        model, domain = waiting[0]
        make(model, domain)
        done = run.position + 1
        return Progress(done, run.position + len(waiting), f"{domain.name} is indexed for {model.name}")

    def undo(self, run: JobRun) -> None:
        """What is made serves already."""

    def failed(self, run: JobRun) -> None:
        """Searches compare one by one meanwhile."""


def name_of(model: int, domain: int) -> str:
    return f"vector_hnsw_{model}_{domain}"


def exists(model: int, domain: int) -> bool:
    [(found,)] = statements.rows("SELECT to_regclass(%s) IS NOT NULL", [name_of(model, domain)])
    return found


def missing() -> list[tuple[EmbeddingModel, Domain]]:
    """Indexes that large public domains lack, for embedding models in use or being prepared."""
    models = EmbeddingModel.objects.exclude(status=EmbeddingModel.Status.RETIRED)
    indexable = list(models.filter(dims__lte=MOST_DIMENSIONS).order_by("pk"))
    large = [
        domain for domain in Domain.objects.exclude(visibility=Domain.Visibility.PRIVATE) if is_large(domain)
    ]
    return [(model, domain) for domain in large for model in indexable if not exists(model.pk, domain.pk)]


def is_large(domain: Domain) -> bool:
    return Chunk.objects.filter(domain=domain)[: LARGE + 1].count() > LARGE


def make(model: EmbeddingModel, domain: Domain) -> None:
    """Searches go on meanwhile; writers of vectors wait."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE INDEX IF NOT EXISTS {name_of(model.pk, domain.pk)} ON retrieval_chunkvector "
            f"USING hnsw ((vector::halfvec({model.dims})) halfvec_cosine_ops) "
            f"WITH (m = {LINKS}, ef_construction = {BREADTH}) "
            f"WHERE model_id = {model.pk} AND domain_id = {domain.pk} AND NOT private"
        )


def begin(model: EmbeddingModel) -> None:
    """Makes the indexes of a model that has no vectors yet: they grow as vectors are added."""
    for lacking, domain in missing():
        if lacking == model:
            make(model, domain)


def drop_unused() -> bool:
    """Drops the indexes of deleted and retired models. False if there is none, or if another reader of the table, as a
    backup, holds its lock.
    """
    serving = EmbeddingModel.objects.exclude(status=EmbeddingModel.Status.RETIRED)
    kept = {f"vector_hnsw_{model}" for model in serving.values_list("pk", flat=True)}
    unused = [name for (name,) in statements.rows(NAMES) if name.rpartition("_")[0] not in kept]
    if not unused:
        return False
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE}'")
            cursor.execute(f"DROP INDEX {', '.join(unused)}")
            cursor.execute("SET LOCAL lock_timeout TO DEFAULT")
    except OperationalError:
        return False
    return True
