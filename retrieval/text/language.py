"""English or Spanish: which of the two a short legal question is written in. Pure.

Each word adds its evidence: known words first, then endings and letter pairs that only one of the two
languages has. Words of both languages, numbers and names add nothing; with no evidence it is the reader's own.

`looking_alike.txt` lists words that their endings would tell wrongly: English ones like "tobacco", those of both
languages and names, like "video" and "Toledo", and Spanish ones like "fraude".
"""

import re
from functools import lru_cache
from pathlib import Path

from retrieval.text.normalization import fold


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _listed(name: str) -> frozenset[str]:
    """The words below `[name]`."""
    listed = (Path(__file__).parent / "looking_alike.txt").read_text()
    return _words(listed.partition(f"[{name}]")[2].partition("[")[0])


ENGLISH_FUNCTION_WORDS = _words(
    """
    a about after again against all also am an and another any anyone anything are as at be because been
    before being between both but by can cannot could did do does doing done down each either else ever every
    everyone few for from get gets getting give given go goes got had has have having her here him his how
    however if in into is it its just like made make makes may might mine more most much must my need never
    next nobody not nothing of off on one only or other our out over own said same say says shall should since
    some someone something such take taken tell than that the their them then there these they this those
    through to too under until up upon us use used very want wants was we went were what when where whether
    which while who whom whose why will with within without would yes yet you your dont doesnt didnt
    cant isnt arent wont wasnt im ive youre theyre thats whats
    """
)
SPANISH_FUNCTION_WORDS = _words(
    """
    acerca ademas ahi ahora al algo alguien algun alguna algunas alguno algunos alla alli ambos ante antes
    aquel aquella aquellas aquellos aqui asi aun aunque bajo bien cada casi como con contra cual cuales
    cualquier cuando cuanta cuantas cuanto cuantos de debajo debe deben debo del desde despues donde dos
    durante el ella ellas ello ellos en entre era eran eres es esa esas ese eso esos esta estaba estamos
    estan estar estas este esto estos estoy fue fueron fuera ha hace hacen hacer hacia haga han hasta hay
    hizo incluso jamas junto la las le les lo los luego mas menos mi mia mio mis mismo misma mucho muchas
    muchos muy nada nadie ni ningun ninguna ninguno nos nosotros nuestra nuestras nuestro nuestros nunca o
    otra otras otro otros para pero poco podemos podria por porque pueda puedan puede pueden puedes puedo
    pues que quien quienes quiere quieren quiero sean segun ser si siempre sino sobre solamente somos
    soy su sus tal tambien tampoco tanto te tenemos tener tenga tengo ti tiene tienen tienes todas todavia
    todo todos tras tu tus un una unas uno unos usted ustedes vamos van voy ya y yo doy hoy
    """
)
_ENGLISH_WORDS = _words(
    """
    abortion age alimony amend amendment appeal arms army arrest arrested article asylum attorney bail
    bankruptcy ban bear bill bills birthright border boss branch case church citizen citizens citizenship
    clause commerce congress constitution contract copyright court courts crime custody deadline death debt
    deed defense deport draft drug due election electors employer equal estate evidence fair fee file find
    fine fired free freedom gay gun guns hearing home house housing immigrant immigrants income jail job
    judge judges jury justice land landlord law laws lawsuit lawyer leave license lease limit limits
    marriage marry meaning minimum minor minors money neighbor oath office officer owner parole patent pay
    peace penalty people phone plea police poll power powers prayer president press prison property protest
    punishment quarter quartering rent rescue right rights search searched section senate senator senators
    separation silent slavery slave soldiers speech spouse state states student sue supreme tax taxes taxation
    tenant term terms testimony trademark trial trials treason treaty unlawful vice vote voting wage wages
    war warrant welfare wife witness witnesses women work worker years facto jure judicata decisis
    """
)
_SPANISH_WORDS = _words(
    """
    abogado abogada aborto acusado anos apelar apelacion arma arrestan arrestar arresto articulo asilo ayuda
    bandera beneficios buscar cadena calle camara carcel casa casarse castigo ciudad ciudadana ciudadania
    ciudadano ciudadanos clausula comercio constitucion contrato corte debido defensa delito demandar
    demanda derecho derechos desalojo despedir deportacion deportar detener detenido deuda dinero divorcio
    dueno edad ejercito eleccion elecciones elegir empleador empleo enmienda enmiendas entrar esclavitud
    escuela estado estados excesiva expresion fianza firmar frontera gobierno guardar guerra hablar herencia
    hijo hijos hogar iglesia igual impuesto impuestos inmigracion inmigrante inmigrantes investigar
    inquilino jefe jucio juez jueces juicio jurado justicia juramento ley leyes libertad libre licencia
    lugar maximo menor menores migra minima minimo matrimonio multa multas mujer mujeres nacer
    nacido nacimiento negar ninos nombrar obligan opinar pagar pais papeles patron pena permiso
    perder policia poder poderes portar prensa pregunta presidente prision prisionero propiedad proteccion
    quitar quemar rapido refugiado registrar registro renta residencia residente sala salario
    salir secreto seccion seguro senado senador senadores silencio soldados sueldo suprema supremo telefono
    termino testamento testificar testigo testigos trabajador trabajadores trabajar trabajo tratado traicion
    tribunal tribunales vecino vida visado vivienda vivir votar voto rey jaja jajaja jajajaja
    """
)
# Spanish, yet in names and Latin phrases; the "v." of a case name outweighs the parties' names.
_LEANING = {"de": 0.5, "los": 0.5, "se": 0.5, "sin": 0.5, "v": -6.0, "vs": -6.0}
_SHARED_WORDS = _words(
    """
    no me he a son once come dice pie sea sale ten fin red real general federal legal criminal capital
    final social actual animal central civil control debate error factor formal honor hotel idea area media
    moral natural normal oral penal personal plan principal radio religion ritual rural total tribal union
    visa visas veto vetoes quota quotas militia data agenda drama formula panorama propaganda marijuana
    cocaine alibi bona alma mater habeas corpus amicus miranda pro bono mens rea
    subpoena certiorari mandamus quo warranto quorum non grata gratis
    florida california america georgia montana nevada arizona indiana iowa nebraska oklahoma alabama
    louisiana minnesota alaska virginia carolina dakota philadelphia pennsylvania colorado ohio idaho mexico
    puerto rico texas cuba china russia korea india canada guantanamo chicago san santa angeles
    garcia lopez martinez rodriguez sharon obama korematsu hernandez gonzales ice fbi cia daca usc cfr ina
    """
)
# Said in both languages; taken out whole, as some of their words alone are Spanish.
_LEGAL_LATIN = re.compile(
    r"\b(?:(?:pro|per) se|en banc|voir dire|(?:ultra|intra) vires|inter (?:alia|vivos)|de (?:minimis|novo|facto|jure)"
    r"|res (?:ipsa loquitur|gestae|judicata)|sua sponte|nolo contendere|prima facie|per (?:curiam|stirpes|diem)"
    r"|amic(?:us|i) curiae|actus reus|lis pendens|stare decisis|nunc pro tunc|caveat emptor|respondeat superior"
    r"|obiter dict(?:um|a)|ratio decidendi|ex (?:parte|post facto|officio|rel)"
    r"|in (?:rem|personam|absentia|loco parentis)"
    r"|corpus (?:delicti|juris)|forum non conveniens|malum in se|mala (?:in se|prohibita)|quantum meruit)\b"
)
_ENGLISH = ENGLISH_FUNCTION_WORDS | _ENGLISH_WORDS
_SPANISH = SPANISH_FUNCTION_WORDS | _SPANISH_WORDS
_KNOWN = _ENGLISH | _SPANISH
_LOOKS_SPANISH, _OF_EITHER, _LOOKS_ENGLISH = _listed("english"), _listed("either"), _listed("spanish")
_GENDER = re.compile(r"[ao]s?$")
_SPANISH_STEMS = frozenset(_GENDER.sub("", word) for word in _LOOKS_ENGLISH if _GENDER.search(word))
_ENDINGS: tuple[tuple[re.Pattern[str], float], ...] = (  # the first that fits; positive is Spanish
    (
        re.compile(
            r"(?:cion|iones|dad|dades|tades?|mente|mientos?|anza|encias?|ancias?|[ai]rme|[ai]rse|aje)$"
        ),
        1.5,
    ),
    (re.compile(r"(?:\w{2}aron|[ij]eron)$"), 1.2),  # "pagaron", "despidieron"; not "baron" and "heron"
    (re.compile(r"(?:tions?|sions|ing|[ln]ess|ght|ments?|[ae]nce|[ae]ncy|ity|ly|ism|ists?|ous)$"), -1.5),
    (re.compile(r"[ao]s?$"), 0.8),
    (re.compile(r"[ai]r$"), 0.4),
    (re.compile(r"(?:[aeiou]z)$"), 0.5),
    (re.compile(r"(?:ed|ful|[ai]ble|i[vz]e|ate|ies|y)$"), -0.8),
    (re.compile(r"[^aeiounsrldzjy]$"), -0.8),  # consonants no Spanish word ends in
)
_UNSPANISH = re.compile(r"([^lrcn\W\d])\1|[kw]|th|sh|gh|ph|ck")  # letters and pairs Spanish has no use for
_SPANISH_MARK = re.compile(r"[¿¡ñÑ]")
_ACCENTED_VOWEL = re.compile(r"[áéíóúÁÉÍÓÚ]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ACRONYM = re.compile(r"[A-Z]{2,6}")
_DONE_TO_ME = re.compile(r"(?:(?:no|ya|si|y|que) )*me (?P<verb>\w{2,}[aeo][ns]?)\b")
_ONE_LANGUAGE_ONLY = 2.0
_LOOKS_LIKE_THE_OTHER = 1.0
_UNSURE = 0.01  # sums of the weights are not exact
_FEW = 2  # words of which one ending alone tells nothing: "polenta" and names end like Spanish words
_ENDING_ALONE = 0.9


def detect(text: str, *, otherwise: str = "en") -> str:
    """``en`` or ``es``: the language of a question, with or without its accents; `otherwise` where nothing tells."""
    words = _WORD.findall(text)
    said = _WORD.findall(_LEGAL_LATIN.sub(" ", fold(" ".join(word for word in words if not _is_acronym(word)))))
    evidence = sum(map(_evidence, said)) + _is_done_to_me(" ".join(said))
    evidence += 2 * bool(_ACCENTED_VOWEL.search(text)) + 3 * bool(_SPANISH_MARK.search(text))
    if evidence < -_UNSURE or evidence > (_ENDING_ALONE if len(said) <= _FEW else _UNSURE):
        return "es" if evidence > 0 else "en"
    return otherwise


def _is_done_to_me(said: str) -> bool:
    """A complaint, "no me pagan", which begins with an object; English puts "me" behind its verb."""
    complaint = _DONE_TO_ME.match(said)
    return complaint is not None and _evidence(complaint["verb"]) >= 0


def _is_acronym(word: str) -> bool:
    """ "FOIA", "HOA": a name in both languages."""
    return _ACRONYM.fullmatch(word) is not None and fold(word) not in _KNOWN


@lru_cache(maxsize=1 << 14)
def _evidence(word: str) -> float:
    """A folded word's evidence: positive Spanish, negative English."""
    word = word.replace("'", "")
    if word in _SHARED_WORDS or word in _OF_EITHER or word in _LEANING:
        return _LEANING.get(word, 0.0)
    if word in _SPANISH:
        return _ONE_LANGUAGE_ONLY
    if word in _ENGLISH:
        return -_ONE_LANGUAGE_ONLY
    if word in _LOOKS_SPANISH:
        return -_LOOKS_LIKE_THE_OTHER
    if word in _LOOKS_ENGLISH or (_GENDER.search(word) and _GENDER.sub("", word) in _SPANISH_STEMS):
        return _LOOKS_LIKE_THE_OTHER
    return _ending(word)


def _ending(word: str) -> float:
    ending = next((weight for pattern, weight in _ENDINGS if pattern.search(word)), 0.0)
    return ending - len(_UNSPANISH.findall(word))
