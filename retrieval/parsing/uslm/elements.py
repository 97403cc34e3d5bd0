"""The element names of USLM, grouped by what the reader does with them, and small questions about one element."""

from lxml import etree

from retrieval.errors import SourceRefused, gettext_noop

ROOTS = {"uscDoc", "lawDoc", "document", "doc", "constitution", "statuteDoc", "cfrDoc"}
LEAVES = {"section", "courtRule", "reorganizationPlan", "presidentialDoc"}
BELOW_SECTION = {
    *("subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem", "subsubitem"),
    "level",
}
LEVELS = {
    *("title", "subtitle", "chapter", "subchapter", "part", "subpart", "division", "subdivision"),
    *("article", "subarticle", "amendment", "preamble", "appendix", "compiledAct"),
    *("courtRules", "reorganizationPlans", "presidentialDocs"),
    *LEAVES,
    *BELOW_SECTION,
}
SET_ASIDE = {"note", "notes", "sourceCredit", "footnote"}
LEFT_OUT = {"toc", "meta", "property", "colgroup"}
NOT_WRAPPERS = {
    *("chapeau", "content", "continuation", "text", "p", "quotedContent", "table", "layout"),
    *SET_ASIDE,
    *LEFT_OUT,
}
INLINE = {
    *("ref", "date", "i", "b", "u", "em", "strong", "small", "inline", "span", "term", "def", "sub", "sup"),
    *("shortTitle", "entity", "quotedText", "person", "role", "location", "organization"),
    *("amendingAction", "ins", "del", "a", "num"),
}
ROWS = {"tr", "row", "header", "tocItem"}
CELLS = {"td", "th", "column"}


LANG = "{http://www.w3.org/XML/1998/namespace}lang"
DASHES = str.maketrans("–‑‐−", "----")
# How files are parsed: nothing is fetched, nothing unpacks itself.
SAFELY = {
    "resolve_entities": False, "load_dtd": False, "no_network": True, "remove_comments": True, "remove_pis": True,
}  # fmt: skip


def check_entities(root: etree._Element) -> None:
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and any(dtd.iterentities()):
        raise SourceRefused(gettext_noop("The file declares XML entities, which are not read."))


def name_of(element: etree._Element) -> str:
    """The tag without its namespace."""
    if element.tag is etree.Entity:
        raise SourceRefused(
            gettext_noop("The file refers to an entity it does not define: %(entity)s"),
            entity=str(element.text)[:40],
        )
    return element.tag.rpartition("}")[2]


def holds(element: etree._Element, names: set[str]) -> bool:
    return any(name_of(below) in names for below in element.iterdescendants())


def children_named(element: etree._Element, name: str) -> list[etree._Element]:
    return [child for child in element if name_of(child) == name]


def language_of(element: etree._Element) -> str:
    """The language an element is written in; English where the file does not say."""
    marked = next((each for each in (element, *element.iterancestors()) if each.get(LANG)), None)
    return "en" if marked is None else marked.get(LANG).partition("-")[0].lower()


def document_language(element: etree._Element) -> str:
    return language_of(element.getroottree().getroot())


def hyphenated(text: str) -> str:
    return text.strip().translate(DASHES)


def is_foreign(element: etree._Element) -> bool:
    return bool(element.get(LANG)) and language_of(element) != document_language(element)
