"""The job that gets a domain's law from where it is published: the files are got, compared with what is known, and only
then ingested. What is empty, malformed or too short changes nothing.

1. `get`: the publisher's pages are followed to its files, which are kept under var; what did not change is not sent.
2. `compare`: every document is read once and compared; a dry run ends here.
3. `ingest`: each file as `manage.py ingest` would, with the publisher's own day; then what was got is remembered.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from retrieval.access.row_security import as_system
from retrieval.errors import SourceRefused, gettext_noop
from retrieval.fetching.differences import SHORTEST, differences, summary
from retrieval.fetching.http import MOST_BYTES, Fetched, Site, Validators
from retrieval.fetching.publishers import PUBLISHERS, Asked, Publisher, Source, Wanted, check_kind
from retrieval.ingestion.ingest import Ingest
from retrieval.ingestion.reading import file_hash
from retrieval.ingestion.staging import check_length, within
from retrieval.jobs import CORPUS, Progress, time_for_more
from retrieval.models import Domain, Download, JobRun, Section
from retrieval.parsing.sources import Place, read_next

FIRST_CASES = timedelta(days=365)  # decided since then, where none is held and no day was named
LARGEST_PAGE = 20 * 2**20  # bytes of a page that leads to others
SPANS = {"get": (0.0, 0.1), "compare": (0.1, 0.2), "ingest": (0.2, 1.0)}  # of a job's progress: embedding takes longest
TITLE = re.compile(r"/us/(?:usc/t|cfr/t|uscis-pm/v)(\w+)")
MOST_FILES = 20_000  # of one fetch: the Policy Manual has about 500 pages, the eCFR 50 titles


@dataclass(slots=True)
class State:
    """What the steps of a fetch hand on, as JSON."""

    phase: str = "get"
    todo: list[dict] = field(default_factory=list)
    got: list[dict] = field(default_factory=list)
    sources: list[dict] = field(default_factory=list)
    at: int = 0
    place: dict = field(default_factory=dict)
    given: int = 0
    diff: list[dict] = field(default_factory=list)
    robots: str | None = None


class Fetch(Ingest):
    """params: domain (slug), titles, since (a day, of cases), dry_run, force (accept what is short; ask for all)."""

    @as_system()
    def step(self, run: JobRun) -> Progress:
        domain = Domain.objects.get(slug=run.params["domain"])
        state = State(**run.state.get("fetch", {}))
        if lost := lost_here(domain, state):  # another machine got them, or a step refused one
            state = without(lost, state) if state.phase == "get" else State()
        span = SPANS.get(state.phase)
        match state.phase:
            case "get":
                progress = get_some(run, domain, state)
            case "compare":
                progress = compare_some(run, domain, state)
            case _:
                return self.ingest_some(run, domain, state)
        return replace(progress, state={"fetch": asdict(state), "span": span})

    def ingest_some(self, run: JobRun, domain: Domain, state: State) -> Progress:
        source = Source(**state.sources[state.at])
        span = span_of_source(state)
        asked, run.params = run.params, as_ingested(domain, source, run.params) | {"span": span}
        try:
            progress = super().step(run)
        finally:
            run.params = asked
        if not progress.finished:
            return replace(progress, state=progress.state | {"fetch": asdict(state)})
        state.at += 1
        if state.at < len(state.sources):
            return replace(progress, finished=False, state={"fetch": asdict(state), "span": span})
        remember(domain, state)
        return Progress(progress.position, progress.total, summary(domain, state.diff), finished=True)


def span_of_source(state: State) -> list[float]:
    """The share of the job that is the ingestion of the source it is at."""
    return within(SPANS["ingest"], [(state.at + end) / len(state.sources) for end in (0, 1)])


def lost_here(domain: Domain, state: State) -> list[dict]:
    """What was got, is to be read and is not on this machine; machines need not share a folder."""
    crawls, folder = publisher_of(domain).crawls, folder_of(domain)
    read = (each for each in state.got if crawls or not each["unchanged"])
    return [each for each in read if not (folder / each["file"]["name"]).exists()]


def without(lost: list[dict], state: State) -> State:
    """With the lost files to get again before the others."""
    got = [each for each in state.got if each not in lost]
    return replace(state, got=got, todo=[*(each["file"] for each in lost), *state.todo])


def as_ingested(domain: Domain, source: Source, asked: dict) -> dict:
    """The params of an ingestion. How much is given has been checked, more strictly than that does."""
    return {
        "domain": domain.slug,
        "source": str(source.path),
        "edition": source.edition,
        "force": asked["force"],
    }


# -- What there is to fetch, and how


def request(
    domain: Domain,
    *,
    titles: tuple[str, ...] = (),
    since: str = "",
    dry_run: bool = False,
    force: bool = False,
) -> dict:
    """What to hand to `jobs.enqueue`. Raises SourceRefused for a domain that is not published anywhere, and for what
    means nothing to its publisher.
    """
    if not address_of(domain):
        raise SourceRefused(
            gettext_noop(
                "%(domain)s has no official address: give its source one that begins with https://."
            ),
            domain=domain.name,
        )
    for name, value in (("titles", titles), ("since", since)):
        if value and name != publisher_of(domain).narrowed_by:
            raise SourceRefused(
                gettext_noop("%(domain)s is fetched without --%(option)s."), domain=domain.name, option=name
            )
    params = {
        "domain": domain.slug,
        "titles": list(titles),
        "since": since,
        "dry_run": dry_run,
        "force": force,
    }
    return {"kind": "fetch", "key": CORPUS, "params": params}


def refresh_request(domain: Domain) -> dict:
    """Of what the domain holds, the current edition; of everything where it holds nothing."""
    by_titles = address_of(domain) and publisher_of(domain).narrowed_by == "titles"
    return request(domain, titles=held_titles(domain) if by_titles else ())


def address_of(domain: Domain) -> str:
    """Its own source, where that is an address, else where its law is officially published; "" where it is nowhere, and
    for a private domain: a job's state would tell of its documents.
    """
    if domain.is_private:
        return ""
    return domain.source if has_own_address(domain) else settings.ARF_FETCH["addresses"].get(domain.slug, "")


def has_own_address(domain: Domain) -> bool:
    return is_address(domain.source)


def is_address(source: str) -> bool:
    return re.match("https?://", source) is not None


def publisher_of(domain: Domain) -> Publisher:
    return Publisher() if has_own_address(domain) else PUBLISHERS[domain.slug]


def held_titles(domain: Domain) -> tuple[str, ...]:
    """The titles of a code, or volumes of the manual, that are loaded; none where there are none, or it has neither."""
    held = domain.documents.values_list("locator", flat=True)
    return tuple(sorted(match[1] for locator in held if (match := TITLE.fullmatch(locator))))


def asked_of(run: JobRun, domain: Domain) -> Asked:
    since = run.params["since"]
    if domain.citation_style == "case" and not since:
        cases = Section.objects.filter(domain=domain).live()
        last = cases.aggregate(last=Max("valid_from"))["last"]
        since = (last or timezone.localdate() - FIRST_CASES).isoformat()
    return Asked(tuple(run.params["titles"]), since)


def folder_of(domain: Domain) -> Path:
    return settings.VAR_DIR / "fetched" / domain.slug


# -- Getting


@contextmanager
def site_of(domain: Domain, state: State) -> Iterator[Site]:
    publisher = publisher_of(domain)
    official = domain.slug == "supreme_court_cases" and not has_own_address(domain)
    token = settings.ARF_FETCH["token"] if official else ""
    site = Site(address_of(domain), token=token)
    try:
        if state.got:
            site.asked_at = time.monotonic()
        if publisher.crawls:
            state.robots = site.robots_txt() if state.robots is None else state.robots
            site.obey(state.robots)
        yield site
    finally:
        site.close()


def get_some(run: JobRun, domain: Domain, state: State) -> Progress:
    """Gets files, as far as the step has time; what one leads to is got after it."""
    has_time, asked = time_for_more(run), asked_of(run, domain)
    if not state.got and not state.todo:
        state.todo = [asdict(publisher_of(domain).first(address_of(domain), asked))]
    with site_of(domain, state) as site:
        while state.todo:
            if not get_one(run, domain, state, site, asked, has_time) or not has_time():
                break
    count = len(state.got)
    if state.todo:
        return Progress(count, count + len(state.todo), f"{count} files got, {len(state.todo)} to get")
    return got_all(domain, state)


def get_one(run: JobRun, domain: Domain, state: State, site: Site, asked: Asked, has_time) -> bool:
    """Whether the first file to do has come whole."""
    wanted, publisher = Wanted(**state.todo[0]), publisher_of(domain)
    if publisher.crawls and not site.may_crawl(wanted.url):
        raise SourceRefused(
            gettext_noop("%(host)s asks crawlers by robots.txt to leave %(address)s alone."),
            host=site.origin.host,
            address=wanted.url,
        )
    path = folder_of(domain) / wanted.name
    known = None if run.params["force"] else known_of(domain, publisher, wanted, path)
    held = known and Validators(known.etag, known.last_modified)
    most = MOST_BYTES if wanted.leaf else LARGEST_PAGE
    fetched = site.fetch(wanted.url, path, known=held, has_time=has_time, most=most)
    if not fetched.complete:
        return False
    content = checked_content(publisher, wanted, path, fetched)
    digest = known.content_hash if known and fetched.unchanged else file_hash(path)
    unchanged = known is not None and (fetched.unchanged or digest == known.content_hash)
    said = asdict(fetched.validators)
    state.got.append({"file": asdict(wanted), "unchanged": unchanged, "digest": digest, "validators": said})
    state.todo.pop(0)
    seen = {each["url"] for each in state.todo} | {each["file"]["url"] for each in state.got}
    if not wanted.leaf:
        leads_to = (each for each in publisher.following(wanted, content, asked) if each.url not in seen)
        state.todo += [asdict(each) for each in dict.fromkeys(leads_to)]
    if len(state.todo) + len(state.got) > MOST_FILES:
        raise SourceRefused(
            gettext_noop("%(host)s names more than %(most)s files."), host=site.origin.host, most=MOST_FILES
        )
    return True


def known_of(domain: Domain, publisher: Publisher, wanted: Wanted, path: Path) -> Download | None:
    """What is remembered of the file, where it is enough to hear that it did not change. Pages are needed again."""
    if wanted.leads:
        return None
    known = Download.objects.filter(domain=domain, name=wanted.name, url=wanted.url).first()
    held = not publisher.crawls or (known and path.exists() and file_hash(path) == known.content_hash)
    return known if held else None


def checked_content(publisher: Publisher, wanted: Wanted, path: Path, fetched: Fetched) -> bytes:
    """What a page holds, b"" of any other file. Raises SourceRefused, and drops the file, where it is no such file."""
    if fetched.unchanged and not path.exists():
        return b""
    try:
        with path.open("rb") as file:
            check_kind(wanted, file.read(2**12))
        content = path.read_bytes() if publisher.crawls or not wanted.leaf else b""
        publisher.check(wanted, content)
    except SourceRefused:
        path.unlink()
        raise
    return content


def got_all(domain: Domain, state: State) -> Progress:
    """Everything has come: what is new is compared next."""
    publisher, folder = publisher_of(domain), folder_of(domain)
    names = {each["file"]["name"] for each in state.got}
    for path in folder.iterdir() if publisher.crawls else ():
        if path.name not in names:  # a page that the publisher links no longer
            path.unlink()
    changed = [Wanted(**each["file"]) for each in state.got if not each["unchanged"]]
    sources = publisher.sources(folder, changed)
    state.sources = [asdict(each) | {"path": str(each.path)} for each in sources]
    count = len(state.got)
    if not sources:
        remember(domain, state)
        return Progress(count, count, f"{domain.name}: nothing is new at its publisher.", finished=True)
    state.phase = "compare"
    return Progress(count, count, f"{count} files got; {len(sources)} are compared with what is known")


# -- Comparing


def compare_some(run: JobRun, domain: Domain, state: State) -> Progress:
    """Documents one after another, as far as the step has time. Raises SourceRefused before anything is changed."""
    has_time = time_for_more(run)
    while state.at < len(state.sources):
        compare_one(run, domain, state)
        if not has_time():
            break
    if state.at < len(state.sources):
        return Progress(state.at, len(state.sources), f"{len(state.diff)} documents compared")
    state.at, state.phase = 0, "ingest"
    count = len(state.sources)
    return Progress(count, count, summary(domain, state.diff), finished=run.params["dry_run"])


def compare_one(run: JobRun, domain: Domain, state: State) -> None:
    source, force = Source(**state.sources[state.at]), run.params["force"]
    path = Path(source.path)
    try:
        found = read_next(path, domain, Place(**state.place))
        made = differences(domain, found, source.edition, force=force)
        state.given += made.given
        if source.whole and found.following is None:
            held = Section.objects.filter(domain=domain).live().in_force().results().count()
            check_length(held, state.given, force=force, shortest=SHORTEST)
    except SourceRefused:
        if path.is_file():
            path.unlink()  # it is fetched anew by whoever resumes the job
        raise
    state.diff.append(made.to_dict())
    state.place = asdict(found.following) if found.following else {}
    state.at += found.following is None


# -- Remembering


def remember(domain: Domain, state: State) -> None:
    """What was got, to ask next time whether it has changed; what did not change and was forgotten meanwhile stays
    forgotten. Pages stay, since all are needed when one is new.
    """
    for each in state.got:
        wanted = Wanted(**each["file"])
        known = Download.objects.filter(domain=domain, name=wanted.name)
        if not wanted.leads and (known.exists() or not each["unchanged"]):
            said = {"url": wanted.url, "content_hash": each["digest"], "edition": wanted.edition or None}
            said |= {"etag": each["validators"]["etag"], "last_modified": each["validators"]["modified"]}
            said |= {"fetched_at": timezone.now()}
            known.update_or_create(domain=domain, name=wanted.name, defaults=said)
    if not publisher_of(domain).crawls:
        for path in folder_of(domain).iterdir():
            path.unlink()
