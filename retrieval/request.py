"""What a caller asks for, and the limits of asking. No database."""

from dataclasses import dataclass
from datetime import date

from retrieval import pipeline
from retrieval.errors import ArfError, gettext_noop
from retrieval.ranking import RuleOptions
from retrieval.text import quotes
from retrieval.text.language import detect

MAX_QUERY = 2_000  # characters: a situation told at length; more is a document, not a question
MAX_K = 100
MAX_DEPTH = 1_000  # results that paging reaches
MOST_PAGES = 1_000  # of any list
MAX_WITHIN = 20  # places that one search is restricted to


class BadQuery(ArfError):
    """The question cannot be asked like this; the message says what to change."""

    code = "bad_query"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What a caller asks. No domain means all that the caller may see."""

    text: str
    domains: tuple[str, ...] = ()
    k: int = 10
    page: int = 1
    language: str | None = None
    as_of: date | None = None
    pipeline: str = pipeline.USUAL
    rules: RuleOptions = RuleOptions()
    whole: bool = False  # results with all their text and notes, which may be long
    facets: bool = False  # how many of the first are of which domain, document, part, agency, status, court and year
    notes: bool = False  # notes that have the words, told beside the results
    within: tuple[str, ...] = ()  # locators: only what stands below one of them
    reader: str = "en"  # the language of the page, and so of a question that tells none: "visa"

    @property
    def spoken(self) -> str:
        """The language asked for, else the one it is written in."""
        return self.language or detect(self.text, otherwise=self.reader)


def check(request: SearchRequest) -> None:
    """Raises BadQuery; nothing that fails here reaches a stage."""
    if not any(map(str.isalnum, request.text)):
        raise BadQuery(gettext_noop("Ask something: the query is empty."))
    if len(request.text) > MAX_QUERY:
        raise BadQuery(gettext_noop("The query is longer than %(most)s characters."), most=MAX_QUERY)
    if quotes.too_many(request.text):
        raise BadQuery(gettext_noop("At most %(most)s different phrases may stand in quotes."), most=quotes.MOST)
    if not 1 <= request.k <= MAX_K:
        raise BadQuery(gettext_noop("k must lie between 1 and %(most)s."), most=MAX_K)
    if not request.page >= 1 or request.page * request.k > MAX_DEPTH:
        raise BadQuery(gettext_noop("Pages reach at most the first %(most)s results."), most=MAX_DEPTH)
    if len(request.within) > MAX_WITHIN:
        raise BadQuery(gettext_noop("A search is restricted to at most %(most)s places."), most=MAX_WITHIN)
    if request.language not in (None, "en", "es"):
        raise BadQuery(gettext_noop("language must be en or es."))


def paging(total: int, *, k: int, page: int) -> dict[str, int | None]:
    """Where one page of `k` stands among them all; none follows the last that may be asked for, and what is past the
    end leads back to the last that there is.
    """
    more = total > page * k and page < MOST_PAGES
    previous = min(page - 1, max(-(-total // k), 1))
    return {"total": total, "page": page, "next": page + 1 if more else None, "previous": previous or None}
