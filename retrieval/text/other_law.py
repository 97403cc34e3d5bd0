"""Whose own law a question may ask for: names of the states, of their large cities and of other countries, in English
and Spanish. Pure.
"""

import re

from retrieval.text.normalization import fold

# Without Washington, which is as often the city or the president.
_STATES = re.compile(
    r"\b(?:alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho"
    r"|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi"
    r"|misisipi|missouri|montana|nebraska|nevada|(?:new|nuevo|nueva) (?:hampshire|jersey|mexico|york)|carolina"
    r"|dakota|ohio|oklahoma|oregon|pennsylvania|pensilvania|rhode island|tennessee|texas|tejas|utah|vermont"
    r"|virginia|wisconsin|wyoming|atlanta|austin|baltimore|boston|brooklyn|chicago|cincinnati|cleveland|dallas"
    r"|denver|detroit|fort worth|houston|las vegas|los angeles|manhattan|memphis|miami|milwaukee|minneapolis"
    r"|nashville|(?:new|nueva) orleans|nyc|oakland|orlando|philadelphia|filadelfia|phoenix|pittsburgh|sacramento"
    r"|san (?:antonio|diego|francisco|jose)|seattle|st\.? louis|tampa)\b"
)
# Without those that are as often a person, a thing, a state or a people of these States (Jordan, China, Georgia,
# Indians), and without languages.
_COUNTRIES = re.compile(
    r"\b(?:argentin[ao]?s?|australian?|austria|belgium|belgica|bolivia|brazil|brasil|brazilian|brasilen[ao]s?"
    r"|britain|british|britanic[ao]s?|canada|canadian|canadienses?|colombian?|costa rica|croatia|croacia|czech"
    r"|denmark|dinamarca|ecuador|egypt|egipto|el salvador|england|inglaterra|estonia|ethiopia|etiopia|europe"
    r"|european|europa|europe[ao]s?|finland|finlandia|france|francia|germany|german|alemania|aleman|greece|grecia"
    r"|guatemala|honduras|hungary|hungria|iceland|islandia|indonesia|iran|iraq|irak|ireland|irlanda|irish|israeli?"
    r"|italian?|italia|italy|jamaica|japan|japon|japanese|kenya|kenia|korea|corea|korean|malaysia|malasia"
    r"|(?<!new )(?<!nuevo )mexico|mexican[ao]?s?|morocco|marruecos|netherlands|holland|holanda|paises bajos"
    r"|new zealand|nueva zelanda|nicaragua|nigerian?|norway|noruega|norwegian|pakistan|panama|paraguay|peru"
    r"|philippines|filipinas|poland|polonia|portugal|portugues[ae]?s?|romania|rumania|russian?|rusia|saudi"
    r"|scotland|escocia|scottish|singapore|singapur|south africa|sudafrica|spain|espana|sweden|suecia|swedish"
    r"|switzerland|suiza|swiss|taiwan|thailand|tailandia|ukraine|ucrania|united kingdom|reino unido|u\.?k\.?"
    r"|uruguay|venezuela|vietnam|wales|gales)(?!\w)"
)


def names_a_state(text: str) -> bool:
    """Whether one of the fifty, but Washington, or a large city of one is named."""
    return _STATES.search(fold(text)) is not None


def names_another_country(text: str) -> bool:
    """Whether one of some eighty, or its people, is named."""
    return _COUNTRIES.search(fold(text)) is not None
