"""Editions of one law, published by the ordinary job: a day has the texts of its edition and no others, whatever is
asked; of real editions every change is kept that a comparison of their lines finds.
"""

import re
import tarfile
from datetime import date, timedelta
from difflib import unified_diff
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retrieval.access.caller import ANONYMOUS
from retrieval.answers.service import AnswerRequest, answer
from retrieval.api.sections import place_account
from retrieval.corpus import graph
from retrieval.corpus.changes import REPEALED, Span, changes
from retrieval.errors import NotFound
from retrieval.models import Domain, JobRun, Section
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests.database import own_index, rolled_back
from tests.retrieval.ingestion.conftest import ingested
from tests.retrieval.parsing.cfr.samples import annual
from tests.retrieval.parsing.cfr.test_reader import sections_apart

pytestmark = pytest.mark.django_db
BODIES = ("code_of_federal_regulations", "supreme_court_cases")
DAY = timedelta(days=1)

# -- What is valid on a day

RULE = "An employer shall verify {} within {} days of hire, as 8 CFR 274a.{} says."
EDITIONS = {  # of 8 CFR part 274a: what its sections say from each day on
    date(2013, 7, 1): {
        "s1": RULE.format("the identity of employees", "three", 2),
        "s2": "A fine of an employer is at most 300 dollars.",
        "s3": "Harvest workers show a green card, as 8 CFR 274a.1 says.",
    },
    date(2014, 7, 1): {
        "s1": RULE.format("the identity of employees", "two", 2),
        "s2": "A fine of an employer is at most 300 dollars.",
        "s4": "Ship crews are examined aboard, as 8 CFR 274a.2 says.",
    },
    date(2016, 7, 1): {
        "s1": RULE.format("the identity and the age of employees", "two", 4),
        "s2": "A fine of an employer is at most 500 dollars.",
        "s3": "Harvest workers show a blue card, as 8 CFR 274a.1 says.",
        "s4": "Ship crews are examined ashore, as 8 CFR 274a.2 says.",
    },
}
CASE = (
    '{{"locator": "/us/scotus/999/{page}", "name": "Doe v. {name}", "decided": "{day}", "facts": "An employer of '
    '{name} examined nobody.", "conclusion": "The fine stands.", "provisions": ["/us/cfr/t8/s274a.2"]}}\n'
)
DECIDED = {"/us/scotus/999/1": date(2013, 12, 2), "/us/scotus/999/3": date(2015, 3, 9)}
QUESTIONS = (
    "within how many days does an employer verify identity?", "how high is the fine of an employer?", "8 CFR 274a.3",
    "which card do harvest workers show", "where are ship crews examined?", "Doe v. Oslo", "employer of Lima",
)  # fmt: skip
BESIDE = ("/us/cfr/t8/pt274a/appB", "/us/cfr/t8/s274a.90-274a.99")  # what every edition of the sample has
DAYS = [moved for day in (*EDITIONS, *DECIDED.values()) for moved in (day - DAY, day)]


@pytest.fixture(scope="module")
def published(django_db_setup, django_db_blocker, tmp_path_factory):
    """All of it is published once for the tests of this file, and never committed."""
    folder = tmp_path_factory.mktemp("editions")
    with django_db_blocker.unblock(), rolled_back(), own_index(folder / "lexical") as reindex:
        regulations, cases = (Domain.objects.get(slug=slug) for slug in BODIES)
        for day, sections in EDITIONS.items():
            (folder / f"{day}.xml").write_text(annual(day.isoformat(), **sections))
            assert ingested(regulations, folder / f"{day}.xml", force=True).status == JobRun.Status.DONE
        rows = zip(DECIDED.items(), ("Oslo", "Lima"), strict=True)
        written = (CASE.format(page=place[-1], name=name, day=day) for (place, day), name in rows)
        (folder / "cases.jsonl").write_text("".join(written))
        assert ingested(cases, folder / "cases.jsonl").status == JobRun.Status.DONE
        reindex()
        yield


def in_force_on(day: date) -> dict[str, str]:
    """What of this law is in force, by what the editions above say."""
    edition = max((begins for begins in EDITIONS if begins <= day), default=None)
    law = {f"/us/cfr/t8/s274a.{name[1:]}": text for name, text in EDITIONS.get(edition, {}).items()}
    law |= dict.fromkeys(BESIDE if edition else (), "")
    return law | {place: "" for place, decided in DECIDED.items() if decided <= day}


def is_right(day: date, place: str, begins: str | None, ends: str | None, text: str) -> bool:
    """Whether it is in force on the day, and says what its edition does; of other law a search may find some."""
    says = "" if place.startswith("/us/const/") else in_force_on(day)[place]
    return (begins or "") <= day.isoformat() < (ends or "9999") and says in text


@settings(max_examples=8)
@given(day=st.one_of(st.sampled_from(DAYS), st.dates(date(2013, 1, 1), date(2017, 1, 1))), q=st.sampled_from(QUESTIONS))
@example(day=date(2014, 7, 1), q=QUESTIONS[0])
@example(day=date(2014, 7, 1), q=QUESTIONS[3])
def test_nothing_that_is_asked_of_a_day_is_answered_by_what_is_not_in_force_on_it(published, day, q):
    law = in_force_on(day)
    found = search(SearchRequest(q, BODIES, as_of=day, whole=True), fresh=True)
    for result in (*found["results"], *found["near_misses"]):
        assert is_right(day, result["locator"], result["valid_from"], result["valid_to"], result["text"]), result
    for item in answer(AnswerRequest(q, BODIES, as_of=day))["answer"]:
        for cited in item["citations"]:
            place = cited["locator"]
            assert cited["quote"] in law.get(place, "") or place.startswith("/us/const/") or not law[place], cited


@pytest.mark.parametrize("day", DAYS)
def test_a_place_is_read_with_what_it_cites_and_what_cites_it_as_it_was_on_the_day(published, day):
    law, known = in_force_on(day), {*DECIDED, *(f"/us/cfr/t8/s274a.{n}" for n in range(1, 5))}
    for place in known - law.keys():
        with pytest.raises(NotFound):
            place_account(place, ANONYMOUS, day)
    for place in law:
        told = place_account(place, ANONYMOUS, day)
        assert is_right(day, place, told["valid_from"], told["valid_to"], told["text"])
        assert {edge["locator"] for edge in told["citations"]["received"]} <= law.keys()
        section = Section.objects.readable(ANONYMOUS, day).get(locator=place)
        around = graph.around(section, ANONYMOUS, day, depth=2, ways=("made", "received"), limit=50)
        assert {node["locator"] for node in around["nodes"]} <= law.keys()
    if (fine := "/us/cfr/t8/s274a.2") in law:
        received = place_account(fine, ANONYMOUS, day)["citations"]["received"]
        assert {edge["locator"] for edge in received} & DECIDED.keys() == DECIDED.keys() & law.keys()


def test_the_same_question_is_answered_by_the_text_of_each_day(published):
    for day, fine in ((date(2013, 12, 1), "300"), (date(2016, 12, 1), "500")):
        first, *_ = search(SearchRequest(QUESTIONS[1], BODIES[:1], as_of=day, whole=True))["results"]
        assert first["locator"] == "/us/cfr/t8/s274a.2" and fine in first["text"]
        assert fine in answer(AnswerRequest(QUESTIONS[1], BODIES[:1], as_of=day))["answer"][0]["text"]


# -- Real editions

SMALL = ("1.18", "1.31", "1.102", "1.109", "1.110", "1.117", "1.142", "1.145", "1.197", "1.445")


def without_others(edition: str, kept: tuple[str, ...]) -> str:
    """The edition with these sections alone, and without notes of words to come, which quote some."""

    def stays(section: re.Match) -> str:
        number = re.search(r"<SECTNO>§+\s*(.*?)</SECTNO>", section[0], re.S)[1]
        return section[0] if re.split(r"[^\w.]", number)[0] in kept else ""

    in_force = re.sub(r"<EFFDNOTP>.*?</EFFDNOTP>", "", edition, flags=re.S)
    return re.sub(r"<SECTION>.*?</SECTION>", stays, in_force, flags=re.S) if kept else edition


def words_of(text: str) -> list[str]:
    """Without the bars between the cells of a table."""
    return [word for word in text.split() if word != "|"]


def lines_of(edition: str) -> list[str]:
    """A line for each section: its number and its words."""
    return [" ".join((number, *words)) for number, words in sections_apart(edition).items()]


def changed_lines(before: str, after: str) -> tuple[set[str], set[str]]:
    """By a comparison of lines: the numbers of sections whose texts end, and of those that begin."""
    lines = list(unified_diff(lines_of(before), lines_of(after), n=0, lineterm=""))[2:]
    ended, begun = ({line[1:].partition(" ")[0] for line in lines if line[0] == sign} for sign in "-+")
    return ended, begun


@pytest.mark.measuring_data
@pytest.mark.parametrize(
    ("kept", "every"), [pytest.param(SMALL, 3, id="some"), pytest.param((), 1, marks=pytest.mark.full, id="all")]
)
def test_every_change_of_twelve_editions_is_kept_and_each_day_has_its_words(measuring_data, tmp_path, kept, every):
    """Of ten sections in every third edition where all are left to the test marked `full`."""
    with tarfile.open(measuring_data / "cfr/annual/title37-part1-2003-2016.tar.xz") as archive:
        editions = {
            date(int(re.search(r"\d{4}", name)[0]), 7, 1): without_others(
                archive.extractfile(name).read().decode(), kept
            )
            for name in sorted(archive.getnames())[::every]
        }
    for day, edition in editions.items():
        (tmp_path / f"CFR-{day.year}.xml").write_text(edition)
    regulations = Domain.objects.get(slug=BODIES[0])
    run = ingested(regulations, tmp_path, force=bool(kept))
    assert run.status == JobRun.Status.DONE, run.error
    ended, begun = set(), set()
    for (_, before), (day, after) in pairwise(editions.items()):
        gone, new = changed_lines(before, after)
        ended |= {(number, day) for number in gone}
        begun |= {(number, day) for number in new}
    kept_of_it = Section.objects.live().filter(document__locator="/us/cfr/t37", level="section")
    versions = list(kept_of_it.order_by("number", "valid_from").values_list("number", "valid_from", "valid_to", "text"))
    same_words = {  # a table set otherwise is a version, told as such
        (number, begins)
        for (former, _, ends, before), (number, begins, _, text) in pairwise(versions)
        if (former, ends) == (number, begins) and words_of(before) == words_of(text)
    }
    assert {(number, begins) for number, begins, *_ in versions if begins > min(editions)} - same_words == begun
    assert {(number, ends) for number, _, ends, _ in versions if ends} - same_words == ended
    made, more = changes(ANONYMOUS, Span(), domains=[regulations], page=1, size=1_000)
    told = [one for one in made if one.section in kept_of_it]
    saying = {(number, begins) for number, begins, _, text in versions if text}  # the others only keep a number free
    said_until = {(number, ends) for number, _, ends, text in versions if ends and text}
    changed = {(one.section.number, one.day) for one in told if one.kind != REPEALED} - same_words
    assert changed == begun & saying and not more
    assert {(one.section.number, one.day) for one in told if one.kind == REPEALED} == said_until - saying
    for day, edition in editions.items():
        there = {row.number: words_of(row.text) for row in kept_of_it.valid_on(day).in_order()}
        assert there == (law := sections_apart(edition)) and [*there] == [*law]
    assert len(editions) * every == 12
