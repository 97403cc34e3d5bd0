"""Where answers stand, learned from judgments: patterns, the rules made of them, drafts kept once."""


from evaluation.rule_impact.patterns import Case, Corpus, Pattern, Place, boosted, learn, learned, phrases

HEADINGS = ("Payment", "Governing Law", "Notices", "Term", "Audit", "Insurance", "Assignment")
LAW = Pattern("heading", "governing law")


def contract(name: str, *, law: str = "Governing Law") -> list[Place]:
    headings = (law if heading == "Governing Law" else heading for heading in HEADINGS)
    return [Place(f"/{name}/{n}", f"/{name}", (heading,), n) for n, heading in enumerate(headings, start=1)]


def case(name: str, category: str = "Law", *, relevant: int = 2, last: bool = True) -> Case:
    """What is relevant stands last in the ranking, or else first."""
    order = sorted(range(1, len(HEADINGS) + 1), key=lambda n: (n == relevant) is last)
    ranking = tuple((f"/{name}/{n}", 1 / (60 + rank)) for rank, n in enumerate(order, start=1))
    return Case(
        f"{name} {category}", category, frozenset([f"/{name}"]), frozenset([f"/{name}/{relevant}"]), ranking
    )


CORPUS = Corpus(place for name in "abcd" for place in contract(name))


def test_a_heading_speaks_by_runs_of_words_that_say_something():
    assert set(phrases("9. Term of the Agreement")) == {"term", "agreement"}
    assert set(phrases("Governing Law; Venue")) == {
        "governing", "law", "venue", "governing law", "law venue", "governing law venue",
    }  # fmt: skip


def test_the_heading_under_which_answers_stand_is_learned():
    rules = learn([case(name) for name in "abcd"], CORPUS)
    assert rules == {"Law": (LAW,)}
    assert boosted(case("a"), rules["Law"], CORPUS)[0] == "/a/2"


def test_two_documents_teach_nothing():
    assert learned([case(name) for name in "ab"], CORPUS, 0.05) == {}


def test_no_rule_is_made_where_the_answer_was_found_anyway():
    assert learned([case(name, last=False) for name in "abcd"], CORPUS, 0.05) == {}


def test_a_page_is_a_pattern_up_to_the_third():
    corpus = Corpus(
        Place(f"/{name}/{n}", f"/{name}", (), n) for name in "abcd" for n in range(1, len(HEADINGS) + 1)
    )
    cases = [case(name) for name in "abcd"]
    assert learned(cases, corpus, 0.05) == {"Law": (Pattern("pages", 2),)}
    assert Pattern("pages", 2).target == {"kind": "pages", "pages": "1-2"}
    assert learned([case(name, relevant=5) for name in "abcd"], corpus, 0.05) == {}


# -- In the database
