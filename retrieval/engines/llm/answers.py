"""Reads answers strictly, by the schema they were asked under. Pure."""

from collections.abc import Mapping
from typing import Any

TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float), "array": (list,),
    "object": (dict,),
}  # fmt: skip
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


# -- Schemas: of an object every name is required, and no other is allowed


def listed(**fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": strict(**fields)}


def strict(**fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


TEXT, TRUTH, WHOLE, NUMBER = ({"type": kind} for kind in ("string", "boolean", "integer", "number"))
TEXTS = {"type": "array", "items": TEXT}


def conforms(value: Any, schema: Mapping[str, Any]) -> None:
    """Raises Unusable for what is not exactly as the schema says."""
    if type(value) not in TYPES[schema["type"]] or value not in schema.get("enum", [value]):
        raise Unusable
    if schema["type"] == "object":
        if set(value) != set(schema["required"]):
            raise Unusable
        for name, of in schema["properties"].items():
            conforms(value[name], of)
    for item in value if schema["type"] == "array" else ():
        conforms(item, schema["items"])
