"""A language model at a loopback address says what it thinks of sentences that proof is unsure of, well and badly."""

import json

import pytest
from django.core.management import call_command

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.briefs.checking import check_brief
from retrieval.briefs.library import Source
from retrieval.briefs.opinions import UNSURE, Opinion, weighed
from retrieval.briefs.propositions import PropositionCheck
from retrieval.models import CacheEntry, LLMCall, LLMVerdict, Section
from retrieval.proof.types import Claim
from tests.builders import a_case_file
from tests.llm_server import FAILING, patience, says

pytestmark = pytest.mark.django_db
MAY_ASK = Caller(("key:1",), frozenset({"search", "pipelines"}))
RATIFIED = (
    "Whatever is proposed becomes part of the Constitution once two thirds of the States have ratified it. "
    "U.S. Const. art. V. My number is 123-45-6789."
)
QUOTE = "ratified by the Legislatures of three fourths of the several States"
SIGNED = "Article V also lets the President withhold his signature from a proposed amendment."


def opinion(supported: bool, quote: str = QUOTE, *, instructs: bool = False) -> str:
    return json.dumps({"instructs": instructs, "quote": quote, "supported": supported})


def checked(text: str = RATIFIED, caller: Caller = MAY_ASK, *, asked: bool = True):
    report = check_brief(text, caller=caller, opinion=asked)
    [check] = report.propositions
    return check, report.opinion


def test_what_proof_is_unsure_of_is_told_by_words_that_stand_in_the_law(configured_model):
    before, outcome = checked(asked=False)
    assert (before.claim.verdict, outcome, before.opinion) == ("supported", "", False)
    assert before.claim.confidence < UNSURE
    configured_model.behaviour = says(opinion(False))
    check, outcome = checked()
    assert (check.claim.verdict, check.findings, check.opinion) == ("not_found", ("unsupported",), True)
    assert outcome == "given" and check.to_dict()["opinion"] is True
    article = Section.objects.get(locator="/us/const/article/V", live=True, valid_to=None)
    assert article.text[slice(*check.claim.span)] == QUOTE
    assert (check.claim.start, check.claim.end) == (before.claim.start, before.claim.end)


def test_a_sentence_that_is_not_found_may_be_borne_out(configured_model):
    assert checked(SIGNED, asked=False)[0].findings == ("unsupported",)
    configured_model.behaviour = says(opinion(True))
    check, _ = checked(SIGNED)
    assert (check.claim.verdict, check.findings, check.opinion) == ("supported", (), True)


@pytest.mark.parametrize(
    "quote",
    ["", "three fourths", "ratified by three fourths of them", "ratified … of the several States", "[ratified] by the"],
)
def test_without_words_of_the_law_it_says_nothing(configured_model, quote):
    configured_model.behaviour = says(opinion(False, quote))
    assert checked()[0] == checked(asked=False)[0]


@pytest.mark.parametrize("name", ["error 500", "hangs", "refusing", "no json", "more than asked"])
def test_a_model_that_fails_leaves_all_as_it_is_and_says_so(configured_model, settings, name):
    settings.ARF_LLM = settings.ARF_LLM | {"timeout": patience(name)}
    configured_model.behaviour = FAILING[name]
    check, outcome = checked()
    assert check == checked(asked=False)[0] and outcome not in ("", "given")


def test_one_that_was_talked_to_says_nothing(configured_model):
    configured_model.behaviour = says(opinion(False, instructs=True))
    assert checked()[1] == "injected" and not checked()[0].opinion


def test_what_the_checks_found_and_what_proof_is_sure_of_is_not_asked(configured_model):
    configured_model.behaviour = says(opinion(True, "attained to the Age of thirty Years"))
    wrong = "A Senator must have attained the age of forty years, U.S. Const. art. I, § 3, cl. 3."
    check, outcome = checked(wrong)
    assert (check.findings, outcome) == (("contradicted",), "")
    checked(wrong.replace("forty", "thirty"))
    assert configured_model.asked == []


def test_it_is_asked_only_by_those_who_want_and_may_and_never_of_private_documents(configured_model):
    checked(asked=False)
    assert checked(caller=ANONYMOUS)[1] == ""
    a_case_file("The Okonkwo Lease", "The tenant keeps nineteen llamas in the yard.", granted_to=MAY_ASK)
    check, outcome = checked("The yard is where the tenant walks every morning. The Okonkwo Lease.")
    assert (check.sources, outcome, configured_model.asked) == ((), "", [])
    check, outcome = checked("The yard is no place for a proposal. The Okonkwo Lease, § 99; U.S. Const. art. V.")
    assert (check.sources, outcome, configured_model.asked) == ((), "", [])


def test_who_agrees_that_the_law_says_otherwise_takes_nothing_back():
    law = Source("/law", "§ 1", "The fee is paid by the owner of the land.")
    claim = Claim("The tenant pays the fee.", 0, 24, "contradicted", 0.6, span=(0, 10), source=0)
    check = PropositionCheck((0,), claim, ("contradicted",), sources=(law,), all_read=False)
    agreed = weighed(check, Opinion(False, "paid by the owner of the land"))
    assert (agreed.findings, agreed.claim, agreed.opinion) == (("contradicted",), claim, True)


def test_the_command_asks_where_it_is_told_to(configured_model, tmp_path, capsys):
    file = tmp_path / "brief.txt"
    file.write_text(RATIFIED)
    configured_model.behaviour = says(opinion(False))
    call_command("check_brief", file)
    assert "0 findings" in capsys.readouterr().out and configured_model.asked == []
    call_command("check_brief", file, "--opinion")
    assert "1 findings" in capsys.readouterr().out
    configured_model.behaviour = FAILING["refusing"]
    call_command("check_brief", file, "--opinion")
    assert "told nothing of some: refused" in capsys.readouterr().out


def test_nothing_of_it_is_kept_and_personal_data_is_not_sent(configured_model):
    configured_model.behaviour = says(opinion(False))
    kept = CacheEntry.objects.count(), LLMVerdict.objects.count()
    checked(), checked()
    assert len(configured_model.asked) == 2  # asked anew: no answer is remembered
    assert (CacheEntry.objects.count(), LLMVerdict.objects.count()) == kept
    assert set(LLMCall.objects.values_list("purpose", "outcome")) == {("claim", "answered")}
    system, user = (one["content"] for one in configured_model.asked[0]["messages"])
    assert "two thirds" in user and "three fourths" in user and "123-45" not in user
    assert "judge" in system
