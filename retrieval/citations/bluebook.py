"""Locators written as lawyers cite them. Pure; citations in texts are read by `retrieval.citations`."""

import re

SHORT_TITLE = 80  # characters of a title or heading in a citation
SIGNS = {
    "section": "§", "article": "art.", "chapter": "ch.", "part": "pt.", "title": "tit.", "clause": "cl.",
    "exhibit": "ex.", "schedule": "sched.", "appendix": "app.", "annex": "annex", "attachment": "attach.",
}  # fmt: skip


def cite(locator: str) -> str:
    """The Bluebook form of a locator, or "" for a place of which it has none (a domain's own documents)."""
    for pattern, write in FORMS:
        if match := pattern.fullmatch(locator):
            return write(**match.groupdict(default=""))
    return ""


def cite_plain(title: str, level: str, number: str, heading: str) -> str:
    """A place in a document of no reporter: "Lease of 2020, § 4.2", or by its heading, "Lease of 2020, “Term”"."""
    short = title[:SHORT_TITLE].strip()
    if number:
        return f"{short}, {SIGNS.get(level, level)} {number}"
    return f"{short}, “{heading[:SHORT_TITLE].strip()}”" if heading and heading != title else short


def _constitution(article: str, amendment: str, section: str, clause: str) -> str:
    parts = [f"art. {article}" if article else f"amend. {amendment}"]
    parts += [f"§ {section}"] * bool(section) + [f"cl. {clause}"] * bool(clause)
    return f"U.S. Const. {', '.join(parts)}"


def _preamble() -> str:
    return "U.S. Const. pmbl."


def _code(title: str, section: str, below: str) -> str:
    return f"{title} U.S.C. § {section}{_parenthesised(below)}"


def _code_title(title: str) -> str:
    return f"{title} U.S.C."


def _regulation(title: str, section: str, below: str) -> str:
    return f"{title} C.F.R. § {section}{_parenthesised(below)}"


def _regulation_part(title: str, part: str) -> str:
    return f"{title} C.F.R. pt. {part}"


def _manual(volume: str, part: str, chapter: str) -> str:
    return f"{volume} USCIS-PM {part}{f'.{chapter}' if chapter else ''}".strip()


def _case(volume: str, page: str) -> str:
    return f"{volume} U.S. {page}"


def _parenthesised(below: str) -> str:
    return "".join(f"({step})" for step in below.strip("/").split("/") if step)


FORMS = [
    (re.compile(pattern), write)
    for pattern, write in (
        (r"/us/const/preamble", _preamble),
        (
            r"/us/const/(?:article/(?P<article>\w+)|amendment/(?P<amendment>\w+))"
            r"(?:/section/(?P<section>\w+))?(?:/clause/(?P<clause>\w+))?",
            _constitution,
        ),
        (r"/us/usc/t(?P<title>\w+)/s(?P<section>[\w.-]+)(?P<below>(?:/\w+)*)", _code),
        (r"/us/usc/t(?P<title>\w+)", _code_title),
        (r"/us/cfr/t(?P<title>\w+)/s(?P<section>[\w.-]+)(?P<below>(?:/\w+)*)", _regulation),
        (r"/us/cfr/t(?P<title>\w+)/pt(?P<part>\w+)", _regulation_part),
        (r"/us/uscis-pm/v(?P<volume>\w+)(?:/p(?P<part>\w+))?(?:/ch(?P<chapter>\w+))?", _manual),
        (r"/us/scotus/(?P<volume>\d+)/(?P<page>\d+)", _case),
    )
]
