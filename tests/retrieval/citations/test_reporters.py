"""Reporters by their names in locators, and courts as they are cited."""

import pytest

from retrieval.citations.citation import cite
from retrieval.citations.reporters import best, cite_case, court_named, slug_of, written


@pytest.mark.parametrize(
    ("reporter", "slug"),
    [("F.3d", "f3d"), ("F. Supp. 2d", "f-supp-2d"), ("F. App'x", "f-appx"), ("S. Ct.", "s-ct"), ("Me.", "me")],
)
def test_a_reporter_and_its_name_in_locators(reporter, slug):
    assert (slug_of(reporter), written(slug)) == (slug, reporter)


def test_what_nobody_knows_keeps_its_name():
    assert (written("zyzzyva"), court_named("zyzzyva")) == ("zyzzyva", "")


@pytest.mark.parametrize(
    ("locator", "cited"),
    [
        ("/us/case/f3d/123/456", "123 F.3d 456"),
        ("/us/case/f-supp-2d/12/34/opinion/dissent~2", "12 F. Supp. 2d 34 (dissent)"),
    ],
)
def test_a_locator_is_cited_by_its_reporter(locator, cited):
    assert cite(locator) == cited


def test_the_best_of_several_places_does_not_rest_on_their_order():
    by_worth = ["/us/scotus/1/1", "/us/case/s-ct/1/1", "/us/case/l-ed/1/1", "/us/case/ne2d/1/1", "/us/case/ill-2d/1/1"]
    for first in range(len(by_worth)):
        assert best(by_worth[first:]) == best(by_worth[first:][::-1]) == by_worth[first]
    assert best([]) == ""


def test_a_court_that_the_reporter_names_is_not_named_again():
    assert cite_case("A v. B", "5 Ill. 2d 10", "Ill.", 1955) == "A v. B, 5 Ill. 2d 10 (1955)"
    assert cite_case("A v. B", "124 N.E.2d 1", "Ill.", 1955) == "A v. B, 124 N.E.2d 1 (Ill. 1955)"
    assert cite_case("A v. B", "123 F.3d 456", "", None) == "A v. B, 123 F.3d 456"
