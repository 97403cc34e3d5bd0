"""What may be quoted, and what is never cut off from it."""

import pytest

from retrieval.answers.units import (
    TELLING,
    Window,
    beginning_with,
    breaks_off,
    in_columns,
    key_of,
    opening,
    units,
)

REPORT = """(a) Plan
(1) Report required
The Secretary shall report within 90 days on—
(A) the backlog; and
(B) the plan.
(2) Hearing
Any person may ask for a hearing. This paragraph does not apply to a minor.
(b) Records
The records are public. However, names may be withheld.
Fees are set by rule."""


def quoted(text: str, **kind) -> list[str]:
    return [" ~ ".join(text[start:end] for start, end in unit.spans) for unit in units(text, **kind)]


def test_an_item_keeps_the_stem_of_its_list():
    assert "The Secretary shall report within 90 days on— ~ (A) the backlog; and" in quoted(REPORT)
    assert "The Secretary shall report within 90 days on— ~ (B) the plan." in quoted(REPORT)


def test_a_stem_keeps_the_items_of_a_short_list():
    assert quoted(REPORT)[0].count("~") == 2


def test_a_rule_keeps_the_exception_that_follows_it():
    assert "Any person may ask for a hearing. ~ This paragraph does not apply to a minor." in quoted(REPORT)
    assert "The records are public. ~ However, names may be withheld." in quoted(REPORT)


def test_what_was_held_keeps_what_later_law_made_of_it():
    held = "A state may punish such words. Danger need not be near."
    later = "Brandenburg v. Ohio later rejected that view."
    text = f"{held} {later}\nNo one asked for more."
    said = quoted(text, is_summary=True)
    assert said[:2] == [f"A state may punish such words. ~ {later}", f"Danger need not be near. ~ {later}"]
    assert said[2:] == [later, "No one asked for more."]
    assert quoted(text)[0] == "A state may punish such words."  # another text may speak of what is later limited


def test_the_next_rule_stands_by_itself_and_without_the_stems_of_an_older_list():
    assert quoted(REPORT)[-1] == "Fees are set by rule."


def test_headings_are_not_quoted_but_known():
    assert not any("Report required" in one for one in quoted(REPORT))
    first = units(REPORT)[0]
    assert [REPORT[start:end] for start, end in first.headings] == ["(a) Plan", "(1) Report required"]


def test_what_is_inside_a_sentence_stays_there():
    text = "No person shall be held, unless on an indictment, except in the land forces. Fines are paid."
    assert quoted(text)[0] == "No person shall be held, unless on an indictment, except in the land forces."


def test_a_list_in_a_list_has_both_stems():
    text = "(a) The Board shall—\n(1) report on—\n(A) costs; and\n(B) fees; and\n(2) meet."
    assert "(a) The Board shall— ~ (1) report on— ~ (B) fees; and" in quoted(text)
    assert "(a) The Board shall— ~ (2) meet." in quoted(text)


def test_a_list_of_small_letters_below_roman_capitals_has_its_stem():
    text = (
        "(a) Bars\n(1) Parties\n(A) Rule\n(i) It does not apply to whoever shows that—\n"
        "(I) membership ended—\n(a) 2 years before, or\n(b) 5 years before, and\n(II) there is no threat."
    )
    assert quoted(text)[-2] == (
        "(i) It does not apply to whoever shows that— ~ (I) membership ended— ~ (b) 5 years before, and"
    )


def test_a_list_ends_where_two_designators_begin_another():
    text = "(a) No person shall be naturalized who cannot—\n(1) read.\n(b)(1) The rule is waived.\n(2) Fees are paid."
    assert quoted(text)[-2:] == ["(b)(1) The rule is waived.", "(2) Fees are paid."]
    text = "(a) These are exempt—\n(b)(1) Fees are paid."
    assert quoted(text) == text.split("\n")


def test_words_before_a_long_list_break_off_and_those_before_a_short_one_do_not():
    items = [f"({n}) {'does what is forbidden by rule ' * 3}{n};" for n in range(1, 12)]

    def opening_breaks_off(*lines: str) -> bool:
        text = "\n".join(lines)
        return breaks_off(text, units(text)[0])

    assert opening_breaks_off("(a) Whoever—", *items)
    assert not opening_breaks_off("(a) Whoever—", *items[:2])
    assert not opening_breaks_off("To borrow Money on the credit of the United States:")


@pytest.mark.parametrize("marks", ["(a) (b) (c) (d) (e)", "a. b. c. d. e.", "1.1 1.2 1.3 1.4 1.5", "- - - - -"])
def test_a_colon_before_a_long_list_breaks_off_too(marks):
    items = [f"{mark} {'by what the parties agree upon in writing, ' * 5}or" for mark in marks.split()]
    text = "\n".join(["1. This agreement shall terminate:", *items])
    stem, *rest = units(text)
    assert breaks_off(text, stem) and not any(breaks_off(text, one) for one in rest)
    assert all(one.stems for one in rest)


def test_a_colon_before_the_next_provision_does_not_break_off():
    text = "1. Power to borrow Money on the credit of the United States:\n2. Power to regulate Commerce."
    assert not breaks_off(text, units(text)[0])


@pytest.mark.parametrize("line", ["Name:\n", "and when—\n", "But not then.\n"])
def test_what_is_no_law_is_framed_by_so_many_lines(line):
    assert max(len(unit.spans) for unit in units(line * 500)) <= 17


def test_an_empty_text_has_none():
    assert units("") == ()


@pytest.mark.parametrize(
    "reply", ["Yes.", "No.", "Generally not.", "No, not on this showing.", "Not on this record.", "Sí.", "No. They do."]
)
def test_a_bare_reply_is_joined_to_the_sentence_behind_it(reply):
    assert quoted(f"{reply} The law was void. It fell.") == [f"{reply} The law was void.", "It fell."]


@pytest.mark.parametrize("text", ["The law was void. No.", "Is it void?\nNo.\nIs it law?", "Yes."])
def test_a_bare_reply_is_never_quoted_alone(text):
    assert not {"Yes.", "No."} & set(quoted(text))
    assert not any(one.startswith("No.") for one in quoted(text))


@pytest.mark.parametrize("sentence", ["No person shall be held.", "Not so, since it was void.", "They do business."])
def test_what_says_more_is_no_bare_reply(sentence):
    assert quoted(f"{sentence} It fell.") == [sentence, "It fell."]


LONG = "(2) The Secretary shall, within 90 days, tell every holder of a permit in writing why it was not renewed."


def test_how_a_unit_begins_is_told_in_whole_words_without_its_number():
    begins = opening(LONG)
    assert LONG.startswith(f"(2) {begins} ") and begins.startswith("The Secretary shall")
    assert TELLING <= sum(map(str.isalnum, begins)) < TELLING + 15
    assert opening("(a) Fees are due.") == "Fees are due."


def test_a_unit_is_known_by_how_it_begins_whatever_stands_between_its_letters():
    assert key_of(LONG) == key_of(opening(LONG)) == key_of(LONG.replace(" ", "\n").replace(",", "").upper())
    assert key_of(LONG) != key_of(LONG.replace("90", "60"))


@pytest.mark.parametrize("caption", ["(B) Time limit.— ", "(b) Conduct of examinations; record.—", "Chief’s duties.—"])
def test_a_caption_before_a_sentence_is_none_of_its_beginning(caption):
    """Official files have captions before the sentence, other editions in a line of their own."""
    assert opening(caption + LONG) == opening(LONG)
    assert key_of(caption + LONG) == key_of(LONG)
    assert beginning_with(opening(LONG), f"{caption}{LONG}\nFees are due.") == {opening(LONG)}
    assert opening(caption.strip()) == caption.strip().removeprefix("(B) ").removeprefix("(b) ")


def test_a_unit_is_found_by_its_first_words():
    assert beginning_with("any PERSON may", REPORT) == {"Any person may ask for a hearing."}
    (report,) = beginning_with("(1) the secretary shall report", REPORT)
    assert report.startswith("The Secretary shall report")
    assert beginning_with("the", REPORT) == {report, "the backlog; and", "the plan.", "The records are public."}
    assert beginning_with("the plan", f"{REPORT}\nThe plan is kept.\nThe planner is paid.") == {"the plan."}
    assert beginning_with("may ask", REPORT) == beginning_with("—", REPORT) == set()


LISTS = """(a) The Board shall—
(1) meet in May; and
(2) report in June.
(b) Nobody shall be fined.
Unless a court so orders."""


def read(text: str, *windows: Window) -> list[tuple[list[str], str, list[str]]]:
    return [
        ([text[a:b] for a, b in each.stems], text[each.start : each.end], [text[a:b] for a, b in each.after])
        for each in units(text, windows)
    ]


def test_each_window_is_read_by_itself_with_what_leads_to_it():
    second, last = LISTS.index("(2)"), LISTS.index("(b)")
    lead = (0, LISTS.index("\n"))
    assert read(LISTS, Window(second, last - 1, (lead,))) == [(["(a) The Board shall—"], "(2) report in June.", [])]
    assert read(LISTS, Window(0, lead[1]), Window(second, last - 1))[1:] == [([], "(2) report in June.", [])]


def test_at_the_end_of_a_window_no_list_is_cut_and_no_exception_lost():
    whole = read(LISTS, Window(0, LISTS.index("\n(b)")))
    assert whole[0] == ([], "(a) The Board shall—", ["(1) meet in May; and", "(2) report in June."])
    cut = units(LISTS, [Window(0, LISTS.index("\n(2)"))])
    assert cut[0].after == () and breaks_off(LISTS, cut[0])
    ruled = read(LISTS, Window(LISTS.index("(b)"), LISTS.index("\nUnless")))
    assert ruled == [([], "(b) Nobody shall be fined.", ["Unless a court so orders."])]


def test_a_list_that_goes_on_in_a_line_too_long_to_be_read_is_not_cut():
    third = "keep the lamps and " * 200
    text = f"(a) The Board shall—\n(1) meet in May;\n(2) report in June; and\n(3) {third}rest."
    stem = units(text, [Window(0, text.index("\n(3)"))])[0]
    assert stem.after == () and breaks_off(text, stem)


def test_an_item_that_opens_a_list_ends_none():
    text = "(1) A spouse is eligible if—\n(A) the member was absent; and\n(B) the spouse—\n(i) was hurt;\n(ii) fled."
    stem = next(each for each in units(text, [Window(0, text.index("\n(i)"))]) if text.startswith("(1)", each.start))
    assert stem.after == ()


def test_every_exception_behind_a_window_is_read_with_its_rule():
    behind = ["This subsection does not apply to keepers.", "Unless a court so orders, nobody pays."]
    text = "\n".join(["(a) Nobody shall be fined.", *behind, "(b) Fees are due."])
    assert read(text, Window(0, text.index("\n")))[0][2] == behind


PRICES = "Code | Test | Price\nR310 | MRI of the knee | 410 €\nR320 | Stop. Ask first. | 560 €\nPrices are net."


def test_a_row_of_a_table_is_quoted_with_the_names_of_its_columns():
    first, second, last = quoted(PRICES)
    assert first == "Code | Test | Price ~ R310 | MRI of the knee | 410 €"
    assert second == "Code | Test | Price ~ R320 | Stop. Ask first. | 560 €"
    assert last == "Prices are net."
    assert in_columns(PRICES, units(PRICES)[0]) == "Code: R310; Test: MRI of the knee; Price: 410 €"


def test_a_table_without_names_of_columns_loses_no_row():
    assert quoted("Monday | 9 to 5\nTuesday | closed") == ["Monday | 9 to 5", "Tuesday | closed"]
    assert quoted("Year | 2025 | 2026\nFee | 10 € | 12 €") == ["Year | 2025 | 2026 ~ Fee | 10 € | 12 €"]
    assert quoted("Pharmacy | ext. 44") == ["Pharmacy | ext. 44"]


ROOMS = "Doctor | Room\nDr. Ann | A\nDr. Bob | B\nNurse | Room\nEve | C"


def test_a_table_right_behind_another_has_its_own_columns():
    assert quoted(ROOMS) == ["Doctor | Room ~ Dr. Ann | A", "Doctor | Room ~ Dr. Bob | B", "Nurse | Room ~ Eve | C"]
    for begins in ("Nurse", "Eve"):
        window = Window(ROOMS.index(begins), len(ROOMS), ((ROOMS.index("Dr. Ann"), ROOMS.index("\nDr. Bob")),))
        assert read(ROOMS, window) == [(["Nurse | Room"], "Eve | C", [])]
    assert quoted("Call:\nDoctor | Phone\nAnn | A\nNurse | Phone\nEve | C")[0].count("Phone") == 2


def test_the_columns_that_a_page_repeats_are_no_row():
    text = "Doctor | Room\nAnn | A\nDoctor | Room\nBob | B"
    assert quoted(text) == ["Doctor | Room ~ Ann | A", "Doctor | Room ~ Bob | B"]
    assert read(text, Window(text.index("Bob"), len(text))) == [(["Doctor | Room"], "Bob | B", [])]


def test_rows_with_the_same_last_cell_name_no_columns():
    assert quoted("A dog? | No\nA cat? | No\nA bird? | Led") == ["A dog? | No", "A cat? | No", "A bird? | Led"]
    assert quoted("Day | Hours\nMonday | closed\nTuesday | 9 to 5\nSunday | closed") == [
        f"Day | Hours ~ {row}" for row in ("Monday | closed", "Tuesday | 9 to 5", "Sunday | closed")
    ]


def test_a_table_keeps_its_stem_and_a_short_one_is_quoted_whole_with_it():
    text = f"Pay in advance:\n{PRICES}"
    whole, first, *_ = quoted(text)
    assert whole.startswith("Pay in advance: ~ Code | Test | Price ~ R310") and whole.endswith("560 €")
    assert first == "Pay in advance: ~ Code | Test | Price ~ R310 | MRI of the knee | 410 €"
    long = "Pay in advance:\nCode | Price\n" + "R310 | 410 €\n" * 90
    assert breaks_off(long, units(long)[0])


def test_a_row_far_down_a_table_has_the_names_of_its_columns():
    text = "Code | Price\n" + "".join(f"R{n} | {n} €\n" for n in range(9))
    start = text.index("R7")
    assert read(text, Window(start, len(text)))[0] == (["Code | Price"], "R7 | 7 €", [])


@pytest.mark.parametrize("marks", ["- - -", "1. 2. 3.", "• • •"])
def test_items_without_a_stop_are_quoted_with_their_stem(marks):
    lines = [f"{mark} {what}" for mark, what in zip(marks.split(), ("Passport", "Photo", "Form"), strict=True)]
    said = quoted("\n".join(["Bring:", *lines, "We open at 9."]))
    assert said[1:] == [*(f"Bring: ~ {line}" for line in lines), "We open at 9."]


def test_lines_that_head_nothing_are_a_list():
    assert quoted("Bring:\nPassport\nPhoto\nThe form")[0] == "Bring: ~ Passport ~ Photo ~ The form"
    table = "Drug Antidote\nDoxorubicin Dexrazoxane 1,000 mg\nVincristine Hyaluronidase 1,500 units\nStop the drip."
    assert quoted(table) == table.split("\n")[1:]
    assert quoted("Hospital\nMinutes\nRoom Two\nWe met.") == ["We met."]


def test_the_lines_of_a_title_page_are_no_list():
    desk = "Visitors must register at the desk."
    title = "ACME HOSPITAL\nHandbook 2024\nVersion 3\nApproved 12 May 2024\n"
    assert quoted(f"{title}{desk}") == [desk]
    assert quoted(f"Reglamento 2024\nVersión 2.1\nAprobado el 12 de mayo de 2024\nPágina 1\n{desk}") == [desk]
    assert quoted("Holidays\nChristmas 25 December 2024\nNew Year 1 January 2025\nWe are closed.") == [
        "Christmas 25 December 2024", "New Year 1 January 2025", "We are closed."
    ]  # fmt: skip
    assert quoted(f"{desk}\nBoilers\nModel version 3\nModel version 4") == [desk, "Model version 3", "Model version 4"]


def test_the_last_line_of_a_list_heads_the_sentence_behind_it():
    text = "Visiting hours\nMonday 9 to 5\nTuesday 9 to 6\nParking\nIt costs 3 €."
    *hours, cost = units(text)
    assert [text[each.start : each.end] for each in hours] == ["Monday 9 to 5", "Tuesday 9 to 6"]
    assert text[slice(*cost.headings[-1])] == "Parking" and text[cost.start :] == "It costs 3 €."
    assert quoted("Visiting hours\nMonday 9 to 5\nTuesday 9 to 6\nBy appointment")[-1] == "By appointment"


def test_a_caption_is_quoted_before_each_sentence_of_its_line_and_never_alone():
    text = "1.3 High INR without bleeding. INR up to 8: withhold a dose. INR above 8: stop.\n1.4 Call. Then wait.\nGo."
    caption = "1.3 High INR without bleeding."
    assert quoted(text)[:2] == [f"{caption} ~ INR up to 8: withhold a dose.", f"{caption} ~ INR above 8: stop."]
    assert quoted(text)[2:] == ["1.4 Call. ~ Then wait.", "Go."]


def test_a_sentence_behind_a_number_is_no_caption():
    assert quoted("1.1 Rent is due in May. It is paid.") == ["1.1 Rent is due in May.", "It is paid."]
    assert quoted("2.1 Keep the door shut.") == ["2.1 Keep the door shut."]
