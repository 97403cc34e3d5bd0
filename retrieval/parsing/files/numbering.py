"""The numbers that Word counts itself: "2.1", "(a)", "Article IV", which stand in no paragraph's text. Pure."""

from collections import defaultdict
from dataclasses import dataclass, field

from docx.oxml.ns import qn
from lxml import etree

LEVELS = 9
NAMESPACES = {"w": qn("w:p")[1:-2]}
BULLETED = "•"


@dataclass(slots=True)
class Numbering:
    """Counts along as paragraphs are read in order. `numbering`, `styles`: the roots of Word's own parts."""

    numbering: etree._Element | None
    styles: etree._Element
    counts: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0] * LEVELS))
    begun: set[tuple[str, int]] = field(default_factory=set)

    def label(self, paragraph: etree._Element) -> str:
        """What Word writes before a paragraph; "" before one that it does not number."""
        number, level = self.place(paragraph)
        found = self.found(f"w:num[@w:numId='{number}']") if number.isdigit() else None
        if found is None or number == "0" or level >= LEVELS:
            return ""
        abstract = value(found, "w:abstractNumId")
        if not abstract.isdigit():
            return ""
        said = self.level(abstract, level)
        if said is None:
            return ""
        self.count(abstract, number, level, found)
        return self.written(abstract, level, said)

    def place(self, paragraph: etree._Element) -> tuple[str, int]:
        """(list, level) of a paragraph: its own, else its style's or that of the style it rests on."""
        properties = paragraph.find(qn("w:pPr"))
        style = value(properties, "w:pStyle") if properties is not None else ""
        number, level = numbered(properties)
        for _ in range(10):  # styles rest on one another in short chains; a ring must not hold us
            element = (
                first(self.styles, f"w:style[@w:styleId='{style}']") if style and "'" not in style else None
            )
            if element is None:
                break
            of_style = numbered(element.find(qn("w:pPr")))
            number, level = number or of_style[0], level or of_style[1]
            style = value(element, "w:basedOn")
        return number, int(level) if level.isdigit() else 0

    def found(self, path: str) -> etree._Element | None:
        return None if self.numbering is None else first(self.numbering, path)

    def level(self, abstract: str, level: int) -> etree._Element | None:
        return self.found(f"w:abstractNum[@w:abstractNumId='{abstract}']/w:lvl[@w:ilvl='{level}']")

    def count(self, abstract: str, number: str, level: int, found: etree._Element) -> None:
        """One more at this level; what is deeper begins again. A list may begin anew where it is told to."""
        counts = self.counts[abstract]
        again = first(found, f"w:lvlOverride[@w:ilvl='{level}']/w:startOverride")
        if again is not None and (number, level) not in self.begun:
            counts[level] = whole(again.get(qn("w:val")), 1) - 1
        elif counts[level] == 0:
            counts[level] = self.start(abstract, level) - 1
        self.begun.add((number, level))
        counts[level] += 1
        counts[level + 1 :] = [0] * (LEVELS - level - 1)

    def start(self, abstract: str, level: int) -> int:
        said = self.level(abstract, level)
        return whole(value(said, "w:start"), 1) if said is not None else 1

    def written(self, abstract: str, level: int, said: etree._Element) -> str:
        """The level's pattern, "%1.%2", with its numbers in their forms."""
        if value(said, "w:numFmt") == "bullet":
            return BULLETED
        text = value(said, "w:lvlText")
        for each in range(level + 1):
            outer = self.level(abstract, each)
            form = value(outer, "w:numFmt") if outer is not None else "decimal"
            number = self.counts[abstract][each] or self.start(abstract, each)
            text = text.replace(f"%{each + 1}", in_form(number, form))
        return text.strip()


def numbered(properties: etree._Element | None) -> tuple[str, str]:
    """(list, level) as paragraph properties say them, "" where they do not."""
    found = properties.find(qn("w:numPr")) if properties is not None else None
    return (value(found, "w:numId"), value(found, "w:ilvl")) if found is not None else ("", "")


def first(element: etree._Element, path: str) -> etree._Element | None:
    return next(iter(etree._Element.xpath(element, path, namespaces=NAMESPACES)), None)


def value(element: etree._Element, name: str) -> str:
    found = element.find(qn(name))
    return (found.get(qn("w:val")) or "") if found is not None else ""


def whole(text: str | None, default: int) -> int:
    return int(text) if text and text.isdigit() and len(text) < 7 else default


def in_form(number: int, form: str) -> str:
    match form:
        case "lowerLetter" | "upperLetter":
            letter = chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
            return letter[:9].upper() if form == "upperLetter" else letter[:9]
        case "lowerRoman" | "upperRoman":
            return roman(number) if form == "upperRoman" else roman(number).lower()
        case "none":
            return ""
        case _:
            return str(number)


def roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    signs = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL")]
    text = ""
    for size, sign in [*signs, (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]:
        text += sign * (number // size)
        number %= size
    return text
