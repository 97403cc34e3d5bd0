"""manage.py check_llm [--seconds 60]"""

from collections import Counter
from math import ceil

from django.core.management.base import CommandError, CommandParser

from retrieval.engines.llm import budget
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.options import ANSWER_FORMS, LENGTH_LIMITS, OPTIONS
from retrieval.engines.llm.trial import Trial, try_endpoint
from retrieval.management.base import ArfCommand
from retrieval.stages.llm_verifier import FORM, LLMVerifier, prompt_of

QUESTION = "Can a state take away my citizenship?"
PROVISION = (  # with 80 words as long as a usual one
    "U.S. Const. amend. XIV, § 1\nCitizenship, privileges and immunities, due process, equal protection\n"
    "All persons born or naturalized in the United States, and subject to the jurisdiction thereof, are citizens of "
    "the United States and of the State wherein they reside. No State shall make or enforce any law which shall "
    "abridge the privileges or immunities of citizens of the United States; nor shall any State deprive any person of "
    "life, liberty, or property, without due process of law; nor deny to any person within its jurisdiction the equal "
    "protection of the laws."
)
IN_WORDS = {
    "json_schema": "JSON schema",
    "json_object_schema": "JSON object with a schema",
    "json_object": "JSON object",
}


class Command(ArfCommand):
    help = "Asks the language model once, then as a search does: what its endpoint can do, its speed and its price."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seconds", type=float, default=60.0, help="how long to wait for answers")

    def handle(self, *, seconds: float, **options) -> None:
        endpoint = llm.endpoint()
        if endpoint is None:
            raise CommandError("No language model is configured (ARF_LLM_URL, ARF_LLM_MODEL).")
        # Each with a fence of its own, as in a search: a server must not remember one from another.
        prompts = [prompt_of(QUESTION, PROVISION) for _ in range(1 + LLMVerifier().calls)]
        trial = try_endpoint(endpoint, prompts, FORM, patience=seconds)
        self.stdout.write(f"{endpoint.model}, {endpoint.base_url}")
        for name, told in (*abilities(trial), *speed(trial), ("price", price(trial))):
            self.stdout.write(f"  {name:<14}{told}")
        if trial.seconds > endpoint.timeout:
            self.stderr.write(
                f"A search waits {endpoint.timeout:g} s (ARF_LLM_TIMEOUT), which is too short for this model; "
                f"{ceil(1.5 * trial.seconds)} would do."
            )


def abilities(trial: Trial) -> list[tuple[str, str]]:
    taken = [name for name in OPTIONS if name in trial.sent]
    form = next((IN_WORDS[name] for name in taken if name in ANSWER_FORMS), "asked for by the prompt alone")
    no_form = [IN_WORDS[name] for name in OPTIONS if name in trial.refused and name in IN_WORDS]
    limit = next((name for name in taken if name in LENGTH_LIMITS), "none")
    plain = [(name, "taken" if name in trial.sent else "refused") for name in ("temperature", "seed")]
    told = f"{form} (refused: {', '.join(no_form)})" if no_form else form
    return [("form", told), ("length limit", limit), *plain]


def speed(trial: Trial) -> list[tuple[str, str]]:
    alone, outcomes = trial.alone, Counter(attempt.outcome for attempt in trial.together)
    tokens = f"{alone.tokens_in} tokens in, {alone.tokens_out} out"
    became = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    return [
        ("one answer", f"{alone.ms / 1000:.2f} s; {tokens}; {alone.outcome}"),
        (f"{len(trial.together)} at once", f"{trial.seconds:.2f} s; {became}"),
    ]


def price(trial: Trial) -> str:
    """Of 1,000 questions, each asking as often as a search may."""
    policy = budget.current_policy()
    if not (policy.price_in or policy.price_out):
        return "none is configured (admin, LLM policy)"
    calls = len(trial.together)
    return f"at most {1000 * trial.cost:.2f} USD per 1,000 questions, of {calls} calls each"
