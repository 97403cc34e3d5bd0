"""Published names, found in a question."""

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from retrieval.corpus.statements import current_versions
from retrieval.ingestion.embedding import embedding_in_use
from retrieval.models import Domain, Section
from rules import published
from rules.aliases.kept import load
from rules.aliases.table import AliasTable
from rules.models import Alias, AliasVector, GlossaryTerm, NamedProvision
from tests.builders import a_domain

pytestmark = pytest.mark.django_db


def now() -> published.Version:
    return published.version_of("aliases", current_versions())


@pytest.mark.parametrize("kept", [published.alias_table, published.wording])
def test_what_is_kept_of_names_is_made_anew_where_one_was_changed_and_nowhere_else(kept):
    name, other = (an_alias(f"search {word}") for word in ("warrant", "incident"))
    before = [kept(alias.domain_id, now()) for alias in (name, other)]
    name.text = "warrant to search"
    name.save()
    after = [kept(alias.domain_id, now()) for alias in (name, other)]
    assert after[0] is not before[0] and after[1] is before[1]


def test_what_is_kept_of_names_forgets_one_that_is_gone_and_knows_one_that_came():
    name = an_alias("search warrant")
    domain = name.domain_id
    assert matched(published.alias_table(domain, now()), "a search warrant") == ["search warrant"]
    name.delete()
    assert matched(published.alias_table(domain, now()), "a search warrant") == []
    AliasVector.objects.create(
        alias=an_alias("due process", domain=name.domain), model=embedding_in_use()[0], vector=b"", stems="due process"
    )
    assert matched(published.alias_table(domain, now()), "of due process") == ["due process"]
    assert published.wording(domain, now()).locators == ["/a"]


def test_a_name_that_came_while_others_were_read_is_forgotten_when_it_goes():
    name = an_alias("search warrant")
    domain, version = name.domain, now()
    published.names_now(domain.pk, version)
    passing = an_alias("due process", domain=domain)
    assert matched(published.alias_table(domain.pk, version), "due process") == ["due process"]
    passing.delete()
    assert matched(published.alias_table(domain.pk, now()), "due process") == []


def test_searches_in_public_and_in_private_law_take_turns_without_asking_again(django_assert_num_queries):
    domain, (public, private) = an_alias("search warrant").domain_id, now()
    versions = (public, 0), (public, private)
    for version in versions:
        published.names_now(domain, version)
    with django_assert_num_queries(0):
        assert private and [published.names_now(domain, version) for version in versions * 2]


def test_the_places_of_names_are_looked_up_again_where_the_law_changed_and_not_where_other_names_did():
    domain = an_alias("search warrant").domain_id
    before = published.named_places(domain, now(), 1)
    an_alias("incident of search")
    assert published.named_places(domain, now(), 1) is before
    assert published.named_places(domain, now(), 2) is not before


def test_the_place_of_what_is_named_no_more_is_forgotten():
    domain = Domain.objects.get(slug="us_constitution")
    first, second = (
        an_alias(text, domain=domain, locator=f"/us/const/amendment/{number}")
        for text, number in (("speaking freely again", "I"), ("bearing arms again", "II"))
    )
    Alias.objects.filter(domain=domain).exclude(pk__in=[first.pk, second.pk]).update(enabled=False)
    assert published.named_places(domain.pk, now(), 1).keys() == {first.locator, second.locator}
    first.delete()
    third = an_alias("soldiers in houses again", domain=domain, locator="/us/const/amendment/III")
    places = published.named_places(domain.pk, now(), 1)
    assert places == {
        locator: Section.objects.live().get(locator=locator).pk for locator in (second.locator, third.locator)
    }


def test_names_that_came_went_and_changed_are_laid_into_what_was_there():
    """At random, as curators do; beside what is made anew of the same names."""
    domain, chance = a_domain(), random.Random(4)
    model = embedding_in_use()[0]
    for turn in range(24):
        for _ in range(chance.randint(0, 4)):
            changed_at_random(domain, model, chance)
        for kept, others, parts in PARTS:
            laid = kept(domain.pk, now(), *others(model))
            anew = kept.__wrapped__(domain.pk, now(), *others(model))
            for part in parts:
                one, other = (getattr(each, part) for each in (laid, anew))
                same = one == other if isinstance(one, dict) else np.array_equal(one, other)
                assert same, (turn, part)
            if kept is published.alias_table:
                owners = [[tuple(table.places[place]) for place in table.owners] for table in (laid, anew)]
                assert owners[0] == owners[1]
            if kept is published.wording:
                told = [{stem: table.scores([stem])[0].tolist() for stem in anew.numbers} for table in (laid, anew)]
                assert told[0] == told[1]


PARTS = (
    (published.alias_table, lambda model: (), ("ids", "texts", "phrases", "words")),
    (published.wording, lambda model: (), ("locators", "lengths")),
    (published.alias_vectors, lambda model: (model.pk,), ("texts", "locators", "starts", "steps", "sizes", "signs")),
)
WORDS = ("search", "warrant", "due", "process", "jury", "trial", "bail", "fianza", "the")


def changed_at_random(domain, model, chance: random.Random) -> None:
    text, language = " ".join(chance.choices(WORDS, k=chance.randint(1, 4))), chance.choice(["en", "es"])
    locator = f"/{chance.choice('aBcé')}"
    found = Alias.objects.filter(domain=domain).order_by("?").first()
    match chance.choice(["comes", "comes", "comes", "goes", "is written otherwise", "is switched"]):
        case "comes" if not Alias.objects.filter(text=text, locator=locator, language=language).exists():
            found = an_alias(text, domain=domain, locator=locator, language=language)
        case "goes" if found:
            found.delete()
            return
        case "is written otherwise" if found:
            found.text, found.locator = f"{text} {found.pk}", locator
        case _ if found:
            found.enabled = not found.enabled
    if found:
        found.save()
        made = {"vector": np.random.default_rng(found.pk).normal(size=8).astype(np.float16).tobytes(), "stems": text}
        AliasVector.objects.get_or_create(alias=found, model=model, defaults=made)


def test_one_name_that_changed_is_read_with_those_of_its_provision_alone(django_assert_num_queries):
    names = [an_alias("search warrant"), an_alias("due process", locator="/b", domain=a_domain())]
    here = [an_alias("jury trial", domain=names[0].domain, locator="/b"), names[0]]
    table = published.alias_table(names[0].domain_id, now())
    names[0].text = "warrant"
    names[0].save()
    version = now()
    with django_assert_num_queries(3) as asked:  # marks, the names of the provision, and marks that came meanwhile
        after = published.alias_table(names[0].domain_id, version)
    assert "'/a'" in asked.captured_queries[1]["sql"] and "'/b'" not in asked.captured_queries[1]["sql"]
    assert [[*names.texts] for names in (table, after)] == [["search warrant", "jury trial"], ["warrant", "jury trial"]]
    assert [one.pk for one in here] == sorted(after.ids, reverse=True)


def test_a_name_that_changes_while_all_are_read_is_read_again(monkeypatch):
    name = an_alias("search warrant")
    of, version = AliasTable.of, now()

    def changing(rows):
        rows = list(rows)
        Alias.objects.filter(pk=name.pk).update(text="warrant")
        return of(rows)

    monkeypatch.setattr(AliasTable, "of", changing)
    assert [*published.alias_table(name.domain_id, version).texts] == ["search warrant"]
    monkeypatch.setattr(AliasTable, "of", of)
    assert [*published.alias_table(name.domain_id, now()).texts] == ["warrant"]


def test_a_name_that_came_while_all_were_read_and_went_again_is_forgotten(monkeypatch):
    name = an_alias("search warrant")
    of, version, came = AliasTable.of, now(), []

    def coming(rows):
        came.append(an_alias("jury trial", domain=name.domain, locator="/b"))
        return of(rows)

    monkeypatch.setattr(AliasTable, "of", coming)
    assert sorted(published.alias_table(name.domain_id, version).texts) == ["jury trial", "search warrant"]
    came[0].delete()
    monkeypatch.setattr(AliasTable, "of", of)
    assert [*published.alias_table(name.domain_id, now()).texts] == ["search warrant"]


def test_what_several_searches_need_is_made_once(monkeypatch):
    monkeypatch.setattr(published, "marks_of", lambda domain: {})  # other threads have other connections
    begun, go_on = [], Event()

    @published.newest
    def slow(domain_id, version):
        begun.append(domain_id)
        go_on.wait(10)
        return "made"

    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(slow, -1, (1, 0)) for _ in range(3)]
        time.sleep(0.2)  # all have asked
        go_on.set()
        assert [one.result() for one in asked] == ["made"] * 3 and begun == [-1]


def test_the_mark_of_a_provision_is_another_once_something_of_its_names_is():
    name, model = an_alias("search warrant"), embedding_in_use()[0]
    an_alias("due process", locator="/b", domain=name.domain)
    seen = [marks(name)]
    vector = AliasVector.objects.create(alias=name, model=model, vector=b"1", stems="search warrant")
    seen.append(marks(name))
    AliasVector.objects.filter(pk=vector.pk).update(vector=b"2")
    seen.append(marks(name))
    vector.delete()
    seen.append(marks(name))
    Alias.objects.filter(pk=name.pk).update(note="of the Fourth Amendment")
    seen.append(marks(name))
    assert len({each["/a"] for each in seen}) == 5
    assert len({each["/b"] for each in seen}) == 1


def test_a_name_that_moves_marks_where_it_was_and_where_it_is_and_what_has_none_is_forgotten():
    name = an_alias("search warrant")
    stays = an_alias("search", domain=name.domain)
    before = marks(name)
    name.locator = "/b"
    name.save()
    moved = marks(name)
    assert moved["/a"] != before["/a"] and moved.keys() == {"/a", "/b"}
    stays.delete()
    assert marks(name) == {"/b": moved["/b"]}


@pytest.fixture
def files(monkeypatch, settings, tmp_path):
    """Where many names are kept; few are many here."""
    monkeypatch.setattr(published, "MANY", 1)
    settings.ARF_NAMES_DIR = tmp_path / "names"
    return settings.ARF_NAMES_DIR


def another_process(kind: Callable) -> Callable:
    """The same as it is kept by a process that has made nothing yet."""
    return published.newest(kind.__wrapped__, in_files=True)


@pytest.mark.parametrize(("visibility", "in_files"), [("public", True), ("private", False)])
def test_many_names_of_public_law_are_made_once_for_all_processes_and_private_ones_are_in_no_file(
    visibility, in_files, files, django_assert_num_queries
):
    model, domain = embedding_in_use()[0], a_domain(visibility=visibility)
    stored = np.ones(8, np.float16).tobytes()
    AliasVector.objects.create(alias=an_alias("bail", domain=domain), model=model, vector=stored, stems="bail")
    asked = now()
    names = published.alias_vectors(domain.pk, asked, model.pk)
    published.wording(domain.pk, asked)
    table = published.alias_table(domain.pk, asked)
    assert names.steps.tolist() == [[127] * 8] and matched(table, "no bail") == ["bail"]
    made = {f"{domain.pk}/{kind}" for kind in ("alias_table", "alias_vectors", "wording")}
    assert {str(path.relative_to(files)) for path in files.glob("*/*")} == (made if in_files else set())
    if in_files:
        with django_assert_num_queries(1):  # whether it is public
            again = another_process(published.alias_table)(domain.pk, asked)
        assert matched(again, "no bail") == ["bail"] and again.texts.written.flags.writeable is False


def test_what_a_file_lacks_is_read_and_written_and_other_files_go(files):
    name = an_alias("bail")
    domain = name.domain
    published.alias_table(domain.pk, now())
    (files / "0").mkdir()
    (files / "left").write_text("by another version")
    an_alias("search warrant", locator="/b", domain=domain)
    name.delete()
    table = another_process(published.alias_table)(domain.pk, now())
    assert matched(table, "a search warrant and bail") == ["search warrant"]
    assert {path.name for path in files.iterdir()} == {str(domain.pk)}
    assert len(load(files / str(domain.pk) / "alias_table", AliasTable)[1]) == 1
    domain.visibility = "private"
    domain.save()
    published.alias_table(a_domain().pk, now())
    other = an_alias("jury", domain=a_domain())
    published.alias_table(other.domain_id, now())
    assert {path.name for path in files.iterdir()} == {str(other.domain_id)}


def test_where_no_folder_can_be_made_each_process_keeps_its_own(files, caplog):
    name = an_alias("bail")
    files.write_text("a file")
    assert matched(published.alias_table(name.domain_id, now()), "no bail") == ["bail"]
    assert "could hold once" in caplog.text and files.read_text() == "a file"


def test_another_domains_change_has_no_file_read_again(files, monkeypatch):
    name = an_alias("bail")
    table = published.alias_table(name.domain_id, now())
    an_alias("jury", domain=a_domain())
    monkeypatch.setattr(published, "load", pytest.fail)
    assert published.alias_table(name.domain_id, now()) is table


def test_after_a_restore_marks_are_given_that_no_name_had(files):
    name = an_alias("bail")
    NamedProvision.begin_marks_anew()
    given = marks(name)["/a"]
    name.note = "of the Eighth Amendment"
    name.save()
    assert marks(name)["/a"] > time.time_ns() // 1000 - 60 * 10**6 > 0 and marks(name)["/a"] > given


def marks(name: Alias) -> dict[str, int]:
    return dict(NamedProvision.objects.filter(domain=name.domain).values_list("locator", "mark"))


def an_alias(text: str, **fields) -> Alias:
    return Alias.objects.create(**{"domain": a_domain(), "text": text, "locator": "/a", "language": "en"} | fields)


def matched(table: published.AliasTable, text: str) -> list[str]:
    return [match.text for match in table.matches(text, "en")]


def test_law_is_not_put_into_spanish_with_what_people_say():
    version = current_versions().get("glossary", 0)
    assert published.spanish_terms(version)["burden of proof"] == "carga de la prueba"
    assert published.glossary(version).find("guachimanes")[0].english == "security guards"
    assert "security guards" not in published.spanish_terms(version)


def test_a_term_without_a_word_stops_no_other():
    GlossaryTerm.objects.create(spanish="!!", english="x")
    [found] = published.glossary(current_versions()["glossary"]).find("¿Qué es un juicio?")
    assert found.english == "trial"
