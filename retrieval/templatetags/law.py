"""How the pages put law and its ranking into words. Text is escaped first, marked afterwards."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from urllib.parse import urlsplit

from django import template
from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from retrieval.answers.citing import cited, named_edition, together
from retrieval.citations.reporters import SHORT_NAME, UNITED_STATES_REPORTS, cite_case
from retrieval.corpus import history
from retrieval.corpus.absence import in_words
from retrieval.corpus.changes import begins
from retrieval.corpus.history import DEPARTED, is_within
from retrieval.models import Section
from retrieval.pages.addresses import Reader
from retrieval.pages.changes import in_force
from retrieval.pages.reader import document_title, name_under
from retrieval.pages.typesetting import Run, marked
from retrieval.ranking import ACCEPTED, REJECTED, UNCERTAIN

register = template.Library()
register.filter(named_edition)
CODES = ("/us/usc/", "/us/cfr/")
HELPLINE = re.compile(r"\b(911|988|1-\d{3}-\d{3}-\d{4})\b")
MARK, UNMARK = SafeString("<mark>"), SafeString("</mark>")

# Names of levels and of statuses; a source writes them in small letters.
LEVELS = (
    gettext_noop("Amendment"), gettext_noop("Appendix"), gettext_noop("Article"), gettext_noop("Case"),
    gettext_noop("Chapter"), gettext_noop("Clause"), gettext_noop("Division"), gettext_noop("Opinion"),
    gettext_noop("Paragraph"), gettext_noop("Part"), gettext_noop("Preamble"), gettext_noop("Section"),
    gettext_noop("Subchapter"), gettext_noop("Subclause"), gettext_noop("Subdivision"),
    gettext_noop("Subject Group"), gettext_noop("Subparagraph"), gettext_noop("Subpart"),
    gettext_noop("Subsection"), gettext_noop("Subtitle"), gettext_noop("Title"), gettext_noop("Volume"),
)  # fmt: skip
STATUSES = (
    gettext_noop("Omitted"), gettext_noop("Overruled"), gettext_noop("Renumbered"), gettext_noop("Repealed"),
    gettext_noop("Reserved"), gettext_noop("Superseded"), gettext_noop("Transferred"),
)  # fmt: skip
CHANGES = {
    "changed": _("Changed on {day} by {citation}."),
    "repealed": _("Repealed on {day} by {citation}."),
    "superseded": _("Superseded on {day} by {citation}."),
    "overruled": _("Overruled on {day} by {citation}."),
    "departed": _("Later law departs from it or limits it: {citation}, {day}."),
}
STANDINGS = {
    "amended_since": _("Amended on {day}"),
    "no_longer_in_force": _("Not in force since {day}"),
    "not_yet_in_force": _("Not in force before {day}"),
}
SHOWN_AS_NOTHING = 0.005  # a smaller probability rounds to 0.00
ENDED_LATER = _("In force on {asked}; not in force since {day}")
WITHDRAWN, WITHDRAWN_LATER = _("Withdrawn on {day}"), _("In force on {asked}; withdrawn on {day}")
REASONS = {
    "alias": _("It is known as “%(alias)s”, which your question names."),
    "alias_near": _("One of its names or example questions is close to yours in meaning: “%(alias)s”."),
    "alias_lexical": _("Its names and example questions use the words of yours: number %(rank)s of all."),
    "citation": _("Your question cites %(citation)s."),
    "citation_near": _("The place you cite is not here; this is the nearest above it, %(citation)s."),
    "moved_here": _("%(citation)s, which you cite, was transferred to here."),
    "named_instead": _("%(citation)s, which you cite, is no longer in force; its notes name this instead."),
    "citation_under": _("It is part of %(citation)s, which you cite."),
    "named_act": _("It is the first section of the %(act)s, which your question names."),
    "in_named_act": _("It is part of an act that your question names: %(act)s."),
    "near_citation": _("This one has nearly the number of %(citation)s."),
    "collective": _("It is one of the provisions that “%(alias)s” names together."),
    "cites": _("It cites %(citation)s, on which your question asks for decisions."),
    "changed_it": _("It changed %(citation)s in %(year)s."),
    "repealed_it": _("It repealed %(citation)s in %(year)s."),
    "superseded_it": _("It superseded %(citation)s in %(year)s."),
    "overruled_it": _("It overruled %(citation)s in %(year)s."),
    "departed_it": _("It departed from %(citation)s, or limited it, in %(year)s."),
    "changed_by": _("It was changed by %(citation)s in %(year)s."),
    "repealed_by": _("It was repealed by %(citation)s in %(year)s."),
    "superseded_by": _("It was superseded by %(citation)s in %(year)s."),
    "overruled_by": _("It was overruled by %(citation)s in %(year)s."),
    "departed_by": _("%(citation)s departed from it, or limited it, in %(year)s."),
    "was_changed": _("It is a part that was changed."),
    "headed": _("Your question is its heading: “%(heading)s”."),
    "dense": _("Its meaning is close to your question’s: number %(rank)s of all."),
    "judged_alike": _("People judged it to answer a question like yours."),
    "lexical": _("It uses the words of your question: number %(rank)s of all."),
    "llm_verdict": _("A language model judged its relevance: %(score)s of 9."),
    "private": _("It uses the words of your question: number %(rank)s in your private documents."),
    "below_minimum": _(
        "Its probability, %(probability)s, is below the minimum of %(minimum)s (thresholds, version %(version)s)."
    ),
    "behind_the_best": _(
        "Its probability, %(probability)s, is more than %(gap)s below the best, %(best)s "
        "(thresholds, version %(version)s)."
    ),
    "rule_pin": _("A curator put it here: “%(name)s”."),
    "rule_boost": _("A curator raised it: “%(name)s”."),
    "rule_bury": _("A curator lowered it: “%(name)s”."),
    "rule_exclude": _("A curator took it out: “%(name)s”."),
    "rule_alias": _("A curator named it as an answer to such questions: “%(name)s”."),
    "rule_covers": _("It is in what a curator's rule searches: “%(name)s”."),
    "rule_abstain": _("A curator wants no answer to such questions: “%(name)s”."),
    "over_token_budget": _("It is beyond the token budget of %(budget)s."),
    "abstained": _("Too improbable an answer: the best candidate reached %(probability)s."),
    "without_quoted": _("It does not have the words that your question puts in quotes."),
    "another_country": _("The question asks about the law of another country."),
    "no_such_provision": _("You named %(citation)s, which is not among the law that was searched."),
}
ZONES = {ACCEPTED: _("accepted"), UNCERTAIN: _("uncertain"), REJECTED: _("rejected")}
NO_MEANING = _("Search by meaning did not answer; results rest on words and names.")
DEGRADED = {
    "CrossEncoderReranker": _(
        "The closer comparison of results with your question did not answer; their order rests on the rest."
    ),
    "DenseRetriever": NO_MEANING,
    "EmbedQuery": NO_MEANING,
    "FindNotes": _("Notes could not be searched; nothing is missing among the results."),
    "Generation": _("The language model wrote nothing that is proven; the words of the law stand alone."),
    "LLMVerifier": _("The language model did not answer; the order is the one learned from judgments."),
    "LearnedReranker": _(
        "The order learned from judgments is missing at present; results are ordered by words, meaning and names."
    ),
    "LexicalRetriever": _("Search by words did not answer; results rest on meaning and names."),
    "NearestAliasRetriever": NO_MEANING,
    "SentenceRanker": _("What tells close sentences apart did not run; words and names chose what is quoted."),
    "Translate": _("The translator did not answer; only known legal terms were translated."),
}


def is_spanish() -> bool:
    return get_language() == "es"


@register.filter
def zone(name: str) -> str:
    """What the reranker makes of a candidate."""
    return str(ZONES[name])


@register.filter
def label(section: Section) -> str:
    """ "Article I", "Sección 8"; levels that have no name here are written as the source names them."""
    name = section.level.title()
    level = gettext(name) if name in LEVELS else name
    return f"{level} {section.number}".strip()


@register.filter
def full_label(section: Section) -> str:
    """ "Article I: The Legislative Branch"."""
    heading = section.local_heading
    if not section.number:
        return heading or label(section)
    return f"{label(section)}: {heading}" if heading else label(section)


@register.filter
def cite_as(section: Section, day: date | None = None) -> str:
    """Its citation, of a decision with name and year, which a citation of the United States Reports alone lacks, and
    of a text that a code no longer has with the year of an edition that had it, of about the day read.
    """
    if section.locator.startswith(CODES) and section.valid_to and section.valid_to <= timezone.localdate():
        years = [section.valid_to.year - 1, *([day.year] if day else [])]
        first = section.valid_from.year if section.valid_from else 0
        return f"{section.citation} ({max(first, min(years))})"
    if not section.locator.startswith(UNITED_STATES_REPORTS):
        return section.citation
    document, (cited, space, part) = section.document, section.citation.partition(" (")
    year = document.year or (section.valid_from and section.valid_from.year)
    return cite_case(document.title[:SHORT_NAME], cited, document.court, year) + space + part


@register.simple_tag
def marked_label(section: Section, language: str) -> SafeString:
    """As `full_label`, with the heading marked as being in the law's language where the page has another."""
    words = section.local_heading
    if not foreign(words, section.heading, language):
        return conditional_escape(full_label(section))
    before = f"{label(section)}: " if section.number else ""
    return format_html('{}<span lang="{}">{}</span>', before, language, words)


def foreign(words: str, original: str, language: str) -> str:
    """The language of words that stand as their source has them, where the page is in another; else nothing."""
    return language if words and words == original and get_language() != language else ""


@register.simple_tag
def lang_of(words: str, original: str, language: str) -> SafeString:
    """The attribute that says so: screen readers pronounce English as such."""
    told = foreign(words, original, language)
    return format_html(' lang="{}"', told) if told else SafeString("")


@register.filter
def heading(section: Section) -> str:
    return section.local_heading or label(section)


@register.filter
def heading_level(depth: int) -> int:
    """Of a part, below the page's own heading; HTML has six."""
    return min(depth + 1, 6)


@register.filter
def local(values: Mapping, name: str) -> str:
    """A value of a result in the language of the page, where there is one."""
    return (is_spanish() and values.get(f"{name}_es")) or values.get(name, "")


@register.filter
def status(code: str) -> str:
    if code == DEPARTED:
        return gettext("Later law departs from it or limits it")
    return gettext(code.title()) if code.title() in STATUSES else code


@register.filter
def standing(result: Mapping, asked: date | None = None) -> str:
    """What its status does not say: that it was amended, ended, or has not begun; for a day, that it ended later. Where
    it ended as its document was withdrawn, that.
    """
    has_ended = result["standing"] == "no_longer_in_force"
    withdrawn = has_ended and result.get("withdrawn_on") == result["valid_to"]
    told = WITHDRAWN if withdrawn else STANDINGS.get(result["standing"])
    if told is None or result["status"]:
        return ""
    day = date.fromisoformat(result["valid_from" if result["standing"] == "not_yet_in_force" else "valid_to"])
    if asked and asked < day and has_ended:
        told = WITHDRAWN_LATER if withdrawn else ENDED_LATER
    return str(told).format(day=date_format(day), asked=date_format(asked) if asked else "")


@register.filter
def sentence(reason: Mapping) -> str:
    """Why a candidate stands where it stands; a code without words here is shown with its values."""
    known = REASONS.get(reason["code"])
    return str(known) % reason if known else ", ".join(f"{name}: {value}" for name, value in reason.items())


@register.filter
def rounded(probability: float) -> str:
    """To two places; what is shown can be little, never nothing."""
    return gettext("below 0.01") if probability < SHOWN_AS_NOTHING else floatformat(probability, 2)


@register.filter
def shortcomings(stages: Iterable[str]) -> list[str]:
    """What the answer lacks for parts of the search that failed, each said once."""
    return list(dict.fromkeys(map(shortcoming, stages)))


@register.filter
def shortcoming(stage: str) -> str:
    return str(DEGRADED.get(stage) or gettext("A part of the search did not answer."))


@register.filter
def apart(words: str, language: str = "") -> SafeString:
    """What a reader wrote, so that letters that run from right to left turn nothing around them; in a language, where
    that is known.
    """
    told = format_html(' lang="{}"', language) if language else ""
    return format_html("<bdi{}>{}</bdi>", told, words)


@register.filter
def day(written: str | None) -> str:
    """A day in ISO 8601 as people write it."""
    return date_format(date.fromisoformat(written)) if written else ""


@register.filter
def dialled(words: str) -> SafeString:
    """With numbers for help as links that a telephone calls."""
    pieces = HELPLINE.split(str(words))  # every second one is a number
    texts, numbers = pieces[::2], [*pieces[1::2], ""]
    links = (format_html('<a href="tel:{0}">{0}</a>', number) if number else "" for number in numbers)
    return format_html_join("", "{}{}", zip(texts, links, strict=True))


@register.filter
def get(values: Mapping, key: str):
    return values.get(key)


@register.simple_tag
def snippet(result: Mapping) -> SafeString:
    """The snippet with what was found marked: every piece is escaped on its own, then put between marks."""
    pieces = format_html_join(
        "",
        "{}{}{}",
        (
            (MARK, piece, UNMARK) if is_mark else ("", piece, "")
            for piece, is_mark in marked(result["snippet"], [(s, e) for s, e in result["marks"]])
        ),
    )
    before, after = "… " if result["passage"][0] > 0 else "", " …" if result["goes_on"] else ""
    return format_html("{}{}{}", before, pieces, after)


@register.filter
def changes(result: Mapping) -> list[Mapping]:
    """Those of a whole result, not of something that it holds."""
    return [made for made in result.get("history", ()) if is_within(result["locator"], made["provision"])]


@register.simple_tag
def change(made: Mapping) -> SafeString:
    """ "Repealed on Dec. 5, 1933 by U.S. Const. amend. XXI, § 1.", which leads there."""
    address = reverse("retrieval:provision", args=[made["by"].removeprefix("/")])
    link = format_html('<a href="{}">{}</a>', address, made["citation"])
    return format_html(str(CHANGES[made["effect"]]), day=day(made["day"]), citation=link)


@register.filter
def is_known(citation: str) -> bool:
    """Whether it is of law whose whole past is known here."""
    return history.is_known(citation)


register.filter("absence", in_words)
register.filter(in_force)


def plain_marks(item: Mapping) -> list[str]:
    """What is told beside law that is quoted, without links: whether it is a summary, its status, its standing, what
    changed it.
    """
    changed = [(str(CHANGES[made["effect"]]), made) for made in item["history"]]
    by = [told.format(day=day(made["day"]), citation=made["citation"]) for told, made in changed]
    whose = gettext("summary, not the opinion’s words") if item["summary_of_decision"] else ""
    return [*filter(None, (whose, status(item["status"]), standing(item))), *by]


register.filter(document_title)
register.filter(together)
register.filter(cited)


@register.simple_tag
def querystring_of(**values: str) -> str:
    """The values as they stand after the "?" of an address."""
    return urlencode(values)


@register.simple_tag
def result_url(
    result: Mapping,
    question: str,
    as_of: date | str | None = None,
    matter: str | None = None,
    filters: Mapping | None = None,
) -> str:
    """A result's page with its passage highlighted, at the most exact place known."""
    start, end = result["passage"]
    kept = {"q": question, "passage": f"{start}-{end}", "as_of": as_of, "matter": matter, **(filters or {})}
    asked = {name: value for name, value in kept.items() if value}
    address = reverse("retrieval:provision", args=[result["locator"].removeprefix("/")])
    place = name_under(result["locator"], result["pin"]) if result["pin"] else ""
    return f"{address}?{urlencode(asked, doseq=True)}#{place or 'passage'}"


@register.simple_tag
def place_url(place: Mapping, as_of: date | None = None) -> str:
    """A place as it is on the day asked about."""
    return f"{place['url']}?{urlencode({'as_of': as_of.isoformat()})}" if as_of else place["url"]


@register.simple_tag
def note_url(note: Mapping, as_of: str | None = None, matter: str | None = None) -> str:
    """The notes on the page of their provision."""
    asked = {name: value for name, value in {"as_of": as_of, "matter": matter}.items() if value}
    return f"{note['url']}?{urlencode(asked)}#notes" if asked else f"{note['url']}#notes"


@register.simple_tag
def summary_url(result: Mapping, as_of: str | None = None, matter: str | None = None) -> str:
    """Of a result, in the reader's language."""
    asked = {name: value for name, value in {"as_of": as_of, "matter": matter}.items() if value}
    return f"{reverse('retrieval:summary', args=[result['locator'].removeprefix('/')])}?{urlencode(asked)}"


@register.simple_tag
def quoted_url(
    place: Mapping, question: str, as_of: date | str | None = None, matter: str | None = None
) -> str:
    """Where words that are quoted stand, highlighted."""
    return result_url({**place, "passage": (place["start"], place["end"])}, question, as_of, matter)


@register.simple_tag
def section_url(reader: Reader, section: Section, name: str = "") -> str:
    return reader.url(section, name)


@register.simple_tag
def locator_url(reader: Reader, locator: str) -> str:
    return reader.url_of(locator)


@register.simple_tag
def today_url(reader: Reader, locator: str) -> str:
    return reader.url_on(None, locator)


@register.simple_tag
def versions_url(reader: Reader, section: Section) -> str:
    return reader.versions_url(section)


@register.simple_tag
def citations_url(reader: Reader, section: Section) -> str:
    return reader.citations_url(section)


@register.simple_tag
def version_url(reader: Reader, version: Section) -> str:
    """A version on a day on which it is in force; one that is in force today, as it is read today."""
    first = version.valid_from
    is_other = version.valid_to or (first and first > timezone.localdate())
    return reader.url_on(begins(version) if is_other else None, version.locator, version.of_day)


@register.simple_tag
def typeset(runs: Iterable[Run]) -> SafeString:
    """Runs of text in order, each escaped, then linked, marked and named."""
    return format_html_join("", "{}", ((run_html(run),) for run in runs))


def run_html(run: Run) -> SafeString:
    inner = format_html('<a href="{}">{}</a>', run.url, run.text) if run.url else conditional_escape(run.text)
    if run.in_passage:
        name = SafeString(' id="passage"') if run.opens_passage else ""
        found = " found" if run.is_hit else ""
        inner = format_html('<mark{} class="passage{}">{}</mark>', name, found, inner)
    names = format_html_join("", '<span id="{}" class="place"></span>', ((name,) for name in run.names))
    return format_html("{}{}{}", page_mark(run.page), names, inner)


def page_mark(page: int | None) -> SafeString:
    """Where a page of the file begins, to be linked to as #page-12."""
    if page is None:
        return SafeString("")
    words = gettext("Page %(number)s") % {"number": page}
    mark = '<span class="page" id="page-{}" role="doc-pagebreak" aria-label="{}" title="{}">{}</span>'
    return format_html(mark, page, words, words, page)


@register.filter
def host(url: str) -> str:
    """ "www.archives.gov"."""
    return urlsplit(url).hostname or url
