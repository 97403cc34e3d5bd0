"""The element names of USLM, grouped by what the reader does with them."""

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
