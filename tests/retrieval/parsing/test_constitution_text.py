"""The shipped Constitution against its committed hash and, where present, the official transcription."""

import hashlib
import re
import unicodedata
from datetime import datetime

import pytest
from lxml import etree

from tests.conftest import MEASURING_DATA, ROOT

CORPORA = ROOT / "retrieval" / "corpora"
OFFICIAL = MEASURING_DATA / "constitution/official-uslm.xml"
USLM = "{http://xml.house.gov/schemas/uslm/1.0}"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
PARSER = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)

BILL_OF_RIGHTS = "1791-12-15"
RATIFIED = {
    "I": BILL_OF_RIGHTS,
    "II": BILL_OF_RIGHTS,
    "III": BILL_OF_RIGHTS,
    "IV": BILL_OF_RIGHTS,
    "V": BILL_OF_RIGHTS,
    "VI": BILL_OF_RIGHTS,
    "VII": BILL_OF_RIGHTS,
    "VIII": BILL_OF_RIGHTS,
    "IX": BILL_OF_RIGHTS,
    "X": BILL_OF_RIGHTS,
    "XI": "1795-02-07",
    "XII": "1804-06-15",
    "XIII": "1865-12-06",
    "XIV": "1868-07-09",
    "XV": "1870-02-03",
    "XVI": "1913-02-03",
    "XVII": "1913-04-08",
    "XVIII": "1919-01-16",
    "XIX": "1920-08-18",
    "XX": "1933-01-23",
    "XXI": "1933-12-05",
    "XXII": "1951-02-27",
    "XXIII": "1961-03-29",
    "XXIV": "1964-01-23",
    "XXV": "1967-02-10",
    "XXVI": "1971-07-01",
    "XXVII": "1992-05-07",
}
ROMAN = list(RATIFIED)
LOCATOR = re.compile(
    r"/us/const/(preamble"
    r"|article/(I|II|III|IV|V|VI|VII)(/section/[1-9]\d?)?(/clause/[1-9]\d?)?"
    r"|amendment/[IVX]+(/section/[1-9])?)"
)

# Words that the House Manual adds in brackets because it prints a sentence in pieces: by id of the piece.
EDITORS_WORDS = {
    "s31": "[the House of Representatives]",
    "s52": "[House]",
    "s62": "[Each House may]",
    "s90": "[the Senators and Representatives]",
    "s92": "[the Senators and Representatives]",
}
# The Manual's footnote dates Tennessee's deciding ratification after the Secretary of State's certificate
# of August 26, 1920; Tennessee ratified on August 18.
MISDATED_FOOTNOTES = {"XIX": ("1920-08-28", "1920-08-18")}
# The Manual's footnote to Amendment XXI names no day of completion; the last of the 36 States needed
# ratified on December 5, 1933.
UNDATED_FOOTNOTES = {"XXI"}

needs_official = pytest.mark.measuring_data


def parse(path):
    return etree.parse(path, PARSER).getroot()


def words(text):
    return re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKC", text).lower())


def text_of(element):
    return "".join(element.itertext())


def nodes():
    return [e for e in parse(CORPORA / "us_constitution.xml").iter() if e.get("identifier")][1:]


def own_text(node):
    return " ".join(text_of(e) for e in node if e.tag in (USLM + "chapeau", USLM + "content"))


def provisions():
    return {e.get("identifier"): e for e in nodes() if own_text(e)}


def operative_words():
    return words(" ".join(own_text(e) for e in nodes()))


def properties(node, role, lang=None):
    return [e.text for e in node.findall(USLM + "property") if e.get("role") == role and e.get(LANG) == lang]


def official_pieces(root):
    """(locator-like id of the provision, id of the piece, text) of the official operative text, in order."""
    for e in root.iter(USLM + "recital", USLM + "text", USLM + "chapeau"):
        if not any(a.tag == USLM + "note" for a in e.iterancestors()):
            yield e.getparent().get("id"), e.get("id"), " ".join(text_of(e).split())


def as_official_id(locator):
    kept = [p for p in locator.removeprefix("/us/const/").split("/") if p not in ("section", "clause")]
    return "-".join(kept)


def test_operative_words_match_the_committed_hash():
    committed = (CORPORA / "us_constitution.sha256").read_text().split()[0]
    assert hashlib.sha256(" ".join(operative_words()).encode()).hexdigest() == committed


def test_there_are_135_lowest_provisions_with_unique_well_formed_locators():
    locators = [e.get("identifier") for e in nodes()]
    assert len(provisions()) == 135
    assert len(set(locators)) == len(locators) == 165
    assert [loc for loc in locators if not LOCATOR.fullmatch(loc)] == []


def test_only_section_eight_of_article_one_has_text_and_children():
    both = [e for e in provisions().values() if any(child.get("identifier") for child in e)]
    assert [e.get("identifier") for e in both] == ["/us/const/article/I/section/8"]
    assert own_text(both[0]) == "The Congress shall have Power"
    assert all(own_text(e) or any(child.get("identifier") for child in e) for e in nodes())


def test_every_locator_says_where_its_node_stands():
    for node in nodes()[1:]:
        *parent, kind, number = node.get("identifier").split("/")
        tag = "level" if kind == "amendment" else kind
        assert (node.tag, node.find(USLM + "num").get("value")) == (USLM + tag, number)
        assert (node.getparent().get("identifier") or "/us/const") == "/".join(parent)


def test_siblings_are_numbered_in_order_without_gaps():
    root = parse(CORPORA / "us_constitution.xml")
    for parent in root.iter():
        for tag in ("article", "section", "clause", "level"):
            values = [e.find(USLM + "num").get("value") for e in parent.findall(USLM + tag)]
            counted = ROMAN if tag in ("article", "level") else [str(n) for n in range(1, 100)]
            assert values == counted[: len(values)]
    assert len(list(root.iter(USLM + "article"))) == 7
    assert len(list(root.iter(USLM + "level"))) == 27


def test_every_node_has_one_heading_in_each_language():
    for node in nodes():
        headings = {e.get(LANG): e.text for e in node.findall(USLM + "heading")}
        assert set(headings) == {None, "es"} and all(headings.values())


@pytest.mark.parametrize("lang", ["en", "es"])
def test_every_lowest_provision_has_one_distinct_plain_name(lang):
    names = [properties(e, "plainName", lang) for e in provisions().values()]
    assert all(len(found) == 1 and 4 <= len(found[0].split()) <= 14 for found in names)
    assert len({found[0] for found in names}) == 135


def test_every_node_is_in_force_from_its_ratification():
    for node in nodes():
        kind, _, number = (node.get("identifier") + "/").removeprefix("/us/const/").partition("/")
        expected = RATIFIED[number.split("/")[0]] if kind == "amendment" else "1789-03-04"
        assert properties(node, "ratified") == [expected]


def test_only_the_eighteenth_amendment_is_repealed():
    repealed = {e.get("identifier"): properties(e, "repealed") for e in nodes() if properties(e, "repealed")}
    eighteenth = "/us/const/amendment/XVIII"
    sections = [f"{eighteenth}/section/{n}" for n in (1, 2, 3)]
    assert repealed == {locator: ["1933-12-05"] for locator in [eighteenth, *sections]}


def test_every_reference_stands_in_a_note_and_resolves():
    root = parse(CORPORA / "us_constitution.xml")
    locators = {e.get("identifier") for e in nodes()}
    refs = list(root.iter(USLM + "ref"))
    assert refs and all(e.getparent().get("role") == "superseded" for e in refs)
    assert [e.get("href") for e in refs if e.get("href") not in locators] == []


class TestOfficialFile:
    pytestmark = needs_official

    def test_words_equal_the_official_transcription(self):
        """Every word, provision by provision and in order.

        Set aside in the official file: its metadata and headings; numbers ("ARTICLE I.", "Section 1.", "1");
        every `note` (annotations and footnotes, with the statutes quoted in them) and the marks of footnotes;
        the asterisks where it prints a sentence in pieces; the words its editors add in brackets
        (EDITORS_WORDS, each one named); the closing formula, signatures and attestation after Article VII.
        Brackets around superseded text are dropped, the text stays. Nothing else differs: its
        "Rhode- Island" (Article I, section 2, clause 3) is the same two words as our "Rhode-Island".
        """
        official = {}
        for provision, piece, text in official_pieces(parse(OFFICIAL)):
            text = text.replace(EDITORS_WORDS.get(piece, "[no editor's words]"), "")
            official.setdefault(provision, []).extend(words(text))
        ours = {as_official_id(locator): words(own_text(e)) for locator, e in provisions().items()}
        assert list(ours) == list(official)
        assert ours == official
        assert operative_words() == [word for found in official.values() for word in found]

    def test_each_named_addition_of_the_editors_is_there(self):
        found = {piece: text for _, piece, text in official_pieces(parse(OFFICIAL)) if piece in EDITORS_WORDS}
        assert all(found[piece].count(added) == 1 for piece, added in EDITORS_WORDS.items())

    def test_what_it_brackets_as_superseded_carries_a_note_here(self):
        bracketed = {
            provision
            for provision, piece, text in official_pieces(parse(OFFICIAL))
            if re.search(r"[\[\]]", text) and piece not in EDITORS_WORDS
        }
        noted = {as_official_id(loc) for loc, e in provisions().items() if e.find(USLM + "note") is not None}
        assert bracketed and bracketed <= noted

    def test_dates_agree_with_its_footnotes(self):
        completed = re.compile(r"Ratification was completed (?:on )?(\w+ \d+, \d{4})")
        for level in parse(OFFICIAL).iter(USLM + "level"):
            number = (level.get("id") or "").removeprefix("amendment-")
            if number not in ROMAN[10:] or number in UNDATED_FOOTNOTES:
                continue
            footnote = next(e for e in level.iter(USLM + "note") if e.get("type") == "footnote")
            stated = completed.search(" ".join(text_of(footnote).split())).group(1)
            day = datetime.strptime(stated, "%B %d, %Y").date().isoformat()
            wrong, right = MISDATED_FOOTNOTES.get(number, (None, None))
            assert RATIFIED[number] == (right if day == wrong else day)
