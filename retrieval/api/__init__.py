"""The REST API: a view parses strictly, calls one function, answers JSON. Its contract: docs/api.md and the schema."""
