"""Parts of the corpus that can be ticked, and the targets that ticks become."""

import pytest

from rules.authoring import browsing

pytestmark = pytest.mark.django_db


def test_ticks_become_as_few_targets_as_say_the_same():
    ticks = [
        "page /d/x 3",
        "chunk 9",
        "page /d/x 5",
        "section /a/b",
        "page /d/x 4",
        "page /d/x 8",
        "chunk 4",
        "x",
        "chunk x",
    ]
    assert browsing.targets_of(
        [*ticks, "document /d/y", "section /a/b", "section //evil", "page /d/x -1"]
    ) == [
        {"kind": "section", "value": "/a/b"},
        {"kind": "document", "value": "/d/y"},
        {"kind": "document", "value": "/d/x", "pages": "3-5, 8"},
        {"kind": "chunk", "value": [9, 4]},
    ]
