"""The USLM reader on small documents, the shipped Constitution and two real titles of the Code."""

import re
import unicodedata
from datetime import date

import pytest
from lxml import etree

from retrieval.errors import SourceRefused
from retrieval.parsing.uslm.reader import read
from tests.retrieval.parsing.uslm.samples import CONSTITUTION, LOWEST, SECTION, USLM, wrapped


def test_document_says_what_it_is(title):
    assert (title.title, title.language, title.identifier) == ("Title 42", "en", "/us/usc/t42")
    assert title.publication == "Online@117-174"
    assert (title.root.level, title.root.number, title.root.heading) == ("title", "42", "PUBLIC HEALTH")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"", "The file is empty."),
        (b"<uscDoc><main>", "not well-formed"),
        (b"not xml at all", "not well-formed"),
        (b"<html><body/></html>", "begins with <html>"),
        (b"<uscDoc identifier='/us/usc/t1'><main/></uscDoc>", "holds no sections"),
        (wrapped("<chapter identifier='/us/usc/t1/ch1'><num>1</num></chapter>"), "holds no sections"),
        (b"<uscDoc><main><section><num>1</num></section></main></uscDoc>", "no identifier"),
        (wrapped("<level>" * 101 + "</level>" * 101), "more than 100 deep"),
        (wrapped("<level>" * 5000), "not well-formed|more than 100 deep"),
        (wrapped(f"<section identifier='/{'x' * 400}'><num>1</num></section>"), "longer than 300"),
        (wrapped("<section identifier='/s' startPeriod='soon'><num>1</num></section>"), "not a date"),
        (b"<!DOCTYPE uscDoc [<!ENTITY a 'b'>]><uscDoc><main>&a;</main></uscDoc>", "declares XML entities"),
        (b"<!DOCTYPE uscDoc SYSTEM 'x.dtd'>" + wrapped("<section><num>1</num>&a;</section>"), "entity"),
    ],
)
def test_what_is_not_uslm_is_refused_with_a_reason(source, message):
    with pytest.raises(SourceRefused, match=message):
        read(source, leaf=SECTION)


def test_external_entities_are_never_fetched(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret words")
    bomb = f"<!DOCTYPE uscDoc [<!ENTITY x SYSTEM '{secret.as_uri()}'>]>".encode()
    with pytest.raises(SourceRefused, match="declares XML entities") as refused:
        read(bomb + wrapped("<section><num>1</num><content>&x;</content></section>"), leaf=SECTION)
    assert "secret" not in refused.value.message


def test_an_entity_bomb_is_refused_at_once():
    entities = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 50}'>" for n in range(1, 10))
    bomb = f"<!DOCTYPE uscDoc [<!ENTITY e0 'ha'>{entities}]><uscDoc x='&e9;'>&e9;</uscDoc>".encode()
    with pytest.raises(SourceRefused, match="amplification factor|declares XML entities"):
        read(bomb, leaf=SECTION)


def test_a_file_that_is_too_large_or_absent_is_refused(tmp_path):
    with pytest.raises(SourceRefused, match="larger than 10 bytes"):
        read(wrapped(""), leaf=SECTION, max_bytes=10)
    with pytest.raises(SourceRefused, match="cannot be read") as refused:
        read(tmp_path / "absent.xml", leaf=SECTION)
    assert str(tmp_path) not in refused.value.message


def test_the_constitution_is_read_to_its_lowest_provisions(constitution):
    nodes = {node.locator: node for node in constitution.root.walk()}
    assert (constitution.title, constitution.root.level) == ("Constitution of the United States", "document")
    assert sum(bool(node.text) for node in nodes.values()) == 135
    assert nodes["/us/const/article/I/section/8"].text == "The Congress shall have Power"
    commerce = nodes["/us/const/article/I/section/8/clause/3"]
    assert commerce.text.startswith("To regulate Commerce with foreign Nations")
    assert (commerce.level, commerce.number, commerce.valid_from) == ("clause", "3", date(1789, 3, 4))
    assert set(commerce.names) == {"en", "es"} and set(commerce.headings) == {"es"}
    assert nodes["/us/const/amendment/XIV"].level == "amendment"
    assert "\n" in nodes["/us/const/amendment/XXV/section/4"].text


def test_the_constitution_by_sections_keeps_clauses_as_anchors():
    nodes = {node.locator: node for node in read(CONSTITUTION, leaf=SECTION).root.walk()}
    powers = nodes["/us/const/article/I/section/8"]
    anchor = next(a for a in powers.anchors if a.locator.endswith("/clause/3"))
    assert "To regulate Commerce" in powers.text[anchor.start : anchor.end]
    assert "/us/const/article/I/section/8/clause/3" not in nodes
    assert nodes["/us/const/amendment/I"].text.startswith("Congress shall make no law")


@pytest.fixture(scope="module", params=["usc08.xml", "usc28.xml"])
def both(request):
    """(the reader's sections, the file's section elements), each in order."""
    elements = list(etree.parse(USLM / request.param).iter("section"))
    nodes = read(USLM / request.param, leaf=SECTION).root.walk()
    return [node for node in nodes if node.level == "section"], elements


class TestRealTitles:
    pytestmark = pytest.mark.measuring_data

    def test_every_section_is_there_under_its_number(self, both):
        nodes, elements = both
        assert len(nodes) == len(elements) in (270, 766)
        for node, element in zip(nodes, elements, strict=True):
            identifier = element.get("identifier").replace("–", "-")
            assert node.locator.partition("~")[0] == identifier
            assert node.number == identifier.rpartition("/s")[2]
        assert len({node.locator for node in nodes}) == len(nodes)

    def test_every_operative_character_is_there_in_order(self, both):
        for node, element in zip(*both, strict=True):
            assert squeezed(node.text) == squeezed(operative(element)), node.locator

    def test_anchors_begin_with_their_number_and_are_the_levels_and_what_is_numbered_in_their_lines(self, both):
        run_in = 0
        for node, element in zip(*both, strict=True):
            levels = sum(1 for e in element.iterdescendants() if e.get("identifier"))
            run_in += len(node.anchors) - levels
            assert len(node.anchors) >= levels
            assert len({a.locator for a in node.anchors}) == len(node.anchors)
            for a in node.anchors:
                assert node.text[a.start : a.end].lstrip("[").startswith(f"({a.number})"), a
        assert run_in in (258, 98)  # of title 8 and of title 28; all were looked at

    def test_every_reference_is_found_at_its_offset(self, both):
        for node, element in zip(*both, strict=True):
            hrefs = [e.get("href") for child in element if child.tag != "heading" for e in child.iter("ref")]
            assert [ref.locator for ref in node.refs] == [href.replace("–", "-") for href in hrefs]
            assert all(node.text[ref.start : ref.end] == ref.text for ref in node.refs)

    def test_true_numbers_survive(self):
        nodes = {node.locator: node for node in read(USLM / "usc08.xml", leaf=SECTION).root.walk()}
        assert nodes["/us/usc/t8/s1186a"].number == "1186a"
        text, anchors = nodes["/us/usc/t8/s1101"].text, nodes["/us/usc/t8/s1101"].anchors
        student = next(a for a in anchors if a.locator == "/us/usc/t8/s1101/a/15/F/i")
        assert text[student.start :].startswith("(i) an alien having a residence in a foreign country")
        assert "consistent with section 1184(l) of this title" in text[student.start : student.end]

    def test_numbers_that_stand_in_a_line_are_places_too(self):
        nodes = {node.locator: node for node in read(USLM / "usc08.xml", leaf=SECTION).root.walk()}
        text, anchors = nodes["/us/usc/t8/s1101"].text, nodes["/us/usc/t8/s1101"].anchors
        held = {a.locator.removeprefix("/us/usc/t8/s1101/a/"): text[a.start : a.end] for a in anchors}
        assert held["15/H/i/b"].startswith("(b) subject to section 1182(j)(2) of this title, who is coming temporarily")
        assert held["15/H/i/b"].endswith("an application under section 1182(n)(1) of this title, or")
        assert held["15/H/i/b1"].startswith("(b1) who is entitled") and held["15/H/ii/a"].startswith("(a) having")
        assert held["15/E/iii"].startswith("(iii) solely to perform services in a specialty occupation")
        assert held["42/B"].endswith("membership in a particular social group, or political opinion.")

    def test_tables_have_a_line_for_each_row(self):
        nodes = {node.locator: node for node in read(USLM / "usc28.xml", leaf=SECTION).root.walk()}
        assert "\nSecond | Connecticut, New York, Vermont.\n" in nodes["/us/usc/t28/s41"].text

    def test_a_namespace_changes_nothing(self):
        plain = (USLM / "usc08.xml").read_bytes()
        spaced = plain.replace(b"<uscDoc ", b'<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0" ', 1)
        assert read(spaced, leaf=SECTION) == read(plain, leaf=SECTION)


def squeezed(text):
    """Without what rendering adds: blanks, cell bars, and the mark between heading and text."""
    return re.sub(r"[\s|.—]", "", unicodedata.normalize("NFKC", text))


def operative(section):
    return "".join("".join(child.itertext()) for child in section if child.tag not in ("num", "heading"))


def test_repealed_and_transferred_sections_stay_with_their_status(sections):
    repealed, moved = sections["/us/usc/t42/s2000f"], sections["/us/usc/t42/s2000g"]
    assert (repealed.status, moved.status, moved.number, moved.text) == (
        "repealed",
        "transferred",
        "2000g",
        "",
    )


def test_a_repeated_identifier_is_told_apart():
    twice = """<section identifier="/us/usc/t1/s9"><num>§ 9.</num>
        <subsection identifier="/us/usc/t1/s9/a"><num>(a)</num><content>Words.</content></subsection>
        </section>"""
    document = read(wrapped(twice * 2), leaf=SECTION)
    assert [node.locator for node in document.root.children] == ["/us/usc/t1/s9", "/us/usc/t1/s9~2"]
    assert document.root.children[1].anchors[0].locator == "/us/usc/t1/s9~2/a"
    assert {node.number for node in document.root.children} == {"9"}


def test_prohibition_ends_and_says_by_what(constitution):
    found = next(n for n in constitution.root.walk() if n.locator == "/us/const/amendment/XVIII/section/1")
    assert (found.valid_from, found.valid_to) == (date(1919, 1, 16), date(1933, 12, 5))
    assert found.status == "repealed"
    assert [(ref.locator, ref.start) for ref in found.refs] == [("/us/const/amendment/XXI/section/1", -1)]


def test_numbers_are_those_of_the_law(sections):
    numbers = [(node.level, node.number) for node in sections.values()]
    assert numbers[1:4] == [("chapter", "21"), ("section", "2000e-5"), ("section", "2000f")]
    assert sections["/us/usc/t42/s300aa-10"].number == "300aa-10"


def test_a_missing_identifier_is_built_from_the_parents(sections):
    assert [each.locator for each in sections["/us/usc/t42/s300aa-10"].anchors] == ["/us/usc/t42/s300aa-10/a"]


def test_a_missing_identifier_outside_the_codes_names_every_level():
    xml = b"""<lawDoc identifier="/us/const"><main>
        <article><num value="I">ARTICLE I</num><section><num value="8">Section 8</num>
          <clause><num value="3">Clause 3</num><content>To regulate.</content></clause></section></article>
        <level name="amendment"><num value="I">1</num><content>No law.</content></level></main></lawDoc>"""
    locators = [node.locator for node in read(xml, leaf=LOWEST).root.walk()]
    assert locators[-2:] == ["/us/const/article/I/section/8/clause/3", "/us/const/amendment/I"]
