"""How the schema of this API is made: its key, and what names an operation."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

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
