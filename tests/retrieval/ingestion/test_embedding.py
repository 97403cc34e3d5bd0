"""Every provision is cut into chunks that rebuild it, each with a context and a vector."""

import pytest

from retrieval.models import Chunk, Section

pytestmark = pytest.mark.django_db


def test_the_constitution_has_its_135_provisions_each_with_chunk_and_vector():
    results = Section.objects.live().results().filter(domain__slug="us_constitution")
    assert results.count() == 135
    assert not results.filter(chunks=None).exists()
    assert not Chunk.objects.filter(vectors=None).exists()


def test_chunks_rebuild_their_section():
    for section in Section.objects.live().results():
        chunks = section.chunks.all()
        assert "".join(chunk.text for chunk in chunks) == section.text
        assert all(section.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_what_is_indexed_carries_its_context():
    chunk = Chunk.objects.get(section__locator="/us/const/article/I/section/8/clause/3")
    assert "Constitution of the United States" in chunk.context
    assert "Section 8" in chunk.context
    assert chunk.section.heading in chunk.context
