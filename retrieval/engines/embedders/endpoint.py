"""An OpenAI-compatible `/v1/embeddings` endpoint; openai is imported at first use only."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

import numpy as np

from retrieval.engines.embedders.base import EmbeddingUnavailable, unavailable_on_error, unit

ENDPOINT_BATCH = 64  # texts a request: well under the limits of all known servers
CHARS_PER_TOKEN = 3  # low for legal English, so that a text cut by characters stays in the window


class EndpointEmbedder:
    """`/v1/embeddings` of any OpenAI-compatible server. Nobody tells what weights answer there, so the
    fingerprint holds the model's name and window only: give a changed model another name.
    """

    words: frozenset[str] = frozenset()

    def __init__(
        self,
        model: str = "",
        *,
        base_url: str = "",
        api_key: str = "",
        timeout: float = 10.0,
        retries: int = 2,
        max_tokens: int = 512,
    ):
        if not model or not base_url:
            raise EmbeddingUnavailable("An embedding endpoint needs both a base URL and a model.")
        self._model, self._base_url, self._api_key = model, base_url, api_key
        self._timeout, self._retries = timeout, retries
        self.name = f"{model} (endpoint)"
        self.max_tokens = max_tokens
        self.fingerprint = hashlib.sha256(f"endpoint {model} {max_tokens}".encode()).hexdigest()[:16]

    @functools.cached_property
    def dims(self) -> int:
        """Asked of the endpoint once. Raises EmbeddingUnavailable."""
        return self._request(["dimensions"]).shape[1]

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        batches = [texts[i : i + ENDPOINT_BATCH] for i in range(0, len(texts), ENDPOINT_BATCH)]
        vectors = [self._embed(batch) for batch in batches]
        return np.concatenate(vectors) if vectors else np.empty((0, self.dims), np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        return self._embed([text])[0]

    def count_tokens(self, text: str) -> int:
        """An estimate from characters, on the high side."""
        return -(-len(text) // CHARS_PER_TOKEN)

    def _embed(self, texts: Sequence[str]) -> np.ndarray:
        longest = self.max_tokens * CHARS_PER_TOKEN
        vectors = self._request([text[:longest] or " " for text in texts])  # servers refuse an empty text
        if vectors.shape != (len(texts), self.dims):
            raise EmbeddingUnavailable("The embedding endpoint answered with vectors of the wrong shape.")
        return unit(vectors)

    def _request(self, texts: list[str]) -> np.ndarray:
        """One vector for each text, in their order."""
        with unavailable_on_error("The embedding endpoint did not answer."):
            answer = self._client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        with unavailable_on_error("The embedding endpoint's answer was not understood."):
            rows = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
            vectors = np.array(rows, dtype=np.float32)
        if vectors.ndim != 2 or not vectors.size:
            raise EmbeddingUnavailable("The embedding endpoint answered without vectors.")
        return vectors

    @functools.cached_property
    def _client(self):  # noqa: ANN202 - half a second to import, for those who use it
        from openai import OpenAI

        return OpenAI(
            base_url=self._base_url,
            api_key=self._api_key or "none",
            timeout=self._timeout,
            max_retries=self._retries,
        )
