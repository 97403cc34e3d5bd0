"""Which sentences tell most of what a provision says."""

import pytest

from retrieval.summaries.sentences import MOST, telling

LEASH = (
    "(a) In General.—\n"
    "Every dog shall be kept on a leash in a public park at all times of the day and night.\n"
    "(b) Definition.—\n"
    "The term “park” means land that a city keeps open to the public without any fee or charge.\n"
    "(c) Penalty.—\n"
    "Whoever brings a dog into a public park without a leash shall pay a fine of fifty dollars.\n"
    "(d) Effective Date.—\n"
    "The preceding provisions take effect on the first day of the month of May of next year."
)


def chosen(text, heading="", language="en"):
    return [text[start:end] for start, end in telling(text, heading, language)]


def test_the_rule_comes_before_what_only_defines_or_dates():
    first, second, *_ = chosen(LEASH, "Dogs on a leash")
    assert first.startswith("Every dog shall be kept on a leash")
    assert second.startswith("Whoever brings a dog")


def test_neither_captions_nor_numbers_are_chosen():
    assert not any("In General" in sentence or sentence.startswith("(") for sentence in chosen(LEASH))


def test_a_caption_that_is_no_sentence_is_not_chosen():
    services = "inpatient hospital services"
    caption = f"(a) Determination of costs for {services}; limitations; exemptions; “costs of {services}” defined \n"
    rule = "The Secretary shall not recognize as reasonable any costs of a hospital that exceed those of others."
    assert chosen(f"{caption}(1)(A)(i) {rule}", "Costs of hospitals") == [rule]


def test_an_opening_without_its_list_is_not_told():
    terms = ("dog", "cat", "horse", "donkey", "camel", "goat", "sheep", "hen", "goose", "duck", "swan", "pig", "cow")
    means = "The term “{0}” means any {0} that is kept in a public park by its owner."
    defined = (f"({n}) {means.format(term)}" for n, term in enumerate(terms, 1))
    assert not chosen("\n".join(["As used in this chapter—", *defined]), "Definitions")


def test_a_word_of_the_heading_tells_more_than_another():
    text = (
        "The office keeps a book of names for any person. "
        "Passports are sent by mail to any person abroad. The office opens on each day of the week."
    )
    assert chosen(text, "Passports sent by mail")[0].startswith("Passports")
    assert chosen(text, "Book of names")[0].startswith("The office keeps")


def test_no_item_of_a_list_stands_without_the_words_before_it():
    text = (
        "The report shall include—\n(1) the number of dogs that were found in the park without any leash; and\n"
        + ("(2) the names of their owners, where these are known to the city and its officers.\n" * 12)
    )
    assert not any(sentence.startswith(("the number", "the names")) for sentence in chosen(text))


def test_no_fragment_of_a_sentence_stands_for_a_provision():
    text = (
        "The owner shall keep a dog on its leash in the park of the city;\n"
        "and the seal of the officer of dogs, owners, leashes and parks of the city.\n"
        "The officer shall write down the names of the owners of the dogs."
    )
    assert not any(sentence.startswith("and") for sentence in chosen(text))


def test_what_has_words_has_a_sentence_and_what_has_none_has_none():
    assert chosen("Short.") == ["Short."]
    assert chosen("  \n ") == []
    assert len(chosen("The owner of a dog shall keep it on a leash. " * 30)) <= MOST


def test_a_language_without_stop_words_of_its_own_is_read_as_english():
    assert chosen("Der Hund ist im Park an der Leine zu halten, auch bei Nacht.", language="de")


@pytest.mark.parametrize("heading", ["", "Dogs"])
def test_the_same_text_gives_the_same_sentences(heading):
    assert telling(LEASH, heading, "en") == telling(LEASH, heading, "en")
