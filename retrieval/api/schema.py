"""The description of this API in OpenAPI, and its pages."""

from functools import cache

from csp.decorators import csp_update
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request

from retrieval.api.base import InEnglish
from retrieval.api.parameters import Choice, Parameters


class SchemaParameters(Parameters):
    format = Choice(choices=["yaml", "json"], required=False)


class DocsParameters(Parameters):
    script = Choice(choices=[""], required=False)


@cache
def described(language: str | None) -> dict:
    """The whole API in the language in use: the same for everyone, and 0.3 s of work."""
    return SchemaGenerator().get_schema(public=True)


class Described(SchemaGenerator):
    """Made once in a process."""

    def get_schema(self, request: Request | None = None, public: bool = False) -> dict:
        return described(get_language())


class SchemaView(InEnglish, SpectacularAPIView):
    """The description of this API in OpenAPI, as YAML unless JSON is asked for."""

    generator_class = Described

    def initial(self, request: Request, *args, **kwargs) -> None:
        SchemaParameters.from_url(request)
        super().initial(request, *args, **kwargs)


@method_decorator(csp_update({"style-src": "'unsafe-inline'"}), name="dispatch")
class DocsView(InEnglish, SpectacularSwaggerSplitView):
    """Swagger UI from our own static files, its start-up script apart: only styles need room in the CSP."""

    url_name = "api:schema"
    template_name = "retrieval/api_docs.html"

    def initial(self, request: Request, *args, **kwargs) -> None:
        DocsParameters.from_url(request)
        super().initial(request, *args, **kwargs)
