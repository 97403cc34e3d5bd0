"""Lines of pages made into paragraphs, without what stands on every page."""

import time

import pytest

from retrieval.parsing.files.pages import LEADER
from retrieval.parsing.tree import page_at
from tests import files
from tests.retrieval.parsing.files.reading import BODY, read, sections, texts


def test_a_paragraph_of_thousands_of_lines_is_read_in_time():
    content = (
        "repair "
        + "the tenant shall keep the house in good re-\npair and pay for what is broken in it\n" * 4_000
    )
    assert (
        texts(content.encode(), "a.txt")[0].count("good repair and") > 10
    )  # quadratic, it would take a minute


def test_running_heads_and_page_numbers_are_left_out_on_every_page():
    def page(number):
        foot = (300.0, 770.0, 8.0, "F1", f"Page {number} of 4")
        head = (72.0, 30.0, 8.0, "F1", "Source: ACME, 10-K")
        return [
            head,
            *files.column(f"Paragraph {['one', 'two', 'three', 'four'][number - 1]} is here.", BODY),
            foot,
        ]

    text = " ".join(texts(files.pdf(*map(page, range(1, 5))), "a.pdf"))
    assert "Source" not in text and "Page" not in text
    assert text.count(BODY) == 4


HEAD, FOOT = (72, 30, 8, "F1", "11/29/26, 3:45 AM"), (72, 770, 8, "F1", "https://county.example/code 2/3")
LONGER = [HEAD, *files.column(*[f"{BODY}."] * 4), FOOT]


@pytest.mark.parametrize("short", [["scan"], files.column("The end.")])
def test_running_heads_are_left_out_where_one_of_three_pages_is_short(short):
    text = " ".join(texts(files.pdf(LONGER, [HEAD, *short, FOOT], LONGER), "a.pdf"))
    assert "3:45" not in text and "https" not in text
    assert text.count(BODY) == 8


BY_BROWSERS = {
    "chromium": ("11/29/26, 10:39 AM County Code, Title 4 (Animals)", "https://county.example/code#4 {}/{}"),
    "firefox": ("County Code, Title 4 (Animals) https://county.example/code", "{} of {} 29.11.2026, 10:39"),
    "spanish": ("29/11/26, 10:39 Código del condado", "https://county.example/codigo {}/{}"),
}


def printed(head, foot, numbers, most):
    rows = [((72.0, 18.0, 7.0, "F1", head), (72.0, 775.0, 7.0, "F1", foot.format(n, most))) for n in numbers]
    return " ".join(texts(files.pdf(*([top, *files.column(f"{BODY}."), end] for top, end in rows)), "a.pdf"))


@pytest.mark.parametrize("numbers", [[1], [1, 2], [4, 5]])
@pytest.mark.parametrize("browser", BY_BROWSERS)
def test_what_browsers_print_at_the_edges_is_left_out_of_files_of_any_length(browser, numbers):
    assert printed(*BY_BROWSERS[browser], numbers, most=numbers[-1]) == " ".join([f"{BODY}."] * len(numbers))


def test_an_address_and_a_number_that_counts_no_pages_are_text():
    head, foot = BY_BROWSERS["chromium"]
    assert "county.example" in printed(head, foot, [1, 1], 2) and "10:39" in printed(head, foot, [2, 1], 2)
    assert "county.example" in printed("Of Animals", "Ask at https://county.example", [1, 2], 2)


@pytest.mark.parametrize(
    "pages",
    [
        [["Payment 1 of 4 is due on 1 May 2026.", "Dogs stay outside.", "Pay at https://pay.example/12 or in cash."]],
        [["Rent is 1/3 of income", "Body text here.", "Apply at https://city.example/rent by 1 June."]],
        [
            ["See https://a.example/x for terms.", "Dogs stay outside.", f"Clause {n} of 2 binds the {who}."]
            for n, who in ((1, "tenant"), (2, "landlord"))
        ],
        [["Hearing of 11/29/26, 10:39 AM.", "Dogs stay outside.", "Join at https://court.example/12, part 1 of 1."]],
        [["11/29/26, 10:39 AM", "Dogs stay outside.", "Pay at https://pay.example/12 for part 1 of 1."]],
    ],
)
def test_sentences_at_the_edges_of_short_files_are_text(pages):
    content = files.pdf(*(files.column(*lines) for lines in pages))
    assert " ".join(texts(content, "a.pdf")) == " ".join(line for lines in pages for line in lines)


def test_what_only_short_pages_say_is_no_running_head():
    covers = [files.column(f"EXHIBIT {number}", font="F2") for number in (1, 2, 3)]
    assert "EXHIBIT 2" in " ".join(texts(files.pdf(LONGER, *covers), "a.pdf"))


@pytest.mark.parametrize(
    ("text", "page"),
    [("Term ........ 5", "5"), ("Acme Inc. . . . . . iv", "iv"), ("..... 7", "7"), ("and so on ...", None)],
)
def test_dotted_leaders_lead_to_a_page(text, page):
    match = LEADER.match(text)
    assert (match and match["page"]) == page


def test_a_line_of_dots_is_read_in_time():
    start = time.process_time()
    assert not LEADER.match("… " * 20_000)
    assert time.process_time() - start < 1


def test_a_table_of_contents_is_left_out():
    entries = [f"{n}. {word} {'.' * 30} {n + 1}" for n, word in enumerate(["Term", "Fees", "Law"], start=1)]
    contents = files.column("TABLE OF CONTENTS", *entries)
    text = texts(files.pdf(contents, files.column("1. Term. This lasts a year.", BODY)), "a.pdf")
    assert not any("...." in line or "CONTENTS" in line for line in text)
    assert text[0].startswith("1. Term. This lasts a year.")


def test_a_paragraph_goes_on_over_a_page_and_knows_both_pages():
    long = "The buyer may end this agreement at any time when the seller does not"
    document = read(files.pdf(files.column(long, top=700), files.column("deliver the goods.")), "a.pdf")
    (section,) = sections(document).values()
    assert section.text == f"{long} deliver the goods."
    assert [page_at(section.pages, section.text.index(word)) for word in ("buyer", "deliver")] == [1, 2]
    assert document.pages == 2


def test_lines_are_read_from_top_to_bottom_whatever_their_order_in_the_file():
    first, second = files.column("First comes this.", top=100), files.column("Then comes that.", top=200)
    assert texts(files.pdf([*second, *first]), "a.pdf") == ["First comes this.", "Then comes that."]


def test_columns_drawn_one_after_the_other_are_read_so():
    left = files.column(*(f"left {n} goes on" for n in range(9)))
    right = files.column(*(f"right {n} goes on" for n in range(9)), left=320)
    text = " ".join(texts(files.pdf([*left, *right]), "a.pdf"))
    assert text.index("left 8") < text.index("right 0")
