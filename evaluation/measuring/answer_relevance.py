"""Whether an answer is about its question, by the two definitions that share this name: how near the two are, and how
near the question is to those that a language model reads out of the answer (Es et al., RAGAS, 2023).
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrieval.answers.generation import LANGUAGES
from retrieval.engines import loaded
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.answers import TEXT, TRUTH, Unusable, conforms, listed, strict
from retrieval.engines.llm.requests import Form, LLMUnavailable, Messages
from retrieval.stages.llm_verifier import fenced, harmless

TEMPLATE = "evaluation/prompts/questions.txt"
PURPOSE = "answer relevance"
READ_OUT = 3  # questions of an answer
JUDGED = 50  # answers that the model is asked about, drawn at random
PATIENCE = 60.0  # seconds for one of them

SCHEMA = strict(evades=TRUTH, questions=listed(text=TEXT))


@dataclass(frozen=True, slots=True)
class Said:
    """A question and all that was answered, empty where it was declined."""

    question: str
    answer: str
    language: str


def questions_of(answer: Any) -> list[str]:
    """The questions that were read out; none of an answer that evades."""
    conforms(answer, SCHEMA)
    found = [one["text"] for one in answer["questions"]][:READ_OUT]
    if not answer["evades"] and not found:
        raise Unusable
    return [] if answer["evades"] else found


FORM = Form("questions", SCHEMA, questions_of)


def similarities(answers: Sequence[Said]) -> list[float]:
    """The cosine of each question and its answer; 0 where it was declined."""
    return [nearness(one.question, [one.answer]) if one.answer else 0.0 for one in answers]


def by_questions(answers: Sequence[Said], *, seed: int = 1) -> tuple[list[float], int]:
    """Of a sample of answers the mean cosine of the question and those read out, 0 where the answer was declined or
    evades; and how many the model did not judge. Raises LLMUnavailable where none may be asked.
    """
    drawn = random.Random(seed).sample(answers, min(JUDGED, len(answers)))
    scores, failed = [], 0
    for one in drawn:
        read_out = questions_read_out(one) if one.answer else []
        if read_out is None:
            failed += 1
        else:
            scores.append(nearness(one.question, read_out) if read_out else 0.0)
    return scores, failed


def questions_read_out(said: Said) -> list[str] | None:
    """None where the model fails. Raises LLMUnavailable where it is not configured or switched off."""
    try:
        asked = llm.ask_all([prompt_of(said)], FORM, purpose=PURPOSE, requests=2, patience=PATIENCE)
    except LLMUnavailable as problem:
        if problem.reason == "off":
            raise
        return None
    return asked.answers[0].value if asked.answers[0].outcome == "answered" else None


def prompt_of(said: Said) -> Messages:
    told = {"language": LANGUAGES[said.language], "most": READ_OUT}
    return fenced(TEMPLATE, {"answer": harmless(said.answer)}, **told)


def nearness(question: str, texts: Sequence[str]) -> float:
    """The mean cosine of the question and the texts. Raises NotRun without an embedder."""
    embedder = loaded.active_embedder().embedder
    return float(np.mean(embedder.embed_documents(list(texts)) @ embedder.embed_query(question)))
