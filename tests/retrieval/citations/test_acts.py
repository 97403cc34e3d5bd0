"""Acts: the table of names is whole, names are found in questions, and sections lead to the Code."""

import json
import time

import pytest

from retrieval.citations.acts import FILE, acts, named_acts, words_of

ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
BY_NAME = {act.name: act for act in acts()}
FIELDS = {"act", "names", "cased", "spanish", "law", "first", "last", "within", "sections", "amends"}


def named(text):
    return [found.act.name for found in named_acts(text)]


def test_every_row_has_known_fields_and_its_place():
    for row in ROWS:
        assert set(row) <= FIELDS
        assert row["first"].startswith(row["within"].split("/ch")[0].split("/st")[0].split("/pt")[0])


def test_acts_are_in_order_and_each_stands_once():
    names = [row["act"].lower() for row in ROWS]
    assert names == sorted(set(names))


def test_the_table_is_as_large_as_was_asked():
    english = {
        words_of(name) for row in ROWS for name in (row["act"], *row.get("names", ()), *row.get("cased", ()))
    }
    spanish = {words_of(name) for row in ROWS for name in row.get("spanish", ())}
    assert len(english) >= 900
    assert len(spanish) >= 250
    assert sum("sections" in row for row in ROWS) >= 199


@pytest.mark.measuring_data
def test_every_place_is_in_the_code_of_2016(code_of_2016):
    divisions = {path.partition("/")[2] for path in code_of_2016.values()}
    within = {
        "/" + "/".join(path.split("/")[:n]) for path in divisions for n in range(1, path.count("/") + 2)
    }
    for act in acts():
        changed = {"/".join(place.split("/")[:5]) for place in act.amends.values()}
        assert {act.first, act.last, *act.sections.values(), *changed} <= code_of_2016.keys()
        assert act.within in within


@pytest.mark.parametrize(
    ("act", "number", "locator"),
    [
        ("Immigration and Nationality Act", "212", "/us/usc/t8/s1182"),
        ("Immigration and Nationality Act", "240a", "/us/usc/t8/s1229b"),
        ("Title VII", "703", "/us/usc/t42/s2000e-2"),
        ("Title IX", "901", "/us/usc/t20/s1681"),
        ("Medicare Act", "1802", "/us/usc/t42/s1395a"),
        ("Public Health Service Act", "1008", "/us/usc/t42/s300a-6"),
        ("Public Health Service Act", "2811", "/us/usc/t42/s300hh-10"),
        ("Federal Power Act", "214", "/us/usc/t16/s824m"),
        ("Federal Power Act", "215", "/us/usc/t16/s824o"),
        ("Federal Power Act", "222", "/us/usc/t16/s824v"),
        ("Natural Gas Act", "22", "/us/usc/t15/s717t-1"),
        ("Tariff Act of 1930", "782", "/us/usc/t19/s1677m"),
        ("Age Discrimination in Employment Act", "4", "/us/usc/t29/s623"),
        ("Securities Act of 1933", "11", "/us/usc/t15/s77k"),
        ("Securities Exchange Act of 1934", "10", "/us/usc/t15/s78j"),
        ("Employee Retirement Income Security Act", "502", "/us/usc/t29/s1132"),
        ("Clean Water Act", "404", "/us/usc/t33/s1344"),
        ("Federal Food, Drug, and Cosmetic Act", "505", "/us/usc/t21/s355"),
        ("Americans with Disabilities Act", "401", "/us/usc/t47/s225"),
        ("Title III of the Americans with Disabilities Act", "302", "/us/usc/t42/s12182"),
        ("Uniform Code of Military Justice", "120", "/us/usc/t10/s920"),
        ("Internal Revenue Code", "7203", "/us/usc/t26/s7203"),
        ("Internal Revenue Code", "280g", "/us/usc/t26/s280G"),
        ("Immigration and Nationality Act", "999", None),
        ("Illegal Immigration Reform and Immigrant Responsibility Act", "384", "/us/usc/t8/s1367"),
        ("Homeland Security Act", "462", "/us/usc/t6/s279"),
        ("Indian Child Welfare Act", "102", "/us/usc/t25/s1912"),
        ("Magnuson-Moss Warranty Act", "110", "/us/usc/t15/s2310"),
        ("Servicemembers Civil Relief Act", "207", "/us/usc/t50/s3937"),
        ("Worker Adjustment and Retraining Notification Act", "3", "/us/usc/t29/s2102"),
        ("Religious Land Use and Institutionalized Persons Act", "3", "/us/usc/t42/s2000cc-1"),
        ("Norris-LaGuardia Act", "4", "/us/usc/t29/s104"),
        ("Tariff Act of 1930", "706", "/us/usc/t19/s1671e"),
        ("Social Security Act", "1859", "/us/usc/t42/s1395w-28"),
        ("Commodity Exchange Act", "5", "/us/usc/t7/s7"),
        # Behind sections that the Code has under a letter, or of which it skips some.
        ("Safe Drinking Water Act", "1452", "/us/usc/t42/s300j-12"),
        ("Resource Conservation and Recovery Act", "2007", "/us/usc/t42/s6916"),
        ("Resource Conservation and Recovery Act", "3014", "/us/usc/t42/s6935"),
        ("Longshore and Harbor Workers' Compensation Act", "49", "/us/usc/t33/s948a"),
        ("Occupational Safety and Health Act", "28", None),
        ("Clean Water Act", "121", "/us/usc/t33/s1273"),
        ("Federal Power Act", "319", "/us/usc/t16/s825q-1"),
        ("National Environmental Policy Act", "209", "/us/usc/t42/s4347"),
        ("Communications Act of 1934", "365", "/us/usc/t47/s363"),
        ("Lanham Act", "66", "/us/usc/t15/s1141f"),
        ("Clayton Act", "20", "/us/usc/t29/s52"),
        # The Code's own numbers, but none that the act may have too.
        ("Social Security Act", "1395x", "/us/usc/t42/s1395x"),
        ("Public Health Service Act", "300gg-11", "/us/usc/t42/s300gg-11"),
        ("Social Security Act", "462", None),
        ("Homeland Security Act", "228", None),
    ],
)
def test_a_section_is_where_lawyers_look(act, number, locator):
    assert BY_NAME[act].section(number) == locator


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("does the ada cover dyslexia", ["Americans with Disabilities Act"]),
        ("obamacare mandate", ["Patient Protection and Affordable Care Act"]),
        ("the Civil Rights Act of 1964", ["Civil Rights Act of 1964"]),
        ("ley de equidad de vivienda", ["Fair Housing Act"]),
        ("Ley de Inmigración y Nacionalidad", ["Immigration and Nationality Act"]),
        ("Imigration and Nationalty Act", ["Immigration and Nationality Act"]),
        ("Food Drug and Cosmetic Act", ["Federal Food, Drug, and Cosmetic Act"]),
        ("I.R.C. or FLSA?", ["Internal Revenue Code", "Fair Labor Standards Act"]),
        ("an idea of mine", []),
        ("a complaint under IDEA", ["Individuals with Disabilities Education Act"]),
        ("I HAVE AN IDEA FOR YOU", []),
        ("vivo en puerto rico", []),
        ("title vi of this Act", []),
        ("how do I act", []),
    ],
)
def test_acts_are_found_by_their_names(text, names):
    assert named(text) == names


def test_a_name_says_where_it_stands():
    (found,) = named_acts("¿Qué dice la Ley de Aire Limpio?")
    assert (found.start, found.end) == (13, 31)


def test_an_act_holds_what_lies_between_its_ends():
    act = BY_NAME["Medicare Act"]
    assert act.holds("/us/usc/t42/s1395")
    assert act.holds("/us/usc/t42/s1395w-4/a")
    assert act.holds("/us/usc/t42/s1395aa")
    assert not act.holds("/us/usc/t42/s1396a")
    assert not act.holds("/us/usc/t8/s1395")
    assert not act.holds("/us/const/article/I/section/8")


def test_hostile_text_is_read_quickly():
    named_acts("ready")
    for text in ("immigration and " * 270, "a" * 4000, "title " * 700, "civil rights act of " * 200):
        start = time.process_time()
        named_acts(text)
        assert time.process_time() - start < 1
