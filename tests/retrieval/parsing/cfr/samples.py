"""Small regulations in both forms: of our own making, and 6 CFR 3.3, which is in the public domain."""

ECFR = """<?xml version="1.0"?>
<ECFR><AMDDATE>July 12, 2023</AMDDATE><VOLUME N="1" AMDDATE="2023-07-12"/>
<DIV1 N="6" TYPE="TITLE"><HEAD>Title 6—Domestic Security</HEAD>
<DIV3 N="I" TYPE="CHAPTER"><HEAD> CHAPTER I—DEPARTMENT OF HOMELAND SECURITY</HEAD>
<DIV5 N="1-2" TYPE="PART"><HEAD>PARTS 1-2 [RESERVED]</HEAD></DIV5>
<DIV5 N="3" TYPE="PART"><HEAD>PART 3—PETITIONS FOR RULEMAKING</HEAD>
<AUTH><HED>Authority:</HED><PSPACE>5 U.S.C. 301, 553(e); 6 U.S.C. 112.</PSPACE></AUTH>
<SOURCE><HED>Source:</HED><PSPACE>81 FR 47286, July 21, 2016, unless otherwise noted.</PSPACE></SOURCE>
<DIV6 N="A" TYPE="SUBPART"><HEAD>Subpart A—General</HEAD>
<DIV7 N="1" TYPE="SUBJGRP"><HEAD>Form of Petitions</HEAD>
<DIV8 N="3.3" TYPE="SECTION"><HEAD>§ 3.3 Applicability.</HEAD>
<P>(a) <I>General requirement.</I> Except as provided in paragraph (b) of this section, this part applies.</P>
<P>(b) <I>Exceptions</I>—(1) <I>U.S. Coast Guard.</I> Such petitions are governed by 33 CFR 1.05-20.</P>
<P>(2) <I>Federal Emergency Management Agency.</I> Within 10<SU>2</SU> days:</P>
<P>(i) First;</P>
<P>(A) Second.</P>
<P>(<I>1</I>) Third.</P>
<P>(c) [Reserved]</P>
<EXTRACT><P>(a) A form says this.</P></EXTRACT>
<DIV width="100%"><TABLE><THEAD><TR><TH>Grade</TH><TH>Pay<br/>in $</TH></TR></THEAD>
<TBODY><TR><TD>One</TD><TD>100</TD></TR></TBODY></TABLE></DIV>
<img src="/graphics/er31au05.000.gif"/>
<CITA TYPE="N">[81 FR 47286, July 21, 2016]</CITA>
<FTNT><P><SU>2</SU> Calendar days.</P></FTNT>
<EDNOTE><HED>Editorial Note:</HED><PSPACE>At 88 FR 1, the word was misspelt.</PSPACE></EDNOTE>
</DIV8>
<DIV8 N="3.5-3.8" TYPE="SECTION"><HEAD>§§ 3.5-3.8 [Reserved]</HEAD></DIV8>
</DIV7></DIV6>
<DIV9 N="Appendix A to Part 3" TYPE="APPENDIX"><HEAD>Appendix A to Part 3—Forms</HEAD>
<HD1>I. In General</HD1><P>Use them.</P></DIV9>
</DIV5></DIV3></DIV1></ECFR>"""

ANNUAL = """<?xml version="1.0"?>
<CFRGRANULE><FDSYS><CFRTITLE>8</CFRTITLE><CFRTITLETEXT>Aliens and Nationality</CFRTITLETEXT>
<VOL>1</VOL><DATE>{date}</DATE><TITLE>CONTROL OF EMPLOYMENT</TITLE>
<ANCESTORS><PARENT HEADING="Title 8" SEQ="2">Aliens and Nationality</PARENT>
<PARENT HEADING="CHAPTER I" SEQ="1">HOMELAND SECURITY</PARENT>
<PARENT HEADING="SUBCHAPTER B" SEQ="0">REGULATIONS</PARENT></ANCESTORS></FDSYS>
<PART><EAR>Pt. {part}</EAR><HD SOURCE="HED">PART {part}—CONTROL OF EMPLOYMENT</HD>
<CONTENTS><SECHD>Sec.</SECHD><SECTNO>{part}.12</SECTNO><SUBJECT>Classes.</SUBJECT></CONTENTS>
<AUTH><HD SOURCE="HED">Authority:</HD><P>8 U.S.C. 1101.</P></AUTH>
<SUBPART><HD SOURCE="HED">Subpart B—Authorization</HD>
{sections}
<SECTION><SECTNO>§§ {part}.90—{part}.99</SECTNO><RESERVED>[Reserved]</RESERVED></SECTION>
<APPENDIX><EAR>Pt. {part}, App.</EAR><HD SOURCE="HED">Appendix B to Part {part}—Samples</HD>
<GPH><PRTPAGE P="196"/><GID>ER01JN98.006</GID></GPH>
<GPOTABLE><BOXHD><CHED H="1">Grade</CHED></BOXHD><ROW><ENT I="01">One</ENT><ENT>$100</ENT></ROW></GPOTABLE></APPENDIX>
</SUBPART></PART></CFRGRANULE>"""
SECTION = (
    '<SECTION><SECTNO>§ {number}</SECTNO><SUBJECT>Classes of <E T="03">aliens</E>.</SUBJECT>'
    '<P>(a) <E T="03">Aliens.</E> {text}<PRTPAGE P="9"/></P><CITA>[52 FR 16216, May 1, 1987]</CITA></SECTION>'
)


def annual(day: str = "2016-07-01", part: str = "274a", **sections: str) -> str:
    """A part with sections: annual(s12="Words."), numbered 274a.12."""
    texts = {f"{part}.{name[1:]}": text for name, text in (sections or {"s12": "May work."}).items()}
    written = "".join(SECTION.format(number=number, text=text) for number, text in texts.items())
    return ANNUAL.format(date=day, part=part, sections=written)


VOLUME = """<?xml version="1.0"?>
<CFRDOC><AMDDATE>Mar. 3, 2016</AMDDATE>
<FMTR><TITLEPG><TITLENUM>Title 8</TITLENUM><SUBJECT>Aliens and Nationality</SUBJECT><PARTS>{holds}</PARTS>
<REVISED>Revised as of July 1, 2016</REVISED><DATE>As of July 1, 2016</DATE></TITLEPG>
<EXPLA><P>The Code of Federal Regulations is a codification.</P></EXPLA></FMTR>
<TITLE><LRH>8 CFR Ch. I (7-1-16 Edition)</LRH><RRH>Homeland Security</RRH>
<CFRTITLE><TITLEHD><HD SOURCE="HED">Title 8—Aliens and Nationality</HD></TITLEHD></CFRTITLE>
<CHAPTER><TOC><TOCHD><HD SOURCE="HED">CHAPTER I—HOMELAND SECURITY (CONTINUED)</HD></TOCHD>
<PTHD>Part</PTHD><PGHD>Page</PGHD><CHAPTI><PT>274a</PT><SUBJECT>Control of employment</SUBJECT></CHAPTI></TOC>
<SUBCHAP TYPE="N"><HD SOURCE="HED">SUBCHAPTER B—REGULATIONS</HD>{parts}</SUBCHAP></CHAPTER></TITLE>
<BMTR><OMBNOS><SECTION><SECTNO>1.106</SECTNO><SUBJECT>OMB approval.</SUBJECT></SECTION></OMBNOS></BMTR></CFRDOC>"""


def volume(*files: str, holds: str = "Parts 274a to End") -> str:
    """The parts of these files as a volume of their title prints them."""
    parts = (file[file.index("<PART>") : file.index("</CFRGRANULE>")] for file in files)
    return VOLUME.format(parts="".join(parts), holds=holds)
