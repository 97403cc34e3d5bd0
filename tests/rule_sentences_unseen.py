"""60 sentences in which a curator could ask for a rule, by an author who did not know the grammar that reads them; and
the rule that each means in the author's own account of it, written before any was tried. What no rule can say is asked
about: exceptions, other languages, two rules in one sentence, whole domains as targets, addresses elsewhere, coverage.

The grammar was widened by general patterns on every other sentence, from the first on (`SEEN`), and measured on the
rest; then on all.
"""

from tests.rule_sentences import (
    A_158,
    ABSTAIN,
    ALWAYS,
    EIGHTH,
    FIFTH,
    FIRST,
    FOURTH,
    HIDE,
    ONLY,
    SECOND,
    SIXTH,
    SPANISH,
    Corpus,
    Expected,
    about,
    asks,
    boost,
    bury,
    instead,
    note,
    pin,
    rule,
    says,
    synonym,
    when,
)

SLIGHT, STRONG = 1.5, 4.0
DOCUMENTS = {"USCIS Policy Manual": "/us/uscis-pm", "US Constitution": "/us/const"}
DOMAINS = {
    "US Constitution": "us_constitution",
    "US Code": "us_code",
    "CFR": "cfr",
    "USCIS Policy Manual": "uscis_policy",
    "Cases": "supreme_court_cases",
    "Client cases": "client_cases",
}


def amendment(number: str, section: int | None = None) -> str:
    return f"/us/const/amendment/{number}" + (f"/section/{section}" if section else "")


def article(number: str, section: int, clause: int) -> str:
    return f"/us/const/article/{number}/section/{section}/clause/{clause}"


PROTECTION, EIGHTEENTH, PREAMBLE = amendment("XIV", 1), amendment("XVIII"), "/us/const/preamble"
COMMERCE = article("I", 8, 3)
NAMES = {
    "Takings Clause": FIFTH,
    "Speech Clause": FIRST,
    "Equal Protection Clause": PROTECTION,
    "Preamble": PREAMBLE,
    "Preámbulo": PREAMBLE,
    "Plessy v. Ferguson": "/us/scotus/163/537",
    "Brown v. Board of Education": "/us/scotus/347/483",
}


def document(name: str) -> Expected:
    return {"kind": "document", "value": DOCUMENTS[name]}


def does(made: Expected, *more: Expected) -> Expected:
    """The rule with further actions."""
    return made | {"actions": [*made["actions"], *more]}


def alike(*phrases: str) -> Expected:
    """Each phrase is looked for where any of them is said."""
    return rule(says(*phrases), {}) | {"actions": [synonym(phrase) for phrase in phrases]}


SIXTY: list[tuple[str, Expected]] = [
    (
        "When someone asks about search or seizure, put the Fourth Amendment first.",
        rule(about("search", "seizure"), pin(), FOURTH),
    ),
    (
        'pin the 2nd amendment to the top for any query w/ the words guns, firearms or "right to bear arms"',
        rule(says("guns", "firearms", "right to bear arms"), pin(), SECOND),
    ),
    (
        'If the question has both "interstate" and "commerce" in it, please show Article I, Section 8, '
        "Clause 3 first and the Tenth Amendment right after.",
        rule([says("interstate"), says("commerce")], pin(), COMMERCE, amendment("X")),
    ),
    (
        'Section 1 of the Fourteenth Amendment should always come up third whenever the phrase "due '
        'process" is used.',
        rule(says("due process"), pin(3), PROTECTION),
    ),
    (
        'For questions starting with "who can become president" lead with Art. II, Sec. 1, Cl. 5, then '
        "Amend. XXII, then Amend. XIV sec 3",
        rule(
            when("starts_with", "who can become president"),
            pin(),
            article("II", 1, 5),
            amendment("XXII"),
            amendment("XIV", 3),
        ),
    ),
    (
        "Cuando alguien pregunte por la ciudadanía por nacimiento, ponga primero la Sección 1 de la "
        "Enmienda XIV.",
        rule(about("ciudadanía por nacimiento"), pin(), PROTECTION),
    ),
    (
        '8 USC 1101 goes first on anything in the US Code domain that mentions "immigrant" or '
        '"nonimmigrant" or "alien".',
        rule(says("immigrant", "nonimmigrant", "alien"), pin(), "/us/usc/t8/s1101", domains=("us_code",)),
    ),
    (
        "Between September 1 and November 30, 2026 pin the Twelfth Amendment first for questions "
        'containing "electoral college".',
        rule(says("electoral college"), pin(), amendment("XII"), since="2026-09-01", until="2026-11-30"),
    ),
    (
        'Si la pregunta está en español y contiene "asilo", fija 8 USC 1158 en primer lugar y 8 CFR '
        "208.13 en segundo.",
        rule([says("asilo"), SPANISH], pin(), A_158, "/us/cfr/t8/s208.13"),
    ),
    (
        "hey can we get the takings clause up top when ppl type eminent domain?? thx",
        rule(says("eminent domain"), pin(), FIFTH),
    ),
    (
        "Put the Speech Clause of the First Amendment in position 2 if the query includes any of: "
        "speech, protest, censorship, flag burning.",
        rule(says("speech", "protest", "censorship", "flag burning"), pin(2), FIRST),
    ),
    (
        "Until 31 December 2027, 8 CFR 214.2(h) must be the top hit for H-1B.",
        rule(says("H-1B"), pin(), "/us/cfr/t8/s214.2/h", until="2027-12-31"),
    ),
    (
        "quiero que la sexta enmienda salga de primera si preguntan por abogado, jurado o juicio rápido",
        rule(about("abogado", "jurado", "juicio rápido"), pin(), SIXTH),
    ),
    (
        "Queries with all of the words impeachment, Senate and trial: Article I, Section 3, Clause 6 "
        "first, Article I, Section 3, Clause 7 second, Article II, Section 4 third. Not for queries in "
        "Spanish.",
        asks("exception"),
    ),
    (
        "Give the Equal Protection Clause a strong boost when the question mentions discrimination or "
        "segregation.",
        rule(says("discrimination", "segregation"), boost(STRONG), PROTECTION),
    ),
    (
        "Please bury the Eighteenth Amendment a bit; it was repealed and it keeps showing up for everything.",
        rule(ALWAYS, bury(SLIGHT), EIGHTEENTH),
    ),
    (
        "Boost the USCIS Policy Manual x2 for any question with naturalization, N-400 or oath in it",
        rule(says("naturalization", "N-400", "oath"), boost(), document("USCIS Policy Manual")),
    ),
    (
        "Rank Article VII lower, way lower, unless the word ratification appears.",
        asks("exception"),
    ),
    (
        'Dale más peso a la Octava Enmienda cuando la consulta diga "fianza" o "pena de muerte".',
        rule(says("fianza", "pena de muerte"), boost(), EIGHTH),
    ),
    (
        "In the cases domain, push down Plessy v. Ferguson and push up Brown v. Board of Education when "
        'people ask about "separate but equal".',
        asks("action"),
    ),
    (
        "starting jan 1 2027, slightly favor 26 usc 61 and 26 usc 63 over other stuff for questions w/ "
        '"taxable income"',
        rule(says("taxable income"), boost(SLIGHT), "/us/usc/t26/s61", "/us/usc/t26/s63", since="2027-01-01"),
    ),
    (
        'Baja un poco el Preámbulo en las preguntas que empiecen con "qué dice la ley".',
        rule(when("starts_with", "qué dice la ley"), bury(SLIGHT), PREAMBLE),
    ),
    (
        'Never show the Eighteenth Amendment for questions that contain "speech".',
        rule(says("speech"), HIDE, EIGHTEENTH),
    ),
    (
        "Leave out Article I, Section 9, Clause 1 and Article IV, Section 2, Clause 3 when the query "
        "has the words immigration or migrants.",
        rule(says("immigration", "migrants"), HIDE, article("I", 9, 1), article("IV", 2, 3)),
    ),
    (
        "drop 8 CFR 1003.1 from results. always.",
        rule(ALWAYS, HIDE, "/us/cfr/t8/s1003.1"),
    ),
    (
        'For anybody asking about the "third amendment to the contract", don\'t return the Third '
        "Amendment at all!",
        rule(about("third amendment to the contract"), HIDE, amendment("III")),
    ),
    (
        'No mostrar la Enmienda XVI en consultas que contengan las palabras "impuesto" y "estatal".',
        rule([says("impuesto"), says("estatal")], HIDE, amendment("XVI")),
    ),
    (
        "From 3/1/2026 to 6/30/2026 hide 8 USC 1182(a)(4) on questions mentioning public charge, we are "
        "re-loading the text.",
        rule(says("public charge"), HIDE, "/us/usc/t8/s1182/a/4", since="2026-03-01", until="2026-06-30"),
    ),
    (
        'Only search the US Constitution when the question contains "constitutional right".',
        rule(says("constitutional right"), ONLY, document("US Constitution")),
    ),
    (
        "Questions mentioning a visa should be limited to Title 8 of the US Code, nothing else.",
        rule(says("visa"), ONLY, "/us/usc/t8"),
    ),
    (
        "if they write CFR anywhere in it just look in the CFR domain",
        asks("target"),
    ),
    (
        "Las preguntas en español que mencionen la tarjeta verde deben buscarse solamente en el Manual "
        "de Políticas de USCIS.",
        rule([says("tarjeta verde"), SPANISH], ONLY, document("USCIS Policy Manual")),
    ),
    (
        'Keep searches that begin with "policy manual" inside the USCIS Policy Manual, Volume 12.',
        rule(when("starts_with", "policy manual"), ONLY, "/us/uscis-pm/v12"),
    ),
    (
        "Restringe la búsqueda al Título 26 si aparece cualquiera de estas palabras: IRS, impuestos, "
        "deducción.",
        asks("target"),
    ),
    (
        'Confine anything with both "client" and "file" to the private client files, please.',
        asks("target"),
    ),
    (
        'Treat "green card" as the same thing as "lawful permanent resident".',
        alike("green card", "lawful permanent resident"),
    ),
    (
        "synonyms: POTUS, president, chief executive",
        alike("POTUS", "president", "chief executive"),
    ),
    (
        "When a user says cop or cops they mean law enforcement officer, but not the other way round.",
        rule(says("cop", "cops"), synonym("law enforcement officer")),
    ),
    (
        '"Pleading the fifth", "taking the fifth" and "right to remain silent" all mean self-incrimination.',
        rule(
            says("Pleading the fifth", "taking the fifth", "right to remain silent"),
            synonym("self-incrimination"),
        ),
    ),
    (
        'Considera "mica", "tarjeta verde" y "residencia permanente" como sinónimos.',
        alike("mica", "tarjeta verde", "residencia permanente"),
    ),
    (
        "In the USCIS Policy Manual domain AOS is short for adjustment of status and RFE is short for "
        "request for evidence",
        asks("action"),
    ),
    (
        'Could you make habeas also match "habeas corpus" and "the Great Writ"? Thank you.',
        does(rule(says("habeas"), synonym("habeas corpus")), synonym("the Great Writ")),
    ),
    (
        'Rewrite "can cops search my car" to "warrantless search of a vehicle".',
        rule(
            says("can cops search my car"),
            instead("can cops search my car", "warrantless search of a vehicle"),
        ),
    ),
    (
        'If the query is exactly "1A", run it as "First Amendment" instead.',
        rule(when("exact", "1A"), instead("", "First Amendment")),
    ),
    (
        "change obamacare to Affordable Care Act in the query before searching, US Code only",
        rule(says("obamacare"), instead("obamacare", "Affordable Care Act"), domains=("us_code",)),
    ),
    (
        'Cuando escriban "derecho a portar armas", cambia la consulta por "right to keep and bear arms".',
        rule(says("derecho a portar armas"), instead("", "right to keep and bear arms")),
    ),
    (
        'Add a note above results saying "This is not legal advice." for every question that contains '
        '"should I".',
        rule(says("should I"), note("This is not legal advice.")),
    ),
    (
        'Show the message "The Eighteenth Amendment was repealed by the Twenty-First Amendment in '
        '1933." whenever prohibition or alcohol is mentioned.',
        rule(
            says("prohibition", "alcohol"),
            note("The Eighteenth Amendment was repealed by the Twenty-First Amendment in 1933."),
        ),
    ),
    (
        "A todas las preguntas en español, ponles arriba este aviso: «Los textos oficiales están en inglés.»",
        rule(SPANISH, note("Los textos oficiales están en inglés.")),
    ),
    (
        'From July 1, 2026 through July 15, 2026 tell users of the CFR domain: "Title 8 is being '
        'updated; check eCFR for the current text."',
        rule(
            ALWAYS,
            note("Title 8 is being updated; check eCFR for the current text."),
            domains=("cfr",),
            since="2026-07-01",
            until="2026-07-15",
        ),
    ),
    (
        'questions w/ "roe v wade" or "roe v. wade" get a banner: "Overruled by Dobbs v. Jackson '
        "Women's Health Organization (2022).\"",
        rule(
            says("roe v wade", "roe v. wade"),
            note("Overruled by Dobbs v. Jackson Women's Health Organization (2022)."),
        ),
    ),
    (
        'Send anyone who asks about "case status" to https://egov.uscis.gov/',
        asks("target"),
    ),
    (
        'Redirect questions starting with "how do i register to vote" to https://vote.gov.',
        asks("target"),
    ),
    (
        "if query has bill of rights AND (poster OR pdf) take them straight to "
        "https://www.archives.gov/founding-docs/bill-of-rights-transcript",
        asks("target"),
    ),
    (
        'Don\'t answer questions that contain "will I win" - reply "We cannot predict the outcome of a case."',
        does(rule(says("will I win"), ABSTAIN), note("We cannot predict the outcome of a case.")),
    ),
    (
        'Decline anything about divorce, custody or alimony with the message "Family law is a matter of '
        'state law and is not covered here."',
        does(
            rule(about("divorce", "custody", "alimony"), ABSTAIN),
            note("Family law is a matter of state law and is not covered here."),
        ),
    ),
    (
        'Rechaza las preguntas que contengan "número de seguro social" y responde: "No podemos dar '
        'datos personales."',
        does(rule(says("número de seguro social"), ABSTAIN), note("No podemos dar datos personales.")),
    ),
    (
        'Questions in French: refuse politely and say "Sorry, we only support English and Spanish."',
        asks("criterion"),
    ),
    (
        'Any answer on "war powers" has to cover each of these: Article I, Section 8, Clause 11; '
        "Article II, Section 2, Clause 1; and 50 USC 1541.",
        asks("action"),
    ),
    (
        "When a question includes vote or voting, make sure the answer deals with the Fifteenth, "
        "Nineteenth, Twenty-Fourth and Twenty-Sixth Amendments, all four.",
        asks("action"),
    ),
]
SEEN, UNSEEN = SIXTY[::2], SIXTY[1::2]

KNOWN = Corpus(DOMAINS, DOCUMENTS, (), (), lambda target: True, lambda target: (), NAMES)
