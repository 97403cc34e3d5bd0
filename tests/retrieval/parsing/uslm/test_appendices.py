"""Appendices of titles, after the form in which uscode.house.gov publishes usc05A, usc11a, usc18a and usc28a: rules of
court, acts and reorganization plans, with their notes and credits.
"""

import pytest

from retrieval.citations.citation import cite
from retrieval.parsing.uslm.reader import LeafPolicy, read

APPENDIX = """<?xml version="1.0" encoding="UTF-8"?>
<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xml:lang="en"
    identifier="/us/usc/t{title}a"><meta><dc:title>Title {title}a</dc:title><dc:type>USCTitleAppendix</dc:type>
  <docNumber>{title}a</docNumber><docPublicationName>Online@119-84</docPublicationName></meta>
  <main><appendix identifier="/us/usc/t{title}a"><num value="{title}a">TITLE {title}—</num><heading>APPENDIX</heading>
    {body}</appendix></main></uscDoc>"""
CIVIL = """<courtRules identifier="/us/usc/t28a/courtRules/Civil"><heading>FEDERAL RULES OF CIVIL PROCEDURE</heading>
  <note topic="miscellaneous"><p>(As amended to December 1, 2024)</p></note>
  <toc><layout><tocItem><column>Rule 6.</column></tocItem></layout></toc>
  <title identifier="/us/usc/t28a/courtRules/Civil/tII"><num value="II">TITLE II.</num><heading> COMMENCING</heading>
    <courtRule identifier="/us/usc/t28a/courtRules/Civil/rule6"><num value="6">Rule 6.</num>
      <heading> Computing and Extending Time</heading>
      <subsection identifier="/us/usc/t28a/courtRules/Civil/rule6/a"><num value="a">(a)</num>
        <heading>Computing Time.</heading><chapeau>These rules apply:</chapeau>
        <paragraph identifier="/us/usc/t28a/courtRules/Civil/rule6/a/1"><num value="1">(1)</num>
          <content>Exclude the first day.<ref class="footnoteRef" idref="fn1">1</ref><note type="footnote"
            id="fn1"><num>1</num> So in original.</note></content></paragraph></subsection>
      <sourceCredit>(As amended Dec. 27, 1946, eff. Mar. 19, 1948.)</sourceCredit>
      <notes type="uscNote"><note topic="committee"><heading>Notes of Advisory Committee on Rules—1937</heading>
        <p>See <ref href="/us/usc/t28/s2072">section 2072 of this title</ref>.</p></note></notes></courtRule></title>
  <level><heading>SUPPLEMENTAL RULES FOR SOCIAL SECURITY ACTIONS</heading>
    <courtRule identifier="/us/usc/t28a/courtRules/Civil/rule6"><num value="6">Rule 6.</num>
      <heading> Plaintiff’s Brief</heading><content>The plaintiff must file a brief.</content></courtRule></level>
</courtRules>"""
BANKRUPTCY = """<courtRules><heading>FEDERAL RULES OF BANKRUPTCY PROCEDURE</heading>
  <part><num value="I">PART I—</num><heading>COMMENCEMENT</heading>
    <courtRule identifier="/us/usc/rule1001"><num value="1001">Rule 1001.</num><heading>Scope</heading>
      <content>These rules govern.</content></courtRule>
    <courtRule><num value="1002">Rule 1002.</num><heading>Petition</heading>
      <subsection><num value="a">(a)</num><content>A petition.</content></subsection></courtRule></part></courtRules>"""
SECRETS = """<compiledAct identifier="/us/usc/t18a/pl/96/456"><heading>CLASSIFIED INFORMATION PROCEDURES ACT</heading>
  <note topic="enacting"><p>Pub. L. 96–456, Oct. 15, 1980, 94 Stat. 2025</p></note>
  <section identifier="/us/usc/t18a/pl/96/456/s1"><num value="1">§ 1.</num><heading> Definitions</heading>
    <subsection identifier="/us/usc/t18a/pl/96/456/s1/a"><num value="a">(a)</num>
      <content>“Classified information”, as used in this Act.</content></subsection>
    <sourceCredit>(Pub. L. 96–456, § 1, Oct. 15, 1980, 94 Stat. 2025.)</sourceCredit></section>
  <section status="repealed"><num value="17">[§ 17.</num><heading> Repealed.]</heading></section></compiledAct>"""
PLANS = """<reorganizationPlans><heading>REORGANIZATION PLANS</heading>
  <reorganizationPlan identifier="/us/usc/t5a/reorgPlan/1939/I"><heading>REORGANIZATION PLAN NO. I OF 1939</heading>
    <note topic="effective"><p>Eff. July 1, 1939, 4 F.R. 2727</p></note>
    <part><num value="1">Part 1.</num><heading>Executive Office</heading>
      <section><num value="1">Section 1.</num><heading>Bureau of the Budget</heading>
        <content>The Bureau is transferred.</content></section></part></reorganizationPlan>
  <presidentialDocs><heading>MESSAGES</heading><presidentialDoc><heading>Message of the President</heading>
    <content><p>To the Congress of the United States.</p></content></presidentialDoc></presidentialDocs>
</reorganizationPlans>"""


def appendix(title, body):
    return read(APPENDIX.format(title=title, body=body).encode(), leaf=LeafPolicy.SECTION)


def places(document):
    return {node.locator: node for node in document.root.walk()}


def test_an_appendix_is_a_document_of_its_own():
    document = appendix(28, CIVIL)
    assert (document.identifier, document.publication) == ("/us/usc/t28a", "Online@119-84")
    assert (document.root.level, cite(document.identifier)) == ("appendix", "28 U.S.C. app.")


def test_a_rule_of_court_is_read_as_a_section_with_its_notes_apart():
    rule = places(appendix(28, CIVIL))["/us/usc/t28a/courtRules/Civil/rule6"]
    assert (rule.number, rule.heading) == ("6", "Computing and Extending Time")
    assert rule.text == "(a) Computing Time.— These rules apply:\n(1) Exclude the first day.¹"
    assert rule.notes == (
        "1 So in original.",
        "(As amended Dec. 27, 1946, eff. Mar. 19, 1948.)",
        "Notes of Advisory Committee on Rules—1937\nSee section 2072 of this title.",
    )
    assert [anchor.locator for anchor in rule.anchors] == [f"{rule.locator}/a", f"{rule.locator}/a/1"]
    assert [(ref.locator, ref.start) for ref in rule.refs] == [("/us/usc/t28/s2072", -1)]


def test_supplemental_rules_of_the_same_numbers_are_told_apart():
    found = places(appendix(28, CIVIL))
    assert found["/us/usc/t28a/courtRules/Civil"].notes == ("(As amended to December 1, 2024)",)
    assert found["/us/usc/t28a/courtRules/Civil/rule6~2"].heading == "Plaintiff’s Brief"


def test_rules_whose_identifiers_name_no_title_or_that_have_none_are_found_by_their_numbers():
    found = places(appendix(11, BANKRUPTCY))
    assert [locator for locator, node in found.items() if node.text] == [
        "/us/usc/t11a/courtRules/rule1001", "/us/usc/t11a/courtRules/rule1002",
    ]  # fmt: skip
    second = found["/us/usc/t11a/courtRules/rule1002"]
    assert [anchor.locator for anchor in second.anchors] == [f"{second.locator}/a"]


def test_an_act_in_an_appendix_keeps_its_sections():
    found = places(appendix(18, SECRETS))
    assert found["/us/usc/t18a/pl/96/456"].notes == ("Pub. L. 96–456, Oct. 15, 1980, 94 Stat. 2025",)
    first, last = found["/us/usc/t18a/pl/96/456/s1"], found["/us/usc/t18a/pl/96/456/s17"]
    assert first.text == "(a) “Classified information”, as used in this Act."
    assert first.notes == ("(Pub. L. 96–456, § 1, Oct. 15, 1980, 94 Stat. 2025.)",)
    assert (last.text, last.status) == ("", "repealed")


def test_a_reorganization_plan_is_one_provision_with_its_sections_as_places():
    found = places(appendix(5, PLANS))
    plan = found["/us/usc/t5a/reorgPlan/1939/I"]
    assert plan.text == "Part 1. Executive Office\nSection 1. Bureau of the Budget.— The Bureau is transferred."
    assert [anchor.locator for anchor in plan.anchors] == [f"{plan.locator}/pt1", f"{plan.locator}/s1"]
    assert plan.notes == ("Eff. July 1, 1939, 4 F.R. 2727",)
    [message] = (node for node in found.values() if node.level == "presidentialDoc")
    assert message.text == "To the Congress of the United States."


@pytest.mark.parametrize(
    ("title", "body"), [(28, CIVIL), (11, BANKRUPTCY), (18, SECRETS), (5, PLANS)], ids=str
)
def test_every_place_of_an_appendix_is_below_it_and_what_may_be_cited_has_its_form(title, body):
    document = appendix(title, body)
    assert all(f"{node.locator}/".startswith(f"{document.identifier}/") for node in document.root.walk())
    cited = {"courtRule", "section", "reorganizationPlan"}
    assert all(cite(n.locator.partition("~")[0]) for n in document.root.walk() if n.level in cited)
