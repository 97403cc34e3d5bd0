"""Names as answers read them."""

import numpy as np
import pytest

from retrieval.models import Domain, EmbeddingModel
from rules.aliases.embedding import embed_missing
from rules.aliases.pointing import names_of
from rules.models import Alias

pytestmark = pytest.mark.django_db
SIXTH = "/us/const/amendment/VI"


def test_names_in_use_are_read_with_what_they_point_to_and_their_vectors():
    Alias.objects.update(enabled=False)
    domain, model = Domain.objects.get(slug="us_constitution"), EmbeddingModel.objects.get(status="active")
    pointing = {"domain": domain, "locator": SIXTH, "sentence": "In all criminal"}
    for changed in ({}, {"enabled": False}, {"place": 1}):
        Alias.objects.create(text=f"a quick trial {changed}", **pointing | changed)
    assert names_of("us_constitution", [SIXTH], model.pk) == {}  # without vectors yet
    embed_missing()
    ((locator, names),) = names_of("us_constitution", [SIXTH, "/us/const/amendment/V"], model.pk).items()
    assert (locator, *names.sentences) == (SIXTH, "In all criminal")
    assert np.linalg.norm(names.vectors, axis=1) == pytest.approx([1.0], abs=0.01)
    assert names_of("us_code", [SIXTH], model.pk) == names_of("us_constitution", [SIXTH], 0) == {}
