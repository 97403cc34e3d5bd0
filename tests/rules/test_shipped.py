"""Files of curated content."""

from rules.shipped import GLOSSARY, SPOKEN_GLOSSARY, rows_of


def test_what_people_say_ships_apart_from_terms_of_law():
    law, spoken = ({row["spanish"] for row in rows_of(name)} for name in (GLOSSARY, SPOKEN_GLOSSARY))
    assert "debido proceso" in law
    assert "guachimán" in spoken
    assert not law & spoken
