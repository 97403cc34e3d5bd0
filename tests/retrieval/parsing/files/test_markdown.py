"""Markdown by way of HTML."""

from tests.retrieval.parsing.files.reading import read, sections


def test_markdown_headings_nest_and_its_raw_html_is_text():
    content = (
        b"---\ntitle: x\n---\n# Policy\n\nAll staff.\n\n## Leave\n\n<script>alert(1)</script> two *weeks*\n"
    )
    found = sections(read(content, "policy.md"))
    assert found["leave"].text == "<script>alert(1)</script> two weeks"
