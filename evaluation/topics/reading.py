"""Topics, judgments and rankings read from text: JSON lines, tables, TREC, Quepid.

Reading is tolerant: a line that cannot be read is told with its number and the reason, and the rest is taken.
"""

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from retrieval.errors import ArfError, gettext_noop
from rules.authoring.tables import BadFile, delimiter_of, table_rows, unescaped

Format = Literal["auto", "jsonl", "csv", "trec", "topics", "quepid"]

FORMATS = ("auto", "jsonl", "csv", "trec", "topics", "quepid")
COLUMNS = {  # by field, the names it goes by; the first that a file has is taken
    "topic": ("topic", "topicid", "queryid", "qid", "id", "topicname", "name"),
    "query": ("query", "querytext", "question", "text"),
    "locator": ("locator", "docid", "documentid", "docno", "corpusid", "provision", "section", "doc"),
    "grade": ("grade", "rating", "relevance", "rel", "label", "judgment", "judgement", "score"),
    "judge": ("judge", "rater", "assessor", "annotator", "judgedby", "ratedby", "user"),
    "explanation": ("explanation", "comment", "reason", "notes", "note"),
    "kind": ("kind", "judgmentkind"),
    "topic_kind": ("topickind", "querytype"),
    "domain": ("domain", "collection"),
    "language": ("language", "lang"),
    "split": ("split",),
    "group": ("group",),
    "narrative": ("narrative", "informationneed", "description"),
    "answerable": ("answerable",),
    "tags": ("tags",),
}
ABOUT_TOPIC = ("domain", "language", "split", "group", "narrative", "answerable", "tags", "topic_kind")
JUDGMENT_KINDS = ("human", "llm", "click")
WORDS = {
    0: "not relevant|irrelevant|nonrelevant|non relevant|none|no|bad|poor|no relevante|irrelevante",
    1: "related|partial|partially relevant|marginal|marginally relevant|somewhat relevant|fair|relacionado",
    2: "relevant|good|yes|relevante",
    3: "controlling|directly controls|highly relevant|perfectly relevant|perfect|excellent|exact|muy relevante",
}
GRADES = {word: grade for grade, words in WORDS.items() for word in words.split("|")}
TREC_LINE = re.compile(r"^\S+[ \t]+\S+[ \t]+\S+[ \t]+\S+$")
RUN_LINE = re.compile(r"^\S+[ \t]+Q0[ \t]+\S+[ \t]+\d+[ \t]+\S+[ \t]+\S+$")
TOPIC_LINE = re.compile(r"^\S+\t[^\t]+$")
# Looked for one after the other: in one pattern the time would grow with the square of a file that lacks ends.
TOPIC, TOPIC_END = re.compile(r"<top(?:ic)?\b([^<>]*)>", re.I), re.compile(r"</top(?:ic)?>", re.I)
TOPIC_PART = re.compile(r"<(\w{1,40})\b[^<>]*>\s*(?:\w+:)?([^<]*)")  # ends may be missing; "Number:" goes
TOPIC_NUMBER = re.compile(r"\b(?:number|id)\s*=\s*[\"']([^\"']+)")
TOPIC_PARTS = {
    "topic": ("num", "number"),
    "query": ("title", "query", "question"),
    "narrative": ("desc", "description", "narr", "narrative"),
}
MOST_COLUMNS = 1_000
LONGEST_REASON = 300  # characters of why a line is refused
LONGEST = {"topic": 100, "locator": 300, "judge": 150}  # characters that the database holds of each
TOO_LONG = {
    "topic": gettext_noop("the topic is longer than %(most)s characters"),
    "locator": gettext_noop("the locator is longer than %(most)s characters"),
    "judge": gettext_noop("the judge is longer than %(most)s characters"),
}
UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # characters that it does not hold
FALSE = {"false", "no", "0", "n"}
BOOKKEEPING = {  # columns of exports elsewhere that are no judges
    "", "title", "docposition", "docrating", "position", "rank", "teamname", "casename", "caseid", "iteration",
    "updatedat", "createdat", "date",
}  # fmt: skip


class LineRefused(ArfError):
    """Why one line cannot be taken."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that was not taken, and why: in English, and as `in_words` tells it in the reader's language."""

    line: int
    reason: str
    refusal: Mapping[str, object]


def refused_for(line: int, why: LineRefused) -> Refused:
    return Refused(line, why.message[:LONGEST_REASON], why.refusal)


def refused(line: int, template: str, /, **values: object) -> Refused:
    return refused_for(line, LineRefused(template, **values))


@dataclass(frozen=True, slots=True)
class Entry:
    """A judgment, or a topic alone where `locator` is empty. A topic goes by `topic`, its id, or by its `query`."""

    line: int
    topic: str = ""
    query: str = ""
    locator: str = ""
    grade: int | None = None
    judge: str = ""
    kind: str = ""
    explanation: str = ""
    about: Mapping[str, str | bool | list[str]] = field(default_factory=dict)

    @property
    def pair(self) -> tuple[str, str, str, str]:
        """Who graded what: the same twice is one judgment."""
        return self.topic or folded(self.query), self.locator, self.judge, self.kind


@dataclass(frozen=True, slots=True)
class Read:
    """What a file holds. `repeated` counts lines that say again what an earlier one said."""

    entries: tuple[Entry, ...]
    refused: tuple[Refused, ...]
    repeated: int


def folded(text: str) -> str:
    return " ".join(text.casefold().split())


def read(text: str, fmt: Format = "auto") -> Read:
    """Raises BadFile where the format cannot be told or a table lacks the columns it needs."""
    text = text.removeprefix("\ufeff")
    readers = {
        "jsonl": read_jsonl,
        "csv": read_table,
        "quepid": read_table,
        "trec": read_trec,
        "topics": read_trec_topics,
    }
    lines = readers[detected(text) if fmt == "auto" else fmt](text)
    return without_repeats(lines)


def detected(text: str) -> Format:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if not first:
        raise BadFile(gettext_noop("The file is empty."))
    if first.startswith(("{", "[")):
        return "jsonl"
    if any(topics_in(text)):
        return "topics"
    if has_columns(columns_of(next(table_rows(first, delimiter_of(first), strict=False))[1])):
        return "csv"
    if TREC_LINE.match(first):
        return "trec"
    if TOPIC_LINE.match(first):
        return "topics"
    if RUN_LINE.match(first):
        raise BadFile(gettext_noop("This is a TREC run: it ranks, and judges nothing."))
    raise BadFile(
        gettext_noop(
            "This is neither JSON lines, nor TREC qrels or topics, nor a table with a topic or query and a "
            "locator."
        ),
    )


def without_repeats(lines: Iterable[Entry | Refused]) -> Read:
    """A judge's second, other grade of the same pair is refused, since nobody can tell which one was meant."""
    entries: dict[tuple, Entry] = {}
    left_out: list[Refused] = []
    repeated = 0
    for line in lines:
        if isinstance(line, Refused):
            left_out.append(line)
        elif (earlier := entries.setdefault(line.pair, line)) is line:
            continue
        elif earlier.grade == line.grade:
            repeated += 1
        else:
            told = gettext_noop("line %(line)s gives this pair grade %(grade)s")
            left_out.append(refused(line.line, told, line=earlier.line, grade=earlier.grade))
    return Read(tuple(entries.values()), tuple(once(left_out)), repeated)


def once(told: Iterable[Refused]) -> list[Refused]:
    """A line that holds several judgments is refused for the same reason once."""
    return list({(one.line, one.reason): one for one in told}.values())


def read_jsonl(text: str) -> Iterator[Entry | Refused]:
    """A topic with its `relevant` grades a line, or a judgment a line; a single array does as well."""
    for number, row in json_rows(text):
        if isinstance(row, Refused):
            yield row
        elif not isinstance(row, dict):
            yield refused(number, gettext_noop("not an object"))
        else:
            yield from entries_of(number, row)


def json_rows(text: str) -> Iterator[tuple[int, object]]:
    if text.lstrip().startswith("["):
        try:
            yield from enumerate(json.loads(text), start=1)
        except (ValueError, RecursionError) as problem:
            raise BadFile(gettext_noop("The array cannot be read: %(problem)s"), problem=problem) from problem
        return
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):  # JSON may hold other ends of lines
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as problem:
                yield number, refused(number, gettext_noop("not JSON: %(problem)s"), problem=problem)


def entries_of(number: int, row: dict) -> Iterator[Entry | Refused]:
    values = fields_of(row, columns_of(row))
    graded = row.get("relevant") or {}
    if not isinstance(graded, dict) and values.get("locator"):
        graded = {}  # says of the line's own locator what its grade says
    if not isinstance(graded, dict):
        yield refused(number, gettext_noop("“relevant” is no object of grades by locator"))
        return
    if not graded:
        yield entry(number, values)
    for locator, grade in graded.items():
        yield entry(number, values | {"locator": locator, "grade": grade})


def read_table(text: str) -> Iterator[Entry | Refused]:
    """Rows under a header. Without a column of grades, each column of unknown name is a judge's (Quepid's books)."""
    rows = table_rows(text, delimiter_of(text))
    header: list[str] = next((row for _, row in rows if any(cell.strip() for cell in row)), [])
    columns = columns_of(header)
    if not has_columns(columns):
        raise BadFile(
            gettext_noop(
                "The table needs a column topic or query and a column locator (or docid); for topics alone, "
                "both topic and query."
            ),
        )
    raters = [] if "grade" in columns or "locator" not in columns else judges_among(header, columns)
    for number, row in rows:
        cells = [unescaped(cell.strip()) for cell in row]
        if not any(cells):
            continue
        if any(cells[len(header) :]):
            told = gettext_noop("%(cells)s cells under %(columns)s columns")
            yield refused(number, told, cells=len(cells), columns=len(header))
            continue
        named = dict(zip(header, cells, strict=False))
        yield from (
            judged_by_all(number, named, columns, raters)
            if raters
            else [entry(number, fields_of(named, columns))]
        )


def judged_by_all(
    number: int, row: Mapping[str, str], columns: Mapping[str, str], raters: Sequence[str]
) -> Iterator[Entry | Refused]:
    """One judgment for each judge who gave one."""
    values = fields_of(row, columns)
    given = {rater: row[rater] for rater in raters if row.get(rater)}
    if not given:
        yield entry(number, values | {"locator": ""})
    for rater, grade in given.items():
        yield entry(number, values | {"judge": rater.strip(), "grade": grade})


def read_trec(text: str) -> Iterator[Entry | Refused]:
    """TREC qrels: topic, iteration, document, grade."""
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.split()
        if len(parts) == 4:
            yield entry(number, {"topic": parts[0], "locator": parts[2], "grade": parts[3]})
        elif parts:
            yield refused(number, gettext_noop("%(count)s fields where TREC qrels have 4"), count=len(parts))


def read_trec_topics(text: str) -> Iterator[Entry | Refused]:
    """TREC topics, `<top>` or `<topic>` each, else an id and a query a line with a tab between. Raises BadFile."""
    if "<top" not in text.lower():
        yield from topic_lines(text)
        return
    number, counted = 1, 0
    for found, end in topics_in(text):
        number, counted = number + text.count("\n", counted, found.start()), found.start()
        inside = TOPIC_PART.findall(text, found.end(), end)
        parts = {tag.lower(): " ".join(said.split()) for tag, said in inside}
        told = {
            name: " ".join(parts[tag] for tag in tags if parts.get(tag)) for name, tags in TOPIC_PARTS.items()
        }
        if attribute := TOPIC_NUMBER.search(found[1]):
            told["topic"] = attribute[1]
        yield entry(number, told) if told["query"] else refused(number, gettext_noop("a topic without a title"))


def topics_in(text: str) -> Iterator[tuple[re.Match, int]]:
    """Each beginning of a topic, and where its text ends."""
    at = 0
    while (begin := TOPIC.search(text, at)) and (end := TOPIC_END.search(text, begin.end())):
        yield begin, end.start()
        at = end.end()


def topic_lines(text: str) -> Iterator[Entry | Refused]:
    for number, line in enumerate(text.splitlines(), start=1):
        topic, tab, query = line.partition("\t")
        if tab and query.strip():
            yield entry(number, {"topic": topic, "query": query})
        elif line.strip():
            yield refused(number, gettext_noop("no id and query with a tab between"))


def entry(number: int, values: Mapping[str, object]) -> Entry | Refused:
    locator = locator_of(str(values.get("locator") or ""))
    kind = str(values.get("kind") or "").lower()
    about = {name: values[name] for name in ABOUT_TOPIC if values.get(name) not in (None, "")}
    if kind and kind not in JUDGMENT_KINDS:  # topic files call the kind of topic so
        kind, about = "", {"topic_kind": kind} | about
    read = Entry(
        line=number,
        topic=str(values.get("topic") or "").strip(),
        query=" ".join(str(values.get("query") or "").split()),
        locator=locator,
        judge=str(values.get("judge") or "").strip(),
        kind=kind,
        explanation=str(values.get("explanation") or ""),
        about=typed(about),
    )
    if not read.topic and not read.query:
        return refused(number, gettext_noop("neither a topic nor a query"))
    if UNSTORABLE.search(" ".join(map(str, values.values()))):
        return refused(number, gettext_noop("a character that no text may hold"))
    if long := next((name for name, most in LONGEST.items() if len(getattr(read, name)) > most), ""):
        return refused(number, TOO_LONG[long], most=LONGEST[long])
    if not locator:
        graded = values.get("grade") not in (None, "")
        return refused(number, gettext_noop("a grade without a locator")) if graded else read
    try:
        return replace(read, grade=grade_of(values.get("grade")))
    except LineRefused as problem:
        return refused_for(number, problem)


def typed(about: Mapping[str, object]) -> dict[str, object]:
    told = dict(about)
    if "answerable" in told:
        told["answerable"] = str(told["answerable"]).strip().lower() not in FALSE
    if "tags" in told and not isinstance(told["tags"], list):
        told["tags"] = [tag for tag in re.split(r"[\s,;]+", str(told["tags"])) if tag]
    return told


def grade_of(given: object) -> int:
    """0 to 3 from a number or a word. Raises LineRefused: what is unjudged is no grade."""
    word = folded(str("" if given is None else given)).replace("-", " ").replace("_", " ").strip()
    if word in GRADES:
        return GRADES[word]
    if not word or word in ("unjudged", "?", "n/a"):
        raise LineRefused(gettext_noop("no grade: what is unjudged stays so"))
    try:
        number = float(str(given))
    except ValueError:
        raise LineRefused(gettext_noop("“%(words)s” is no grade"), words=str(given)[:40]) from None
    if number not in (0, 1, 2, 3):
        raise LineRefused(gettext_noop("grade %(grade)s is not one of 0, 1, 2, 3"), grade=str(given)[:40])
    return int(number)


def locator_of(written: str) -> str:
    path = written.strip().strip("/")
    return f"/{path}" if path else ""


def columns_of(header: Iterable[str]) -> dict[str, str]:
    """By field, the header it stands under. Raises BadFile for too many."""
    names = list(header)
    if len(names) > MOST_COLUMNS:
        raise BadFile(
            gettext_noop("A table has at most %(most)s columns, this one %(count)s."),
            most=MOST_COLUMNS,
            count=len(names),
        )
    plain = {re.sub(r"[^a-z]", "", str(name).lower()): name for name in reversed(names)}
    found = {field: [plain[alias] for alias in aliases if alias in plain] for field, aliases in COLUMNS.items()}
    return {field: names[0] for field, names in found.items() if names}


def has_columns(columns: Mapping[str, str]) -> bool:
    """A pair judged, or a topic: what it is called and what it asks."""
    named = {"topic", "query"} & columns.keys()
    return len(named) == 2 or ("locator" in columns and bool(named))


def judges_among(header: Sequence[str], columns: Mapping[str, str]) -> list[str]:
    known = set(columns.values())
    return [
        name
        for name in header
        if name not in known and re.sub(r"[^a-z]", "", name.lower()) not in BOOKKEEPING
    ]


def fields_of(row: Mapping[str, object], columns: Mapping[str, str]) -> dict[str, object]:
    return {field: row.get(name) for field, name in columns.items()}


def read_run(text: str) -> dict[str, list[str]]:
    """A TREC run file (topic, Q0, document, rank, score, tag): locators by topic, best score first. Raises BadFile."""
    scored: dict[str, list[tuple[float, int, str]]] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        parts = line.split()
        if not parts:
            continue
        try:
            topic, _, locator, rank, score, *_ = parts
            if len(locator) > LONGEST["locator"]:
                raise ValueError(locator)
            scored.setdefault(topic, []).append((-float(score), int(rank), locator_of(locator)))
        except ValueError as problem:
            raise BadFile(
                gettext_noop("Line %(number)s is no line of a TREC run."), number=number
            ) from problem
    return {topic: [locator for *_, locator in sorted(rows)] for topic, rows in scored.items()}
