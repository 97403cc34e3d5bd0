"""The groups that ship: what curators, judges and administrators may do. Staff may edit them afterwards."""

from django.contrib.auth.models import Group, Permission
from django.db.models import Q

CORPUS = ("domain", "document", "section", "chunk", "anchor", "citation")
CURATED = ("rule", "alias", "glossaryterm", "domainthreshold")

CURATOR = [
    *(f"retrieval.view_{model}" for model in (*CORPUS, "embeddingmodel", "jobrun", "version")),
    *(f"retrieval.view_{model}" for model in ("searchlog", "trace", "feedback")),
    "retrieval.add_jobrun",  # "Ingest again"
    *(f"retrieval.{verb}_upload" for verb in ("view", "add")),
    "retrieval.change_document",  # tags, and "Withdraw"
    *(f"rules.{verb}_{model}" for verb in ("view", "add", "change") for model in CURATED),
    "rules.view_rulefinding",
    "rules.publish_rule",  # of what another curator proposed
    *(f"evaluation.view_{model}" for model in ("topic", "judgment", "run")),
    *(f"evaluation.{verb}_{model}" for verb in ("add", "change") for model in ("topic", "judgment")),
]
JUDGE = [
    *(f"retrieval.view_{model}" for model in CORPUS),
    *(f"retrieval.view_{model}" for model in ("searchlog", "trace", "feedback")),
    *("evaluation.view_topic", "evaluation.view_judgment", "evaluation.add_judgment"),
]
ADMINISTERED = (
    "retrieval",
    "rules",
    "evaluation",
    "auth",
    "django_q",
    "axes",
)  # apps, with all that they hold


def load_groups() -> int:
    """Makes the groups that are missing; one that exists stays as staff left it. Gives how many were made."""
    shipped = {
        "Curator": named(CURATOR),
        "Judge": named(JUDGE),
        "Administrator": Permission.objects.filter(content_type__app_label__in=ADMINISTERED),
    }
    return sum(make(name, permissions) for name, permissions in shipped.items())


def make(name: str, permissions) -> bool:
    group, created = Group.objects.get_or_create(name=name)
    if created:
        group.permissions.set(permissions)
    return created


def named(names: list[str]) -> list[Permission]:
    """The permissions with these names, "app.codename". Raises LookupError for one that is not there."""
    wanted = Q()
    for name in names:
        app, codename = name.split(".")
        wanted |= Q(content_type__app_label=app, codename=codename)
    found = list(Permission.objects.filter(wanted).select_related("content_type"))
    if missing := set(names) - {f"{p.content_type.app_label}.{p.codename}" for p in found}:
        raise LookupError(f"no such permissions: {', '.join(sorted(missing))}")
    return found
