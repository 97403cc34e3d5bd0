"""Phrases of a question that tell one provision from the others, by how often they stand in questions and names of it.
Pure.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from retrieval.text import analyzer
from retrieval.text.normalization import fold, normalize

LONGEST = 3  # words of a phrase
SHORTEST = 4  # letters of a phrase of one word
UNSEEN = 4  # texts about something else that a phrase is taken to stand in besides those known

# Words that say how people ask, not what about: no phrase begins or ends with one.
STOP_WORDS = """
a about after again against all allowed also am an and any anyone are as asked at be because been before being between
both but by can cannot could did do does doing don't down during each even ever every for from further get gets
getting give gives go goes going had happen happens has have having he help her here him his how i if in into is it
its itself just keep know let like made make makes many may me might more most much must my need needs no nor not now
of off on once one only or other our out over own people person please possible really right said same say says she
should so some somebody someone something still such take taken takes tell than that the their them then there these
they thing things this those through to too under until up us use used very want wants was way we were what when where
which while who whom whose why will with without would yes you your al algo alguien algun alguna ante antes aqui asi
aun aunque bajo bien cada como con contra cosa cual cuales cuando cuanto cuantos de debe deben del derecho desde
despues dice donde durante e el ella ellas ellos en entre era es esa ese eso esta estan estar este esto estos existe
fue gente ha haber hace hacer hacia hasta hay la las le les lo los mas me mi mis mucho muy nada ni ningun ninguna no
nos nuestro o otra otro para pero persona personas poder por porque pueda puede pueden puedo que quien quienes quiere
se sea segun ser si sin sobre solo son su sus tambien te tener tengo tiene tienen toda todas todo todos tu tus un una
uno unos usted y ya yo
"""
STOP = frozenset(STOP_WORDS.split())
JOINING = frozenset(
    ("of", "the", "and", "to", "in", "for", "at", "on", "a", "de", "del", "la", "el", "los", "las", "y", "en")
)  # may stand inside a phrase


@dataclass(frozen=True, slots=True)
class Text:
    """A question or a name and the provisions it is about; none where it has no answer."""

    words: str
    language: str
    places: frozenset[str]


@dataclass(frozen=True, slots=True)
class Phrase:
    """As it is written in the question. `about`: texts about the places wanted that have it, of `texts` that do;
    `common`: in how many texts each of its words stands, on average.
    """

    words: str
    about: int
    texts: int
    common: float

    @property
    def contrast(self) -> float:
        """The share of texts about the places among those that have it, smoothed."""
        return (self.about + 1) / (self.texts + UNSEEN)


class Contrast:
    """In which texts each phrase stands, whatever the forms of its words."""

    def __init__(self, texts: Iterable[Text]):
        self.texts = tuple(texts)
        self.having: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for number, text in enumerate(self.texts):
            for stemmed in phrases_of(text.words, text.language):
                self.having[stemmed].add(number)

    def best(self, question: str, language: str, places: Collection[str], most: int) -> list[Phrase]:
        """The phrases of a question that best tell these places; among equals those of the rarer words, then the
        longer ones. Without places: those that tell questions without an answer.
        """
        found = [
            self.measured(words, stemmed, places) for stemmed, words in phrases_of(question, language).items()
        ]
        return sorted(found, key=lambda p: (-p.contrast, p.common, -p.words.count(" "), p.words))[:most]

    def measured(self, words: str, stemmed: tuple[str, ...], places: Collection[str]) -> Phrase:
        having = self.having.get(stemmed, set())
        about = sum(meets(self.texts[number].places, places) for number in having)
        common = sum(len(self.having.get((stem,), ())) for stem in stemmed) / len(stemmed)
        return Phrase(words, about, len(having), common)


def meets(some: Collection[str], others: Collection[str]) -> bool:
    """Whether they share a place or one in it; nothing meets nothing."""
    if not some or not others:
        return not some and not others
    return any(a == b or a.startswith(f"{b}/") or b.startswith(f"{a}/") for a in some for b in others)


def phrases_of(text: str, language: str) -> dict[tuple[str, ...], str]:
    """Stems and written words of every run of up to three words that neither begins nor ends with a stop word."""
    plain = normalize(text)
    read = analyzer.words(plain, language)
    words = [plain[word.start : word.end] for word in read]
    stemmed = ["".join(word.stems) for word in read]
    found: dict[tuple[str, ...], str] = {}
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1):
            run = words[start:end]
            if is_telling(run):
                found.setdefault(tuple(stemmed[start:end]), " ".join(run))
    return found


def is_telling(run: list[str]) -> bool:
    first, *inner = map(fold, run)
    if first in STOP or inner and inner.pop() in STOP:
        return False
    return not STOP.intersection(inner) - JOINING and (len(run) > 1 or len(first) >= SHORTEST)
