"""HTML without what is not text."""

from tests.retrieval.parsing.files.reading import read, sections


def test_html_is_read_without_menus_scripts_and_what_is_hidden():
    page = b"""<html><head><title>Guide</title><script>x()</script></head><body><nav>Home</nav>
        <ul><li><a href="#a">One</a></li><li><a href="#b">Two</a></li><li><a href="#c">Three</a></li></ul>
        <h2 id=a>Asylum</h2><p>Apply with<b>in</b> a&nbsp;year.<p hidden>No</p><ol><li>First<li>Next</ol>
        <table><tr><th>Fee<td>$0</table><footer>(c)</footer></body></html>"""
    document = read(page, "guide.html")
    (section,) = sections(document).values()
    assert (document.title, section.heading) == ("Guide", "Asylum")
    assert section.text == "Apply within a year.\n1. First\n2. Next\nFee | $0"


def test_what_is_struck_is_left_out():
    page = b"<h1>Lease</h1><p>The tenant <strike>shall</strike><del>must</del> may <s>not </s>leave.</p>"
    (section,) = sections(read(page, "lease.html")).values()
    assert section.text == "The tenant may leave."
