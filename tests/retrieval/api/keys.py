"""Keys, and searches with them."""

from retrieval.models import ApiKey

API = "/api/v1"


def key_with(*scopes, **fields):
    key, secret = ApiKey.issue(name="client", scopes=list(scopes), **fields)
    return key, {"HTTP_AUTHORIZATION": f"Bearer {secret}"}


def search(client, q="jury", *, headers=None, **query):
    return client.get(f"{API}/search", {"q": q, **query}, **(headers or {}))
