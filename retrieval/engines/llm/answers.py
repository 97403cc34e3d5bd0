"""Reads answers strictly. Pure."""

from typing import Any

BELIEVED_TOKENS = 1_000_000  # a server that counts more for one call is not believed


class Unusable(ValueError):
    """An answer that says nothing we may use: malformed, refused or injected."""

    def __init__(self, outcome: str = "malformed"):
        super().__init__(outcome)
        self.outcome = outcome


def content_of(completion: Any) -> str:
    """The one choice's text. Raises Unusable for a refusal or an answer cut short."""
    [choice] = completion["choices"]
    message = choice["message"]
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise Unusable("refused")
    if choice.get("finish_reason") not in ("stop", None) or not isinstance(message["content"], str):
        raise Unusable
    return message["content"]


def counted(completion: Any, name: str, otherwise: int) -> int:
    """The server's own count, where it tells one that can be true."""
    usage = completion.get("usage")
    tokens = usage.get(name) if isinstance(usage, dict) else None
    return tokens if type(tokens) is int and 0 <= tokens <= BELIEVED_TOKENS else otherwise
