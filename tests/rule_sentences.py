"""200 sentences in which a curator could ask for a rule, with the rule expected, written by hand on a day that stands
still. `BEFORE` was written before the grammar that reads them, `AFTER` after it and without trying it.

A month stands for the whole of it: until June is until 30 June. `asks` is what the author is asked about instead.
"""

from datetime import date
from difflib import get_close_matches
from typing import Any

from rules.authoring.grammar.names import Corpus

TODAY = date(2026, 11, 21)
FILES = ("Lease 12.pdf", "handbook.docx", "Rivera brief.pdf", "visa-checklist.md", "Acuerdo marco.pdf")
DOCUMENTS = {"USCIS Policy Manual": "/us/uscis-pm", "Bill of Rights": "/us/bill-of-rights"}
DOMAINS = {
    "US Constitution": "us_constitution",
    "Constitución de los EE. UU.": "us_constitution",
    "US Code": "us_code",
    "Código de los EE. UU.": "us_code",
    "Client cases": "client_cases",
    "Casos de clientes": "client_cases",
    "Supreme Court cases": "supreme_court_cases",
    "Casos de la Corte Suprema": "supreme_court_cases",
}
A_158 = "/us/usc/t8/s1158"
YEAR = A_158 + "/a/2/B"
REMOVAL, BONDS, CREDIBLE = "/us/usc/t8/s1229a", "/us/usc/t8/s1226", "/us/usc/t8/s1225/b"
GUNS, RULES = "/us/usc/t18/s922/g", "/us/cfr/t8/s208.4"
APPEALS = "/us/cfr/t8/s1003.38"
FIRST, SECOND, FOURTH, FIFTH, SIXTH, EIGHTH, FOURTEENTH = (
    f"/us/const/amendment/{number}" for number in ("I", "II", "IV", "V", "VI", "VIII", "XIV")
)
POWERS = "/us/const/article/I/section/8"
BROWN, ACOSTA = "/us/scotus/347/483", "/us/in-dec/19/211"
PROVISIONS = frozenset(
    (A_158, YEAR, REMOVAL, BONDS, CREDIBLE, GUNS, RULES, APPEALS, FIRST, SECOND, FOURTH, FIFTH, SIXTH, EIGHTH)
    + (FOURTEENTH, POWERS, BROWN, ACOSTA)
)
Expected = dict[str, Any]


def about(*phrases: str) -> Expected:
    """Phrases in any form of their words, as of what a question is about."""
    return {"kind": "keywords", "value": list(phrases), "stemmed": True}


def says(*phrases: str) -> Expected:
    return {"kind": "keywords", "value": list(phrases), "stemmed": False}


def when(kind: str, value: str) -> Expected:
    return {"kind": kind, "value": value}


ALWAYS = {"kind": "always"}
SPANISH, ENGLISH = when("language", "es"), when("language", "en")


def pin(position: int = 1) -> Expected:
    return {"kind": "pin", "position": position}


def boost(factor: float = 2.0) -> Expected:
    return {"kind": "boost", "factor": factor}


def bury(factor: float = 2.0) -> Expected:
    return {"kind": "bury", "factor": factor}


HIDE, ONLY, ABSTAIN = {"kind": "exclude"}, {"kind": "restrict"}, {"kind": "abstain"}


def instead(phrase: str, text: str) -> Expected:
    return {"kind": "rewrite", "phrase": phrase, "text": text}


def synonym(text: str) -> Expected:
    return {"kind": "synonym", "text": text}


def note(text: str) -> Expected:
    return {"kind": "note", "text": text}


def lead(locator: str) -> Expected:
    return {"kind": "redirect", "locator": locator}


def file(name: str, pages: str = "") -> Expected:
    return {"kind": "filename", "value": name} | ({"pages": pages} if pages else {})


def document(name: str, pages: str = "") -> Expected:
    return {"kind": "document", "value": DOCUMENTS[name]} | ({"pages": pages} if pages else {})


def rule(
    criteria: Expected | list,
    action: Expected,
    *targets: str | Expected,
    since: str | None = None,
    until: str | None = None,
    domains: tuple[str, ...] = (),
    priority: int = 100,
) -> Expected:
    """What the draft must be; a target that is only a text is a section."""
    return {
        "criteria": criteria if isinstance(criteria, list) else [criteria],
        "targets": [{"kind": "section", "value": t} if isinstance(t, str) else t for t in targets],
        "actions": [action],
        "valid_from": since,
        "valid_to": until,
        "domains": list(domains),
        "priority": priority,
    }


def asks(subject: str) -> Expected:
    """Nothing is drafted; the author is asked about the target, action, criterion, date, domain or text."""
    return {"asks": subject}


BEFORE: list[tuple[str, Expected]] = [
    (
        "When someone asks about asylum deadlines, always show 8 USC 1158(a)(2)(B) first, until June",
        rule(about("asylum deadlines"), pin(), YEAR, until="2027-06-30"),
    ),
    (
        "If anyone asks about bond hearings, pin 8 U.S.C. § 1226 at position 2.",
        rule(about("bond hearings"), pin(2), BONDS),
    ),
    (
        "Show the Fifth Amendment first when people ask about double jeopardy",
        rule(about("double jeopardy"), pin(), FIFTH),
    ),
    (
        'Pin the Sixth Amendment to the top when a question mentions "right to counsel"',
        rule(says("right to counsel"), pin(), SIXTH),
    ),
    (
        "Whenever a question mentions bail or excessive fines, put the Eighth Amendment first",
        rule(says("bail", "excessive fines"), pin(), EIGHTH),
    ),
    (
        "When a question mentions both gun and felon, show 18 U.S.C. 922(g) first",
        rule([says("gun"), says("felon")], pin(), GUNS),
    ),
    (
        "Put 8 CFR 208.4 in third place for questions about late filing",
        rule(about("late filing"), pin(3), RULES),
    ),
    (
        "For questions about searches at home, show the 4th Amendment on top until 15 March 2027",
        rule(about("searches at home"), pin(), FOURTH, until="2027-03-15"),
    ),
    ("When users ask about appeals, show 8 C.F.R. § 1003.38 second", rule(about("appeals"), pin(2), APPEALS)),
    (
        'Always show the First Amendment first if the question is exactly "free speech"',
        rule(when("exact", "free speech"), pin(), FIRST),
    ),
    (
        'When the question starts with "can I record", pin the First Amendment',
        rule(when("starts_with", "can I record"), pin(), FIRST),
    ),
    ("When someone asks about segregation, boost 347 U.S. 483", rule(about("segregation"), boost(), BROWN)),
    (
        "Boost 8 USC 1229a by 3 when people ask about removal proceedings",
        rule(about("removal proceedings"), boost(3.0), REMOVAL),
    ),
    (
        "If a question cites the Fourteenth Amendment, boost 347 U.S. 483 by 1.5",
        rule(when("citation", FOURTEENTH), boost(1.5), BROWN),
    ),
    (
        "Rank 8 CFR 208.4 higher for questions about the asylum clock",
        rule(about("asylum clock"), boost(), RULES),
    ),
    (
        "Raise Article I, Section 8 when the question is about commerce, from 1 July 2027 to 31 August 2027",
        rule(about("commerce"), boost(), POWERS, since="2027-07-01", until="2027-08-31"),
    ),
    (
        'Prefer "handbook.docx" for questions about vacation days',
        rule(about("vacation days"), boost(), file("handbook.docx")),
    ),
    (
        "Bury the Second Amendment when someone asks about water pistols",
        rule(about("water pistols"), bury(), SECOND),
    ),
    (
        "Lower 18 USC 922(g) by a factor of 4 when questions mention toy guns",
        rule(says("toy guns"), bury(4.0), GUNS),
    ),
    (
        "Rank 8 USC 1225(b) lower if someone asks about tourist visas",
        rule(about("tourist visas"), bury(), CREDIBLE),
    ),
    (
        "Never show 8 USC 1226 when someone asks about savings bonds",
        rule(about("savings bonds"), HIDE, BONDS),
    ),
    ('Hide the document "Lease 12.pdf" from all questions', rule(ALWAYS, HIDE, file("Lease 12.pdf"))),
    (
        'Exclude pages 3-5 of "Lease 12.pdf" for questions about rent',
        rule(about("rent"), HIDE, file("Lease 12.pdf", "3-5")),
    ),
    (
        "Do not show Matter of Acosta, 19 I&N Dec. 211 when a question mentions truckers, until the end of the year",
        rule(says("truckers"), HIDE, ACOSTA, until="2026-12-31"),
    ),
    (
        "When someone asks about working hours, search only in handbook.docx",
        rule(about("working hours"), ONLY, file("handbook.docx")),
    ),
    (
        "For questions about deposits, use only pages 2 to 4 of Lease 12.pdf",
        rule(about("deposits"), ONLY, file("Lease 12.pdf", "2-4")),
    ),
    ("Restrict questions about credible fear to 8 USC 1225(b)", rule(about("credible fear"), ONLY, CREDIBLE)),
    (
        "Answer only from the USCIS Policy Manual when the question mentions adjustment of status",
        rule(says("adjustment of status"), ONLY, document("USCIS Policy Manual")),
    ),
    (
        'Treat "green card" as "lawful permanent resident"',
        rule(says("green card"), instead("green card", "lawful permanent resident")),
    ),
    (
        'Replace "deportation" with "removal" in questions',
        rule(says("deportation"), instead("deportation", "removal")),
    ),
    (
        'Read "stop and frisk" as "Terry stop" until 31 December 2027',
        rule(says("stop and frisk"), instead("stop and frisk", "Terry stop"), until="2027-12-31"),
    ),
    (
        'When someone asks about green cards, also search for "lawful permanent resident"',
        rule(about("green cards"), synonym("lawful permanent resident")),
    ),
    (
        '"Miranda rights" is a synonym of "self-incrimination"',
        rule(says("Miranda rights"), synonym("self-incrimination")),
    ),
    ('Also look for "noncitizen" when a question mentions alien', rule(says("alien"), synonym("noncitizen"))),
    (
        'When someone asks about office hours, answer with the note "We are open from nine to five."',
        rule(about("office hours"), note("We are open from nine to five.")),
    ),
    (
        'Show the note "This law changed in 2026." for questions about fee waivers, this year',
        rule(about("fee waivers"), note("This law changed in 2026."), since="2026-01-01", until="2026-12-31"),
    ),
    ("Send questions about free speech to the First Amendment", rule(about("free speech"), lead(FIRST))),
    (
        'When the question is exactly "asylum", redirect to 8 USC 1158',
        rule(when("exact", "asylum"), lead(A_158)),
    ),
    ("Do not answer questions about the weather", rule(about("weather"), ABSTAIN)),
    ("When someone asks about stock tips, give no answer", rule(about("stock tips"), ABSTAIN)),
    (
        "Abstain if a question mentions horoscope, tarot or astrology",
        rule(says("horoscope", "tarot", "astrology"), ABSTAIN),
    ),
    (
        "When someone asks in Spanish about asylum, show 8 USC 1158 first",
        rule([about("asylum"), SPANISH], pin(), A_158),
    ),
    (
        "For questions in Spanish, boost the USCIS Policy Manual",
        rule(SPANISH, boost(), document("USCIS Policy Manual")),
    ),
    (
        "When a question in English mentions Miranda, show the Fifth Amendment first",
        rule([says("Miranda"), ENGLISH], pin(), FIFTH),
    ),
    (
        "When someone cites Amendment IV, show the Fourteenth Amendment second",
        rule(when("citation", FOURTH), pin(2), FOURTEENTH),
    ),
    (
        "In the US Code domain, when someone asks about asylum, pin 8 USC 1158",
        rule(about("asylum"), pin(), A_158, domains=("us_code",)),
    ),
    (
        "When someone asks about equal protection, show the Fourteenth Amendment first in the domain US Constitution",
        rule(about("equal protection"), pin(), FOURTEENTH, domains=("us_constitution",)),
    ),
    (
        "When someone asks about removal, pin 8 USC 1229a with priority 10",
        rule(about("removal"), pin(), REMOVAL, priority=10),
    ),
    (
        "With priority 5, hide handbook.docx for questions about asylum, from January",
        rule(about("asylum"), HIDE, file("handbook.docx"), since="2027-01-01", priority=5),
    ),
    (
        "When someone asks about firearms, show the Second Amendment and 18 USC 922(g) first",
        rule(about("firearms"), pin(), SECOND, GUNS),
    ),
    ("Starting on 5 May 2027, pin 8 CFR 208.4(a)", asks("target")),
    (
        "When a question mentions any of tenant, landlord or lease, show Lease 12.pdf first",
        rule(says("tenant", "landlord", "lease"), pin(), file("Lease 12.pdf")),
    ),
    (
        "When a question mentions all of asylum, deadline and exception, show 8 USC 1158(a)(2)(B) first",
        rule([says("asylum"), says("deadline"), says("exception")], pin(), YEAR),
    ),
    (
        "When someone asks about removal or deportation, pin /us/usc/t8/s1229a",
        rule(about("removal", "deportation"), pin(), REMOVAL),
    ),
    (
        'Pin page 7 of the document "Rivera brief.pdf" when someone asks about Rivera\'s standing',
        rule(about("Rivera's standing"), pin(), file("Rivera brief.pdf", "7")),
    ),
    (
        "Pin INA § 208(a)(2)(B) for questions about the one-year bar before March",
        rule(about("one-year bar"), pin(), YEAR, until="2027-02-28"),
    ),
    ("When someone asks about asylum, show 8 USC 9999 first", asks("target")),
    ('When someone asks about rent, show "Lease 13.pdf" first', asks("target")),
    ("When someone asks about asylum, show the good statute first", asks("target")),
    ("Make asylum better", asks("action")),
    ("Show 8 USC 1158 first", asks("criterion")),
    ("When someone asks about asylum deadlines", asks("action")),
    ("When someone asks about asylum, pin 8 USC 1158 until the trial ends", asks("date")),
    ("When someone asks about fees, show the note", asks("text")),
    ("When someone asks about rent, hide handbook.docx in the Tax Code domain", asks("domain")),
    (
        "Cuando alguien pregunte por el plazo de asilo, muestra siempre primero 8 USC 1158(a)(2)(B), hasta junio",
        rule(about("plazo de asilo"), pin(), YEAR, until="2027-06-30"),
    ),
    (
        "Si alguien pregunta por la fianza, fija 8 U.S.C. § 1226 en la posición 2",
        rule(about("fianza"), pin(2), BONDS),
    ),
    (
        "Muestra primero la Quinta Enmienda cuando pregunten por la doble incriminación",
        rule(about("doble incriminación"), pin(), FIFTH),
    ),
    (
        "Cuando una pregunta mencione multas o fianzas excesivas, pon primero la Octava Enmienda",
        rule(says("multas", "fianzas excesivas"), pin(), EIGHTH),
    ),
    (
        "Cuando la pregunta mencione tanto arma como delincuente, muestra primero 18 U.S.C. 922(g)",
        rule([says("arma"), says("delincuente")], pin(), GUNS),
    ),
    (
        "Para preguntas sobre registros en casa, muestra la Cuarta Enmienda en primer lugar "
        "hasta el 15 de marzo de 2027",
        rule(about("registros en casa"), pin(), FOURTH, until="2027-03-15"),
    ),
    (
        "Cuando la pregunta sea exactamente «libertad de expresión», muestra primero la Primera Enmienda",
        rule(when("exact", "libertad de expresión"), pin(), FIRST),
    ),
    (
        "Cuando la pregunta empiece por «puedo grabar», fija la Primera Enmienda",
        rule(when("starts_with", "puedo grabar"), pin(), FIRST),
    ),
    ("Si alguien pregunta por la segregación, sube 347 U.S. 483", rule(about("segregación"), boost(), BROWN)),
    (
        "Sube 8 USC 1229a por 3 cuando pregunten por la expulsión",
        rule(about("expulsión"), boost(3.0), REMOVAL),
    ),
    (
        "Si una pregunta cita la Decimocuarta Enmienda, da prioridad a 347 U.S. 483",
        rule(when("citation", FOURTEENTH), boost(), BROWN),
    ),
    (
        "Baja la Segunda Enmienda cuando alguien pregunte por pistolas de agua",
        rule(about("pistolas de agua"), bury(), SECOND),
    ),
    ("Baja 18 USC 922(g) por 4 si la pregunta menciona juguetes", rule(says("juguetes"), bury(4.0), GUNS)),
    (
        "Nunca muestres 8 USC 1226 cuando alguien pregunte por bonos de ahorro",
        rule(about("bonos de ahorro"), HIDE, BONDS),
    ),
    (
        "Oculta el documento «Acuerdo marco.pdf» en todas las preguntas",
        rule(ALWAYS, HIDE, file("Acuerdo marco.pdf")),
    ),
    (
        "Excluye las páginas 3-5 de «Acuerdo marco.pdf» para preguntas sobre alquiler",
        rule(about("alquiler"), HIDE, file("Acuerdo marco.pdf", "3-5")),
    ),
    (
        "Cuando alguien pregunte por horarios, busca solo en handbook.docx",
        rule(about("horarios"), ONLY, file("handbook.docx")),
    ),
    (
        "Limita las preguntas sobre temor creíble a 8 USC 1225(b)",
        rule(about("temor creíble"), ONLY, CREDIBLE),
    ),
    (
        "Trata «mica» como «tarjeta de residente permanente»",
        rule(says("mica"), instead("mica", "tarjeta de residente permanente")),
    ),
    (
        "Sustituye «deportación» por «expulsión»",
        rule(says("deportación"), instead("deportación", "expulsión")),
    ),
    (
        "Cuando alguien pregunte por la mica, busca también «residente permanente»",
        rule(about("mica"), synonym("residente permanente")),
    ),
    (
        "«Derechos Miranda» es sinónimo de «autoincriminación»",
        rule(says("Derechos Miranda"), synonym("autoincriminación")),
    ),
    (
        "Cuando alguien pregunte por el horario de oficina, responde con la nota «Abrimos de nueve a cinco.»",
        rule(about("horario de oficina"), note("Abrimos de nueve a cinco.")),
    ),
    (
        "Envía las preguntas sobre libertad de prensa a la Primera Enmienda",
        rule(about("libertad de prensa"), lead(FIRST)),
    ),
    ("No respondas preguntas sobre el tiempo", rule(about("tiempo"), ABSTAIN)),
    ("Cuando alguien pregunte por la lotería, no des respuesta", rule(about("lotería"), ABSTAIN)),
    (
        "Cuando alguien pregunte en español por el asilo, muestra primero 8 USC 1158",
        rule([about("asilo"), SPANISH], pin(), A_158),
    ),
    (
        "Para preguntas en español, sube el USCIS Policy Manual",
        rule(SPANISH, boost(), document("USCIS Policy Manual")),
    ),
    (
        "En el dominio Código de los EE. UU., cuando alguien pregunte por el asilo, fija 8 USC 1158",
        rule(about("asilo"), pin(), A_158, domains=("us_code",)),
    ),
    (
        "Cuando alguien pregunte por la expulsión, fija 8 USC 1229a con prioridad 10",
        rule(about("expulsión"), pin(), REMOVAL, priority=10),
    ),
    (
        "Cuando alguien pregunte por el comercio, sube el artículo I, sección 8, "
        "del 1 de julio de 2027 al 31 de agosto de 2027",
        rule(about("comercio"), boost(), POWERS, since="2027-07-01", until="2027-08-31"),
    ),
    ("Cuando alguien pregunte por el asilo, muestra primero 8 USC 9998", asks("target")),
    ("Muestra primero la Quinta Enmienda", asks("criterion")),
    ("Cuando alguien pregunte por el asilo", asks("action")),
    (
        "No muestres 8 CFR 208.4 si la pregunta menciona visas, hasta fin de año",
        rule(says("visas"), HIDE, RULES, until="2026-12-31"),
    ),
]
AFTER: list[tuple[str, Expected]] = [
    (
        "Whenever anybody asks about the right to remain silent, put the Fifth Amendment at the top.",
        rule(about("right to remain silent"), pin(), FIFTH),
    ),
    (
        "If people ask about public schools, display 347 U.S. 483 in second place",
        rule(about("public schools"), pin(2), BROWN),
    ),
    (
        "Please pin 8 USC 1229a first for all questions about removal hearings",
        rule(about("removal hearings"), pin(), REMOVAL),
    ),
    (
        "When a user asks about cruel punishment, show the 8th Amendment at position 3 until August 2027",
        rule(about("cruel punishment"), pin(3), EIGHTH, until="2027-08-31"),
    ),
    (
        "From 1 January 2027, show 8 CFR 208.4 first when someone asks about the one-year deadline",
        rule(about("one-year deadline"), pin(), RULES, since="2027-01-01"),
    ),
    (
        'When questions mention "notice to appear" or NTA, show 8 U.S.C. § 1229a first',
        rule(says("notice to appear", "NTA"), pin(), REMOVAL),
    ),
    (
        "If a query contains either bail or bond, pin the Eighth Amendment",
        rule(says("bail", "bond"), pin(), EIGHTH),
    ),
    (
        'When someone mentions both "house" and "warrant", place the Fourth Amendment first',
        rule([says("house"), says("warrant")], pin(), FOURTH),
    ),
    (
        'If the question begins with "is it legal to own", show the Second Amendment first',
        rule(when("starts_with", "is it legal to own"), pin(), SECOND),
    ),
    (
        'If the query is exactly "speedy trial", pin the Sixth Amendment at position 1',
        rule(when("exact", "speedy trial"), pin(), SIXTH),
    ),
    (
        "When a question cites 8 USC 1158, pin 8 CFR 208.4 at position 2",
        rule(when("citation", A_158), pin(2), RULES),
    ),
    (
        "For questions citing the Second Amendment, show 18 U.S.C. 922(g) second",
        rule(when("citation", SECOND), pin(2), GUNS),
    ),
    (
        "Show /us/usc/t8/s1225/b first when someone asks about expedited removal",
        rule(about("expedited removal"), pin(), CREDIBLE),
    ),
    (
        "When someone asks about the lease, show page 2 of Lease 12.pdf first",
        rule(about("lease"), pin(), file("Lease 12.pdf", "2")),
    ),
    (
        "When clients ask about paperwork, show visa-checklist.md first in the Client cases domain",
        rule(about("paperwork"), pin(), file("visa-checklist.md"), domains=("client_cases",)),
    ),
    (
        "Pin the Bill of Rights first when someone asks about civil liberties",
        rule(about("civil liberties"), pin(), document("Bill of Rights")),
    ),
    (
        "When someone asks about appeals, pin 8 CFR 1003.38 with a priority of 20",
        rule(about("appeals"), pin(), APPEALS, priority=20),
    ),
    (
        "When someone asks in English about asylum, show 8 USC 1158 first between 1 May 2027 and 30 June 2027",
        rule([about("asylum"), ENGLISH], pin(), A_158, since="2027-05-01", until="2027-06-30"),
    ),
    (
        "Promote 347 U.S. 483 when someone asks about school integration",
        rule(about("school integration"), boost(), BROWN),
    ),
    (
        "When a question mentions commerce, favor Article I, Section 8",
        rule(says("commerce"), boost(), POWERS),
    ),
    (
        "Boost 19 I&N Dec. 211 by a factor of 2.5 for questions about social groups",
        rule(about("social groups"), boost(2.5), ACOSTA),
    ),
    (
        "Boost the USCIS Policy Manual next year for questions about naturalization",
        rule(
            about("naturalization"),
            boost(),
            document("USCIS Policy Manual"),
            since="2027-01-01",
            until="2027-12-31",
        ),
    ),
    (
        "If anyone asks about the right to bear arms, raise the Second Amendment by 5",
        rule(about("right to bear arms"), boost(5.0), SECOND),
    ),
    (
        "Demote 18 USC 922(g) when people ask about hunting licenses",
        rule(about("hunting licenses"), bury(), GUNS),
    ),
    (
        'When someone asks about vacation, push "Rivera brief.pdf" down',
        rule(about("vacation"), bury(), file("Rivera brief.pdf")),
    ),
    (
        "Rank the Bill of Rights lower for questions about taxes",
        rule(about("taxes"), bury(), document("Bill of Rights")),
    ),
    (
        "Don't show handbook.docx when a question mentions immigration",
        rule(says("immigration"), HIDE, file("handbook.docx")),
    ),
    (
        "Hide 8 USC 1225(b) for questions about student visas, until 1 February 2027",
        rule(about("student visas"), HIDE, CREDIBLE, until="2027-02-01"),
    ),
    ('Remove "Rivera brief.pdf" from every search', rule(ALWAYS, HIDE, file("Rivera brief.pdf"))),
    (
        'When someone asks about tenants, exclude pages 8 to 10 of "Lease 12.pdf"',
        rule(about("tenants"), HIDE, file("Lease 12.pdf", "8-10")),
    ),
    (
        "Leave out Matter of Acosta, 19 I&N Dec. 211 when someone asks about taxi fares",
        rule(about("taxi fares"), HIDE, ACOSTA),
    ),
    (
        "When someone asks about sick leave, only search handbook.docx",
        rule(about("sick leave"), ONLY, file("handbook.docx")),
    ),
    (
        "Limit questions about visa documents to visa-checklist.md",
        rule(about("visa documents"), ONLY, file("visa-checklist.md")),
    ),
    (
        "If a question mentions naturalization, answer only from the USCIS Policy Manual until 2027-12-31",
        rule(says("naturalization"), ONLY, document("USCIS Policy Manual"), until="2027-12-31"),
    ),
    (
        'Treat "illegal alien" as "noncitizen without status"',
        rule(says("illegal alien"), instead("illegal alien", "noncitizen without status")),
    ),
    ("Treat NTA as notice to appear", rule(says("NTA"), instead("NTA", "notice to appear"))),
    (
        'Change "pleading the fifth" to "privilege against self-incrimination"',
        rule(
            says("pleading the fifth"), instead("pleading the fifth", "privilege against self-incrimination")
        ),
    ),
    (
        'When someone asks about bail, also search for "pretrial release"',
        rule(about("bail"), synonym("pretrial release")),
    ),
    (
        '"Search warrant" means the same as "judicial authorization"',
        rule(says("Search warrant"), synonym("judicial authorization")),
    ),
    (
        'If a question mentions TPS, look also for "temporary protected status"',
        rule(says("TPS"), synonym("temporary protected status")),
    ),
    (
        'When someone asks about fees, show the note "Fees rise in April." until April',
        rule(about("fees"), note("Fees rise in April."), until="2027-04-30"),
    ),
    (
        'If people ask about opening times, reply with the message "Call us."',
        rule(about("opening times"), note("Call us.")),
    ),
    (
        "Redirect questions about double jeopardy to the Fifth Amendment",
        rule(about("double jeopardy"), lead(FIFTH)),
    ),
    (
        "When someone asks about gun possession by felons, send them to 18 USC 922(g)",
        rule(about("gun possession by felons"), lead(GUNS)),
    ),
    ("Never answer questions about lottery numbers", rule(about("lottery numbers"), ABSTAIN)),
    (
        "When a question mentions diagnosis or medication, do not answer",
        rule(says("diagnosis", "medication"), ABSTAIN),
    ),
    (
        "In the domain Supreme Court cases, abstain when someone asks about sports",
        rule(about("sports"), ABSTAIN, domains=("supreme_court_cases",)),
    ),
    ('For questions in English, hide "Acuerdo marco.pdf"', rule(ENGLISH, HIDE, file("Acuerdo marco.pdf"))),
    (
        "When someone asks about searches, show the Fourth Amendment and the Fourteenth Amendment first",
        rule(about("searches"), pin(), FOURTH, FOURTEENTH),
    ),
    (
        "When a question contains the words jury and trial, show the Sixth Amendment first",
        rule([says("jury"), says("trial")], pin(), SIXTH),
    ),
    (
        "If someone asks about free press or free speech, show the First Amendment first, as of 1 March 2027",
        rule(about("free press", "free speech"), pin(), FIRST, since="2027-03-01"),
    ),
    ("When someone asks about asylum, show 8 USC 1158 first and hide handbook.docx", asks("target")),
    ("When someone asks about vaccines, show 42 USC 9999 first", asks("target")),
    ("When someone asks about visas, hide the file visa-list.md", asks("target")),
    ("When someone asks about the budget, do the right thing", asks("action")),
    ("Pin the Fifth Amendment", asks("criterion")),
    ("If a question mentions bail, pin 8 USC 1226 until further notice", asks("date")),
    ("In the domain Maritime law, when someone asks about ships, pin Article I, Section 8", asks("domain")),
    ("When someone asks about torts, show the most recent case first", asks("target")),
    ("Send questions about privacy to the privacy page", asks("target")),
    (
        "Siempre que alguien pregunte por el derecho a callar, pon la Quinta Enmienda en primer lugar.",
        rule(about("derecho a callar"), pin(), FIFTH),
    ),
    (
        "Si preguntan por las escuelas públicas, muestra 347 U.S. 483 en segundo lugar",
        rule(about("escuelas públicas"), pin(2), BROWN),
    ),
    (
        "Por favor, fija 8 USC 1229a en todas las preguntas sobre audiencias de expulsión",
        rule(about("audiencias de expulsión"), pin(), REMOVAL),
    ),
    (
        "Cuando un usuario pregunte por castigos crueles, pon la Octava Enmienda en la posición 3 hasta agosto de 2027",
        rule(about("castigos crueles"), pin(3), EIGHTH, until="2027-08-31"),
    ),
    (
        "A partir del 1 de enero de 2027, muestra primero 8 CFR 208.4 cuando alguien pregunte por el plazo de un año",
        rule(about("plazo de un año"), pin(), RULES, since="2027-01-01"),
    ),
    (
        "Cuando la pregunta contenga «orden de registro» o allanamiento, muestra primero la Cuarta Enmienda",
        rule(says("orden de registro", "allanamiento"), pin(), FOURTH),
    ),
    (
        "Si la pregunta es exactamente «juicio rápido», fija la Sexta Enmienda",
        rule(when("exact", "juicio rápido"), pin(), SIXTH),
    ),
    (
        "Si la pregunta comienza con «es legal tener», pon primero la Segunda Enmienda",
        rule(when("starts_with", "es legal tener"), pin(), SECOND),
    ),
    (
        "Cuando alguien cite 8 USC 1158, fija 8 CFR 208.4 en la posición 2",
        rule(when("citation", A_158), pin(2), RULES),
    ),
    (
        "Cuando alguien pregunte por el arrendamiento, muestra primero la página 2 de Acuerdo marco.pdf",
        rule(about("arrendamiento"), pin(), file("Acuerdo marco.pdf", "2")),
    ),
    (
        "Cuando pregunten por trámites, muestra primero visa-checklist.md en el dominio Casos de clientes",
        rule(about("trámites"), pin(), file("visa-checklist.md"), domains=("client_cases",)),
    ),
    (
        "Si alguien pregunta por la igualdad, prioriza la Decimocuarta Enmienda",
        rule(about("igualdad"), boost(), FOURTEENTH),
    ),
    (
        "Favorece el artículo I, sección 8 cuando la pregunta mencione comercio",
        rule(says("comercio"), boost(), POWERS),
    ),
    (
        "Este año, sube el USCIS Policy Manual para preguntas sobre naturalización",
        rule(
            about("naturalización"),
            boost(),
            document("USCIS Policy Manual"),
            since="2026-01-01",
            until="2026-12-31",
        ),
    ),
    (
        "Relega handbook.docx cuando alguien pregunte por impuestos",
        rule(about("impuestos"), bury(), file("handbook.docx")),
    ),
    (
        "Baja 8 USC 1225(b) si alguien pregunta por visas de turista",
        rule(about("visas de turista"), bury(), CREDIBLE),
    ),
    (
        "No muestres handbook.docx cuando la pregunta mencione inmigración",
        rule(says("inmigración"), HIDE, file("handbook.docx")),
    ),
    ("Quita «Rivera brief.pdf» de todas las búsquedas", rule(ALWAYS, HIDE, file("Rivera brief.pdf"))),
    (
        "Oculta 8 USC 1226 para preguntas sobre bonos, hasta el 1 de febrero de 2027",
        rule(about("bonos"), HIDE, BONDS, until="2027-02-01"),
    ),
    (
        "Cuando alguien pregunte por el alquiler, usa solo las páginas 2 a 4 de «Acuerdo marco.pdf»",
        rule(about("alquiler"), ONLY, file("Acuerdo marco.pdf", "2-4")),
    ),
    (
        "Restringe las preguntas sobre vacaciones a handbook.docx",
        rule(about("vacaciones"), ONLY, file("handbook.docx")),
    ),
    (
        "Si la pregunta menciona naturalización, responde solo con el USCIS Policy Manual",
        rule(says("naturalización"), ONLY, document("USCIS Policy Manual")),
    ),
    ("Interpreta «la migra» como «ICE»", rule(says("la migra"), instead("la migra", "ICE"))),
    (
        "Reemplaza «sin papeles» por «sin estatus»",
        rule(says("sin papeles"), instead("sin papeles", "sin estatus")),
    ),
    (
        "Cuando alguien pregunte por la fianza, busca también «libertad provisional»",
        rule(about("fianza"), synonym("libertad provisional")),
    ),
    ("«Perdón» significa lo mismo que «exención»", rule(says("Perdón"), synonym("exención"))),
    (
        "Cuando alguien pregunte por las tarifas, muestra la nota «Suben en abril.» hasta abril",
        rule(about("tarifas"), note("Suben en abril."), until="2027-04-30"),
    ),
    ("Si alguien pregunta por citas, responde con «Llámenos.»", rule(about("citas"), note("Llámenos."))),
    (
        "Redirige las preguntas sobre doble incriminación a la Quinta Enmienda",
        rule(about("doble incriminación"), lead(FIFTH)),
    ),
    ("Nunca respondas preguntas sobre apuestas", rule(about("apuestas"), ABSTAIN)),
    (
        "Si la pregunta menciona diagnóstico o medicina, no des ninguna respuesta",
        rule(says("diagnóstico", "medicina"), ABSTAIN),
    ),
    ("Para preguntas en inglés, oculta «Acuerdo marco.pdf»", rule(ENGLISH, HIDE, file("Acuerdo marco.pdf"))),
    (
        "Cuando alguien pregunte por armas, fija la Segunda Enmienda con prioridad 15",
        rule(about("armas"), pin(), SECOND, priority=15),
    ),
    ("Cuando alguien pregunte por vacunas, muestra primero 42 USC 9999", asks("target")),
    ("Cuando alguien pregunte por alquiler, oculta «Acuerdo viejo.pdf»", asks("target")),
    ("Cuando alguien pregunte por fianza, fija 8 USC 1226 hasta nuevo aviso", asks("date")),
    (
        "En el dominio Derecho marítimo, cuando alguien pregunte por barcos, fija la Primera Enmienda",
        asks("domain"),
    ),
    ("Mejora las respuestas sobre asilo", asks("action")),
    (
        "Sube el doble 347 U.S. 483 cuando alguien pregunte por escuelas",
        rule(about("escuelas"), boost(2.0), BROWN),
    ),
    (
        "Busca solo en handbook.docx cuando la pregunta mencione nómina, durante 2027",
        rule(says("nómina"), ONLY, file("handbook.docx"), since="2027-01-01", until="2027-12-31"),
    ),
]


# -- What the first grammar did not read: tags, metadata, what cites a place, definitions, patterns, two conditions in
#    one sentence; and exceptions, which no rule knows. `WIDER_BEFORE` was written before the grammar was widened,
#    `WIDER_AFTER` after it and without trying it.

TAGS = ("lease", "draft", "signed contracts", "visa")
METADATA = ("author", "year", "status", "autor", "año")


def tag(value: str) -> Expected:
    return {"kind": "tag", "value": value}


def whose(key: str, comparison: str, value: str | float) -> Expected:
    return {"kind": "metadata", "key": key, "comparison": comparison, "value": value}


def citing(locator: str) -> Expected:
    return {"kind": "cites", "value": locator}


def definitions(locator: str) -> Expected:
    return {"kind": "definitions", "value": locator}


WIDER_BEFORE: list[tuple[str, Expected]] = [
    (
        "When someone asks about deposits, boost documents tagged lease",
        rule(about("deposits"), boost(), tag("lease")),
    ),
    ("Hide everything tagged draft from all questions", rule(ALWAYS, HIDE, tag("draft"))),
    (
        'For questions about rent, search only in documents tagged "signed contracts"',
        rule(about("rent"), ONLY, tag("signed contracts")),
    ),
    (
        "When a question mentions eviction, show the documents with the tag lease first",
        rule(says("eviction"), pin(), tag("lease")),
    ),
    ("Never show documents tagged superseded when someone asks about fees", asks("target")),
    (
        "Boost files tagged visa by 3 when people ask about visas",
        rule(about("visas"), boost(3.0), tag("visa")),
    ),
    (
        "When someone asks about salaries, prefer documents whose author is Rivera",
        rule(about("salaries"), boost(), whose("author", "is", "Rivera")),
    ),
    (
        'Search only documents whose status is "in force" for questions about wages',
        rule(about("wages"), ONLY, whose("status", "is", "in force")),
    ),
    (
        "When a question mentions overtime, bury documents whose year is at most 2015",
        rule(says("overtime"), bury(), whose("year", "at_most", 2015)),
    ),
    (
        "When someone asks about fees, boost documents whose year is at least 2020 until June",
        rule(about("fees"), boost(), whose("year", "at_least", 2020), until="2027-06-30"),
    ),
    ("Hide documents whose colour is red when someone asks about rent", asks("target")),
    (
        'When someone asks about leases, exclude documents whose status contains "draft"',
        rule(about("leases"), HIDE, whose("status", "contains", "draft")),
    ),
    (
        "When someone asks about due process, boost whatever cites the Fourteenth Amendment",
        rule(about("due process"), boost(), citing(FOURTEENTH)),
    ),
    (
        "Search only provisions that cite 8 USC 1158 when someone asks about asylum rules",
        rule(about("asylum rules"), ONLY, citing(A_158)),
    ),
    (
        "For questions about gun laws, show everything citing the Second Amendment first",
        rule(about("gun laws"), pin(), citing(SECOND)),
    ),
    (
        "Bury anything that cites 347 U.S. 483 when a question mentions kindergarten",
        rule(says("kindergarten"), bury(), citing(BROWN)),
    ),
    (
        "Boost the cases citing Matter of Acosta, 19 I&N Dec. 211 for questions about social groups",
        rule(about("social groups"), boost(), citing(ACOSTA)),
    ),
    (
        "When someone asks about asylum, show the definitions that 8 USC 1158 uses",
        rule(about("asylum"), pin(), definitions(A_158)),
    ),
    (
        "Pin the definitions used by 8 USC 1229a when a question mentions alien",
        rule(says("alien"), pin(), definitions(REMOVAL)),
    ),
    (
        "For questions about terms, boost the definitions used in 8 CFR 208.4",
        rule(about("terms"), boost(), definitions(RULES)),
    ),
    ("When someone asks about pardons, boost whatever cites 8 USC 9999", asks("target")),
    (
        r'When a question matches the pattern "\bI-\d{3}\b", show visa-checklist.md first',
        rule(when("regex", r"\bI-\d{3}\b"), pin(), file("visa-checklist.md")),
    ),
    (
        'If the question matches the regex "^(can|may) i vote", pin the Fourteenth Amendment',
        rule(when("regex", "^(can|may) i vote"), pin(), FOURTEENTH),
    ),
    (
        'For questions matching the pattern "form (i-)?589", boost 8 USC 1158',
        rule(when("regex", "form (i-)?589"), boost(), A_158),
    ),
    (
        "When someone asks about asylum and mentions deadline, pin 8 USC 1158(a)(2)(B)",
        rule([about("asylum"), says("deadline")], pin(), YEAR),
    ),
    (
        'When a question is about asylum and mentions "one year" or deadline, show 8 USC 1158(a)(2)(B) first',
        rule([about("asylum"), says("one year", "deadline")], pin(), YEAR),
    ),
    (
        "When someone asks about searches and cites the Fourth Amendment, show the Fourteenth Amendment second",
        rule([about("searches"), when("citation", FOURTH)], pin(2), FOURTEENTH),
    ),
    (
        "When someone asks about bail unless the question mentions immigration, pin the Eighth Amendment",
        asks("exception"),
    ),
    (
        "Show the Fifth Amendment first when someone asks about silence, unless they are in court",
        asks("exception"),
    ),
    ("Hide handbook.docx for all questions except those about vacation", asks("exception")),
    (
        "When someone asks about taxes but not about income taxes, pin Article I, Section 8",
        asks("exception"),
    ),
    ("If the question does not mention guns, hide the Second Amendment", asks("exception")),
    ("When someone asks about visas, hide everything except documents tagged visa", asks("exception")),
    ("When someone asks about asylum or mentions persecution, pin 8 USC 1158", asks("criterion")),
    (
        "When someone asks in Spanish about leases, boost documents tagged lease",
        rule([about("leases"), SPANISH], boost(), tag("lease")),
    ),
    (
        "When people ask about renewals, show documents tagged lease and Lease 12.pdf first",
        rule(about("renewals"), pin(), tag("lease"), file("Lease 12.pdf")),
    ),
    (
        "When someone asks about searches without a warrant, pin the Fourth Amendment",
        rule(about("searches without a warrant"), pin(), FOURTH),
    ),
    (
        "When someone asks about not paying rent, pin Lease 12.pdf",
        rule(about("not paying rent"), pin(), file("Lease 12.pdf")),
    ),
    (
        "When someone asks about exceptions to the deadline, pin 8 USC 1158(a)(2)(B)",
        rule(about("exceptions to the deadline"), pin(), YEAR),
    ),
    (
        "When someone asks about tagged luggage, hide handbook.docx",
        rule(about("tagged luggage"), HIDE, file("handbook.docx")),
    ),
    (
        "Cuando alguien pregunte por depósitos, sube los documentos con la etiqueta lease",
        rule(about("depósitos"), boost(), tag("lease")),
    ),
    ("Oculta todo lo etiquetado draft en todas las preguntas", rule(ALWAYS, HIDE, tag("draft"))),
    (
        "Para preguntas sobre alquiler, busca solo en documentos etiquetados «signed contracts»",
        rule(about("alquiler"), ONLY, tag("signed contracts")),
    ),
    (
        "Cuando alguien pregunte por sueldos, prefiere los documentos cuyo autor sea Rivera",
        rule(about("sueldos"), boost(), whose("autor", "is", "Rivera")),
    ),
    (
        "Baja los documentos cuyo año sea como mucho 2015 si la pregunta menciona horas extra",
        rule(says("horas extra"), bury(), whose("año", "at_most", 2015)),
    ),
    (
        "Cuando alguien pregunte por el debido proceso, sube todo lo que cite la Decimocuarta Enmienda",
        rule(about("debido proceso"), boost(), citing(FOURTEENTH)),
    ),
    (
        "Busca solo las disposiciones que citan 8 USC 1158 cuando alguien pregunte por normas de asilo",
        rule(about("normas de asilo"), ONLY, citing(A_158)),
    ),
    (
        "Cuando alguien pregunte por el asilo, muestra primero las definiciones que usa 8 USC 1158",
        rule(about("asilo"), pin(), definitions(A_158)),
    ),
    (
        "Fija las definiciones usadas por 8 USC 1229a cuando la pregunta mencione extranjero",
        rule(says("extranjero"), pin(), definitions(REMOVAL)),
    ),
    (
        r"Cuando la pregunta coincida con el patrón «\bI-\d{3}\b», muestra primero visa-checklist.md",
        rule(when("regex", r"\bI-\d{3}\b"), pin(), file("visa-checklist.md")),
    ),
    (
        "Si la pregunta coincide con la expresión regular «^puedo votar», fija la Decimocuarta Enmienda",
        rule(when("regex", "^puedo votar"), pin(), FOURTEENTH),
    ),
    (
        "Cuando alguien pregunte por el asilo y mencione plazo, fija 8 USC 1158(a)(2)(B)",
        rule([about("asilo"), says("plazo")], pin(), YEAR),
    ),
    (
        "Cuando alguien pregunte por la fianza, salvo que mencione inmigración, fija la Octava Enmienda",
        asks("exception"),
    ),
    (
        "Muestra primero la Quinta Enmienda cuando pregunten por el silencio, a menos que estén en un juicio",
        asks("exception"),
    ),
    ("Oculta handbook.docx en todas las preguntas excepto las de vacaciones", asks("exception")),
    ("Si la pregunta no menciona armas, oculta la Segunda Enmienda", asks("exception")),
    (
        "Cuando alguien pregunte por impuestos pero no por el impuesto sobre la renta, fija el artículo I, sección 8",
        asks("exception"),
    ),
    (
        "Nunca muestres documentos con la etiqueta obsoleto cuando alguien pregunte por tasas",
        asks("target"),
    ),
    ("Cuando alguien pregunte por asilo o mencione persecución, fija 8 USC 1158", asks("criterion")),
    (
        "Relega todo lo que cite 347 U.S. 483 cuando la pregunta mencione guardería",
        rule(says("guardería"), bury(), citing(BROWN)),
    ),
    (
        "Cuando alguien pregunte por tasas, sube los documentos cuyo año sea al menos 2020 hasta junio",
        rule(about("tasas"), boost(), whose("año", "at_least", 2020), until="2027-06-30"),
    ),
    (
        "Cuando alguien pregunte por armas, muestra primero cualquier cosa que cite la Segunda Enmienda",
        rule(about("armas"), pin(), citing(SECOND)),
    ),
]


WIDER_AFTER: list[tuple[str, Expected]] = [
    (
        "If anyone asks about subletting, put all documents tagged lease at position 2",
        rule(about("subletting"), pin(2), tag("lease")),
    ),
    (
        "Exclude everything labelled draft from every search until March",
        rule(ALWAYS, HIDE, tag("draft"), until="2027-03-31"),
    ),
    (
        "Restrict questions about work permits to documents tagged visa",
        rule(about("work permits"), ONLY, tag("visa")),
    ),
    (
        "When people ask about agreements, raise files with the label signed contracts by 4",
        rule(about("agreements"), boost(4.0), tag("signed contracts")),
    ),
    ("When someone asks about parking, hide documents tagged garage", asks("target")),
    (
        "In the domain Client cases, push down documents tagged draft when someone asks about evidence",
        rule(about("evidence"), bury(), tag("draft"), domains=("client_cases",)),
    ),
    (
        "When someone asks about holidays, show only documents whose year is 2026",
        rule(about("holidays"), ONLY, whose("year", "is", "2026")),
    ),
    (
        "Bury contracts whose status is expired if a question mentions renewal",
        rule(says("renewal"), bury(), whose("status", "is", "expired")),
    ),
    (
        "For questions about precedents, prefer cases whose year is no less than 1954",
        rule(about("precedents"), boost(), whose("year", "at_least", 1954)),
    ),
    (
        "Never show documents whose author contains Smith when someone asks about Rivera",
        rule(about("Rivera"), HIDE, whose("author", "contains", "Smith")),
    ),
    ("When someone asks about prices, boost documents whose currency is euro", asks("target")),
    (
        "Promote decisions that cite the Eighth Amendment when someone asks about prison conditions",
        rule(about("prison conditions"), boost(), citing(EIGHTH)),
    ),
    (
        "When a question mentions commerce, search only in laws that refer to Article I, Section 8",
        rule(says("commerce"), ONLY, citing(POWERS)),
    ),
    (
        "Hide whatever refers to 18 USC 922(g) for questions about archery",
        rule(about("archery"), HIDE, citing(GUNS)),
    ),
    (
        "Show all regulations citing 8 USC 1229a first when people ask about hearings, from July",
        rule(about("hearings"), pin(), citing(REMOVAL), since="2027-07-01"),
    ),
    (
        "When someone asks about bond, boost the definitions 8 USC 1226 uses by 3",
        rule(about("bond"), boost(3.0), definitions(BONDS)),
    ),
    (
        "For questions in Spanish about asylum, show the definitions used in 8 USC 1158 second",
        rule([about("asylum"), SPANISH], pin(2), definitions(A_158)),
    ),
    (
        'If a query matches the pattern "a[- ]?number", show visa-checklist.md at the top',
        rule(when("regex", "a[- ]?number"), pin(), file("visa-checklist.md")),
    ),
    (
        r'Do not answer questions matching the regular expression "lotter(y|ies)"',
        rule(when("regex", "lotter(y|ies)"), ABSTAIN),
    ),
    (
        "If someone asks about bail and also mentions immigration, pin 8 USC 1226",
        rule([about("bail"), says("immigration")], pin(), BONDS),
    ),
    (
        "When a question is about evidence and it contains warrant, show the Fourth Amendment first",
        rule([about("evidence"), says("warrant")], pin(), FOURTH),
    ),
    (
        "When people ask about removal and cite 8 USC 1158, show 8 CFR 208.4 second",
        rule([about("removal"), when("citation", A_158)], pin(2), RULES),
    ),
    (
        "When someone asks about supply and demand, pin Article I, Section 8",
        rule(about("supply and demand"), pin(), POWERS),
    ),
    ("Unless the question is about guns, hide the Second Amendment", asks("exception")),
    ("Pin the First Amendment for questions about speech, except in Spanish", asks("exception")),
    (
        "When the question doesn't mention a year, boost 8 USC 1158 for questions about asylum",
        asks("exception"),
    ),
    ("When someone asks about guns but not about hunting, pin the Second Amendment", asks("exception")),
    ("When a question contains bail or cites 8 USC 1226, pin the Eighth Amendment", asks("criterion")),
    (
        "When someone asks about people who do not vote, pin the Fourteenth Amendment",
        rule(about("people who do not vote"), pin(), FOURTEENTH),
    ),
    (
        "When someone asks about the definition of asylum, pin 8 USC 1158",
        rule(about("definition of asylum"), pin(), A_158),
    ),
    (
        "Si preguntan por subarriendos, fija los documentos etiquetados como lease en la posición 2",
        rule(about("subarriendos"), pin(2), tag("lease")),
    ),
    (
        "Limita las preguntas sobre permisos de trabajo a los documentos con la etiqueta visa",
        rule(about("permisos de trabajo"), ONLY, tag("visa")),
    ),
    ("Cuando alguien pregunte por estacionamiento, oculta todo lo etiquetado garaje", asks("target")),
    (
        "Cuando la pregunta mencione vacaciones, busca solo en documentos cuyo año sea 2026",
        rule(says("vacaciones"), ONLY, whose("año", "is", "2026")),
    ),
    (
        "Para preguntas sobre precedentes, prefiere los casos cuyo año sea como mínimo 1954",
        rule(about("precedentes"), boost(), whose("año", "at_least", 1954)),
    ),
    (
        "Oculta los documentos cuyo autor contenga Smith cuando alguien pregunte por Rivera",
        rule(about("Rivera"), HIDE, whose("autor", "contains", "Smith")),
    ),
    (
        "Sube las sentencias que citan la Octava Enmienda por 3 cuando pregunten por las cárceles",
        rule(about("cárceles"), boost(3.0), citing(EIGHTH)),
    ),
    (
        "Cuando pregunten por la fianza, muestra primero las definiciones usadas en 8 USC 1226",
        rule(about("fianza"), pin(), definitions(BONDS)),
    ),
    (
        "No respondas si la pregunta coincide con el patrón «loter[ií]a»",
        rule(when("regex", "loter[ií]a"), ABSTAIN),
    ),
    (
        "Si alguien pregunta por pruebas y menciona allanamiento, fija la Cuarta Enmienda",
        rule([about("pruebas"), says("allanamiento")], pin(), FOURTH),
    ),
    (
        "Cuando alguien pregunte por la oferta y la demanda, fija el artículo I, sección 8",
        rule(about("oferta y la demanda"), pin(), POWERS),
    ),
    ("Oculta la Segunda Enmienda salvo cuando pregunten por armas", asks("exception")),
    ("Si la pregunta no contiene «armas», oculta la Segunda Enmienda", asks("exception")),
]

NAMES = {"filename": FILES, "document": DOCUMENTS.values(), "tag": TAGS, "metadata": METADATA}


def names_like(target: dict) -> tuple:
    return tuple(NAMES.get(target["kind"], sorted(PROVISIONS)))


KNOWN = Corpus(
    DOMAINS,
    DOCUMENTS,
    FILES,
    TAGS,
    lambda target: target.get("key", target["value"]) in names_like(target),
    lambda target: get_close_matches(target.get("key", target["value"]), names_like(target), n=3, cutoff=0.0),
)
