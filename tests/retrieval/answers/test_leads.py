"""What is said above the law that is quoted."""

import pytest

from retrieval.answers.service import AnswerRequest, answer
from retrieval.corpus import decided_cases
from retrieval.models import Domain
from tests.builders import a_document, a_section, embedded

DECISIONS = (
    ("/us/scotus/198/45", "Lochner v. New York", "Lochner", "Held. A limit on bakers' hours deprived them of liberty."),
    ("/us/scotus/300/379", "West Coast Hotel Co. v. Parrish", "West Coast Hotel",
     "Held. A minimum wage is a fair rule. The law was upheld and Adkins was overruled."),
    ("/us/scotus/323/214", "Korematsu v. United States", "Korematsu", "Held. The exclusion was upheld in war."),
    ("/us/scotus/585/667", "Trump v. Hawaii", "Trump v. Hawaii",
     "Held. No. The statute gives the President discretion to suspend entry of aliens."),
    ("/us/scotus/576/644", "Obergefell v. Hodges", "Obergefell",
     "Held. Yes. States must license marriages of two people of the same sex. Baker v. Nelson was overruled."),
)  # fmt: skip


@pytest.fixture
def decisions(db, monkeypatch):
    monkeypatch.setattr(decided_cases, "_known", {})
    for locator, name, short, text in DECISIONS:
        document = a_document(Domain.objects.get(slug="supreme_court_cases"), locator=locator, title=name)
        known = {"locator": locator, "level": "case", "heading": name, "plain_name": short}
        embedded(a_section(document, text, **known))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Was Obergefell overruled?", "Nothing that is known here overruled Obergefell v. Hodges"),
        ("Is Korematsu still good law?", "Korematsu v. United States was overruled on June 26, 2018 by 585 U.S. 667."),
        ("Has Lochner been overruled?", "Later law departs from Lochner v. New York or limits it: 300 U.S. 379,"),
        ("what overruled Korematsu", "Korematsu v. United States was overruled on June 26, 2018 by 585 U.S. 667."),
        ("¿Sigue vigente Korematsu?", "Korematsu v. United States fue anulada el 26 de junio de 2018"),
    ],
)
def test_what_became_of_a_decision_is_told_first(decisions, question, told):
    first, *others = answer(AnswerRequest(question))["answer"]
    assert (first["kind"], first["text"].startswith(told)) == ("lead", True)
    assert others and {one["kind"] for one in others} == {"law"}
    assert not [one for one in others if "was overruled" in one["text"]]


def test_what_a_decision_holds_is_not_that_it_overruled_another(decisions):
    told = answer(AnswerRequest("What did the Court hold in Obergefell v. Hodges?"))["answer"]
    assert told and not [one for one in told if "Baker" in one["text"]]
