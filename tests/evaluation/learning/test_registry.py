"""Models are deployed only if they can serve, and taken back."""

import pytest
from django.urls import reverse

from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval.models import RankerModel
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.stages.reranker.artifact import pack
from tests.evaluation.learning.rerankers import model, of_other_features
from tests.rerankers import some_reranker
from tests.retrieval.admin.staff import staff

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("action", ["deploy", "shadow"])
def test_a_model_that_cannot_serve_is_not_put_in_force(client, action):
    staff(client, "Administrator")
    champion = model("old", status="active")
    artifact = of_other_features(pack(some_reranker(), seed=1))
    other = RankerModel.objects.create(family="f", sha256=registry.sha256(artifact), artifact=artifact)
    press = reverse("admin:retrieval_rankermodel_do", args=[other.pk, action])
    assert "trained on other features" in client.post(press, follow=True).content.decode()
    other.refresh_from_db()
    assert (registry.active(), other.status) == (champion, "candidate")


def test_a_deployed_model_serves_at_once_and_can_be_rolled_back():
    def note() -> str:
        answer = search(SearchRequest(text="who may search my house", pipeline="learned"))
        return next(s["note"] for s in answer["stages"] if s["name"] == "LearnedReranker")

    assert note() == "no reranker is deployed"
    models = []
    for seed in (1, 2):
        artifact = pack(some_reranker(), seed=seed)
        models.append(registry.save(Trained(artifact, {"family": "a test"})))
        registry.deploy(models[-1])
        assert note().startswith(f"model {models[-1].sha256[:8]};")
    assert registry.rollback() == models[0]
    assert note().startswith(f"model {models[0].sha256[:8]};")
    assert RankerModel.objects.filter(status="active").count() == 1
