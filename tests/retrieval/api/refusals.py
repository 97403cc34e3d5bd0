"""Posts to the API, and holds what it refuses to one shape."""

import json

SEARCH = "/api/v1/search"


def post(client, body, url=SEARCH, **extra):
    body = body if isinstance(body, bytes | str) else json.dumps(body)
    return client.post(url, body, content_type=extra.pop("content_type", "application/json"), **extra)


def assert_refused(response, status=400, code=None):
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    error = response.json()
    assert set(error) == {"error"} and set(error["error"]) == {"code", "message"}
    assert code in (None, error["error"]["code"])
    return error["error"]["message"]
