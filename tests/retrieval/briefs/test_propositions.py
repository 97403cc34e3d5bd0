"""Sentences beside the law they cite."""

import pytest

from retrieval.briefs import propositions
from retrieval.briefs.checking import check_brief
from retrieval.engines.cross_encoders import CrossEncoder
from retrieval.models import Section
from retrieval.proof import entailment
from retrieval.proof.alignment import clauses
from retrieval.proof.types import Source
from tests.retrieval.briefs.cases import decisions  # noqa: F401

pytestmark = pytest.mark.django_db
AGE = "A Senator must have attained the age of {} years, U.S. Const. art. I, § 3, cl. 3."


def found(text):
    return [(check.claim.verdict, check.findings) for check in check_brief(text).propositions]


@pytest.mark.parametrize(
    "text",
    [
        "A Senator must have “attained to the Age of forty Years.” U.S. Const. art. I, § 3, cl. 3.",
        "A Senator must be forty, U.S. Const. art. XII.",
        "Nobody cites anything here.",
    ],
)
def test_who_quotes_or_cites_nothing_here_proposes_nothing(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (
            "Senators are picked by the legislature of their State. U.S. Const. art. I, § 3, cl. 1.",
            "outdated",
        ),
        (
            "A direct tax on incomes must still be apportioned by the census, U.S. Const. art. I, § 9, cl. 4.",
            "outdated",
        ),
        (
            "Under Article I, § 3, cl. 1, which stands unchanged, legislatures have their say.",
            "outdated",
        ),
        (
            "The President must be at least thirty five years old, U.S. Const. art. II, § 1, cl. 5. A man of forty "
            "must therefore wait, for nobody may be President before the age of fifty years.",
            "contradicted",
        ),
        (
            "The Fourth Amendment leaves houses and papers outside its protection.",
            "contradicted",
        ),
        (
            "The Eighth Amendment says that every prisoner is entitled to an interpreter free of charge.",
            "unsupported",
        ),
        (f"{AGE.format('thirty')} That clause demands the age of forty years.", "contradicted"),
        (
            "No soldier shall in time of peace be quartered in any house, U.S. Const. amend. XXVI, § 1.",
            "unsupported",
        ),
    ],
)
def test_what_the_law_cited_does_not_say_is_found(text, finding):
    (check,) = [check for check in check_brief(text).propositions if check.findings]
    assert check.findings == (finding,)


@pytest.mark.parametrize(
    "text",
    [
        "See, e.g., U.S. Const. amend. IV; cf. U.S. Const. amend. V.",
        "Accord, e.g., U.S. Const. amend. IV; contra U.S. Const. amend. V; see generally U.S. Const. amend. VI.",
        "Véase, p. ej., Enmienda IV; véase también, por ejemplo, Enmienda VIII.",
        "See, e.g., U.S. Const. amend. IV (emphasis added); but see U.S. Const. amend. V.",
    ],
)
def test_citations_alone_say_nothing(text):
    assert not [check for check in check_brief(text).propositions if check.findings]


def test_what_stands_in_brackets_behind_citations_alone_is_read():
    text = "See, e.g., U.S. Const. amend. VIII (every prisoner is entitled to an interpreter free of charge)."
    (check,) = check_brief(text).propositions
    assert check.findings == ("unsupported",) and check.claim.text.strip(" ().").startswith("every prisoner")


@pytest.mark.parametrize(
    "text",
    [
        "The Second Amendment forbids the rule.",
        "Senators are elected by the people of their State. U.S. Const. art. I, § 3, cl. 1.",
        "Senators were once picked by the legislature of their State. U.S. Const. art. I, § 3, cl. 1.",
        "This suit arises under the Eighth Amendment, whatever the interpreter of the prisoner may cost.",
        "The President is thirty five years old, U.S. Const. art. II, § 1, cl. 5. Jones therefore left 50 years ago.",
        "Marbury v. Madison, 5 U.S. 137 (1803), and the Eighth Amendment give every prisoner an interpreter free.",
    ],
)
def test_an_argument_or_the_law_of_today_is_none(text):
    told = {finding for check in check_brief(text).propositions for finding in check.findings}
    assert not told & {"outdated", "unsupported"}


def test_a_sentence_that_no_brief_has_is_left_and_that_is_told():
    place = "U.S. Const. art. I, § 8, cl. 11, "
    many = "The Congress may do as follows under {}: " + "(a) declare war; " * 300
    report = check_brief(many.format(place))
    assert not report.propositions and not report.complete
    report = check_brief(f"The Congress may declare war, {place * 30}and grant letters.")
    assert len(report.citations) == 30 and len(report.propositions) == 1 and report.complete


def test_a_decision_is_not_turned_round(decisions):  # noqa: F811
    mapp = "Facts. Old. Held. Evidence seized in an unlawful search cannot be used in a state's court."
    Section.objects.filter(heading="Mapp v. Ohio").update(text=mapp)
    said = "Mapp v. Ohio, 367 U.S. 643 (1961), {} a state's court use evidence seized in an unlawful search."
    (check,) = check_brief(said.format("lets")).propositions
    assert check.findings == ("contradicted",)
    assert check_brief(said.format("does not let")).propositions == ()


def test_what_cannot_be_read_is_told_as_not_looked_up(monkeypatch, tmp_path):
    monkeypatch.setattr(entailment, "model", lambda: CrossEncoder(tmp_path))
    report = check_brief(AGE.format("forty"))
    assert not report.propositions and not report.complete and report.citations


def test_the_place_is_that_of_the_sentence():
    text = f"Facts came first. {AGE.format('forty')}"
    (check,) = check_brief(text).propositions
    assert text[check.claim.start : check.claim.end].startswith("A Senator") and check.citations == (0,)


def test_a_source_is_read_once_however_many_sentences_cite_it(monkeypatch):
    read = []
    monkeypatch.setattr(
        propositions, "clauses", lambda source: read.append(source.locator) or clauses(source)
    )
    ages = check_brief(" ".join(AGE.format(years) for years in ("thirty", "forty", "fifty"))).propositions
    assert [check.findings for check in ages] == [(), ("contradicted",), ("contradicted",)]
    assert read == ["/us/const/article/I/section/3/clause/3"]


@pytest.mark.parametrize(("amount", "findings"), [("$130.00", ("unsupported",)), ("$200.00", ())])
def test_a_short_sentence_with_another_amount_of_money_is_found(amount, findings):
    law = (
        "(g) For filing a petition under one of the following sections which refers to this paragraph:\n"
        "By a small entity (§ 1.27(a)) $100.00\nBy other than a small or micro entity $200.00"
    )
    said = f"A fee of {amount} is due."
    _, found = propositions.proven(said, [Source("/us/cfr/t37/s1.17/g", "", law)], all_read=True, read=clauses)
    assert found == findings


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("Congress alone may declare war. U.S. Const. art. I, § 8, cl. 11.", ()),
        ("Only Congress may coin money. U.S. Const. art. I, § 8, cl. 5.", ()),
        ("Solo el Senado puede juzgar los juicios políticos. U.S. Const. art. I, § 3, cl. 6.", ()),
        ("The President alone may declare war. U.S. Const. art. I, § 8, cl. 11.", ("contradicted",)),
    ],
)
def test_who_alone_may_is_read_with_the_words_above_a_list(text, findings):
    assert [told for _, told in found(text)] == [findings]


def test_a_name_and_a_year_are_no_words_of_a_sentence():
    said = "Mapp v. Ohio,  (1961), lets evidence in."
    assert propositions.without_names(said, ["Mapp v. Ohio"]).split() == [",", ",", "lets", "evidence", "in."]
