"""Words of a text: the same in the lexical index, in queries, counts, names and marks."""

import csv
import json
import threading
from xml.etree import ElementTree

import pytest
import tantivy
from hypothesis import example, given
from hypothesis import strategies as st
from tantivy import TextAnalyzerBuilder, Tokenizer

from retrieval.indexes.lexical import STEMS, IndexedChunk, document_of, schema, term_of
from retrieval.text import analyzer
from retrieval.text.analyzer import LANGUAGES, LONGEST, stems, stop_stems, terms, tokens, words
from tests.conftest import ROOT

languages = st.sampled_from(sorted(LANGUAGES))


def written() -> list[str]:
    """Every word, with what stands before and after it, of the Constitution, the topics and the curated names."""
    law = ElementTree.parse(ROOT / "retrieval/corpora/us_constitution.xml").getroot()
    texts = [*law.itertext()]
    with (ROOT / "evaluation/topics/data/us_constitution.jsonl").open() as lines:
        texts += [json.loads(line)["query"] for line in lines]
    for name in ("aliases", "questions", "glossary"):
        with (ROOT / f"rules/fixtures/{name}.csv").open(newline="") as rows:
            texts += [" ".join(row) for row in csv.reader(rows)]
    return sorted({word for text in texts for word in text.split()})


WRITTEN = written()
any_text = st.text(alphabet=st.characters())
legal_text = st.lists(st.sampled_from(WRITTEN), max_size=12).map(" ".join)
texts = st.one_of(legal_text, any_text, st.lists(st.one_of(st.sampled_from(WRITTEN), any_text)).map(" ".join))


# -- The index holds what the analyzer gives


@given(texts, languages)
@example("the President's ½ eleccio\u0301n\u2028im\u00adportant", "en")
@example("a" * 70_000, "en")
def test_the_index_reads_the_analyzers_words_and_no_others(text, language):
    given_to_it = " ".join(stems(text, language))
    assert TextAnalyzerBuilder(Tokenizer.whitespace()).build().analyze(given_to_it) == stems(text, language)


def test_every_word_of_the_shipped_texts_is_found_by_its_term():
    for language in LANGUAGES:
        index = tantivy.Index(schema())
        writer = index.writer(num_threads=1)
        chunk = IndexedChunk(
            1, 1, 1, language, head="", body=" ".join(WRITTEN), valid_from=None, valid_to=None
        )
        writer.add_document(document_of(chunk))
        writer.commit()
        index.reload()
        searcher = index.searcher()
        every = set(stems(" ".join(WRITTEN), language))
        assert len(every) > 5_000 and STEMS == "whitespace"
        assert all(searcher.doc_freq("body", term_of(stem, language)) for stem in every)


# -- Words and their places


@given(texts, languages)
def test_words_lie_where_they_are_written(text, language):
    found = words(text, language)
    assert [stem for word in found for stem in word.stems] == stems(text, language)
    assert all(tuple(stems(text[word.start : word.end], language)) == word.stems for word in found)
    assert all(one.end <= other.start for one, other in zip(found, found[1:], strict=False))


@given(texts)
def test_the_words_of_usual_texts_are_found_as_those_of_any(text):
    assert analyzer._written(text) == analyzer._WRITTEN.findall(text)


@given(texts, languages)
def test_tokens_and_stems_take_any_text(text, language):
    assert len(stems(text, language)) == len(tokens(text))
    assert all(token.isalnum() and token == token.lower() or not token.isascii() for token in tokens(text))


@given(st.lists(st.sampled_from(WRITTEN), max_size=8), languages)
def test_words_are_read_the_same_wherever_they_stand(some, language):
    apart = [stem for word in some for stem in stems(word, language)]
    assert stems(" ".join(some), language) == stems("\n— ".join(some), language) == apart


def test_tokens_drop_possessives_and_apostrophes():
    assert tokens("What's the President’s oath? Don't ask (a)(15)") == (
        ["what", "the", "president", "oath", "dont", "ask", "a", "15"]
    )


def test_tokens_agree_for_both_forms_of_an_accent():
    assert tokens("elección") == tokens("eleccio\u0301n") == tokens("eleccion") == ["eleccion"]
    assert tokens("İstanbul") == ["istanbul"]


def test_signs_of_several_words_and_invisible_marks():
    assert tokens("1 ½ im\u00adportant x\u200b") == ["1", "1", "2", "important", "x"]


def test_raised_marks_of_notes_and_powers_are_no_part_of_a_word():
    assert tokens("The landlord¹ pays 10²³ feet, the tenants’¹ cafe\u0301⁴") == (
        ["the", "landlord", "pays", "10", "feet", "the", "tenants", "cafe"]
    )
    assert tokens("¹² Added in m²s") == ["12", "added", "in", "m", "s"]
    assert [(word.start, word.stems) for word in words("a landlord¹ pays", "en")] == [
        (0, ("a",)), (2, ("landlord",)), (12, ("pay",)),
    ]  # fmt: skip


def test_what_is_too_long_is_no_word():
    assert tokens("a" * LONGEST + " b " + "a" * (LONGEST + 1)) == ["a" * LONGEST, "b"]


# -- Stems


def test_english_stems_meet():
    assert stems("searches and seizures", "en") == stems("searching and seizure", "en")


@given(st.lists(st.sampled_from(WRITTEN), max_size=8).map(" ".join), languages)
def test_stems_are_blind_to_case_accents_and_typography(text, language):
    plain = analyzer.fold(text)
    assert stems(text, language) == stems(plain, language) == stems(plain.upper(), language)
    assert stems(text.replace("'", "’"), language) == stems(text, language)


def test_spanish_stems_meet_with_and_without_accents():
    assert stems("elecciones públicas", "es") == stems("eleccion publica", "es")


def test_an_unknown_language_is_refused():
    with pytest.raises(KeyError):
        stems("word", "fr")


def test_stems_are_right_under_threads():
    roots = [f"{root}{n}ing" for root in ("search", "seiz", "regulat") for n in range(300)]
    expected, found = [stems(word, "en") for word in roots], []
    analyzer._stems.cache_clear()
    threads = [
        threading.Thread(target=lambda: found.append([stems(w, "en") for w in roots])) for _ in range(4)
    ]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [expected] * 4


# -- Stop words


def test_terms_leave_out_stop_words_unless_nothing_else_is_there():
    assert terms("who may search my house, and my house", "en") == ["search", "hous"]
    assert terms("¿quién podrá registrar mi casa?", "es") == terms("quien podra registrar mi casa", "es")
    assert terms("to be or not to be", "en") and terms("§", "en") == []


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_stop_word_is_left_out_however_it_is_written(language):
    for word in analyzer.STOP_WORDS[language].split():
        for form in (word, word.upper(), f"{word}'s", f"¿{word}?"):
            assert terms(f"{form} zyzzyva", language) == terms("zyzzyva", language)


def test_accented_spanish_stop_words_are_stop_words():
    accented = "él más mí sí tú cuál cuándo qué quién por qué también está dónde cómo"
    assert {"quien", "tambi"} & stop_stems("es") and terms(f"{accented} asilo", "es") == terms("asilo", "es")


@given(st.text(), st.sets(st.text(alphabet="abens", max_size=4)), languages)
@example("Aliens' asylum, the ½ asylum ones and ASYLUM", {"asylum", "½"}, "en")
def test_wanted_words_are_those_of_the_text_with_a_wanted_stem(text, wanted, language):
    wanted |= {*stems(text, language)[::3]}
    assert words(text, language, wanted=wanted) == [w for w in words(text, language) if wanted & {*w.stems}]
