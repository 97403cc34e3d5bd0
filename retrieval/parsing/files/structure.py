"""Blocks made into the tree of sections: under which heading each paragraph stands. Pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, islice, pairwise

from retrieval.errors import SourceRefused
from retrieval.parsing.designators import PAPER, anchors_of
from retrieval.parsing.files.blocks import Block, Blocks
from retrieval.parsing.files.headings import LONGEST, VERB, Heading, headings_of, is_short, is_title
from retrieval.parsing.files.limits import MAX_SECTIONS, TOO_MANY_SECTIONS
from retrieval.parsing.tree import Node, PageStart, SourceDocument, page_at, unused_locator
from retrieval.proof.vocabulary import MESES, MONTHS
from retrieval.text.language import detect
from retrieval.text.normalization import fold

STEP = 30  # characters of a heading in a locator; with six levels it stays under what a locator holds
FRONT = 15  # blocks in which a document says its title
OFTEN = 3  # headings with the same words, which stand on every page; of two pages, two
NO_TITLES = {
    "", "anonymous", "anónimo", "confidential", "confidencial", "draft", "borrador", "none", "no title",
    "sin título", "unknown", "unspecified", "untitled", "untitled document",
    # What stands between a contract's title and its first clause.
    "whereas", "recitals", "witnesseth", "w i t n e s s e t h", "background", "parties", "between", "by and between",
    "among", "by and among", "and", "contents", "table of contents", "index",
    "considerando", "considerandos", "antecedentes", "exponen", "reunidos", "partes", "entre", "y", "índice",
}  # fmt: skip
FILE_NAME = re.compile(r"\S\.(?:html?|xhtml|aspx?|php|docx?|docm|dotx?|odt|wpd|rtf|txt|md|pdf|pptx?|xlsx?)$")
# What a paper between parties is: the line of its front that has one of these words says its title.
INSTRUMENT = re.compile(
    r"\b(?:agreement|contract|lease|licen[cs]e|amendment|addendum|deed|guarant(?:y|ee)|indenture|power of attorney"
    r"|memorandum of understanding|promissory note|contrato|convenio|acuerdo|arrendamiento|licencia|enmienda|adenda"
    r"|escritura|pagare|poder notarial)\b"
)
LABEL = re.compile(
    r"(?:exhibit|annex|appendix|attachment|anexo|apéndice)\s+(?=\S*\d)\S+[\s:.—–-]+(?=\S)", re.I
)
WORD = re.compile(r"[^\W\d_]{3,}")
# Words of lines that number, date or mark what they stand on: "Page 1 of 3", "Draft of 3 May 2021".
OF_NUMBERS = {
    "exhibit", "annex", "appendix", "attachment", "schedule", "page", "pages", "draft", "version", "revision", "rev",
    "edition", "effective", "date", "dated", "issued", "updated", "form", "number", "the", "and", "for", "from",
    "anexo", "apéndice", "página", "páginas", "borrador", "versión", "revisión", "edición", "fecha", "vigente",
    "número", "del", "desde", "para", *MONTHS, *MESES,
}  # fmt: skip
GOES_ON = re.compile(
    r"[\s:,]+(?:(?:by and )?(?:between|among)|and|entre|table of contents|índice)[\s:]*$", re.I
)
LONG_TEXT = 15_000  # characters of a section; a longer one is divided, to be found and embedded in pieces
SAMPLE = 4_000  # characters by which its language is told
LARGER = 0.5  # points by which a heading's letters are larger


@dataclass(slots=True)
class Open:
    """A section still being read."""

    heading: Heading | None
    blocks: list[Block] = field(default_factory=list)
    children: list["Open"] = field(default_factory=list)
    begun: Block | None = None
    lines: int = 0  # of its blocks, those that only go on with its heading


def outline(read: Blocks, *, identifier: str, name: str) -> SourceDocument:
    """The document that a file holds, its locators under `identifier`; `name` is its title where it says none.
    Raises SourceRefused for one of too many sections.
    """
    headings = headings_of(read.blocks)
    said = said_title(read, headings)
    top = nested(read.blocks, headings, said)
    title = (of_its_own(read.title) or bare(said) or name)[:500]
    root = nodes(hoisted(top, title), identifier, title)
    if (count := sum(1 for _ in root.walk()) - 1) > MAX_SECTIONS:
        raise SourceRefused(TOO_MANY_SECTIONS, sections=count, most=MAX_SECTIONS)
    return SourceDocument(
        title=title,
        language=detect(" ".join(block.text for block in read.blocks)[:SAMPLE]),
        identifier=identifier,
        root=root,
        pages=read.pages,
        scanned_pages=read.scanned_pages,
    )


def of_its_own(title: str) -> str:
    """The title, unless it is what programs and people write where there is none, or the name of a file."""
    words = title.strip(" ()[]<>{}*.:-–—_").casefold()
    return "" if words in NO_TITLES or FILE_NAME.search(words) else title


def said_title(read: Blocks, headings: Sequence[Heading | None]) -> str:
    """The line of the front that says what the paper is ("Exhibit 4.1 SUPPLY AGREEMENT"), else the first heading there
    that is neither only a number or a date ("Exhibit 10.1") nor numbered, nor on every page.
    """
    return instrument(read.blocks, headings) or first_heading(read, headings)


def instrument(blocks: Sequence[Block], headings: Sequence[Heading | None]) -> str:
    """The first line above all prose and numbered headings that names what is agreed or declared."""
    for block, heading in islice(zip(blocks, headings, strict=True), FRONT):
        if (heading and heading.number) or is_prose(block.text, is_heading=heading is not None):
            return ""
        line = heading.title if heading else block.text
        if is_instrument(bare(line), is_heading=heading is not None):
            return line
    return ""


def is_prose(text: str, *, is_heading: bool) -> bool:
    return len(text) > LONGEST or (text.endswith(".") and not is_heading and not is_title(text))


# A sentence of the paper itself, or a line on another paper.
OF_ANOTHER = ("this ", "este ", "esta ", "re:", "ref:", "subject:", "asunto:", "attached", "summary of ")


def is_instrument(line: str, *, is_heading: bool) -> bool:
    folded = fold(line)
    if not INSTRUMENT.search(folded) or VERB.search(folded) or folded.startswith(OF_ANOTHER):
        return False
    return is_heading or is_short(line) or is_title(line)


def bare(line: str) -> str:
    """A title without the label before it and what only leads on to the next line."""
    return GOES_ON.sub("", LABEL.sub("", line, count=1)) or line


def first_heading(read: Blocks, headings: Sequence[Heading | None]) -> str:
    often = Counter(heading.title for heading in headings if heading)
    running = 2 if read.pages == 2 else OFTEN
    front = (h for h in headings[:FRONT] if h and h.alone and not h.number and often[h.title] < running)
    return next((h.title for h in front if of_its_own(h.title) and says_more_than_a_number(h)), "")


def says_more_than_a_number(heading: Heading) -> bool:
    """Whether one with digits has words besides: "Infusion Pump BX-200", not "Draft 3, May 2021". Two, or one where the
    file itself says that it is a heading.
    """
    words = [word for word in WORD.findall(heading.title.casefold()) if word not in OF_NUMBERS]
    return not re.search(r"\d", heading.title) or len(words) >= 2 - (heading.kind[0] == "said")


def nested(blocks: Sequence[Block], headings: Sequence[Heading | None], title: str) -> Open:
    """Every block in its section, every section in the one it belongs to. `title`: what the document says it is."""
    root = Open(None)
    title = "" if titles_above_numbers(headings) else title
    stack = [root]
    depths: dict[tuple, int] = {}
    for block, heading in zip(blocks, headings, strict=True):
        here = stack[-1]
        if heading is None or goes_on(here, heading, block):
            here.blocks.append(block)
            here.lines += heading is not None
            continue
        if heads(here, heading) and here.heading.title != title:
            stack.pop()
            stack[-1].children.pop()
            heading = replace(heading, title=here.heading.title)
        stack = stack[: place_in(stack, heading, depths)]
        section = Open(heading, [] if heading.alone else [block], begun=block)
        stack[-1].children.append(section)
        depths.setdefault(heading.kind, len(stack))
        stack.append(section)
    return root


def heads(here: Open, heading: Heading) -> bool:
    """Whether the heading before, which has nothing under it, is the title of a number that has none."""
    above = here.heading
    empty = not here.blocks and not here.children
    return empty and above is not None and not above.number and bool(heading.number) and not heading.title


def titles_above_numbers(headings: Sequence[Heading | None]) -> bool:
    """Whether a document writes "PAYMENT" above "ARTICLE II": it does so again after its first heading."""
    pairs = pairwise(headings)
    return sum(bool(above and not above.number and h and h.number and not h.title) for above, h in pairs) > 1


def goes_on(here: Open, heading: Heading, block: Block) -> bool:
    """Whether a heading without a number only goes on with the one before it, like the lines of a title page."""
    before = here.heading
    if before is None or len(here.blocks) > here.lines or here.children or heading.rank is not None:
        return False
    on_front = all(b.pages and b.pages[0][1] == 1 for b in (here.begun, block))
    return heading.kind == before.kind or (bool(before.number) and not before.title) or on_front


def place_in(stack: Sequence[Open], heading: Heading, depths: dict[tuple, int]) -> int:
    """How many of the open sections stay open around a new one."""
    if heading.rank is None:
        return unnumbered_place(stack, heading, depths)
    for depth, section in enumerate(stack):
        other = section.heading
        if other is None:
            continue
        plain_above = other.rank is None and not heading.restarts
        if heading.rank == 0 or plain_above or (other.rank is not None and heading.rank <= other.rank):
            return depth
    return len(stack)


def unnumbered_place(stack: Sequence[Open], heading: Heading, depths: dict[tuple, int]) -> int:
    """Where its sort stood first; a new sort goes under what is open, unless its letters are larger."""
    if heading.kind in depths:
        return min(len(stack), depths[heading.kind])
    for depth, section in enumerate(stack):
        other = section.heading
        if other is not None and other.rank is None and heading.size > other.size + LARGER:
            return depth
    return len(stack)


def hoisted(root: Open, title: str) -> Open:
    """Lines at the top that only say the title, and a heading that does and holds all, are the document itself."""
    said = list(accumulate((block.text for block in root.blocks[:FRONT]), "{} {}".format))
    under = root.blocks[said.index(title) + 1 :] if title in said else root.blocks
    if under or root.children:
        root = replace(root, blocks=under)
    only = root.children[0] if len(root.children) == 1 and not root.blocks else None
    if only is None or only.heading is None or bare(only.heading.title) != title or not only.children:
        return root
    return Open(None, only.blocks, only.children)


# -- Nodes


def nodes(root: Open, identifier: str, title: str) -> Node:
    """A node of level "document"; what stands before its first heading is a section of its own."""
    children = opened(root, title)
    used: set[str] = set()
    return Node(
        level="document",
        heading=title,
        locator=identifier,
        children=tuple(node(child, identifier, used) for child in children),
    )


def opened(root: Open, title: str) -> list[Open]:
    """The sections, the first of which holds what stands before all headings: with what stands under the title, or by
    itself.
    """
    first = root.children[0] if root.children else None
    if not root.blocks:
        return root.children
    if first and first.heading and not first.heading.number and bare(first.heading.title) == title:
        return [replace(first, blocks=[*root.blocks, *first.blocks]), *root.children[1:]]
    heading = Heading((), "section", "", title if root.children else "", 0, alone=True)
    return [Open(heading, root.blocks), *root.children]


def node(section: Open, above: str, used: set[str]) -> Node:
    heading = section.heading
    locator = unused_locator(f"{above}/{step(heading)}", used)
    title, blocks = with_words(section)
    parts = divided(blocks)
    text, pages = joined(parts[0]) if len(parts) == 1 else ("", ())
    return Node(
        level=heading.level,
        number=heading.number[:60],
        heading=title,
        locator=locator,
        text=text,
        pages=pages,
        anchors=() if section.children else anchors_of(text, locator, PAPER),
        children=(
            *(
                part(group, number, title, locator, used)
                for number, group in enumerate(parts, 1)
                if len(parts) > 1
            ),
            *(node(child, locator, used) for child in section.children),
        ),
    )


def part(blocks: list[Block], number: int, title: str, above: str, used: set[str]) -> Node:
    """A stretch of a long section, known by the page on which it begins, else by its number."""
    text, pages = joined(blocks)
    name, mark = (f"page-{pages[0][1]}", f"p. {pages[0][1]}") if pages else (f"part-{number}", str(number))
    heading = f"{title} ({mark})" if title else mark
    return Node(
        level="section",
        heading=heading,
        locator=unused_locator(f"{above}/{name}", used),
        text=text,
        pages=pages,
    )


def divided(blocks: Sequence[Block]) -> list[list[Block]]:
    """The blocks in stretches of at most so many characters: one for almost every section."""
    groups: list[list[Block]] = [[]]
    length = 0
    for block in chain.from_iterable(map(pieces, blocks)):
        if groups[-1] and length + len(block.text) > LONG_TEXT:
            groups.append([])
            length = 0
        groups[-1].append(block)
        length += len(block.text)
    return groups


def pieces(block: Block) -> Iterator[Block]:
    """A paragraph, or what is too long for one cut between words."""
    while len(block.text) > LONG_TEXT:
        end = block.text.rfind(" ", 1, LONG_TEXT) + 1 or LONG_TEXT
        yield replace(block, text=block.text[:end].rstrip(), pages=before(block.pages, end))
        block = replace(block, text=block.text[end:], pages=after(block.pages, end))
    yield block


def before(pages: Sequence[PageStart], end: int) -> tuple[PageStart, ...]:
    return tuple((start, page) for start, page in pages if start < end)


def after(pages: Sequence[PageStart], end: int) -> tuple[PageStart, ...]:
    if not pages:
        return ()
    later = tuple((start - end, page) for start, page in pages if start > end)
    return ((0, page_at(pages, end)), *later)


def with_words(section: Open) -> tuple[str, list[Block]]:
    """Heading and text. "ARTICLE I" takes its title from the line under it; a heading with nothing under it is
    text too, so that it is found."""
    heading, blocks = section.heading, section.blocks
    if heading.number and not heading.title and heading.alone and blocks and is_name(blocks[0].text):
        named = replace(heading, title=blocks[0].text.strip(" .:"))
        return with_words(replace(section, heading=named, blocks=blocks[1:]))
    if not blocks and not section.children and section.begun:
        return heading.title, [section.begun]
    return heading.title, blocks


def is_name(text: str) -> bool:
    """Whether a short paragraph is no sentence."""
    return len(text) <= LONGEST and not (text.endswith((".", ";")) and VERB.search(fold(text)))


def joined(blocks: Sequence[Block]) -> tuple[str, tuple[PageStart, ...]]:
    """The blocks a line each, and where pages begin in them."""
    text, pages = "", []
    for block in blocks:
        text += "\n" if text else ""
        pages += [
            (len(text) + start, page) for start, page in block.pages if not pages or pages[-1][1] != page
        ]
        text += block.text
    return text, tuple(pages)


# -- Locators


def step(heading: Heading) -> str:
    """ "2.1", "article-ii", "governing-law"; "opening" for what stands before all headings."""
    if heading.number:
        number = slug(heading.number)
        return number if heading.level == "section" else f"{heading.level}-{number}"
    return slug(heading.title)[:STEP].strip("-") or "opening"


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.lower())
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return re.sub(r"[^\w.]+", "-", letters).strip("-.")
