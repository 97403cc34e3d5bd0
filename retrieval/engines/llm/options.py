"""What a request asks of a server beside the prompt, and what of it a refusal names. Pure.

A server that refuses one of them is asked without it, or in the next plainer form.
"""

import re
from collections.abc import Collection, Set
from typing import Any

from retrieval.engines.llm.requests import Form, Messages

# Of each kind the first that is not refused is sent; without any the prompt alone asks for it.
ANSWER_FORMS = ("json_schema", "json_object_schema", "json_object")
# A limit that a server does not know it may ignore, and write on until its context is full: llama-cpp-python does so
# with max_completion_tokens. The servers that know that one alone refuse max_tokens by name.
LENGTH_LIMITS = ("max_tokens", "max_completion_tokens")
# In pieces, the last of which tells what they cost.
PIECES = ("stream", "stream_options")
OPTIONS = (*ANSWER_FORMS, *LENGTH_LIMITS, "temperature", "seed", *PIECES)

FORM_WORDS = r"response_format|json[_ ]schema|json_object|json mode|structured output"
WORDS = {name: re.compile(rf"\b{name}\b", re.IGNORECASE) for name in OPTIONS} | {
    name: re.compile(FORM_WORDS, re.IGNORECASE) for name in ANSWER_FORMS
}
REFUSING_STATUSES = (400, 422)  # what these name they refuse; any other status must say no in words as well
PASSING_STATUS = 429  # a server that is busy may name a limit, and refuses none
SAYS_NO = re.compile(
    r"\b(not|cannot|can't|doesn't|isn't|unsupported|un(known|recogni[sz]ed|expected)|invalid|forbidden|disabled|extra"
    r"|(should|must) be|expected|only)\b",
    re.IGNORECASE,
)
TOO_LONG = re.compile(
    r"\bcontext (length|window|size)\b|\btoo (large|long|many|big)\b|\bexceed", re.IGNORECASE
)


def options_of(form: Form, refused: Set[str], *, stream: bool = False) -> dict[str, dict[str, Any]]:
    """By its name, what each option adds to a request's body."""
    schema = {"name": form.name, "strict": True, "schema": form.schema}
    formats = {
        "json_schema": {"type": "json_schema", "json_schema": schema},
        "json_object_schema": {"type": "json_object", "schema": form.schema},  # llama.cpp and others read it
        "json_object": {"type": "json_object"},
    }
    sent = {name: {"response_format": formats[name]} for name in first_of(ANSWER_FORMS, refused)}
    sent |= {name: {name: form.tokens} for name in first_of(LENGTH_LIMITS, refused)}
    sent |= {name: {name: 0} for name in ("temperature", "seed") if name not in refused}
    if not stream or "stream" in refused:
        return sent
    pieces = {"stream": True, "stream_options": {"include_usage": True}}
    return sent | {name: {name: value} for name, value in pieces.items() if name not in refused}


def first_of(names: Collection[str], refused: Set[str]) -> list[str]:
    """The first that is not refused, if one is left."""
    return [name for name in names if name not in refused][:1]


def refused_by(status: int, complaint: str, sent: Collection[str], prompt: Messages) -> set[str]:
    """Which of the options sent a server's error refuses; none where it is another error.

    A word that the prompt has too may be a repetition of it; whoever names all of several repeats the request.
    That a request is too long says nothing of what the server can do.
    """
    if status == PASSING_STATUS or TOO_LONG.search(complaint):
        return set()
    if status not in REFUSING_STATUSES and not SAYS_NO.search(complaint):
        return set()
    asked = "\n".join(message["content"] for message in prompt)
    named = {name for name in sent if words_of(name, complaint) - words_of(name, asked)}
    return set() if len(named) == len(sent) > 2 else named


def words_of(name: str, text: str) -> set[str]:
    """The words for an option that stand in a text."""
    return {word.lower() for word in WORDS[name].findall(text)}
