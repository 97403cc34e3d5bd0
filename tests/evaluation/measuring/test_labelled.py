"""Labelled documents: quotes are cut and compared as they were typed. Pure."""

import json

import pytest

from evaluation.measuring.labelled import LABELS, Label, normalised, read_labels
from evaluation.topics.topic import BadTopics


def test_labels_are_read_in_pieces_without_what_was_omitted(tmp_path):
    row = {"pdf": "a.pdf", "category": "Law", "pages": [2], "quotes": ["one <omitted> two", "..."]}
    (tmp_path / LABELS).write_text(json.dumps(row) + "\n")
    assert read_labels(tmp_path) == [Label("a.pdf", "Law", frozenset({2}), ("one ", " two"))]


def test_a_broken_file_of_labels_is_named(tmp_path):
    (tmp_path / LABELS).write_text('{"pdf": "a.pdf"}\n')
    with pytest.raises(BadTopics, match=LABELS):
        read_labels(tmp_path)


def test_quotes_match_whatever_their_typography_and_line_breaks():
    assert normalised("“Non-\ncompete”  clause") == normalised('"non- compete" clause') == '"non-compete" clause'
