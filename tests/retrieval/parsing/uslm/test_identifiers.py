"""Numbers as the law writes them, and locators where the file gives none."""

from retrieval.parsing.uslm.reader import read
from tests.retrieval.parsing.uslm.samples import LOWEST


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
