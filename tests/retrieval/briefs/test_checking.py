"""Whole briefs: what is found wrong with them, and what is not."""

import logging
from datetime import date
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_system
from retrieval.briefs.checking import MAX_TEXT, check_brief, is_other_case
from retrieval.briefs.markup import notes
from retrieval.models import SearchLog, Section
from tests.builders import a_case_file, a_document, a_domain, a_section
from tests.files import column, pdf
from tests.retrieval.briefs.cases import an_opinion, decisions  # noqa: F401

pytestmark = pytest.mark.django_db
ANN = Caller(("user:1001",))


def findings(text, **asked):
    """(what was found, the words it was found in)."""
    report = check_brief(text, **asked)
    return [(found.kind, text[found.start : found.end]) for found in report.findings]


def test_a_brief_of_many_citations_asks_hardly_more_than_one_of_few(decisions):  # noqa: F811
    few, many = statements_for(5), statements_for(200)
    assert many <= few + 8  # of each article or title cited as a whole the first provisions are read apart


def statements_for(count):
    """How many statements a brief sends that cites so many provisions, a quarter of which are not here."""
    kinds = (
        "Rule {0} is kept by U.S. Const. amend. {1}. ",
        "Rule {0} is kept by U.S. Const. art. I, § {0}, cl. 77. ",
        "Rule {0} is kept by Miranda v. Arizona, 384 U.S. {0} (1966). ",
        "Rule {0} is kept by 42 U.S.C. § {0}. ",
        "Rule {0} is kept by U.S. Const. art. I, § 8, cl. {0}. ",
    )
    sentences = (kinds[n % len(kinds)].format(n, "IV" if n % 2 else "XIV, § 1") for n in range(count))
    with CaptureQueriesContext(connection) as sent:
        report = check_brief("".join(sentences))
    assert len(report.citations) == count
    return len(sent)


@pytest.mark.parametrize(
    "text",
    [
        "Congress “shall make no law respecting an establishment of religion.” U.S. Const. amend. I.",
        "The Fourth Amendment guarantees “[t]he right of the people to be secure . . . against unreasonable searches.”",
        "“Representatives shall be apportioned among the several States.” U.S. Const. amend. XIV, §§ 1–2.",
        "«A nadie le quitarán la vida sin un juicio justo», Enmienda XIV, sección 1, dice otra traducción.",
        "«El Congreso no hará ley alguna», Enmienda I.",
        "«Ningún Estado podrá privar a ninguna persona de la vida», Enmienda XIV, sección 1.",
        "Segregation was upheld in Plessy v. Ferguson, 163 U.S. 537 (1896), which Brown overruled.",
        "See Brown v. Bd. of Educ., 347 U.S. 483 (1954); Mapp v. Ohio, 367 U.S. 643, 655 (1961). Id. at 656.",
        "“Nothing of this is in our law.” Smith v. Jones, 123 F.3d 456 (9th Cir. 1997).",
        "The officer said “I smelled something burnt” before he broke U.S. Const. amend. IV.",
        "Mapp, 367 U.S. at 655, is said to say “an ignoble shortcut.”",
        "The so-called “fruit of the poisonous tree” is known from the Fourth Amendment.",
        "“The Congress shall have Power … To coin Money.” U.S. Const. art. I, § 8, cl. 5.",
        "“The Congress shall have Power To coin Money.” U.S. Const. art. I, § 8, cl. 5.",
        "Repealed in 1933, the Eighteenth Amendment forbade liquor.",
    ],
)
def test_a_sound_brief_has_no_findings(decisions, text):  # noqa: F811
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("See U.S. Const. amend. XIV, § 9.", "unknown", "U.S. Const. amend. XIV, § 9"),
        ("The Twenty-Eighth Amendment forbids it.", "unknown", "Twenty-Eighth Amendment"),
        ("See U.S. Const. amend. XVIII, § 1.", "superseded", "U.S. Const. amend. XVIII, § 1"),
        ("Plessy v. Ferguson, 163 U.S. 537 (1896), governs.", "overruled", "163 U.S. 537"),
        ("Miranda v. Arizona, 384 U.S. 436 (1967).", "year", "384 U.S. 436"),
        ("Mapp v. Ohio, 384 U.S. 436 (1966).", "name", "384 U.S. 436"),
        ("Mapp v. Ohio, 376 U.S. 643 (1961).", "unknown", "376 U.S. 643"),
        ("Miranda v. Arizona, 384 U.S. 436 (1966), was overruled by Mapp v. Ohio.", "overruling", "384 U.S. 436"),
        ("Plessy v. Ferguson, 163 U.S. 537 (1896), was never overruled.", "overruled", "163 U.S. 537"),
        ("Tate v. Boone, 641 U.S. 902 (1991).", "unknown", "641 U.S. 902"),
        ("Ohio v. Roberts, 448 U.S. 56 (1980), governs.", "overruled", "448 U.S. 56"),
        (
            "“[N]o Warrants shall issue, but upon reasonable cause.” U.S. Const. amend. IV.",
            "altered",
            "“[N]o Warrants shall issue, but upon reasonable cause.”",
        ),
        (
            "“The Congress shall have Power To coin Silver.” U.S. Const. art. I, § 8, cl. 5.",
            "altered",
            "“The Congress shall have Power To coin Silver.”",
        ),
        ("«El Congreso dictará ley alguna», Enmienda I.", "altered", "«El Congreso dictará ley alguna»"),
        (
            "The Fifth Amendment says that “the right of the people to keep and bear Arms, shall not be infringed.”",
            "misplaced",
            "“the right of the people to keep and bear Arms, shall not be infringed.”",
        ),
        (
            "“A llama may graze on any public square.” U.S. Const. amend. IV.",
            "not_found",
            "“A llama may graze on any public square.”",
        ),
    ],
)
def test_what_is_wrong_is_found_where_it_stands(decisions, text, kind, words):  # noqa: F811
    assert findings(text) == [(kind, words)]


def test_the_account_tells_which_words_differ_and_where_others_stand():
    text = "The Fifth Amendment says that “the right of the people to keep and bear Arms, shall not be infringed.”"
    told = check_brief(text).to_dict()
    (quotation,) = told["quotations"]
    assert (quotation["citation"], quotation["status"]) == (0, "not_found")
    assert quotation["elsewhere"]["locator"] == "/us/const/amendment/II"
    assert quotation["elsewhere"]["text"].startswith("the right of the people to keep")
    told = check_brief("“Congress may make no law.” U.S. Const. amend. I.").to_dict()
    assert told["quotations"][0]["differences"] == [{"quoted": "may", "source": "shall"}]
    assert told["citations"][0]["found"]["url"] == "/law/us/const/amendment/I"


def test_the_day_decides(decisions):  # noqa: F811
    text = "Plessy v. Ferguson, 163 U.S. 537 (1896); Miranda v. Arizona, 384 U.S. 436 (1966)."
    assert findings(text, as_of=date(1950, 1, 1)) == [("not_yet_in_force", "384 U.S. 436")]
    told = check_brief(text).to_dict()["citations"][0]
    assert (told["status"], told["standing"]) == ("overruled", "overruled")
    assert told["history"][0]["by"] == "/us/scotus/347/483"


def test_an_opinion_that_is_here_is_compared(decisions):  # noqa: F811
    an_opinion("/us/scotus/367/643", "The ignoble shortcut to conviction left open to the State is closed.")
    text = "Mapp v. Ohio, 367 U.S. 643 (1961), closed “[t]he noble shortcut to conviction left open to the State.”"
    assert [kind for kind, _ in findings(text)] == ["altered"]


@pytest.mark.parametrize(
    ("said", "of", "kinds"),
    [
        ("The Court held that “{0}” Mapp v. Ohio, 367 U.S. 643, 672 (1961).", "dissent", ["opinion"]),
        ("The Court held that “{0}” Mapp v. Ohio, 367 U.S. 643, 672 (1961) (Harlan, J., dissenting).", "dissent", []),
        ("Justice Harlan dissented. He wrote that “{0}” Mapp v. Ohio, 367 U.S. 643, 672 (1961).", "dissent", []),
        ("“{0}” Mapp v. Ohio, 367 U.S. 643, 655 (1961) (Harlan, J., dissenting).", "majority", ["opinion"]),
        ("The Court held that “{0}” Mapp v. Ohio, 367 U.S. 643, 655 (1961).", "majority", []),
    ],
)
def test_whose_words_are_quoted_is_compared(decisions, said, of, kinds):  # noqa: F811
    words = {"majority": "the ignoble shortcut is closed at last.", "dissent": "a loaded pistol lies at every door."}
    for kind, text in words.items():
        an_opinion("/us/scotus/367/643", text, kind)
    report = check_brief(said.format(words[of]))
    assert [found.kind for found in report.findings] == kinds
    assert (report.verification == "verified") is not bool(kinds)
    assert report.quotations[0].source.locator == f"/us/scotus/367/643/opinion/{of}"


def test_words_of_another_paragraph_are_not_at_the_place_cited(db):
    section = Section.objects.get(locator="/us/const/amendment/II")
    section.anchors.create(locator=f"{section.locator}/a", level="paragraph", number="a", start=0, end=40)
    Section.objects.filter(pk=section.pk).update(locator="/us/usc/t8/s1158")
    section.anchors.update(locator="/us/usc/t8/s1158/a")
    assert findings("“A well regulated Militia.” 8 U.S.C. § 1158(a).") == []
    assert [kind for kind, _ in findings("“to keep and bear Arms.” 8 U.S.C. § 1158(a).")] == ["misplaced"]


def test_private_documents_are_checked_for_those_who_may_read_them_alone():
    a_case_file("The Okonkwo Lease", "The tenant keeps nineteen llamas.", granted_to=ANN)
    text = "“The tenant keeps ninety llamas.” The Okonkwo Lease."
    assert [kind for kind, _ in findings(text, caller=ANN)] == ["altered"]
    assert [kind for kind, _ in findings("See The Okonkwo Lease, § 9.", caller=ANN)] == ["unknown"]
    for stranger in (ANONYMOUS, Caller(("user:1002",))):
        told = check_brief(text, caller=stranger).to_dict()
        assert told["citations"] == [] and "nineteen" not in str(told)


def test_a_title_that_documents_share_is_told_with_each_of_them():
    """A place in it too; what is withdrawn is none of them."""
    leases = [a_case_file("The Okonkwo Lease", granted_to=ANN) for _ in range(3)]
    for lease, llamas in zip(leases, ("nineteen", "ninety", "no"), strict=True):
        place = {"number": "4", "citation": f"{lease.title}, § 4", "locator": f"{lease.locator}/4"}
        a_section(lease, f"The tenant keeps {llamas} llamas.", **place)
    said = "“The tenant keeps {} llamas.” The Okonkwo Lease{}."
    withdraw(leases[2])
    for at in (", § 4", ""):
        report = check_brief(said.format("ninety", at), caller=ANN)
        assert [finding.kind for finding in report.findings] == ["shared", "shared"]
        assert [note.url.split("/")[-1 - bool(at)] for note in notes(report)] == [
            lease.locator.split("/")[-1] for lease in leases[:2]
        ]
        assert all(note.name.endswith(" p.m.") or note.name.endswith(" a.m.") for note in notes(report))
        assert [check.status for check in report.quotations] == ["exact"]
    withdraw(leases[1])
    for at in (", § 4", ""):
        report = check_brief(said.format("nineteen", at), caller=ANN)
        assert report.verification == "verified" and len(report.citations) == 1


def withdraw(document):
    with as_system():
        document.sections.update(valid_to=timezone.localdate())


def test_public_documents_of_ones_own_are_checked():
    domain = a_domain(name="Marlow County Code")
    document = a_document(domain, title="Marlow County Code, Title 4 (Animals)")
    place = {"number": "4-12", "citation": f"{document.title}, § 4-12"}
    a_section(document, "An officer may impound a dog for five days.", **place)
    said = "“may impound a dog for nine days.”"
    for citation in (place["citation"], "County Code sec. 4-12(b)"):
        assert [kind for kind, _ in findings(f"{said} {citation}.")] == ["altered"]
    for citation in (f"{document.title}, § 4-99", "County Code § 4-99"):
        assert findings(f"See {citation}.") == [("unknown", citation)]
    assert findings("See Orange County Code § 4-99.") == []


def test_where_words_stand_elsewhere_is_told_of_what_the_caller_reads_alone():
    a_case_file("The Okonkwo Lease", "The tenant keeps nineteen llamas in the yard.", granted_to=ANN)
    text = "“The tenant keeps nineteen llamas in the yard.” U.S. Const. amend. IV."
    assert [kind for kind, _ in findings(text, caller=ANN)] == ["misplaced"]
    assert [kind for kind, _ in findings(text)] == ["not_found"]


def test_nothing_of_a_brief_is_logged(caplog):
    with caplog.at_level(logging.DEBUG):
        check_brief(
            "“A marmalade clause nobody wrote at all.” U.S. Const. amend. IV; Marmalade v. Jam, 1 F.3d 2."
        )
    assert "armalade" not in caplog.text
    assert not SearchLog.objects.exists()


def test_a_search_that_does_not_work_is_told(settings, tmp_path):
    settings.ARF_LEXICAL_DIR = tmp_path / "nowhere"
    assert not check_brief("“A llama may graze on any public square.” U.S. Const. amend. IV.").complete
    assert check_brief("U.S. Const. amend. IV.").complete


def test_a_brief_of_the_greatest_length_is_checked_in_time():
    text = "“No llama may graze, nor any goat” U.S. Const. amend. IV. " * (MAX_TEXT // 60)
    report = check_brief(text)
    assert not report.complete and len(report.citations) == 500


@pytest.mark.parametrize(("times", "status"), [(20, "not_found"), (120, "unchecked")])
def test_a_quotation_of_thousands_of_words_is_found_word_by_word_or_not_compared(times, status):
    said = "the right of the people of the goats to be secure in all their llamas and houses shall not be " * times
    (quotation,) = check_brief(f"The Fourth Amendment says “{said}” U.S. Const. amend. IV.").quotations
    assert quotation.status == status


@pytest.mark.parametrize(
    ("name", "heading", "other"),
    [
        ("Brown v. Bd. of Educ.", "Brown v. Board of Education", False),
        ("INS v. Cardoza-Fonseca", "Immigration and Naturalization Service v. Cardoza-Fonseca", False),
        (
            "Nat'l Fed'n of Indep. Bus. v. Sebelius",
            "National Federation of Independent Business v. Sebelius",
            False,
        ),
        ("Roe v. Wade", "Miranda v. Arizona", True),
        ("In re Winship", "In re Gault", True),
        ("Brown v. Plata", "Brown v. Board of Education", True),
        ("Miranda v. Ohio", "Miranda v. Arizona", True),
        ("See Katz v. Arizona", "Miranda v. Arizona", True),
        ("Miranda v. State", "Miranda v. Arizona", False),
        ("FCC v. Holder", "Shelby County v. Holder", False),
        ("Brown v. Topeka Sch. Dist.", "Brown v. Board of Education", False),
    ],
)
def test_names_are_read_in_full_or_short(name, heading, other):
    assert is_other_case(name, Section(level="case", heading=heading), None) is other


def test_a_case_with_another_party_is_another(decisions):  # noqa: F811
    text = "The warnings are due. Miranda v. Ohio, 384 U.S. 436 (1966)."
    assert findings(text) == [("name", "384 U.S. 436")]


def test_a_volume_that_is_not_printed_is_found():
    assert findings("So it is. Smith v. Imaginary, 999 U.S. 999 (2047).") == [("unknown", "999 U.S. 999")]


def test_an_empty_brief_is_sound():
    assert check_brief("").to_dict()["findings"] == []


@pytest.mark.parametrize("form", [[], ["--json"], ["--html"]])
def test_the_command_tells_what_is_wrong_with_a_file(form, tmp_path):
    brief = tmp_path / "brief.txt"
    brief.write_text("Congress “may make no law.” U.S. Const. amend. I. Nothing is kept of it.")
    call_command("check_brief", str(brief), *form, stdout=(printed := StringIO()))
    assert "U.S. Const. amend. I" in printed.getvalue() and "shall" in printed.getvalue()


def test_the_command_names_pages_of_which_nothing_was_read(tmp_path):
    brief = tmp_path / "brief.pdf"
    brief.write_bytes(pdf(column("See U.S. Const. amend. I."), "scan"))
    call_command("check_brief", str(brief), stdout=(printed := StringIO()))
    assert "nothing on them was read: 2." in printed.getvalue()
