"""Addresses of what is read keep the day and the matter."""

from datetime import date
from uuid import UUID

from retrieval.pages.addresses import Reader

MATTER = UUID(int=7)


def test_the_day_and_the_matter_go_along():
    reader = Reader(as_of=date(1900, 1, 1), question="a jury", matter=MATTER)
    kept = f"as_of=1900-01-01&matter={MATTER}"
    assert reader.url_of("/us/const/article/I", "section-8") == f"/law/us/const/article/I?{kept}#section-8"
    assert reader.search_url == f"/search?q=a+jury&{kept}"


def test_another_day_stays_in_the_matter():
    reader = Reader(as_of=date(1900, 1, 1), matter=MATTER)
    assert reader.url_on(None, "/us/const") == f"/law/us/const?matter={MATTER}"
    assert Reader().url_on(date(1950, 1, 1), "/us/const") == "/law/us/const?as_of=1950-01-01"
