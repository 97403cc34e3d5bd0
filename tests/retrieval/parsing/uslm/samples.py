"""USLM files that the tests read."""

from retrieval.parsing.uslm.reader import LeafPolicy, read
from tests.conftest import MEASURING_DATA, ROOT

CONSTITUTION = ROOT / "retrieval" / "corpora" / "us_constitution.xml"
USLM = MEASURING_DATA / "uscode/uslm"
SECTION, LOWEST = LeafPolicy.SECTION, LeafPolicy.LOWEST
TITLE = """<?xml version="1.0" encoding="UTF-8"?>
<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:html="http://www.w3.org/1999/xhtml" xml:lang="en" identifier="/us/usc/t42">
  <meta><dc:title>Title 42</dc:title><docPublicationName>Online@117-174</docPublicationName></meta>
  <main><title identifier="/us/usc/t42"><num value="42">Title 42—</num><heading>PUBLIC HEALTH</heading>
    <toc><tocItem><column>ignored contents</column></tocItem></toc>
    <note topic="history"><heading>Enactment</heading><p>Set aside.</p></note>
    <chapter identifier="/us/usc/t42/ch21"><num value="21">CHAPTER 21—</num><heading>CIVIL RIGHTS</heading>
      <section identifier="/us/usc/t42/s2000e-5" id="temp-note-credit">
        <num value="2000e-5">§ 2000e–5.</num><heading> Enforcement provisions</heading>
        <subsection identifier="/us/usc/t42/s2000e-5/a"><num value="a">(a)</num><heading> Power</heading>
          <content>The Commission may act<ref class="footnoteRef" idref="fn1">1</ref><note type="footnote"
            id="fn1"><num>1</num> So in original.</note>
            under <ref href="/us/usc/t42/s2000e–2">section 2000e–2</ref>.</content>
        </subsection>
        <subsection identifier="/us/usc/t42/s2000e-5/b"><num value="b">(b)</num>
          <paragraph identifier="/us/usc/t42/s2000e-5/b/15"><num value="15">(15)</num>
            <subparagraph identifier="/us/usc/t42/s2000e-5/b/15/F"><num value="F">(F)</num>
              <chapeau>whoever—</chapeau>
              <clause identifier="/us/usc/t42/s2000e-5/b/15/F/i"><num value="i">(i)</num>
                <content>aids; or</content></clause>
              <clause><num value="ii">(ii)</num><content>abets,</content></clause>
              <continuation>shall pay.</continuation>
            </subparagraph></paragraph></subsection>
        <subsection identifier="/us/usc/t42/s2000e-5/c"><num value="c">(c)</num><heading>Rates</heading>
          <content><p>First paragraph.</p><p>Second paragraph:</p>
          <html:table><html:tr><html:th>Age</html:th><html:th><html:p>Rate</html:p></html:th></html:tr>
            <html:tr><html:td>Under 5</html:td><html:td>10<sup>2</sup></html:td></html:tr></html:table>
          <quotedContent><section identifier="/us/usc/t1/s1"><num>“Sec. 1.</num>
            <content>Quoted law.”</content></section></quotedContent></content></subsection>
        <sourceCredit>(Pub. L. 88–352, title VII, § 706.)</sourceCredit>
        <notes><note><heading>Amendments</heading>
          <p>1991—Subsec. (a). <ref href="/us/pl/102/166">Pub. L. 102–166</ref> added it.</p></note>
          <note><p>Another note.</p></note></notes>
      </section>
      <section identifier="/us/usc/t42/s2000f" status="repealed"><num value="2000f">[§ 2000f.</num>
        <heading> Repealed. Pub. L. 90–1]</heading></section>
      <section identifier="/us/usc/t42/s2000g"><num>[§ 2000g.</num><heading> Transferred]</heading></section>
      <section><num>§ 300aa–10.</num><heading>Establishment</heading>
        <subsection><num>(a)</num><content>A program.</content></subsection></section>
    </chapter></title></main></uscDoc>"""


def wrapped(body, root="uscDoc"):
    return f'<{root} identifier="/us/usc/t1"><main>{body}</main></{root}>'.encode()


def section_text(body):
    xml = wrapped(f'<section identifier="/us/usc/t1/s1"><num>§ 1.</num>{body}</section>')
    return read(xml, leaf=SECTION).root.text
