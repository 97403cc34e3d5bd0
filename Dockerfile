# One image for web, worker, index writer and preparation: see compose.yaml.
FROM python:3.11-slim

# Spanish questions are translated by Apertium.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends apertium-eng-spa \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --system --user-group --uid 10001 --home-dir /srv/arf --shell /usr/sbin/nologin arf
WORKDIR /srv/arf

# The default torch for Linux carries CUDA, which nothing here uses. To make the image some gigabytes smaller,
# pass the options that name an index with CPU builds: --build-arg PIP_OPTIONS="--extra-index-url …"
ARG PIP_OPTIONS=""
COPY requirements.txt .
RUN pip install --no-cache-dir ${PIP_OPTIONS} --requirement requirements.txt

COPY . .

# The embedder's export and the static files lie in the image; no secret is made here.
RUN mkdir var && chown arf:arf var
USER arf
# As `manage.py up` sets them: memory that one thread has freed serves the others too, and a block of 4 MiB goes back at
# once.
ENV PYTHONUNBUFFERED=1 ARF_VAR_DIR=/srv/arf/var MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=4194304 \
    MALLOC_TRIM_THRESHOLD_=33554432
RUN python -m retrieval.engines.onnx_export var/onnx \
    && ARF_SECRET_KEY=of-the-build DATABASE_URL=postgresql://build@localhost/build \
       python manage.py collectstatic --no-input --verbosity 0

EXPOSE 8000
CMD ["gunicorn", "--config", "arf_site/node/gunicorn.conf.py"]
