"""Citations of the US Constitution, and whether words around an amendment or article make it another text's."""

import pytest

from retrieval.citations import constitution
from retrieval.citations.citation import Source
from retrieval.citations.finding import absent_provision, find_citations, only_citation
from retrieval.citations.heads import TAIL, heads, with_tail


def around(text):
    source = Source.of(text)
    head = next(heads(source.folded))
    own = constitution.has_own_articles(source.folded)
    kept = constitution.taken_in(source, head, with_tail(source.folded, head, TAIL), own_articles=own)
    return kept and text[kept.start : kept.end]


@pytest.mark.parametrize(
    ("text", "taken_in"),
    [
        ("the First Amendment applies", "First Amendment"),
        ("U.S. Const. art. III applies", "U.S. Const. art. III"),
        ("Article II of the Constitution", "Article II of the Constitution"),
        ("in California, Article III courts", "Article III"),
    ],
)
def test_the_constitutions_name_is_taken_in(text, taken_in):
    assert around(text) == taken_in


@pytest.mark.parametrize(
    "text",
    [
        "Article 2 of the Uniform Commercial Code",
        "the first amendment to the lease",
        "Cal. Const. art. I",
        "an amendment 2 years ago",
        "Colorado Amendment 2",
        "the amendment I proposed",
        "UCC Article 2",
        "the second article of amendment to the charter",
        "Article 3 of the amendment to the agreement",
        "As set out in Article 3 of the Amendment, rent rises.",
        "The parties agree that Article II of the Amendment shall control.",
        "as amended by Article 2 of Amendment No. 4",
        "Section 3 and Article 5 of the amendment (Exhibit B)",
        "the fourth article of the Amendment",
        "El artículo 3 de la enmienda modifica el contrato",
        "Article 5 GDPR",
        "Article 3 CAT claims",
        "the May 5th amendment",
        "Article V of the Texas Constitution",
        "article 7 ways to save money",
        "articulo 3 razones para mudarse",
        "COMPACT\nArticle I.\nThe states. Article II is void.",
    ],
)
def test_what_is_another_texts(text):
    assert around(text) is None


def test_a_text_of_articles_means_its_own():
    assert constitution.has_own_articles("compact\narticle i.\nthe states")
    assert not constitution.has_own_articles("article i says")


def locators(matches):
    return [item.locator for match in matches for item in match.items]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("the preamble to the constitution", "/us/const/preamble"),
        ("see U.S. Const. amend. XIV, § 1", "/us/const/amendment/XIV/section/1"),
        ("article VI, section 2", "/us/const/article/VI/clause/2"),
        ("la 4a. enmienda", "/us/const/amendment/IV"),
        ("la 14.a enmienda dice", "/us/const/amendment/XIV"),
        ("Article III US Constitution", "/us/const/article/III"),
        ("ARTICLE III STANDING", "/us/const/article/III"),
        ("Art. I, § 8, cl. 3 of the Constitution", "/us/const/article/I/section/8/clause/3"),
    ],
)
def test_a_citation_inside_a_sentence(text, locator):
    assert locators(constitution.find(Source.of(text))) == [locator]


@pytest.mark.parametrize(
    "text",
    [
        "amend. IV and amend. V", "Amend. IV and V", "U.S. Const. amend. IV, V", "What do amend. IV or amend. V say?",
        "amdt. iv & amdt. v",
    ],
)  # fmt: skip
def test_shortened_amendments_are_listed(text):
    assert locators(constitution.find(Source.of(text))) == ["/us/const/amendment/IV", "/us/const/amendment/V"]


def test_a_shortened_list_may_be_all_of_a_query():
    assert locators(constitution.find_loose(Source.of("amend. IV, V"))) == [
        "/us/const/amendment/IV", "/us/const/amendment/V"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("Amend. IV and I say so", "/us/const/amendment/IV"),
        ("U.S. Const. amend. XIV, 1", "/us/const/amendment/XIV"),
    ],
)
def test_what_follows_an_amendment_is_not_always_another(text, locator):
    assert locators(constitution.find(Source.of(text))) == [locator]


@pytest.mark.parametrize("text", ["They amend. IV drips do.", "I amend IV and amend V", "we amend. I and you repeal"])
def test_a_verb_is_no_shortened_amendment(text):
    assert locators(constitution.find(Source.of(text))) == []


@pytest.mark.parametrize(
    "text", ["the preamble of the treaty", "I.8.3", "fifth", "the first amendment to the lease"]
)
def test_what_is_too_loose_for_a_sentence(text):
    assert locators(constitution.find(Source.of(text))) == []


def test_numbers_alone_are_a_whole_query():
    assert "/us/const/article/I/section/8/clause/3" in locators(constitution.find_loose(Source.of("I.8.3")))
    assert "/us/const/article/II/section/1" in locators(constitution.find_loose(Source.of("artIIsec1")))


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("fifth", "/us/const/amendment/V"),
        ("14A", "/us/const/amendment/XIV"),
        ("xiv", "/us/const/amendment/XIV"),
        ("preamble", "/us/const/preamble"),
        ("v", None),
        ("3d", None),
        ("house", None),
    ],
)
def test_a_bare_number_is_an_amendment_where_it_can_be_nothing_else(text, locator):
    found = constitution.find_bare(Source.of(text), 0, len(text))
    assert (found and found.items[0].locator) == locator


def test_a_bare_list_is_of_amendments():
    found = constitution.find_bare_list(Source.of("5th & 14th"))
    assert locators([found]) == ["/us/const/amendment/V", "/us/const/amendment/XIV"]
    assert constitution.find_bare_list(Source.of("5 & 14")) is None


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("14th sec 1", ("amendment", 14, [1], [])),
        ("xiv § 1", ("amendment", 14, [1], [])),
        ("section 5 of the fourteenth", ("amendment", 14, [5], [])),
        ("a1s8c3", ("article", 1, [8], [3])),
        ("arti.s8.c3", ("article", 1, [8], [3])),
        ("amend. 25(4)", ("amendment", 25, [4], [])),
        ("i § 8 cl 3", ("article", 1, [8], [3])),
    ],
)
def test_a_section_is_read_from_few_letters(text, read):
    head = next(constitution.short_heads(text))
    told = ([n.value for n in head.sections], [n.value for n in head.clauses])
    assert (head.kind, head.numbers[0].value, *told) == read


@pytest.mark.parametrize("text", ["14th sec 9", "section 2 of 4", "amend. 25(5)", "a1b2c3", "2nd § 1"])
def test_a_section_that_does_not_exist_is_none(text):
    assert list(constitution.short_heads(text)) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("28th amendment", "U.S. Const. amend. XXVIII"),
        ("What does the thirtieth amendment say?", "U.S. Const. amend. XXX"),
        ("amendment 99", "U.S. Const. amend. 99"),
        ("Amend. XXVIII", "U.S. Const. amend. XXVIII"),
        ("Article VIII", "U.S. Const. art. VIII"),
        ("article 9", "U.S. Const. art. IX"),
        ("artículo 9", "U.S. Const. art. IX"),
        ("enmienda 28", "U.S. Const. amend. XXVIII"),
        ("Amendment 0", "U.S. Const. amend. 0"),
        ("article 0", "U.S. Const. art. 0"),
        ("27th amendment", None),
        ("article VII", None),
        ("article 9.5", None),
        ("Article 9 of the UCC", None),
        ("28th amendment to the lease", None),
        ("is there an article 8 on guns?", None),
        ("right to bear arms", None),
    ],
)
def test_a_provision_that_is_asked_for_in_vain_is_named(text, name):
    assert absent_provision(text) == name


def test_it_is_said_where_the_name_stands():
    assert constitution.absent("see the 28th amendment.") == (8, 22, "U.S. Const. amend. XXVIII")


@pytest.mark.parametrize(
    ("text", "locators"),
    [
        ("See U.S. Const. art. I, § 99.", ["/us/const/article/I/section/99"]),
        ("See U.S. Const. art. I, § 8, cl. 100.", ["/us/const/article/I/section/8/clause/100"]),
        ("U.S. Const. amend. XIV, § 20000", ["/us/const/amendment/XIV/section/20000"]),
        ("Const. de EE. UU. art. 1, secc. 8, cl. 400", ["/us/const/article/I/section/8/clause/400"]),
        ("Section 150 of the Fourteenth Amendment", ["/us/const/amendment/XIV/section/150"]),
        ("Clause 100 of Section 8 of Article I", ["/us/const/article/I/section/8/clause/100"]),
        ("art. I, §§ 8 and 100", ["/us/const/article/I/section/8", "/us/const/article/I/section/100"]),
        ("a First Amendment § 1983 claim", ["/us/const/amendment/I"]),
        ("under Section 1983 under the Fourteenth Amendment", ["/us/const/amendment/XIV"]),
        ("U.S. Const. art. I, § 28, cl. 40", ["/us/const/article/I/section/28/clause/40"]),
        ("enmienda 14, sección 50", ["/us/const/amendment/XIV/section/50"]),
        ("the 14th amendment, section 42 USC 1983", ["/us/const/amendment/XIV", "/us/usc/t42/s1983"]),
        ("the First Amendment, Section 230", ["/us/const/amendment/I"]),
        ("U.S. Const. amend. XIV, § 111", ["/us/const/amendment/XIV/section/111"]),
    ],
)
def test_a_section_that_no_provision_has_is_cited_all_the_same(text, locators):
    """Or a brief that cites it would be told that its article is resolved."""
    assert [citation.locator for citation in find_citations(text)] == locators


SECTION_1983 = "/us/usc/t42/s1983"


@pytest.mark.parametrize(
    ("text", "locators"),
    [
        ("U.S. Const. amend. XIV, § 1983", ["/us/const/amendment/XIV", SECTION_1983]),
        ("Amendment 14 section 1983", ["/us/const/amendment/XIV", SECTION_1983]),
        ("Enmienda 14, sección 1983", ["/us/const/amendment/XIV", SECTION_1983]),
        ("Amendment XIV, § 1983, cl. 2", ["/us/const/amendment/XIV", SECTION_1983]),
        ("U.S. Const. amend. XIV and § 1983", ["/us/const/amendment/XIV", SECTION_1983]),
        ("amend. XIV, § 1, § 1983", ["/us/const/amendment/XIV/section/1", SECTION_1983]),
        ("amend. XIV, §§ 1 and 1983", ["/us/const/amendment/XIV/section/1"]),
        ("Amendments I and XIV, § 1983", ["/us/const/amendment/I", "/us/const/amendment/XIV", SECTION_1983]),
        ("Under Amendment 1, section 230 immunity", ["/us/const/amendment/I", "/us/usc/t47/s230"]),
        ("Amendment II, § 922(g)(1)", ["/us/const/amendment/II", "/us/usc/t18/s922/g/1"]),
        ("Article III, section 2254 habeas", ["/us/const/article/III", "/us/usc/t28/s2254"]),
        ("Section 1983 of the Fourteenth Amendment", ["/us/const/amendment/XIV"]),
    ],
)
def test_a_section_that_everybody_knows_by_its_number_is_beside_the_provision_not_in_it(text, locators):
    assert [citation.locator for citation in find_citations(text, asked=True)] == locators
    assert only_citation(text) is None or len(locators) == 1


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("The eighteenth article of amendment to the Constitution is hereby repealed.", "XVIII"),
        ("the First Article of Amendment", "I"),
        ("twenty-first article of amendment", "XXI"),
        ("Article XIV of the Amendments to the Constitution", "XIV"),
        ("the fifth article of the Amendments", "V"),
        ("artículo 14 de las enmiendas a la Constitución", "XIV"),
        ("Article of Amendment XIV, section 1", "XIV/section/1"),
        ("decimoctavo artículo de enmienda", "XVIII"),
    ],
)
def test_an_article_of_amendment_is_an_amendment(text, locator):
    assert [found.locator for found in find_citations(text)] == [f"/us/const/amendment/{locator}"]


def test_articles_of_amendment_are_told_from_a_corporations():
    found = find_citations("thirteenth and fourteenth articles of amendment")
    assert [one.locator for one in found] == ["/us/const/amendment/XIII", "/us/const/amendment/XIV"]
    assert not find_citations("the first articles of amendment were filed with the Secretary of State")
