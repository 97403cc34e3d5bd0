"""How the schema of this API is made: its key, what names an operation, and what bodies may leave out."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

NULL = {"enum": [None]}
PATH = OpenApiParameter("path", str, "path", description="A locator without its leading slash.")


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """Found by its target when the schema is made."""

    target_class = "retrieval.api.authentication.ApiKeyAuthentication"
    name = "ApiKey"

    def get_security_definition(self, auto_schema) -> dict[str, str]:
        described = "A key made in the admin; none is needed to read public law."
        return {"type": "http", "scheme": "bearer", "description": described}


class Operations(AutoSchema):
    """Lists name an operation by the first sentence of its handler's docstring."""

    def get_override_parameters(self) -> list:
        return [*([PATH] if "{path}" in self.path else []), *super().get_override_parameters()]

    def get_summary(self) -> str:
        return super().get_description().partition(". ")[0].rstrip(".")

    def get_description(self) -> str:
        return super().get_description().partition(". ")[2]


def as_read(result: dict, **_) -> dict:
    """What `Parameters.from_json` takes besides: null for what may be left out, and one value in place of a list."""
    schemas = result["components"]["schemas"]
    for name in json_bodies(result):
        body = schemas[name]
        told = body["properties"]
        for field, shape in told.items():
            told[field] = loosened(shape, optional=field not in body.get("required", ()))
    return result


def json_bodies(result: dict) -> set[str]:
    """The names of their shapes."""
    operations = (operation for path in result["paths"].values() for operation in path.values())
    contents = (operation["requestBody"]["content"] for operation in operations if "requestBody" in operation)
    bodies = (content["application/json"]["schema"] for content in contents if "application/json" in content)
    return {body["$ref"].rpartition("/")[2] for body in bodies}


def loosened(shape: dict, *, optional: bool) -> dict:
    if shape.get("type") == "array":
        described = {name: shape[name] for name in ("default", "description") if name in shape}
        several = {name: value for name, value in shape.items() if name not in described}
        one = {"type": "string"} if "$ref" in shape["items"] else shape["items"]  # of choices, with commas between
        return described | {"anyOf": [loosened_to_null(several) if optional else several, one]}
    return loosened_to_null(shape) if optional else shape


def loosened_to_null(shape: dict) -> dict:
    return shape | {"nullable": True} if "type" in shape else {"anyOf": [shape, NULL]}
