"""The smallest bodies of law in the form of their publishers."""

USC = """<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0" identifier="/us/usc/t{n}"><meta>
<dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">Title {n}</dc:title></meta>
<main><title identifier="/us/usc/t{n}"><num value="{n}">TITLE {n}—</num><heading>A TITLE</heading>
{sections}</title></main>
</uscDoc>"""
SECTION = (
    '<section identifier="/us/usc/t{n}/s{s}"><num value="{s}">§ {s}.</num><heading> Of {s}</heading>'
    "<content>{text}</content></section>"
)
CFR = """<?xml version="1.0"?>
<ECFR><AMDDATE>Jan. 2, 2025</AMDDATE><VOLUME N="1" AMDDATE="2025-01-02"/>
<DIV1 N="{n}" TYPE="TITLE"><HEAD>Title {n}—Of things</HEAD><DIV5 N="3" TYPE="PART"><HEAD>PART 3—PARTS</HEAD>{sections}
</DIV5></DIV1></ECFR>"""
RULE = '<DIV8 N="3.{s}" TYPE="SECTION"><HEAD>§ 3.{s} Of {s}.</HEAD><P>{text}</P></DIV8>'
CASE = {
    "id": 7, "case_name": "Brown v. Board", "date_filed": "1954-05-17", "absolute_url": "/opinion/7/brown/",
    "citations": [{"volume": 347, "reporter": "U.S.", "page": "483", "type": 1}], "texts": ["Separate is unequal."],
}  # fmt: skip


def title(*texts: str, n: int = 8) -> str:
    """A title of the US Code with sections 1, 2 …; what has no text is left out."""
    numbered = [(s, text) for s, text in enumerate(texts, start=1) if text]
    return USC.format(n=n, sections="".join(SECTION.format(n=n, s=s, text=text) for s, text in numbered))


def regulation(*texts: str, n: int = 6) -> str:
    numbered = enumerate(texts, start=1)
    return CFR.format(n=n, sections="".join(RULE.format(s=s, text=text) for s, text in numbered))
