"""Every pipeline in full. Read this first: a query passes the stages from top to bottom."""

from retrieval.pipeline import Pipeline, Stage
from retrieval.stages.acts import ActRetriever
from retrieval.stages.citations import AnswerCases, AnswerChanges, CitationRetriever, ResolveCitations
from retrieval.stages.cross_encoder import CrossEncoderReranker
from retrieval.stages.fusion import Fuse
from retrieval.stages.legs import DenseRetriever, LexicalRetriever, PrivateLexicalRetriever
from retrieval.stages.llm_verifier import LLMVerifier
from retrieval.stages.parts import GatherParts
from retrieval.stages.present import FindNotes, Present, SuggestQuestions
from retrieval.stages.query import EmbedQuery, Normalize
from retrieval.stages.quoted import HeadedFirst, KeepQuoted
from retrieval.stages.reranker.reranker import LearnedReranker
from retrieval.stages.route import Route
from rules.aliases.retrievers import (
    AliasRetriever,
    AnswerChangesOfNamed,
    AnswerCollectiveName,
    CompareNames,
    CompareTexts,
    LexicalAliasRetriever,
    NearestAliasRetriever,
)
from rules.engine.actions.apply import ApplyRuleActions
from rules.engine.actions.on_results import (
    AbstainByRule,
    AddNotes,
    AddRedirect,
    BoostAndBury,
    CheckCoverage,
    CoverRules,
    CreditAliases,
    DropExcluded,
    KeepToBudget,
    PinTargets,
    RuleAliasRetriever,
)
from rules.engine.actions.on_search import (
    AddSynonyms,
    ExcludeFromSearch,
    PerRuleSearch,
    RecheckCitation,
    RestrictSearch,
    RewriteQuery,
)
from rules.engine.match_rules import MatchRules
from rules.questions.named import FindNamedDomains
from rules.questions.screen import Schedule, Screen
from rules.questions.strategy import Strategy
from rules.sufficiency.corrections import (
    FollowCitations,
    ReadAsOtherLanguage,
    RespellFurther,
    SearchEverywhere,
)
from rules.sufficiency.stage import Sufficient, UntilSufficient
from rules.thresholds.each_domain import EachDomain
from rules.thresholds.likely import CompareDomains
from rules.thresholds.stages import Abstain, Calibrate, Gates, ReadThresholds
from rules.understanding import Respell, Translate

NAMES = (
    "default", "verified", "once", "gathered", "learned", "learned_verified", "gated", "pool", "named_by_words",
    "named_by_meaning", "named", "apart", "cited", "located", "fusion", "called", "dense_and_words", "dense", "lexical",
    "words", "places",
)  # fmt: skip
PUBLIC = ("default", "verified")

# Its language; whether it is searched at all.
ADMITTED = (Normalize(), Screen(), Schedule())

# The question understood: what it cites, names, or asks the history or the decisions of; thresholds; its English.
UNDERSTOOD = (
    ResolveCitations(),
    AnswerChanges(),
    AnswerChangesOfNamed(),
    AnswerCases(),
    AnswerCollectiveName(),
    ReadThresholds(),
    Translate(),
)

# What rules that fired do to the search, and to what was found.
ON_SEARCH = (RewriteQuery(), AddSynonyms(), RestrictSearch(), ExcludeFromSearch(), RecheckCitation())
ON_RESULTS = (
    DropExcluded(),
    BoostAndBury(),
    CoverRules(),
    PinTargets(),
    KeepToBudget(),
    CheckCoverage(),
    CreditAliases(),
    AddNotes(),
    AddRedirect(),
    AbstainByRule(),
)

# Where candidates come from: what the question cites, curated names, texts.
CITED = (CitationRetriever(weight=3.0), ActRetriever(k=50, weight=2.0))
NAMED = (
    AliasRetriever(weight=2.0),
    NearestAliasRetriever(k=50, least=0.4, sure=0.6, weight=2.0),
    LexicalAliasRetriever(k=50, few=5, weight=1.0, weight_of_few=0.3),
)
TEXTS = (DenseRetriever(k=100), LexicalRetriever(k=100), PrivateLexicalRetriever(k=100, weight=2.0))
LEGS = (*CITED, *NAMED, *TEXTS)

# How they are judged, whatever brought them.
GATED = (Calibrate(), Gates())
READ = (CompareTexts(depth=100, weight=0.3), CompareNames(), CrossEncoderReranker(depth=30))
RANKED = (*READ, *GATED, LearnedReranker(depth=100))

# The last of what is known of a question: its words put right, its vector, the bodies of law that it names or is
# probably about.
PLACED = (Respell(), EmbedQuery(), FindNamedDomains(), Route(), CompareDomains())
MOST = 4  # public bodies of law that are searched

# Rules come before anything is searched, and again after everything is ranked, so that nothing undoes them.
ASKED = (*ADMITTED, *UNDERSTOOD, MatchRules(placed=PLACED), ApplyRuleActions(*ON_SEARCH))

# An answer in the learned order, or an abstention.
LOOKED_UP = (
    *PLACED,
    Strategy(),
    EachDomain(
        PerRuleSearch(Fuse(*LEGS, RuleAliasRetriever(weight=2.0), k=60)),
        *RANKED,
        KeepQuoted(),
        GatherParts(),
        HeadedFirst(),
        Abstain(),
        most=MOST,
    ),
)

# What is put right in a question, first what is missing most, where nothing was found that probably answers it.
CORRECTIONS = (ReadAsOtherLanguage(), RespellFurther(slips=2), SearchEverywhere(), FollowCitations(first=3))
ANSWERED = (
    *ASKED,
    UntilSufficient(*LOOKED_UP, Sufficient(), corrections=CORRECTIONS, most=2),
    SuggestQuestions(most=3),
)


def found(*judged: Stage, legs: tuple[Stage, ...] = LEGS) -> tuple[Stage, ...]:
    """What is measured and learned from: no rules, no abstention."""
    return (Normalize(), *UNDERSTOOD, *PLACED, EachDomain(Fuse(*legs, k=60), *judged, most=MOST))


def fused(*legs: Stage, first: tuple[Stage, ...] = ()) -> Pipeline:
    """All law as one, without anything that curators or judges wrote."""
    return Pipeline(Normalize(), *first, Translate(), EmbedQuery(), Fuse(*legs, k=60), Present())


def default() -> Pipeline:
    """What people get: an answer in the learned order, or an abstention where it probably holds none. It asks no
    language model, so that it is fast, costs nothing, and is the same for staff as for everybody.
    """
    return Pipeline(*ANSWERED, ApplyRuleActions(*ON_RESULTS), FindNotes(most=10), Present())


def verified() -> Pipeline:
    """The default, with what the reranker is unsure of put to a language model if one is configured and the caller may
    ask it; the same as the default for everybody else. Clients whose key may ask get it unless they name another.
    """
    return Pipeline(
        *ANSWERED, LLMVerifier(calls=3, depth=20), ApplyRuleActions(*ON_RESULTS), FindNotes(most=10), Present()
    )


# -- What is measured and learned from. Each adds one thing to the one below it.


def once() -> Pipeline:
    """The default that never looks again: `manage.py train_sufficiency` learns from it when that would help."""
    return Pipeline(*ASKED, *LOOKED_UP, ApplyRuleActions(*ON_RESULTS), Present())


def learned_verified() -> Pipeline:
    """The learned order, with what the reranker is unsure of put to a language model."""
    return Pipeline(*found(*RANKED), LLMVerifier(calls=3, depth=20), Present())


def gathered() -> Pipeline:
    """The learned order with what stands together in the law put together behind the first ten."""
    return Pipeline(*found(*RANKED, GatherParts()), Present())


def learned() -> Pipeline:
    """In the order which the deployed reranker learned from judgments."""
    return Pipeline(*found(*RANKED), Present())


def gated() -> Pipeline:
    """The pool without what a curator's thresholds let drop."""
    return Pipeline(*found(*READ, *GATED), Present())


def pool() -> Pipeline:
    """What there is to choose from: everything up to the gates. The reranker is trained on it."""
    return Pipeline(*found(*READ), Present())


def named_by_words() -> Pipeline:
    """The order of the legs alone."""
    return Pipeline(*found(), Present())


def named_by_meaning() -> Pipeline:
    return Pipeline(*found(legs=(*CITED, *NAMED[:2], *TEXTS)), Present())


def named() -> Pipeline:
    return Pipeline(*found(legs=(*CITED, *NAMED[:1], *TEXTS)), Present())


def apart() -> Pipeline:
    """Each body of law searched by itself, misspelt words put right."""
    return Pipeline(*found(legs=(*CITED, *TEXTS)), Present())


def cited() -> Pipeline:
    """Fusion with citations and acts: what can be had without anything that curators or judges wrote."""
    return fused(*CITED, DenseRetriever(k=100), LexicalRetriever(k=100), first=(ResolveCitations(),))


def located() -> Pipeline:
    """Fusion with what the question cites."""
    return fused(*CITED[:1], DenseRetriever(k=100), LexicalRetriever(k=100), first=(ResolveCitations(),))


def fusion() -> Pipeline:
    """Dense and lexical alone: what everything else is compared with."""
    return fused(DenseRetriever(k=100), LexicalRetriever(k=100))


def called() -> Pipeline:
    """With what others call a section, without how many cite it."""
    return fused(DenseRetriever(k=100), LexicalRetriever(k=100, cited=False))


def dense_and_words() -> Pipeline:
    return fused(DenseRetriever(k=100), LexicalRetriever(k=100, called=False, cited=False))


def dense() -> Pipeline:
    return fused(DenseRetriever(k=100))


def lexical() -> Pipeline:
    return Pipeline(Normalize(), Translate(), Fuse(LexicalRetriever(k=100), k=60), Present())


def words() -> Pipeline:
    """BM25 alone: what the ways in which others cite a section add to it in `lexical`."""
    return Pipeline(Normalize(), Translate(), Fuse(LexicalRetriever(k=100, called=False, cited=False), k=60), Present())


def places() -> Pipeline:
    """What pickers offer while one types: the place cited, else what names and texts have the words of."""
    return Pipeline(
        Normalize(),
        ResolveCitations(),
        Fuse(
            CitationRetriever(weight=3.0),
            AliasRetriever(weight=2.0),
            LexicalAliasRetriever(k=20, few=5, weight=1.0),
            LexicalRetriever(k=20),
            PrivateLexicalRetriever(k=20, weight=2.0),
            k=60,
        ),
        Present(),
    )


def pipelines_of_strategies() -> dict[str, str]:
    """Of each strategy that is a way of searching, the name of its pipeline: `manage.py strategy_regret` runs them all
    on the same topics. The others are searched as `hybrid`.
    """
    return {"citation": "learned", "keyword": "lexical", "hybrid": "learned"}


def ablation_steps() -> list[tuple[str, str]]:
    """(label, name) of the pipelines that `manage.py ablate` compares, each adding one thing to the one before.

    None of them abstains: what that costs and gains is measured by risk and coverage (`manage.py tune_thresholds`).
    """
    return [
        ("dense", "dense"),
        ("+ words", "dense_and_words"),
        ("+ what others call it", "called"),
        ("+ how many cite it", "fusion"),
        ("+ citations", "located"),
        ("+ acts", "cited"),
        ("+ bodies apart, respelt", "apart"),
        ("+ names in the question", "named"),
        ("+ names by meaning", "named_by_meaning"),
        ("+ names by words", "named_by_words"),
        ("+ texts and names read", "pool"),
        ("+ gates", "gated"),
        ("+ MLP", "learned"),
        ("+ LLM", "learned_verified"),
    ]
