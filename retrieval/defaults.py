"""The seven domains that ship. Loading them again adds what is missing, a source where a domain has none, and changes
nothing else.
"""

import json

from django.conf import settings

from retrieval.models import Domain


def load_domains() -> int:
    """How many were added."""
    shipped = json.loads((settings.BASE_DIR / "retrieval/corpora/domains.json").read_text())
    for row in shipped:
        Domain.objects.filter(slug=row["slug"], source="").update(source=row["source"])
    return sum(Domain.objects.get_or_create(slug=row.pop("slug"), defaults=row)[1] for row in shipped)
