"""Asks the API, and holds its answers to the shapes that the schema promises."""

API = "/api/v1"


def found(client, q, **more):
    response = client.get(f"{API}/search", {"q": q, **more})
    assert response.status_code == 200, response.content
    return response.json()


def locators(answer):
    return [result["locator"] for result in answer["results"]]


def assert_shape(answer, shape):
    """An answer has exactly what the schema promises; what is not required may be absent."""
    fields = shape().get_fields()
    assert set(answer) <= set(fields)
    assert {name for name, field in fields.items() if field.required or field.read_only} <= set(answer)
    for name, value in answer.items():
        field = fields[name]
        inner = getattr(field, "child", field)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and hasattr(inner, "get_fields"):
                assert_shape(item, type(inner))


def section(client, path, headers=None, **query):
    response = client.get(f"{API}/sections/{path}", query, **(headers or {}))
    assert response.status_code == 200, response.content
    return response.json()
