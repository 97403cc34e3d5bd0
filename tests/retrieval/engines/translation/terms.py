"""A small glossary, and where Apertium is needed."""

import pytest

from retrieval.engines.translation.apertium import installed
from retrieval.engines.translation.glossary import Glossary

needs_apertium = pytest.mark.skipif(not installed(), reason="apertium-eng-spa is not installed")
GLOSSARY = Glossary(
    {
        "derecho a guardar silencio": "right to remain silent",
        "guardar silencio": "remain silent",
        "orden": "order",
        "orden judicial": "warrant",
        "registrar": "search",
        "debido proceso": "due process",
        "expropiación": "eminent domain",
    }
)
