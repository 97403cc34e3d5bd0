"""What of a question may be kept: identifiers go, the rest of the sentence stays as it was."""

import pytest

from retrieval.text.personal_data import query_hash, scrub


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("write to jane.doe+x@mail.example.org now", "write to [e-mail] now"),
        ("call (213) 555-0123 or +1 213 555 0123", "call [phone] or [phone]"),
        ("SSN 123-45-6789", "SSN [SSN]"),
        ("my A-number is A123 456 789", "my A-number is [A-number]"),
        ("A#012345678 was denied", "[A-number] was denied"),
        ("card 4111 1111 1111 1111 was charged", "card [card number] was charged"),
        ("number 123456789 alone", "number [number] alone"),
        ("SSN 123–45–6789 or 123.45.6789", "SSN [SSN] or [SSN]"),
        ("call 213–555‑0123", "call [phone]"),
        ("call +52 55 1234 5678, +34 600 12 34 56 or (55) 1234-5678", "call [phone], [phone] or [phone]"),
        ("A# 123-456-789 and A.123.456.789", "[A-number] and [A-number]"),
        ("my alien registration number: 123 456 789", "my [A-number]"),
        ("mi número A 123-456-78", "mi número [A-number]"),
        ("card 4111.1111.1111.1111", "card [card number]"),
        ("my case IOE0912345678 or WAC-21-123-45678", "my case [receipt number] or [receipt number]"),
        ("my passport number is C01234567", "my [passport number]"),
        ("mi pasaporte C01234567", "mi [passport number]"),
        ("call 213 555 0123", "call [phone]"),
        ("zip 90210, 213 555 0123", "zip 90210, [phone]"),
    ],
)
def test_personal_identifiers_are_replaced(text, kept):
    assert scrub(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "If I am arrested, do I have a right to counsel?",
        "14th Amendment, Section 1",
        "8 U.S.C. § 1182(a)(6)(C)(i) and 42 USC 2000e-5",
        "8 CFR 214.2(h)(13)(iii)",
        "Pub. L. 104-208, 110 Stat. 3009",
        "No. 12-345 in 576 U.S. 644 (2015)",
        "on 4 July 1776, at 10:30",
        "8 CFR 214.2 and 42 U.S.C. 1395w-4(a)(1)",
        "sections 101, 102 and 103 of Title 18",
        "a fine of 250,000 dollars or 5 years",
        "alien numbers 212 and 237",
        "in force since 1791-12-15",
        "18 USC 922 924 1028",
        "INA 212 237 2401",
        "sec. 201 202 2031",
        "years 1990 2000 2010 2020",
    ],
)
def test_the_words_of_the_law_are_left_alone(text):
    assert scrub(text) == text


def test_a_hash_tells_repeats_but_not_words(settings):
    assert query_hash("war") == query_hash("war") != query_hash("wars")
    before = query_hash("war")
    settings.SECRET_KEY = "another"
    assert query_hash("war") != before
