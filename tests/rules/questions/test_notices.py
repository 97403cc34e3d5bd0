from django.utils.translation import gettext_lazy as _

from rules.questions.notices import ended, noticed
from tests.rules.questions.asked import ranking_of


def test_it_is_told_in_the_language_of_the_question():
    told = noticed(
        ranking_of("buenas", language="es"), "sum", _("This site does not calculate; it searches the law.")
    )
    assert told.notice.text.startswith("Este sitio no calcula")
    assert told.notice.searched and told.note == "sum"


def test_an_ended_search_shows_nothing_else():
    ranking = ended(noticed(ranking_of("hi"), "greeting", "Hello."))
    assert ranking.abstained and not ranking.notice.searched
