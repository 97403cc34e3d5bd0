"""A completion that comes in pieces, as server-sent events, put together to what it would be in one. Pure."""

import json

from retrieval.engines.llm.answers import Unusable
from retrieval.text import strict_json

MEDIA_TYPE = "text/event-stream"


class Pieces:
    """`content` grows by what is taken."""

    def __init__(self):
        self.content, self.refusal = "", ""
        self.finish, self.usage = None, None
        self._line = b""  # not whole yet

    def take(self, part: bytes) -> bool:
        """Whether an object of the content may be whole now. Raises Unusable for what is no piece of a completion."""
        *lines, self._line = (self._line + part).split(b"\n")
        before = len(self.content)
        try:
            for line in lines:
                if line.startswith(b"data:") and line[5:].strip() != b"[DONE]":
                    self._add(strict_json.loads(line[5:]))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            raise Unusable from None
        return "}" in self.content[before:]

    def _add(self, piece: dict) -> None:
        self.usage = piece.get("usage") or self.usage
        for choice in piece["choices"]:  # none in the piece that has the usage
            if choice["index"] != 0:
                raise Unusable
            self.finish = choice.get("finish_reason") or self.finish
            self.content += choice["delta"].get("content") or ""
            self.refusal += choice["delta"].get("refusal") or ""

    @property
    def completion(self) -> bytes:
        message = {"content": self.content, "refusal": self.refusal or None}
        return json.dumps(
            {"choices": [{"finish_reason": self.finish, "message": message}], "usage": self.usage}
        ).encode()
