from retrieval.parsing.code_titles import heading_of


def test_titles_and_their_appendices_have_headings_and_nothing_else_has():
    assert heading_of("/us/usc/t8") == "Aliens and Nationality"
    assert heading_of("/us/usc/t18a") == "Crimes and Criminal Procedure, Appendix"
    assert [heading_of(place) for place in ("/us/cfr/t8", "/us/usc/t8/s1", "/us/usc/t99")] == ["", "", ""]
