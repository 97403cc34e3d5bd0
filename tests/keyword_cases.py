"""Sixty questions with a keyword trigger each, and whether it fires. Written before the matcher.

Columns: what the case is about, the keyword or phrase, stemmed, language of the question, the question, fires.
"""

KEYWORD_CASES = [
    # phrases
    ("phrase", "rights of client 1", False, "en", "What are the rights of client 1?", True),
    ("phrase", "rights of client 1", False, "en", "What are the rights of client 12?", False),
    ("phrase", "rights of client 1", False, "en", "What rights has client 1?", False),
    ("phrase", "likes to eat", False, "en", "What does Harry Potter like to eat?", False),
    ("phrase", "likes to eat", True, "en", "What does Harry Potter like to eat?", True),
    ("phrase", "due process", False, "en", "Is this due  process?", True),
    ("phrase", "due process", False, "en", "When is the rent due? Process servers called.", False),
    ("phrase", "due process", False, "en", "The process is due tomorrow", False),
    ("phrase", "asylum deadline", False, "en", "the deadline for asylum", False),
    ("phrase", "one year", False, "en", "I came one\nyear ago", True),
    # punctuation
    ("punctuation", "search warrant", False, "en", "Did they have a (search warrant)?!", True),
    ("punctuation", "search warrant", False, "en", "search, warrant and arrest", True),
    ("punctuation", "9/11", False, "en", "laws passed after 9/11", True),
    ("punctuation", "9/11", False, "en", "dialling 911", False),
    ("punctuation", "911", False, "en", "laws passed after 9/11", False),
    ("punctuation", "8 CFR 214.2(h)", False, "en", "What does 8 C.F.R. § 214.2(h) say?", True),
    ("punctuation", "8 CFR 214.2(h)", False, "en", "What does 8 CFR 214.2(l) say?", False),
    ("punctuation", "U.S. citizen", False, "en", "married to a US citizen", True),
    ("punctuation", "US citizen", False, "en", "married to a U.S. citizen.", True),
    ("punctuation", "U.S.", False, "en", "Tell us who may vote.", False),
    ("punctuation", "I-589", False, "en", "where do I send form I–589?", True),
    ("punctuation", "“unreasonable searches”", False, "en", "what are 'unreasonable searches'", True),
    # accents and case
    ("accents", "inmigración", False, "es", "abogado de inmigracion", True),
    ("accents", "inmigracion", False, "es", "un juez de INMIGRACIÓN", True),
    ("accents", "cafe", False, "en", "may a café refuse service?", True),
    ("accents", "café", False, "en", "may a cafe\u0301 refuse service?", True),
    ("accents", "Peña", False, "en", "the holding in Pena v. Lawson", True),
    ("accents", "año", False, "es", "hace un ano que llegué", True),
    ("accents", "STRASSE", False, "en", "the Straße case", True),
    ("accents", "DACA", False, "en", "renewing daca", True),
    # possessives and contractions
    ("possessive", "employer", False, "en", "my employer's duty", True),
    ("possessive", "employer", False, "en", "my employers' duty", False),
    ("possessive", "employer", True, "en", "my employers' duty", True),
    ("possessive", "children's rights", False, "en", "Children’s rights in custody", True),
    ("possessive", "O'Connor", False, "en", "What did Justice O’Connor write?", True),
    ("possessive", "shell", False, "en", "she'll appeal", False),
    ("possessive", "were", False, "en", "we're detained", False),
    # hyphens
    ("hyphen", "14th Amendment", False, "en", "a 14th-Amendment claim", True),
    ("hyphen", "non-immigrant", False, "en", "a nonimmigrant visa", True),
    ("hyphen", "nonimmigrant", False, "en", "a non-immigrant visa", True),
    ("hyphen", "green-card", False, "en", "lost my green card", True),
    ("hyphen", "card", False, "en", "a green-card holder", True),
    ("hyphen", "immigrant", False, "en", "a nonimmigrant visa", False),
    ("hyphen", "16", False, "en", "a 1-6 vote", False),
    # words inside words: the traps
    ("it", "it", False, "en", "the committee's immigration writ", False),
    ("it", "it", False, "en", "is it legal?", True),
    ("it", "it", False, "en", "it's legal, isn't that so", True),
    ("she", "she", False, "en", "the sheriff of Ashe county", False),
    ("she", "she", False, "en", "May she appeal?", True),
    ("she", "he", False, "en", "May she file the petition there?", False),
    ("she", "right", False, "en", "copyrights and the righteous", False),
    ("she", "right", False, "en", "my rights", False),
    ("she", "right", True, "en", "my rights", True),
    # Spanish and other languages
    ("Spanish", "asilo", False, "es", "¿Quién puede pedir asilo?", True),
    ("Spanish", "asilo", False, "es", "los asilados políticos", False),
    ("Spanish", "derecho de asilo", True, "es", "¿Qué son los derechos de asilo?", True),
    ("Spanish", "él", False, "es", "el papel", True),
    ("Spanish", "ley", False, "es", "las leyes", False),
    ("other", "庇护", False, "en", "我想申请庇护怎么办", True),
    ("other", "移民", False, "en", "我想申请庇护怎么办", False),
]
